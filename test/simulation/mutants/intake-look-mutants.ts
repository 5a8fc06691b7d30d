/** Mutants of what ingest looks at once more: what stands by now, in which generation, and whether anybody will come. */
import type { Store } from '../../../functions/io/ports.ts';
import type { Item } from '../../../schema/request.ts';
import { START_MS } from '../engine/kernel.ts';
import type { Plan } from '../plans/plan.ts';
import { erased } from './erase-scenes.ts';
import { givenAtOnce } from './session-scenes.ts';
import { QUIET } from './quiet-scenes.ts';
import { type Mutant, onWrite, rewriting, without } from './mutant.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

const firstOf = (plan: Plan): Plan['ingests'][number]['sources'] => {
  const sources = plan.ingests.filter(({ upload }) => upload === undefined).flatMap((call) => call.sources);
  return [...new Map(sources.map((source) => [`${source.scope} ${source.id}`, source])).values()];
};

/** Each source is completed while it is revised, by another call; the revision is completed a minute later. */
const revisedBesides = (plan: Plan): Plan => {
  const ingests = firstOf(plan).flatMap((source, k): Plan['ingests'] => {
    const revised = {
      ...source,
      text: `${source.text}\nRevised ${k}.`,
      capturedAtMs: source.capturedAtMs + 60 * SECOND_MS + k,
    };
    const callOf = (afterMs: number, one: typeof source, completed: boolean): Plan['ingests'][number] => {
      const atMs = START_MS + k * SECOND_MS + afterMs;
      return { atMs, scope: source.scope, sources: [{ ...one, completed }] };
    };
    return [
      callOf(0, source, false),
      callOf(10 * SECOND_MS, source, true),
      callOf(12 * SECOND_MS, revised, false),
      callOf(70 * SECOND_MS, revised, true),
    ];
  });
  const settings = { ...plan.settings, batchTokens: 4000, maxWaitMs: 120 * SECOND_MS };
  return { ...plan, ...QUIET, faults: {}, requests: [], ingests, settings };
};

/** Who lost the place of a source looks for nothing that was left there. */
const passingOver = (store: Store): Store => {
  const passed = new Set<unknown>();
  const get: Store['get'] = async (read) => (passed.has(read.input.Key?.sk) ? undefined : store.get(read));
  const noting = onWrite(store, async (write, name, pass) => {
    const outcome = await pass(write);
    const { kind, id, replaces } = (outcome.kind === 'held' && outcome.stored) || {};
    if (name === 'source:put' && typeof replaces === 'string')
      passed.add(`EVIDENCE#incremental#${String(kind)}#${String(id)}#${replaces}`);
    return outcome;
  });
  return { ...noting, get };
};

/** What is slow there: one that is completed is revised before that is written. */
const COMPLETED_LATE = [{ name: 'source:complete', forMs: 5 * SECOND_MS, chance: 0.7 }] as const;

/** One source a scope. Its call stands still before its evidence until nobody looks any more, and dies behind its SOURCE row. */
const writtenLate = (plan: Plan): Plan => ({
  ...plan,
  ...QUIET,
  faults: { outliveTimeout: 1, crashAfterWrite: 0.3 },
  requests: [],
  calmFromMs: START_MS + 12 * MINUTE_MS,
  ingests: plan.scopes.flatMap((scope) => {
    const [source] = firstOf(plan).filter((it) => it.scope === scope);
    return source ? [{ atMs: START_MS, scope, sources: [{ ...source, completed: true }] }] : [];
  }),
});

