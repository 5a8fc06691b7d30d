/**
 * Where pages hold little: each fragment is its source word by word, cut where no character is parted, and what was settled
 * of a source, range by range, makes the whole of it.
 */
import { sliceCharacters } from '../../../functions/core/characters.ts';
import type { EvidenceFragment, EvidencePage } from '../../../functions/worker/executor/executor.ts';
import type { EvidenceItem } from '../../../schema/evidence.ts';
import { formatSourceRef } from '../../../schema/ids.ts';
import type { Actor } from '../engine/actor.ts';
import { storedOf } from '../plans/source-forms.ts';
import type { Change } from '../engine/tables.ts';
import type { World } from '../engine/world.ts';

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

interface Settled {
  /** Where its reading began. */
  readonly beganAt: number;
  readonly characters: number;
}

export class FragmentInvariants {
  readonly #world: World;
  /** `scope source` → its text. */
  readonly #texts = new Map<string, string>();
  /** The same → where one character ends and another begins, in UTF-16 units. */
  readonly #boundaries = new Map<string, ReadonlySet<number>>();
  readonly #settled = new Map<string, Settled>();

  constructor(world: World) {
    const { seed, ingests } = world.plan;
    this.#world = world;
    for (const source of ingests.flatMap(({ sources }) => sources)) {
      const stored = storedOf(seed, source);
      this.#texts.set(`${source.scope} ${formatSourceRef(stored)}`, stored.text);
    }
  }

  #boundariesOf(name: string, text: string): ReadonlySet<number> {
    const known = this.#boundaries.get(name);
    if (known) return known;
    const found = new Set([text.length, ...[...segmenter.segment(text)].map(({ index }) => index)]);
    this.#boundaries.set(name, found);
    return found;
  }

  onPage({ scope = '', passId }: Actor, { items }: EvidencePage): void {
    for (const item of items) {
      const name = `${scope} ${item.source}`;
      const whole = this.#texts.get(name);
      const strange = whole === undefined ? undefined : this.#judge(name, whole, item);
      if (strange !== undefined)
        this.#world.kernel.fail('a fragment is word by word', `${passId}: ${item.source} ${strange}`);
    }
  }

  #judge(
    name: string,
    whole: string,
    { start, end, length, text, overlap = '', reviewedChars = 0 }: EvidenceFragment,
  ): string | undefined {
    this.#world.count(end < length ? 'a fragment is given' : 'the rest of a source is given');
    if (text !== sliceCharacters(whole, start, end)) return `reads otherwise from ${start} to ${end}`;
    if (overlap !== sliceCharacters(whole, start - reviewedChars, start)) return `reads otherwise before ${start}`;
    const at = sliceCharacters(whole, 0, end).length;
    return this.#boundariesOf(name, whole).has(at) ? undefined : `is cut within a character, at ${end}`;
  }

  onChange({ pk, sk, before, after }: Change, actor: Actor | undefined): void {
    if (!sk.startsWith('EVIDENCE#') || !after) return;
    const [old, next] = [before as EvidenceItem | undefined, after as EvidenceItem];
    const name = `${pk} ${sk}`;
    if (actor?.role === 'ingest') {
      // Where it begins, or begins anew; what others settled of it stays.
      if (next.cursor !== old?.cursor || !old) this.#settled.set(name, { beganAt: next.cursor, characters: 0 });
      return;
    }
    const { beganAt, characters } = this.#settled.get(name) ?? { beganAt: 0, characters: 0 };
    const settled = characters + next.cursor - (old?.cursor ?? 0);
    if (next.cursor !== old?.cursor) this.#settled.set(name, { beganAt, characters: settled });
    if (next.state === 'settled' && beganAt + settled !== next.length)
      this.#world.kernel.fail(
        'settled ranges make the whole',
        `${sk}: ${settled} characters from ${beganAt} on are settled, of ${next.length}`,
      );
  }
}
