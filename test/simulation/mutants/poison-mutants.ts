/** Mutants of what becomes of a source that breaks off its passes: blame, giving up, waiting, and coming back. */
import { planReturn } from '../../../functions/core/giving-back.ts';
import { choosePage } from '../../../functions/core/paging.ts';
import type { Store } from '../../../functions/io/ports.ts';
import { UNBLAMED } from '../../../schema/evidence.ts';
import { EVIDENCE_ATTENTION } from '../../../schema/evidence-attention.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { Item, Write } from '../../../schema/request.ts';
import type { SourceCrash } from '../../../schema/source.ts';
import { START_MS } from '../engine/kernel.ts';
import { type Mutant, onWrite, rewriting, storm, without } from './mutant.ts';
import type { Plan } from '../plans/plan.ts';
import { type PlannedPoison, poisonOf } from '../plans/poison-plan.ts';
import { QUIET } from './quiet-scenes.ts';
import { givenUp } from './working-scenes.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const TOLD = `ATTENTION#${EVIDENCE_ATTENTION}#`;

/** Nothing but what breaks its readers and its neighbours, in one scope, with these faults. */
const poisoned =
  (faults: Plan['faults'] = {}, more: Partial<PlannedPoison> = {}, settings: Plan['settings'] = {}) =>
  (plan: Plan): Plan => {
    const poison = { ...poisonOf(plan.seed, plan.scopes.slice(0, 1), plan.calmFromMs), ...more };
    const { ingests, requests } = poison;
    const others = { sessions: [], model: undefined, erasing: undefined, hostile: undefined, faults: {} };
    const cut = { ...plan, ...others, poison, ingests, requests };
    return { ...storm(faults)(cut), settings: { ...plan.settings, ...settings } };
  };

/** One text that is given up by the eighth minute; then its executor is mended, and people click twice every few seconds. */
const clickedTwice = (plan: Plan): Plan => {
  const [scopes, mendedAtMs] = [plan.scopes.slice(0, 1), START_MS + 8 * MINUTE_MS];
  const { ingests, requests } = poisonOf(plan.seed, scopes, mendedAtMs);
  return poisoned(
    { pauseWrite: 0.05, outliveTimeout: 1 },
    {
      mendedAtMs,
      requeuesAtMs: Array.from({ length: 40 }, (_, k) => mendedAtMs + k * 5 * SECOND_MS),
      isDoubled: true,
      ingests: ingests.slice(0, 2),
      requests: [...requests, ...requests.map((it) => ({ ...it, atMs: it.atMs + 4 * MINUTE_MS }))],
    },
  )({ ...plan, calmFromMs: mendedAtMs + 5 * MINUTE_MS });
};

/** Raises the attention behind the write that takes the source out of the queue, or gives it back. */
function tellingLater(store: Store): Store {
  const late = new Map<string, Write>();
  return onWrite(store, async (write, name, pass) => {
    const sk = write.kind === 'put' ? '' : String(write.input.Key?.sk);
    const isRaise = write.kind === 'update' && write.input.UpdateExpression?.includes('#raisedAtMs = ');
    if (isRaise && sk.startsWith(TOLD)) {
      late.set(sk.slice(TOLD.length), write);
      return { kind: 'won', item: undefined };
    }
    const outcome = await pass(write);
    if (name !== 'evidence:quarantine' && name !== 'evidence:release') return outcome;
    const sourceKey = sk.slice('EVIDENCE#incremental#'.length);
    const raise = late.get(sourceKey);
    late.delete(sourceKey);
    if (raise) await pass(raise);
    return outcome;
  });
}

const CRASHES_AS_SEEN = ['#crashSeq = :seenCrashSeq', 'attribute_not_exists(#crashSeq)'] as const;
/** Many passes at once, whose finalizers are slow. */
const SIDE_BY_SIDE = { maxConcurrentPasses: 4, maxPassesPerScope: 3, pageSources: 1, tokenThreshold: 1 };

/** One text that breaks off pass after pass, each in a revision of its own; nobody mends anything before calm. */
const editedAllTheTime =
  (everyMs: number) =>
  (plan: Plan): Plan => {
    const calmFromMs = START_MS + 8 * MINUTE_MS;
    const scopes = plan.scopes.slice(0, 1);
    const drawn = poisonOf(plan.seed, scopes, calmFromMs);
    const [source] = drawn.ingests[1]?.sources ?? [];
    const ingests = Array.from({ length: 12 }, (_, k) => ({
      atMs: START_MS + SECOND_MS + k * everyMs,
      scope: drawn.scope,
      sources: source
        ? [{ ...source, text: `${source.text}\nEdit ${k}.`, capturedAtMs: source.capturedAtMs + k * SECOND_MS }]
        : [],
    }));
    const requests = ingests.flatMap(({ atMs, scope }) =>
      [SECOND_MS, SECOND_MS + everyMs / 2].map((afterMs) => ({
        atMs: atMs + afterMs,
        scope,
        origin: 'trigger' as const,
        parallel: undefined,
        idempotencyKey: undefined,
      })),
    );
    const unmended = { mendedAtMs: undefined, requeuesAtMs: [], retriesPerHour: undefined };
    return {
      ...plan,
      ...QUIET,
      scopes,
      ingests,
      requests,
      poison: { ...drawn, ...unmended, manner: 'throws', ingests, requests },
      faults: { outliveTimeout: 1 },
      settings: { ...plan.settings, ...SIDE_BY_SIDE, batchTokens: 0 },
      executorDelayMs: 50,
      lagsMaxMs: [0, 0],
      calmFromMs,
    };
  };

