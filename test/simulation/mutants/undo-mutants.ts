/** Mutants of undoing a pass: who undoes is told otherwise than it stands whether the pass may still be heard of. */
import type { LedgerItem } from '../../../schema/ledger.ts';
import { isTerminal, type PassStatus } from '../../../schema/pass.ts';
import type { Item } from '../../../schema/request.ts';
import { SORT_KEY } from '../../../schema/table.ts';
import { over, rebuildingOnce } from '../claims/claim-stores.ts';
import { type Mutant, storm } from './mutant.ts';
import type { Plan } from '../plans/plan.ts';
import { QUIET, WIDE } from './quiet-scenes.ts';
import { fed } from './scope-move-mutants.ts';
import { type UndoneKind, undosOf } from '../plans/undo-plan.ts';

const SECOND_MS = 1000;
const CAUGHT_BY = ['undone stays undone'];

/** Whoever undoes reads such a row changed. */
function misreading(row: RegExp, change: (found: Item) => Item): NonNullable<Mutant['wrapStore']> {
  return (store, { role }) => {
    if (role !== 'curator') return undefined;
    return over(store, {
      get: async (read) => {
        const found = await store.get(read);
        return found && row.test(String(read.input.Key?.[SORT_KEY])) ? change(found) : found;
      },
    });
  };
}

interface Scenario {
  readonly which: UndoneKind;
  readonly everyS: number;
  readonly isCancelling?: boolean;
  readonly faults?: Plan['faults'];
}

/** A directed scenario: passes of every scope are undone all the time. */
const undone =
  ({ which, everyS, isCancelling = false, faults = {} }: Scenario) =>
  (plan: Plan): Plan => {
    const undoing = undosOf(plan.scopes, plan.calmFromMs, { which, everyMs: everyS * SECOND_MS, isCancelling });
    return storm(faults, { erasing: undefined, sessions: [], undoing })(plan);
  };

/** … while there is something to read all the time. */
const undoneWhereFed =
  (scenario: Scenario) =>
  (plan: Plan): Plan =>
    undone(scenario)({ ...fed({ outliveTimeout: 1 }, { ...WIDE, pageSources: 2 })(plan), ...QUIET });

export const UNDO_MUTANTS: readonly Mutant[] = [
  {
    name: 'undone while it runs',
    replaces: 'the refusal to undo a pass that runs, by its row: what it writes after that stands',
    caughtBy: CAUGHT_BY,
    within: 20,
    direct: undone({ which: 'listed', everyS: 2 }),
    wrapStore: misreading(/^PASS#/, (found) =>
      isTerminal(found.status as PassStatus) ? found : { ...found, status: 'completed' },
    ),
  },
  {
    name: 'undone before it has a row',
    replaces: 'the refusal to undo a pass that stands in the ledger alone: its row is still to come',
    caughtBy: CAUGHT_BY,
    within: 20,
    // Between the ledger and the row its scheduler dies, or stands still.
    direct: undone({ which: 'rowless', everyS: 1, faults: { freeze: 0.1, crashBeforeWrite: 0.03, outliveTimeout: 1 } }),
    wrapStore: misreading(/^LEDGER$/, (found) => ({ ...(found as unknown as LedgerItem), passes: {} })),
  },
  {
    name: 'undone pass not asked for again',
    replaces: 'againAt of a pass that was cancelled or expired: what was on its way stands',
    caughtBy: CAUGHT_BY,
    within: 20,
    direct: undoneWhereFed({ which: 'listed', everyS: 2, isCancelling: true }),
    slow: [{ name: 'citation:put', role: 'worker', forMs: 90 * SECOND_MS, chance: 0.3 }],
    wrapStore: misreading(/^PASS#/, (found) => {
      const isStopped = found.status === 'cancelled' || found.status === 'expired';
      return isStopped ? { ...found, status: 'completed', deadlineAtMs: undefined } : found;
    }),
  },
  {
    name: 'undone pass had nothing on its way',
    replaces: 'againAt of a pass that ended itself while a request of it hung: what it left behind arrives later',
    caughtBy: CAUGHT_BY,
    within: 20,
    direct: undoneWhereFed({ which: 'ended', everyS: 2 }),
    slow: [{ name: 'citation:put', role: 'worker', forMs: 240 * SECOND_MS, chance: 0.3 }],
    wrapStore: misreading(/^PASS#/, (found) => ({ ...found, leftBehind: undefined })),
  },
  {
    name: 'head left to what was undone',
    replaces: 'undoPass marks its rows, and rebuilds no head: it names what nobody says any more',
    caughtBy: ['memory'],
    within: 20,
    direct: undone({ which: 'ended', everyS: 20 }),
    wrapStore: (store, { role }) => (role === 'curator' ? rebuildingOnce(true)(store) : undefined),
  },
];
