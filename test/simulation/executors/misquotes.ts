/**
 * Executors that cite one source with nothing but what it does not say, and do not acknowledge it, as long as the storm lasts:
 * pass after pass, until it is given up. In one seed of forty in which nothing else is out of order, by a stream of their own.
 */
import type { ClaimDraft } from '../../../functions/core/claim-draft.ts';
import type { Executor, ReviewItem, Tools } from '../../../functions/worker/executor/executor.ts';
import { endsEarly } from './early-ends.ts';
import type { Plan } from '../plans/plan.ts';
import { Random } from '../engine/random.ts';

const SHARE = 1 / 40;

type Drawn = Pick<Plan, 'seed' | 'hostile' | 'erasing' | 'sessions' | 'poison' | 'undoing'>;

/** The id of the source; undefined: there is none. */
export function misquotedIn({ seed, hostile, erasing, sessions, poison, undoing }: Drawn): string | undefined {
  if (hostile || erasing || poison || sessions.length > 0 || undoing.length > 0) return undefined;
  if (endsEarly({ seed, hostile })) return undefined;
  const random = new Random(seed, 'misquotes');
  return random.chance(SHARE) ? `s${random.int(0, 2)}` : undefined;
}

/** A directed scenario: the plan, nothing else out of order, under a seed that draws it. */
export function misquoted(plan: Plan): Plan {
  const alone = { ...plan, hostile: undefined, erasing: undefined, sessions: [], poison: undefined, undoing: [] };
  const from = plan.seed * 1000;
  const seeds = Array.from({ length: 1000 }, (_, k) => from + k);
  return { ...alone, seed: seeds.find((seed) => misquotedIn({ ...alone, seed })) ?? plan.seed };
}

const twist = (draft: ClaimDraft): ClaimDraft => ({
  ...draft,
  quote: { ...draft.quote, text: 'This stands nowhere.' },
});

/** The executor given, with claims of that source that quote what stands nowhere. */
export function misquoting(executor: Executor, id: string, isStormy: () => boolean): Executor {
  const isMeant = (source: string): boolean => source.includes(`:${id}@`);
  return {
    name: executor.name,
    run: (tools, context) => {
      const starts = new Map<string, number>();
      const twisted = (item: ReviewItem): ReviewItem => {
        const { source, claims = [] } = item;
        if (!isStormy() || !isMeant(source) || claims.length === 0) return item;
        const through = starts.get(source) ?? 0;
        return { source, through, claims: claims.map(twist) };
      };
      const careless: Tools = {
        searchEvidence: async (request) => {
          const page = await tools.searchEvidence(request);
          for (const { source, start } of page.items) starts.set(source, start);
          return page;
        },
        reviewEvidence: (items) => tools.reviewEvidence(items.map(twisted)),
        listAttention: () => tools.listAttention(),
        resolveAttention: (decision) => tools.resolveAttention(decision),
      };
      return executor.run(careless, context);
    },
  };
}
