/** Mutants of how a pass goes through its queue: whose turn it is, and what it is told of what is left. */
import { choosePage } from '../../../functions/core/paging.ts';
import type { QueryPage, Store } from '../../../functions/io/ports.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { Item, Query } from '../../../schema/request.ts';
import type { Actor } from '../engine/actor.ts';
import { START_MS } from '../engine/kernel.ts';
import type { Plan } from '../plans/plan.ts';
import { QUIET } from './quiet-scenes.ts';
import { type Mutant, onWrite, storm } from './mutant.ts';
import { givenUp, SIDE_BY_SIDE } from './working-scenes.ts';

const SECOND_MS = 1000;

/** A dozen sources of one scope, and one that nobody has finished; passes of a source a page, asked for as it stops waiting. */
const aDozen =
  (faults: Plan['faults'] = {}, more: Plan['settings'] = {}) =>
  (plan: Plan): Plan => {
    const scopes = plan.scopes.slice(0, 1);
    const [scope = ''] = scopes;
    const sourceOf = (k: number, completed: boolean): Plan['ingests'][number]['sources'][number] => ({
      scope,
      id: `d${k}`,
      text: `Source d${k}, told once.\n@claim Ann | told | ${k}`,
      capturedAtMs: START_MS - k * 60 * SECOND_MS,
      completed,
    });
    const dozen = Array.from({ length: 12 }, (_, k) => sourceOf(k, true));
    return {
      ...storm(faults)(plan),
      ...QUIET,
      scopes,
      lagsMaxMs: [0, 0],
      executorDelayMs: 500,
      executorLimit: 1,
      ingests: [
        { atMs: START_MS, scope, sources: [sourceOf(12, false)] },
        { atMs: START_MS + 55 * SECOND_MS, scope, sources: dozen },
      ],
      requests: [1, 2].map((k) => ({
        atMs: START_MS + (61 + k) * SECOND_MS,
        scope,
        origin: 'drain' as const,
        parallel: 3,
        idempotencyKey: undefined,
      })),
      settings: { ...plan.settings, ...SIDE_BY_SIDE, batchTokens: 4000, maxWaitMs: 120 * SECOND_MS, ...more },
    };
  };

/** A text that breaks its readers, and every ten seconds another that does not. */
const besideOthers = (plan: Plan): Plan => {
  const scene = givenUp()(plan);
  const [scope = ''] = scene.scopes;
  const others = Array.from({ length: 40 }, (_, k): Plan['ingests'][number] => {
    const text = `Source o${k}, told once.\n@claim Ann | told | ${k}`;
    const source = { scope, id: `o${k}`, text, capturedAtMs: START_MS + k * SECOND_MS, completed: true };
    return { atMs: START_MS + (15 + 10 * k) * SECOND_MS, scope, sources: [source] };
  });
  return { ...scene, lagsMaxMs: [0, 0], ingests: [...scene.ingests, ...others] };
};

/** One pass after another. */
const ALONE_AT_IT = { maxPassesPerScope: 1 };

type Answering = (read: Query, ask: () => Promise<QueryPage>) => Promise<QueryPage>;

/** A worker whose queries of the queue are answered so. */
const nominated =
  (answering: (actor: Actor) => Answering): NonNullable<Mutant['wrapStore']> =>
  (store, actor) => {
    if (actor.role !== 'worker') return undefined;
    const answer = answering(actor);
    const query: Store['query'] = (read) =>
      read.input.IndexName === 'queue' ? answer(read, () => store.query(read)) : store.query(read);
    return { ...onWrite(store, (write, _name, pass) => pass(write)), query };
  };

const NOTHING: QueryPage = { items: [], lastKey: undefined };
const boundOf = ({ input }: Query, name: ':from' | ':to'): string =>
  String(input.ExpressionAttributeValues?.[name] ?? '');
const isOfWaiting = (read: Query): boolean => boundOf(read, ':to').startsWith('3');
const isOfLive = (read: Query): boolean => boundOf(read, ':to') === '4~';
const isOfRunOut = (read: Query): boolean => boundOf(read, ':from') === '4' && !isOfLive(read);
const isOfTakeable = (read: Query): boolean => boundOf(read, ':to').startsWith('2');

/** What stopped waiting is not asked for before what stands next. */
const waitingAskedLast = (): Answering => {
  let hasAsked = false;
  return async (read, ask) => {
    const isFirst = !hasAsked;
    hasAsked = isOfTakeable(read);
    return isFirst && isOfWaiting(read) ? NOTHING : ask();
  };
};

const keyHeldByAnother = (item: Item): Item => ({
  ...item,
  queueKey: `${String(item.queueKey).slice(0, 18)}${'z'.repeat(38)}`,
});

/** Rows that are not to be read beside what the pass holds are not seen by it. */
function seeingItsKind(store: Store, actor: Actor): Store | undefined {
  if (actor.role !== 'worker') return undefined;
  let holds: boolean | undefined;
  const watched = onWrite(store, async (write, name, pass) => {
    const outcome = await pass(write);
    if (name === 'evidence:lease' && outcome.kind === 'won') holds ??= Number(outcome.item?.attempts) > 1;
    return outcome;
  });
  const query: Store['query'] = async (read) => {
    const page = await store.query(read);
    if (read.input.IndexName !== 'queue' || holds === undefined) return page;
    return { ...page, items: page.items.filter(({ attempts = 0 }) => Number(attempts) > 0 === holds) };
  };
  return { ...watched, query };
}

