/** Mutants of what is read in parts. */
import { planSettlement } from '../../../functions/core/settling.ts';
import type { Item } from '../../../schema/request.ts';
import { fragmentsOf, lengthen } from '../plans/fragment-plan.ts';
import type { Mutant } from './mutant.ts';
import type { Plan } from '../plans/plan.ts';
import { Random } from '../engine/random.ts';

/** Long texts alone, in parts of 50 characters. */
const inFragments = (plan: Plan): Plan => {
  const fragments = { ...fragmentsOf(new Random(plan.seed, 'directed fragments')), textPart: 50 };
  return {
    ...plan,
    erasing: undefined,
    hostile: undefined,
    poison: undefined,
    sessions: [],
    undoing: [],
    slips: [],
    fragments,
    ingests: lengthen(
      plan.seed,
      plan.ingests.filter(({ upload }) => upload === undefined),
    ),
    settings: { ...plan.settings, pageCharacters: fragments.page },
  };
};

/** The same keys, with each other's texts. */
function exchange(items: readonly Item[]): Item[] {
  const bodies = items.map(({ body }) => body).reverse();
  return items.map((item, k) => ({ ...item, body: bodies[k] }));
}

export const FRAGMENT_MUTANTS: readonly Mutant[] = [
  {
    name: 'parts of a text in the order of their answer',
    replaces: 'TextParts.join: a batch answers in any order, and parts are laid end to end as they come',
    caughtBy: ['a fragment is word by word'],
    within: 20,
    wrapStore: (store, actor) =>
      actor.role !== 'worker'
        ? undefined
        : {
            write: (write) => store.write(write),
            get: (read) => store.get(read),
            query: (read) => store.query(read),
            batchGet: async (read) => exchange(await store.batchGet(read)),
          },
    direct: inFragments,
  },
  {
    name: 'rest of a source settled unread',
    replaces:
      'planSettlement: a source that was given to a pass is settled to its end, not as far as it was acknowledged',
    caughtBy: ['I9 reviewed only', 'settled ranges make the whole'],
    within: 20,
    decide: {
      planSettlement: (...given) => {
        const plan = planSettlement(...given);
        return { ...plan, settle: plan.settle.map((review) => ({ ...review, to: review.length })) };
      },
    },
    direct: inFragments,
  },
];
