/** Mutants of sessions that grow: what two appends at once would lose, and what would be read for nothing. */
import { prepareAppend } from '../../../functions/core/append.ts';
import type { Store } from '../../../functions/io/ports.ts';
import { evidenceAddress, obsoleteEvidence } from '../../../schema/evidence.ts';
import type { Item, Write } from '../../../schema/request.ts';
import { newestKeyOf } from '../../../schema/source.ts';
import type { Actor } from '../engine/actor.ts';
import type { Decisions } from '../engine/world.ts';
import { INTAKE_MUTANTS } from './intake-mutants.ts';
import { type Mutant, onWrite, rewriting, without } from './mutant.ts';
import { completedBeside, erasedBeside, grown, sentAtOnce, timedInPart } from './session-scenes.ts';

const nameOfGeneration = /^((?:SCOPE#)?[^#]+)#\d+/;

/** Whoever read of a session in one generation finds in the next what it read. */
function carryOver(store: Store): Store {
  const known = new Map<string, Item>();
  const placeOf = ({ pk, sk }: Item): string => `${String(pk).replace(nameOfGeneration, '$1')} ${String(sk)}`;
  const findCarried = (key: Item): Item | undefined => {
    const item = known.get(placeOf(key));
    return item?.pk === key.pk ? undefined : item;
  };
  const note = (item: Item | undefined): void => {
    if (item) known.set(placeOf(item), item);
  };
  const get: Store['get'] = async (read) => {
    const key = read.input.Key ?? {};
    if (read.table !== 'text' && !String(key.sk).startsWith('SOURCE#transcript#')) return store.get(read);
    const item = findCarried(key) ?? (await store.get(read));
    note(item);
    return item;
  };
  const batchGet: Store['batchGet'] = async (read) => {
    const carried = read.keys.map(findCarried).filter((item) => item !== undefined);
    const items: readonly Item[] = carried.length > 0 ? carried : await store.batchGet(read);
    items.forEach(note);
    return items;
  };
  return { write: (write) => store.write(write), query: (read) => store.query(read), get, batchGet };
}

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

/** Who loses its SOURCE row to a call that says the same takes the revision of both out of the queue. */
function droppingWhatStands(store: Store, { ids }: Actor): Store {
  return onWrite(store, async (write, name, pass) => {
    const outcome = await pass(write);
    if (name !== 'source:put' || outcome.kind === 'won' || write.kind !== 'put') return outcome;
    const { pk, kind, id, revision, newestKey } = write.input.Item as Item;
    if (kind !== 'transcript' || outcome.stored?.revision !== revision) return outcome;
    const [, scope = '', generation] = String(pk).split('#');
    const source = { kind, id: String(id), revision: String(revision) } as const;
    const evidence = evidenceAddress(scope, Number(generation), 'incremental', source);
    await pass(obsoleteEvidence(evidence, ids.fresh(), `${String(newestKey)}~`, Number.MAX_SAFE_INTEGER));
    return outcome;
  });
}

/** The whole text, as if nothing of it had been read. */
function fromItsBeginning(write: Write): Write {
  if (write.kind !== 'put') return write;
  const { beganAt: _, ...item } = write.input.Item as Item;
  return { ...write, input: { ...write.input, Item: { ...item, cursor: 0 } } };
}

/** What is appended is captured when its own turns were said, whatever stands. */
const capturedByItself: Decisions['prepareAppend'] = (body, session, nowMs) => {
  const append = prepareAppend(body, session, nowMs);
  const alone = prepareAppend(body, undefined, nowMs);
  if (append.kind !== 'prepared' || alone.kind !== 'prepared') return append;
  const { capturedAtMs, capturedFrom } = alone.source;
  const { revision } = append.source;
  const newestKey = newestKeyOf({ capturedAtMs, ingestedAtMs: nowMs, revision });
  return { ...append, source: { ...append.source, capturedAtMs, capturedFrom, newestKey } };
};

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
    name: 'append captured before what stands',
    replaces: 'captureAppended: turns of an earlier time than what stands make the session history',
    caughtBy: ['no turn is lost'],
    within: 20,
    direct: timedInPart,
    decide: { prepareAppend: capturedByItself },
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
    name: 'what stands dropped with what was lost',
    replaces:
      'appendTurns drops each revision that lost its SOURCE row: also one that stands by the same call beside it',
    caughtBy: ['what stands is not taken out'],
    within: 20,
    direct: sentAtOnce,
    wrapStore: (store, actor) => (actor.role === 'ingest' ? droppingWhatStands(store, actor) : undefined),
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
    within: 20,
    direct: completedBeside,
    wrapStore: rewriting('evidence:put', fromItsBeginning),
  },
  {
    name: 'session carried over a scope erase',
    replaces: 'appendTurns goes on from the session it read first, also when its scope was erased before it was marked',
    caughtBy: ['nothing said before stands in the next generation', 'memory'],
    within: 60,
    direct: erasedBeside({ freeze: 0.05, pauseWrite: 0.05, outliveTimeout: 1 }),
    wrapStore: (store, { role }) => (role === 'ingest' ? carryOver(store) : undefined),
  },
  ...INTAKE_MUTANTS,
];