/** An item with its crashes so much earlier. */
function shifted(item: Item | undefined, byMs: number): Item | undefined {
  const crashes = item?.crashes as SourceCrash[] | undefined;
  return item && crashes ? { ...item, crashes: crashes.map((it) => ({ ...it, atMs: it.atMs - byMs })) } : item;
}

function keepBlame(write: Write): Write {
  if (write.kind !== 'update') return write;
  const { ExpressionAttributeValues: values = {}, UpdateExpression: text = '' } = write.input;
  const names = Object.keys(UNBLAMED);
  const kept = Object.entries(values).filter(([name]) => !names.includes(name.replace(':set_', '')));
  const UpdateExpression = names.reduce((left, name) => left.replace(`#${name} = :set_${name}, `, ''), text);
  return { ...write, input: { ...write.input, UpdateExpression, ExpressionAttributeValues: Object.fromEntries(kept) } };
}

export const POISON_MUTANTS: readonly Mutant[] = [
  {
    name: 'crash noted blindly',
    replaces: 'noteSourceCrash whatever was noted since: of two passes that broke off at once one is forgotten',
    caughtBy: ['a source forgets no crash'],
    within: 20,
    direct: editedAllTheTime(8 * SECOND_MS),
    slow: [{ name: 'source:note-crash', forMs: 20 * SECOND_MS, chance: 0.6 }],
    wrapStore: rewriting('source:note-crash', without(...CRASHES_AS_SEEN)),
  },
  {
    name: 'crash forgotten by an edit',
    replaces: 'putNewestSource over a row at which a pass broke off since it was read',
    caughtBy: ['a source forgets no crash'],
    within: 20,
    direct: editedAllTheTime(15 * SECOND_MS),
    slow: [{ name: 'source:put', role: 'ingest', forMs: 12 * SECOND_MS, chance: 0.6 }],
    wrapStore: rewriting('source:put', without(...CRASHES_AS_SEEN)),
  },
  {
    name: 'every retry is free',
    replaces: 'judgeRetry: an ingest takes all crashes for long past',
    caughtBy: ['a source that breaks off waits'],
    within: 50,
    direct: poisoned(),
    wrapStore: (store, { role }) => {
      if (role !== 'ingest') return undefined;
      const { retryWindowMs } = LIMITS;
      const restored = onWrite(store, (write, name, pass) =>
        pass(
          name === 'source:put' && write.kind === 'put'
            ? { ...write, input: { ...write.input, Item: shifted(write.input.Item, -retryWindowMs) } }
            : write,
        ),
      );
      return { ...restored, get: async (read) => shifted(await store.get(read), retryWindowMs) };
    },
  },
  {
    name: 'retries uncounted',
    replaces: 'countRetry without the room of its hour',
    caughtBy: ['an hour of retries is bounded'],
    within: 50,
    direct: poisoned({}, { retriesPerHour: 1 }),
    wrapStore: rewriting('retries:count', without('attribute_not_exists(#retries) OR #retries < :most')),
  },
  {
    name: 'suspects among the others',
    replaces: 'choosePage takes what broke off a pass as if it had not: it is never read alone, and never found',
    caughtBy: ['suspects are read apart', 'V1 liveness'],
    within: 20,
    direct: (plan) => ({
      ...poisoned({}, { mendedAtMs: undefined }, { pageSources: 5 })(plan),
      executorLimit: 5,
    }),
    decide: {
      choosePage: (rows, room) =>
        choosePage(
          rows.map((row) => ({ ...row, attempts: 0 })),
          room,
        ),
    },
  },
  {
    name: 'everybody was alone',
    replaces: 'planReturn blames each source of a page for the pass that broke off',
    caughtBy: ['who is blamed was alone'],
    within: 50,
    direct: poisoned({}, {}, { pageSources: 5 }),
    decide: {
      planReturn: (row, sourceKey, unsettled, nowMs) =>
        planReturn(row, sourceKey, unsettled.kind === 'broke-off' ? { ...unsettled, alone: true } : unsettled, nowMs),
    },
  },
  {
    name: 'requeued with its blame',
    replaces: 'reopenEvidence leaves what was counted against the source',
    caughtBy: ['a requeued source begins without blame'],
    within: 20,
    direct: poisoned(),
    wrapStore: rewriting('evidence:reopen', keepBlame),
  },
  {
    name: 'requeued whatever became of it',
    replaces: 'reopenEvidence without seq, and of a source that a pass holds: a second click comes late',
    caughtBy: ['I1 settle once', 'I6 own release'],
    within: 50,
    direct: clickedTwice,
    wrapStore: rewriting('evidence:reopen', without('#seq = :seq', 'attribute_not_exists(#leasePass)')),
  },
  {
    name: 'given up before anybody is told',
    replaces: 'giveBack takes a source out of the queue before it raises the attention, and dies in between',
    caughtBy: ['who is given up is told of'],
    within: 20,
    // Whose write it is has died when it is there; nobody mends anything before calm.
    direct: givenUp({}, { mendedAtMs: undefined, requeuesAtMs: [] }),
    slow: [{ name: 'evidence:quarantine', role: 'finalizer', forMs: 80 * SECOND_MS }],
    wrapStore: (store, { role }) => (role === 'finalizer' ? tellingLater(store) : undefined),
  },
];
