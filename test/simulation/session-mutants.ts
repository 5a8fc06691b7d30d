/** Mutants of sessions that grow: what two appends at once would lose, and what would be read for nothing. */
import type { Item, Write } from '../../schema/request.ts';
import { type Mutant, onWrite, rewriting, storm, without } from './mutant.ts';
import type { Plan } from './plan.ts';
import { sessionsOf } from './session-plan.ts';

/** Nothing but sessions that grow, and these faults. */
const grown =
  (faults: Plan['faults'] = {}) =>
  (plan: Plan): Plan => ({
    ...storm(faults)(plan),
    erasing: undefined,
    hostile: undefined,
    ingests: [],
    sessions: sessionsOf(plan.seed, plan.scopes, plan.calmFromMs),
  });

/** An ingest's store in which it cannot take out of the queue what `isKept`, told whether it put the row there itself. */
const keeping =
  (isKept: (isOwn: boolean) => boolean): NonNullable<Mutant['wrapStore']> =>
  (store, { role }) => {
    if (role !== 'ingest') return undefined;
    const own = new Set<unknown>();
    return onWrite(store, async (write, name, pass) => {
      if (name === 'evidence:put' && write.kind === 'put') own.add(write.input.Item?.sk);
      const isTakenOut = name === 'evidence:obsolete' && write.kind === 'update';
      if (isTakenOut && isKept(own.has(write.input.Key?.sk))) return { kind: 'held', stored: undefined };
      return pass(write);
    });
  };

/** The whole text, as if nothing of it had been read. */
function fromItsBeginning(write: Write): Write {
  if (write.kind !== 'put') return write;
  const { beganAt: _, ...item } = write.input.Item as Item;
  return { ...write, input: { ...write.input, Item: { ...item, cursor: 0 } } };
}

export const SESSION_MUTANTS: readonly Mutant[] = [
  {
    name: 'append to what is gone',
    replaces: 'putNewestSource by an append, whatever stands by now: turns that came meanwhile are lost',
    caughtBy: ['no turn is lost'],
    within: 20,
    direct: grown(),
    wrapStore: rewriting('source:put', without('#newestKey = :seenKey', 'attribute_not_exists(#newestKey)')),
  },
  {
    name: 'lost revisions left in the queue',
    replaces: 'dropLost: what an append queued before it lost the SOURCE row stays, and is read',
    caughtBy: ['only what stood is queued'],
    within: 20,
    direct: grown(),
    wrapStore: keeping((isOwn) => isOwn),
  },
  {
    name: 'replaced revision left in the queue',
    replaces: 'dropFromQueue of the revision whose place was taken',
    caughtBy: ['what was replaced is not read'],
    within: 20,
    direct: grown(),
    wrapStore: keeping((isOwn) => !isOwn),
  },
  {
    name: 'leftover of a dead call not looked for',
    replaces: 'dropLeftover and hasLeftover: what a call had replaced that died right after stays in the queue',
    caughtBy: ['what was replaced is not read'],
    within: 100,
    direct: grown({ crashAfterWrite: 0.1 }),
    wrapStore: (store, { role }) => {
      if (role !== 'ingest') return undefined;
      const replaced = new Set<unknown>();
      const noteSource = (item: Item | undefined): void => {
        const { id, replaces } = item ?? {};
        if (typeof replaces === 'string') replaced.add(`EVIDENCE#incremental#transcript#${String(id)}#${replaces}`);
      };
      const get: typeof store.get = async (read) => {
        if (replaced.has(read.input.Key?.sk)) return undefined;
        const item = await store.get(read);
        noteSource(item);
        return item;
      };
      const noted = onWrite(store, async (write, name, pass) => {
        const outcome = await pass(write);
        if (name === 'source:put' && outcome.kind === 'held') noteSource(outcome.stored);
        return outcome;
      });
      return { ...noted, get };
    },
  },
  {
    name: 'session read anew',
    replaces: 'findBeginning: each revision of a session is read from its first turn on',
    caughtBy: ['what was settled is not read again'],
    within: 50,
    direct: grown(),
    wrapStore: rewriting('evidence:put', fromItsBeginning),
  },
];
