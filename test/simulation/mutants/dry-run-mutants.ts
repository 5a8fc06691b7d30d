/** Mutants of dry runs: one that writes, one that counts, one that does not tell. */
import { dryRunsOf } from '../plans/dry-run-plan.ts';
import { type Mutant, onWrite, storm } from './mutant.ts';
import type { LedgerEntry } from '../../../schema/ledger.ts';
import { serveScope } from '../../../schema/scope.ts';
import type { Plan } from '../plans/plan.ts';

/** People who ask what a pass would write, while others read. */
const rehearsed =
  (faults: Plan['faults'] = {}) =>
  (plan: Plan): Plan =>
    storm(faults, {
      erasing: undefined,
      hostile: undefined,
      requests: [...plan.requests, ...dryRunsOf(plan.seed, plan.scopes, plan.calmFromMs)],
    })(plan);

export const DRY_RUN_MUTANTS: readonly Mutant[] = [
  {
    name: 'dry run that serves its scope',
    replaces: 'isServing of a dry run: a scope of which nothing was taken goes behind all who wait',
    caughtBy: ['who waits is known'],
    within: 20,
    direct: rehearsed(),
    wrapStore: (store, { role, clock, ids }) =>
      role === 'scheduler'
        ? onWrite(store, async (write, name, pass) => {
            const outcome = await pass(write);
            if (name !== 'ledger:admit' || outcome.kind !== 'won') return outcome;
            const entries = Object.values(write.input.ExpressionAttributeValues ?? {}) as Partial<LedgerEntry>[];
            for (const { kind, scope } of entries)
              if (kind === 'dry-run' && scope !== undefined)
                await pass(serveScope({ scope, nowMs: clock.nowMs(), op: ids.fresh() }));
            return outcome;
          })
        : undefined,
  },
  {
    name: 'dry run that writes',
    replaces: 'a worker takes a dry run for a pass: it leases, acknowledges and writes claims',
    caughtBy: ['a dry run writes nothing'],
    within: 20,
    direct: rehearsed(),
    wrapStore: (store, { role }) =>
      role === 'worker'
        ? onWrite(store, async (write, name, pass) => {
            const outcome = await pass(write);
            if (name !== 'pass:start' || outcome.kind !== 'won' || !outcome.item) return outcome;
            return { ...outcome, item: { ...outcome.item, kind: 'incremental' } };
          })
        : undefined,
  },
  {
    name: 'dry run that counts',
    replaces: 'a finalizer counts the end of a dry run as one of its scope',
    caughtBy: ['a dry run writes nothing'],
    within: 20,
    direct: rehearsed({ executorFail: 0.3 }),
    wrapStore: (store, { role }) => {
      if (role !== 'finalizer') return undefined;
      const get: typeof store.get = async (read) => {
        const item = await store.get(read);
        return item?.kind === 'dry-run' ? { ...item, kind: 'incremental' } : item;
      };
      return { ...onWrite(store, (write, _name, pass) => pass(write)), get };
    },
  },
  {
    name: 'dry run that keeps it to itself',
    replaces: 'Proposals.flush: what is left when the pass ends is not written',
    caughtBy: ['a dry run tells what it would write'],
    within: 20,
    direct: rehearsed(),
    wrapStore: (store) =>
      onWrite(store, async (write, name, pass) =>
        name === 'proposal-page:put' ? { kind: 'won', item: undefined } : pass(write),
      ),
  },
];
