/** Mutants of writes that come late, or not at all: what they were decided on is gone, or replaced, or still owed. */
import type { Item, Outcome, Write } from '../../../schema/request.ts';
import { readQuickly, saidAgain } from './erase-scenes.ts';
import { type Mutant, onWrite, rewriting } from './mutant.ts';
import { completedBeside } from './session-scenes.ts';

const SECOND_MS = 1000;

/** The versions of each head count from nought. */
function countedFromNought(write: Write): Write {
  const { ExpressionAttributeValues: values = {} } = write.input;
  if (values[':first'] === undefined) return write;
  return { ...write, input: { ...write.input, ExpressionAttributeValues: { ...values, ':first': 0 } } } as Write;
}

/** What is obsolete, as a revision that was settled under an earlier time: it is put back in the same way. */
const asReadBefore = (row: Item): Item =>
  row.state === 'obsolete' ? { ...row, state: 'settled', capturedAtMs: 0 } : row;

/** Who is refused a row of calls by the service takes it for written. */
const unrecorded: NonNullable<Mutant['wrapStore']> = (store, { role }) =>
  role === 'worker'
    ? onWrite(store, async (write, name, pass) => {
        if (name !== 'call-page:put') return pass(write);
        return pass(write).catch((): Outcome => ({ kind: 'won', item: undefined }));
      })
    : undefined;

export const LATE_WRITE_MUTANTS: readonly Mutant[] = [
  {
    name: 'versions of a head begin again',
    replaces: 'firstVersionOf: a head that was dropped and made anew is at a version that a dead eraser saw',
    caughtBy: ['memory'],
    within: 20,
    direct: saidAgain,
    slow: [{ name: 'head:erase', forMs: 45 * SECOND_MS, chance: 0.6 }],
    wrapStore: rewriting('head:raise', countedFromNought),
  },
  {
    name: 'calls of a refused row forgotten',
    replaces: 'CallLog keeps no row that could not be written: its calls are on no record',
    caughtBy: ['a pass shows what it did'],
    within: 60,
    direct: (plan) => readQuickly({ ...plan, faults: { throttle: 0.1 } }),
    wrapStore: unrecorded,
  },
  {
    name: 'what was replaced queued by its completion',
    replaces: 'queueEvidence puts a revision that stood back into the queue though it is obsolete by then',
    caughtBy: ['I5 monotone'],
    within: 20,
    direct: completedBeside,
    wrapStore: (store, { role }) =>
      role === 'ingest'
        ? onWrite(store, async (write, _name, pass): Promise<Outcome> => {
            const outcome = await pass(write);
            return outcome.kind === 'held' && outcome.stored
              ? { kind: 'held', stored: asReadBefore(outcome.stored) }
              : outcome;
          })
        : undefined,
  },
];