/** What was read of a source in one generation is what a call knows of it in the next. */
function carriedOver(store: Store): Store {
  const known = new Map<string, Item | undefined>();
  const get: Store['get'] = async (read) => {
    const { pk, sk } = read.input.Key ?? {};
    const [, scope, generation] = String(pk).split('#');
    if (!/^(?:SOURCE|EVIDENCE)#/.test(String(sk))) return store.get(read);
    const place = `${String(scope)} ${String(sk)}`;
    const before = known.get(`${place} ${Number(generation) - 1}`);
    if (before) return before;
    const item = await store.get(read);
    known.set(`${place} ${String(generation)}`, item);
    return item;
  };
  return { ...onWrite(store, (write, _name, pass) => pass(write)), get };
}

/** Each call is sent once more with something new beside; its scope is erased between what it reads first and its mark. */
const erasedMeanwhile = (plan: Plan): Plan => {
  const { requests, erasing, ...scene } = erased({ kind: 'scope', atMs: [20.5, 41, 61.5].map((s) => s * SECOND_MS) })(
    plan,
  );
  const again = [0, 20, 40, 60].flatMap((afterS) =>
    plan.scopes.map((scope, n): Plan['ingests'][number] => {
      const own = firstOf(plan).filter((source) => source.scope === scope);
      const sources = own.map((source, k) =>
        k % 2 === 0
          ? source
          : { ...source, text: `${source.text}\nAfter ${afterS}.`, capturedAtMs: source.capturedAtMs + afterS },
      );
      return { atMs: START_MS + n * 100 + afterS * SECOND_MS, scope, sources };
    }),
  );
  return { ...scene, erasing, requests, ingests: again.filter(({ sources }) => sources.length > 0) };
};

/** A call that has written nothing does not see the evidence of what it found standing. */
function blindToWhatStands(store: Store): Store {
  const standing = new Set<string>();
  let hasWritten = false;
  const watched = onWrite(store, (write, _name, pass) => {
    hasWritten = true;
    return pass(write);
  });
  const get: Store['get'] = async (read) => {
    const item = await store.get(read);
    const { sk = '', kind, id, revision } = item ?? {};
    if (String(sk).startsWith('SOURCE#')) standing.add(`EVIDENCE ${String(kind)} ${String(id)} ${String(revision)}`);
    const isStanding = standing.has(`EVIDENCE ${String(kind)} ${String(id)} ${String(revision)}`);
    return String(sk).startsWith('EVIDENCE#') && isStanding && !hasWritten ? undefined : item;
  };
  return { ...watched, get };
}

export const INTAKE_LOOK_MUTANTS: readonly Mutant[] = [
  {
    name: 'completed whatever stands',
    replaces: 'completeSource of a row that says another revision by now: that one is completed in its place',
    caughtBy: ['an answer tells what stands'],
    within: 20,
    direct: revisedBesides,
    slow: COMPLETED_LATE,
    wrapStore: rewriting('source:complete', without('#newestKey = :seenKey')),
  },
  {
    name: 'completion that lost believed',
    replaces: 'finishStanding takes a completion that lost for one that stands, and looks at nothing again',
    caughtBy: ['an answer tells what stands'],
    within: 20,
    direct: revisedBesides,
    slow: COMPLETED_LATE,
    wrapStore: (store, { role }) =>
      role === 'ingest'
        ? onWrite(store, async (write, name, pass) => {
            const outcome = await pass(write);
            return name === 'source:complete'
              ? { kind: 'won', item: outcome.kind === 'won' ? outcome.item : undefined }
              : outcome;
          })
        : undefined,
  },
  {
    name: 'leftover of who was faster',
    replaces: 'standAsNewest takes the next place without a look at what stood behind it: its call may have died',
    caughtBy: ['what was replaced is not read'],
    within: 20,
    direct: givenAtOnce,
    wrapStore: (store, { role }) => (role === 'ingest' ? passingOver(store) : undefined),
  },
  {
    name: 'known of the generation before',
    replaces: 'ingestGroups goes on with what it read before its scope was erased',
    caughtBy: ['an answer is of one generation'],
    within: 20,
    direct: erasedMeanwhile,
    slow: [
      { name: 'scope:mark', role: 'ingest', forMs: 2 * SECOND_MS },
      { name: 'scope:note', role: 'ingest', forMs: 2 * SECOND_MS },
    ],
    wrapStore: (store, { role }) => (role === 'ingest' ? carriedOver(store) : undefined),
  },
  {
    name: 'missed mark not made up for',
    replaces:
      'makeUpForMark: a call that died before its second mark is told "unchanged", and nobody looks at its scope',
    caughtBy: ['V1 liveness'],
    within: 20,
    direct: writtenLate,
    slow: [{ name: 'evidence:put', role: 'ingest', forMs: 6 * MINUTE_MS }],
    wrapStore: (store, { role }) => (role === 'ingest' ? blindToWhatStands(store) : undefined),
  },
];