/** Whoever loses a source sees no other, until it asks for the next page. */
function blindOnceItLost(store: Store, actor: Actor): Store | undefined {
  if (actor.role !== 'worker') return undefined;
  let hasLost = false;
  const watched = onWrite(store, async (write, name, pass) => {
    const outcome = await pass(write);
    if (name === 'evidence:lease') hasLost ||= outcome.kind === 'held';
    else hasLost = false;
    return outcome;
  });
  const query: Store['query'] = async (read) =>
    hasLost && read.input.IndexName === 'queue' ? NOTHING : store.query(read);
  return { ...watched, query };
}

const TRUE = ['an empty page is true'];

export const PAGING_MUTANTS: readonly Mutant[] = [
  {
    name: 'newest first alone',
    replaces:
      'nominateOldest: the old end of what is fresh is never asked for, and waits as long as anything new comes',
    caughtBy: ['the oldest is not passed over'],
    within: 20,
    direct: aDozen({}, ALONE_AT_IT),
    wrapStore: nominated(
      () => (read, ask) => (read.input.ScanIndexForward === false ? Promise.resolve(NOTHING) : ask()),
    ),
  },
  {
    name: 'oldest first alone',
    replaces: 'isOldestFirst of every page: what was captured last waits for all that is older',
    caughtBy: ['the newest is not passed over'],
    within: 20,
    direct: aDozen({}, ALONE_AT_IT),
    wrapStore: (store, { role }) =>
      role === 'worker'
        ? {
            ...onWrite(store, (write, _name, pass) => pass(write)),
            query: (read) =>
              store.query(isOfTakeable(read) ? { ...read, input: { ...read.input, ScanIndexForward: false } } : read),
          }
        : undefined,
  },
  {
    name: 'what stopped waiting comes last',
    replaces:
      'nominateOldest: what stopped waiting is asked for where nothing else is left, and waits as long as that comes',
    caughtBy: ['the oldest is not passed over'],
    within: 20,
    direct: aDozen({}, ALONE_AT_IT),
    wrapStore: nominated(waitingAskedLast),
  },
  {
    name: 'what ran out taken by nobody',
    replaces:
      'readTail asks for no lease that ran out: what a pass that stood still leased after its end is read by nobody',
    caughtBy: ['an empty page is true', 'V1 liveness'],
    within: 60,
    direct: storm({ freeze: 0.03, outliveTimeout: 1, pauseWrite: 0.1, crashAfterWrite: 0.03, cancelPass: 0.8 }),
    wrapStore: nominated(() => (read, ask) => (isOfRunOut(read) ? Promise.resolve(NOTHING) : ask())),
  },
  {
    name: 'more is not told',
    replaces: 'choosePage counts nothing of what it leaves: a model that is told so ends its pass',
    caughtBy: ['what is left is told of'],
    within: 20,
    direct: aDozen(),
    decide: { choosePage: (rows, room) => ({ ...choosePage(rows, room), left: 0 }) },
  },
  {
    name: 'held by others, and told to be nothing',
    replaces: 'findOthers finds nobody: what others hold is told to be the end of the queue',
    caughtBy: TRUE,
    within: 20,
    direct: aDozen(),
    wrapStore: nominated(() => (read, ask) => (isOfLive(read) ? Promise.resolve(NOTHING) : ask())),
  },
  {
    name: 'held by itself, and told to be held by others',
    replaces: 'findOthers takes what the pass holds itself for what others hold',
    caughtBy: TRUE,
    within: 20,
    direct: aDozen({}, ALONE_AT_IT),
    wrapStore: nominated(() => async (read, ask) => {
      const page = await ask();
      return isOfLive(read) ? { ...page, items: page.items.map(keyHeldByAnother) } : page;
    }),
  },
  {
    name: 'set aside, and told to be nothing',
    replaces: 'takePage does not say that what is left is for a pass of its own',
    caughtBy: TRUE,
    within: 20,
    direct: givenUp(),
    wrapStore: seeingItsKind,
  },
  {
    name: 'lost, and told to be nothing',
    replaces: 'takePage and searchQueue do not ask again after a lost race: who lost one has seen the end of the queue',
    caughtBy: TRUE,
    within: 20,
    direct: (plan) => ({
      ...aDozen({}, { maxConcurrentPasses: 12, maxPassesPerScope: 5 })(plan),
      lagsMaxMs: [3 * SECOND_MS, 3 * SECOND_MS],
    }),
    wrapStore: blindOnceItLost,
  },
  {
    name: 'what broke two passes comes first',
    replaces: 'nominate and choosePage begin with what broke two passes: it stands in the way of all that is sound',
    caughtBy: ['what broke two passes comes last'],
    within: 20,
    direct: besideOthers,
    decide: {
      choosePage: (rows, room) => {
        const isSound = ({ attempts }: (typeof rows)[number]): boolean => attempts < LIMITS.aloneFromAttempts;
        return choosePage([...rows.filter((row) => !isSound(row)), ...rows.filter(isSound)], room);
      },
    },
  },
];
