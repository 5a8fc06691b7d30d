/** Mutants of what bounds a pass from outside: budgets, the provider, a failure before, a person who cancels. */
import { planAdmissions } from '../../../functions/core/admission.ts';
import { planCount } from '../../../functions/core/outcome.ts';
import { START_MS } from '../engine/kernel.ts';
import { modelOf } from '../executors/model.ts';
import type { Write } from '../../../schema/request.ts';
import { type Mutant, onWrite, rewriting, storm } from './mutant.ts';
import type { Plan } from '../plans/plan.ts';
import { outbid } from './working-scenes.ts';
import { nameOfWrite } from '../engine/write-name.ts';

const SECOND_MS = 1000;

/** A model, and people who ask for three passes every ten seconds. */
export const drained = (plan: Plan): Plan => ({
  ...plan,
  model: { ...modelOf(plan.seed, plan.calmFromMs), budgetPasses: 2 },
  settings: { ...plan.settings, maxConcurrentPasses: 4, maxPassesPerScope: 3, pageSources: 1 },
  requests: Array.from({ length: 12 }, (_, k) => ({
    atMs: START_MS + (2 + 10 * k) * SECOND_MS,
    scope: plan.scopes[k % plan.scopes.length] ?? '',
    origin: 'drain',
    parallel: 3,
    idempotencyKey: undefined,
  })),
});

/** … side by side, and from the first moment on; when the storm is over there is more for a day. */
const outgrown = (plan: Plan): Plan => {
  const scene = outbid(plan);
  const { budgetPasses: _, ...settings } = scene.settings;
  return { ...scene, settings, model: drained(plan).model, deployment: { ...scene.deployment, release: undefined } };
};

export const LIMIT_MUTANTS: readonly Mutant[] = [
  {
    name: 'budget without its bound',
    replaces: 'reserveUsage without the room that is left: of several that are planned at once each takes it',
    caughtBy: ['a budget is kept'],
    within: 20,
    direct: outgrown,
    slow: [{ name: 'usage:reserve', forMs: 5 * SECOND_MS, chance: 0.5 }],
    wrapStore: rewriting('usage:reserve', (write) => {
      const { ExpressionAttributeValues: values } = write.input;
      if (values?.[':room_passes'] === undefined) return write;
      return {
        ...write,
        input: { ...write.input, ExpressionAttributeValues: { ...values, ':room_passes': 99 } },
      } as Write;
    }),
  },
  {
    name: 'refused pass planned again',
    replaces:
      'findPlanned without its look at the refusal: a trigger delivered again when there is room is planned anew',
    caughtBy: ['I8 idempotent trigger'],
    within: 60,
    // Schedulers die right behind the ledger, the sweep refuses what they left, and people raise the budget in the calm.
    direct: (plan) => ({
      ...drained(plan),
      calmFromMs: START_MS + 150 * SECOND_MS,
      faults: { crashAfterWrite: 0.1, executorFail: 0.3 },
    }),
    wrapStore: (store, { role }) => {
      if (role !== 'scheduler') return undefined;
      const get: typeof store.get = async (read) => {
        const item = await store.get(read);
        if (!String(item?.sk).startsWith('USAGE#')) return item;
        const entries = Object.entries(item?.reserved as Record<string, { closed?: string }>);
        return { ...item, reserved: Object.fromEntries(entries.filter(([, { closed }]) => closed !== 'refused')) };
      };
      return { ...onWrite(store, (write, _name, pass) => pass(write)), get };
    },
  },
  {
    name: 'everybody is the canary',
    replaces: 'planAdmissions takes a provider that nobody has proven, or that is just back, for proven',
    caughtBy: ['a canary goes alone'],
    within: 20,
    direct: drained,
    decide: {
      planAdmissions: ({ provider, ...snapshot }, ...given) =>
        planAdmissions({ ...snapshot, provider: { kind: provider?.kind === 'none' ? 'none' : 'proven' } }, ...given),
    },
  },
  {
    name: 'neither back-off nor halt',
    replaces: 'a failure leaves its scope due at once, and no filter asks for it',
    caughtBy: ['who failed rests'],
    within: 20,
    direct: storm({ executorFail: 0.3, executorAway: 0.4 }),
    decide: {
      planCount: (counting) => {
        const count = planCount(counting);
        return count && { ...count, move: { kind: 'due', atMs: counting.nowMs } };
      },
      planAdmissions: ({ candidates, ...snapshot }, ...given) => {
        const rested = candidates.map((it) => ({ ...it, haltedAtMs: undefined, backOffUntilMs: undefined }));
        return planAdmissions({ ...snapshot, candidates: rested }, ...given);
      },
    },
  },
  {
    name: 'cancel overheard',
    replaces: 'a worker takes the refusal of its beat for a success: cancelled or expired, it goes on',
    caughtBy: ['told to stop, it stops'],
    within: 50,
    direct: storm({ cancelPass: 1, executorSlow: 0.5 }),
    wrapStore: (store, { role }) =>
      role === 'worker'
        ? {
            get: (read) => store.get(read),
            query: (read) => store.query(read),
            batchGet: (read) => store.batchGet(read),
            async write(write) {
              const outcome = await store.write(write);
              const isRefused = outcome.kind === 'held' && nameOfWrite(write) === 'pass:beat';
              return isRefused ? { kind: 'won', item: undefined } : outcome;
            },
          }
        : undefined,
  },
];
