/** Mutants of a pass that a sweep begins where its scheduler died: it is the one that was admitted. */
import type { Write } from '../../../schema/request.ts';
import { dryRunsOf } from '../plans/dry-run-plan.ts';
import type { Plan } from '../plans/plan.ts';
import { type Mutant, onWrite } from './mutant.ts';
import { away } from './working-scenes.ts';

/** Schedulers die right behind the ledger. */
const DYING = { crashAfterWrite: 0.1 };
const rehearsed = (plan: Plan): Plan => ({
  ...plan,
  faults: DYING,
  erasing: undefined,
  hostile: undefined,
  requests: [...plan.requests, ...[0, 1, 2, 3].flatMap((k) => dryRunsOf(plan.seed + k, plan.scopes, plan.calmFromMs))],
});

type Row = Readonly<Record<string, unknown>>;

/** A tick puts the rows of passes so: the first write of theirs by an execution that works for no scope. */
const carrying =
  (change: (row: Row) => Row): NonNullable<Mutant['wrapStore']> =>
  (store, { role, scope }) => {
    if (role !== 'scheduler' || scope !== undefined) return undefined;
    let hasPlanned = false;
    return onWrite(store, (write, name, pass) => {
      if (name === 'ledger:admit') hasPlanned = true;
      if (name !== 'pass:put' || write.kind !== 'put' || hasPlanned) return pass(write);
      return pass({ ...write, input: { ...write.input, Item: change(write.input.Item ?? {}) } } as Write);
    });
  };

const lacking =
  (name: string) =>
  (row: Row): Row =>
    Object.fromEntries(Object.entries(row).filter(([key]) => key !== name));

const caughtBy = ['a pass is what was admitted'];

export const CARRY_MUTANTS: readonly Mutant[] = [
  {
    name: 'dry run carried forward as a pass that writes',
    replaces: 'carryForward by the first kind, whatever was admitted',
    caughtBy,
    within: 20,
    direct: rehearsed,
    wrapStore: carrying((row) => ({ ...row, kind: 'incremental' })),
  },
  {
    name: 'carried forward by itself',
    replaces: 'carryForward without those that wait for a canary: nobody asks for them when it has proven its provider',
    caughtBy,
    within: 20,
    direct: away(true, DYING),
    wrapStore: carrying(lacking('heldBack')),
  },
  {
    name: 'carried forward without its attention',
    replaces: 'carryForward of a pass that owns the attention of its scope, as of one that does not',
    caughtBy,
    within: 20,
    direct: away(true, DYING),
    wrapStore: carrying(lacking('attention')),
  },
  {
    name: 'carried forward in the first place',
    replaces: 'carryForward without the slot number that was admitted: two passes begin at one place of the queue',
    caughtBy,
    within: 20,
    direct: away(true, DYING),
    wrapStore: carrying((row) => ({ ...row, slotNumber: 0 })),
  },
];
