/**
 * Executors that end when they have acknowledged one page, and do not ask for another: what a pass gathered is written by
 * its end alone. In one seed of sixteen in which nobody means ill, by a stream of their own.
 */
import type { Executor, Tools } from '../../../functions/worker/executor/executor.ts';
import type { Plan } from '../plans/plan.ts';
import { Random } from '../engine/random.ts';

const SHARE = 1 / 16;

export function endsEarly({ seed, hostile }: Pick<Plan, 'seed' | 'hostile'>): boolean {
  return !hostile && new Random(seed, 'early ends').chance(SHARE);
}

/** The executor given, told that nothing is left when it asks for a second page. */
export function endingEarly(executor: Executor): Executor {
  return {
    name: executor.name,
    run: (tools, context) => {
      let hasRead = false;
      const early: Tools = {
        searchEvidence: async (request) => (hasRead ? { items: [], hasMore: false } : tools.searchEvidence(request)),
        reviewEvidence: async (items) => {
          const answer = await tools.reviewEvidence(items);
          hasRead = true;
          return answer;
        },
        listAttention: () => tools.listAttention(),
        resolveAttention: (decision) => tools.resolveAttention(decision),
      };
      return executor.run(early, context);
    },
  };
}

/** A directed scenario: the plan under a seed that draws it. */
export function endedEarly(plan: Plan): Plan {
  const from = plan.seed * 1000;
  const drawn = Array.from({ length: 1000 }, (_, k) => from + k).find((seed) =>
    endsEarly({ seed, hostile: undefined }),
  );
  return { ...plan, hostile: undefined, seed: drawn ?? plan.seed };
}
