/** Mutants of how a ledger is read where there are several: in which order, and by whom. */
import type { Store } from '../../../functions/io/ports.ts';
import type { Item } from '../../../schema/request.ts';
import { forPools } from '../plans/deployment-plan.ts';
import { START_MS } from '../engine/kernel.ts';
import { type Mutant, onWrite } from './mutant.ts';
import type { Plan, PlannedIngest } from '../plans/plan.ts';
import { asked } from './scope-mutants.ts';

const SECOND_MS = 1000;
const POOLS = 3;

/** Three pools; in between a part of the executions is told of another number, where `mistaken`. */
const pooled =
  (faults: Plan['faults'], mistaken?: number) =>
  (plan: Plan): Plan => {
    const mistake = mistaken
      ? { fromMs: START_MS + 10 * SECOND_MS, untilMs: plan.calmFromMs, pools: mistaken, share: 0.5 }
      : undefined;
    return asked(faults)({
      ...plan,
      settings: plan.deployment.pools > 1 ? plan.settings : forPools(plan.settings, POOLS),
      deployment: { pools: POOLS, skewMaxMs: undefined, release: undefined, mistake },
      erasing: undefined,
    });
  };

const inScope = (scope: string, call: PlannedIngest): PlannedIngest => ({
  ...call,
  scope,
  sources: call.sources.map((source) => ({ ...source, scope })),
});

export const POOL_MUTANTS: readonly Mutant[] = [
  {
    name: 'what holds of all read first',
    replaces: 'loadPoolLedger reads the first ledger before the one whose version it commits on',
    caughtBy: ['paused is paused'],
    within: 100,
    direct: pooled({ pauseAll: 1, outliveTimeout: 1, executorSkip: 1 }),
    wrapStore: (store, { role, clock }) => {
      if (role !== 'scheduler') return undefined;
      let early: Item | undefined;
      const get: Store['get'] = async (read) => {
        const { pk, sk } = read.input.Key ?? {};
        if (sk !== 'LEDGER') return store.get(read);
        if (pk === 'POOL#0') {
          const seen = early;
          early = undefined;
          return seen ?? store.get(read);
        }
        early = await store.get({ ...read, input: { ...read.input, Key: { pk: 'POOL#0', sk: 'LEDGER' } } });
        await clock.sleep(3 * SECOND_MS);
        return store.get(read);
      };
      return { ...onWrite(store, (write, _name, pass) => pass(write)), get };
    },
  },
  {
    name: 'another number of pools believed',
    replaces: 'loadStoredLedger by the number it was told, whatever the ledger says it was made with',
    caughtBy: ['a scope has one pool'],
    within: 50,
    direct: pooled({}, 1),
    wrapStore: (store, { pools }) => {
      const get: Store['get'] = async (read) => {
        const item = await store.get(read);
        return item?.sk === 'LEDGER' ? { ...item, pools } : item;
      };
      return { ...onWrite(store, (write, _name, pass) => pass(write)), get };
    },
  },
  {
    name: 'first ledger left unmade',
    replaces:
      'admit without noteHowMany: a pool begins, and nothing says how many there are to who is told of another number',
    caughtBy: ['a scope has one pool', 'I4 capacity'],
    within: 20,
    // Nobody has anything to do with the first pool.
    direct: (plan) => {
      const one = { ...plan, scopes: ['d'], ingests: plan.ingests.map((call) => inScope('d', call)) };
      return {
        ...pooled({}, 1)(one),
        hasOrphans: false,
        slips: [],
        setters: [],
        sessions: [],
        poison: undefined,
        undoing: [],
      };
    },
    wrapStore: (store, { role, pools }) =>
      role === 'scheduler' && pools === POOLS
        ? onWrite(store, async (write, name, pass) => {
            const isFirst = write.kind === 'update' && write.input.Key?.pk === 'POOL#0';
            return name === 'ledger:switch' && isFirst ? { kind: 'won', item: undefined } : pass(write);
          })
        : undefined,
  },
];
