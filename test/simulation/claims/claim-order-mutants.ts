/** Mutants of the order in which a worker writes what it found, and of what it does when such a write fails. */
import type { Store } from '../../../functions/io/ports.ts';
import type { Outcome, Write } from '../../../schema/request.ts';
import { type Mutant, onWrite } from '../mutants/mutant.ts';
import { asked } from '../mutants/scope-mutants.ts';

/** A worker's citations are answered, and sent behind its next write of a head. */
const citingLast: NonNullable<Mutant['wrapStore']> = (store, { role }) => {
  if (role !== 'worker') return undefined;
  const waiting: Write[] = [];
  return onWrite(store, async (write, name, pass) => {
    if (name === 'citation:put') {
      waiting.push(write);
      return { kind: 'won', item: undefined };
    }
    const outcome = await pass(write);
    if (name === 'head:raise') for (const citation of waiting.splice(0)) await pass(citation);
    return outcome;
  });
};

/** Whoever puts a citation is told that it stands, also when the request failed. */
const swallowing = (store: Store): Store =>
  onWrite(store, (write, name, pass) => {
    const sent = pass(write);
    return name === 'citation:put' ? sent.catch((): Outcome => ({ kind: 'won', item: undefined })) : sent;
  });

export const ORDER_MUTANTS: readonly Mutant[] = [
  {
    name: 'citation written after its head',
    replaces: 'recordCitation raises the head to a row that is still to come: the look after finds none, and lowers it',
    caughtBy: ['memory'],
    within: 20,
    wrapStore: citingLast,
  },
  {
    name: 'claim lost, source settled',
    replaces: 'a claim whose write fails fails its pass: its source is read again',
    caughtBy: ['memory'],
    within: 20,
    // A source a page: what a pass writes besides gets through.
    direct: asked({ throttle: 0.04 }, { pageSources: 1, batchTokens: 0, maxPassesPerScope: 1 }),
    wrapStore: (store, { role }) => (role === 'worker' ? swallowing(store) : undefined),
  },
];
