/**
 * A reader of small pages who does not read from end to end: acknowledges up to words instead of a number, and the end of a
 * fragment before its beginning, which at times it leaves out. What stands behind a gap counts when that is closed.
 */
import { countCharacters, sliceCharacters } from '../../../functions/core/characters.ts';
import type { EvidenceFragment, Executor, ReviewItem, Tools } from '../../../functions/worker/executor/executor.ts';
import type { Actor } from '../engine/actor.ts';
import { Random } from '../engine/random.ts';
import type { World } from '../engine/world.ts';

const BACKWARDS_SHARE = 0.3;
const GAP_SHARE = 0.2;
/** Of what is quoted. */
const QUOTE_CHARACTERS = 30;

/** The same end, told by the words before it, where these stand there alone. */
function byWords(item: ReviewItem, { text, start }: EvidenceFragment): ReviewItem {
  if (typeof item.through !== 'number') return item;
  const to = item.through - start;
  const quote = sliceCharacters(text, Math.max(0, to - QUOTE_CHARACTERS), to);
  const isOnce = quote.trim() !== '' && text.indexOf(quote) === text.lastIndexOf(quote);
  return isOnce ? { ...item, through: quote } : item;
}

/** Its end, and then its beginning; undefined where it is one line. */
function backwards(
  { source, claims = [] }: ReviewItem,
  { text, start }: EvidenceFragment,
  random: Random,
): readonly [end: ReviewItem, beginning: ReviewItem] | undefined {
  const ends = [...text.matchAll(/\n(?!$)/g)].map(({ index }) => index + 1);
  if (ends.length === 0) return undefined;
  const from = start + countCharacters(text.slice(0, random.pick(ends)));
  return [
    { source, from, claims: claims.filter(({ quote }) => quote.start >= from) },
    { source, through: from, claims: claims.filter(({ quote }) => quote.start < from) },
  ];
}

export class FragmentReader {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** The executor of one execution with hands of its own. */
  listen(actor: Actor, executor: Executor): Executor {
    const random = new Random(this.#world.plan.seed, `reader ${actor.label}`);
    return {
      name: executor.name,
      run: (tools, context) => executor.run(this.#handsOf(tools, random), context),
    };
  }

  #handsOf(tools: Tools, random: Random): Tools {
    const given = new Map<string, EvidenceFragment>();
    return {
      searchEvidence: async (request) => {
        const page = await tools.searchEvidence(request);
        for (const item of page.items) given.set(item.source, item);
        return page;
      },
      reviewEvidence: async (items) => {
        const later: ReviewItem[] = [];
        const now = items.map((item) => {
          const fragment = given.get(item.source);
          if (!fragment) return item;
          if (item.through !== undefined) return byWords(item, fragment);
          const parted = random.chance(BACKWARDS_SHARE) ? backwards(item, fragment, random) : undefined;
          if (!parted) return item;
          const isGap = this.#world.faults.areActive && random.chance(GAP_SHARE);
          this.#world.count(isGap ? 'the beginning of a fragment is left out' : 'a fragment is read from its end');
          if (!isGap) later.push(parted[1]);
          return parted[0];
        });
        const answer = await tools.reviewEvidence(now);
        return later.length > 0 ? tools.reviewEvidence(later) : answer;
      },
      listAttention: () => tools.listAttention(),
      resolveAttention: (decision) => tools.resolveAttention(decision),
    };
  }
}
