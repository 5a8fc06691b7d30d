/** Mutants of the rows that passes share, one clause or attribute each, in scenes where nothing else catches the fall. */
import { putBack } from '../people/gone-back.ts';
import { START_MS } from '../engine/kernel.ts';
import { type Mutant, rewriting, storm, without } from './mutant.ts';
import type { Plan } from '../plans/plan.ts';
import { givenUp, givenUpAndEdited, keeping } from './working-scenes.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const AS_READ = '#seq = :seq';
const PENDING = '#state = :pending';
const MINE = '#leasePass = :me';
const FORM = ['a row moves as its schema says'];

/** Sources that are edited while they are read, and then put back, with people who ask for passes. */
const wentBack =
  (editAfterMs: number, backAfterMs: number, faults: Plan['faults'] = { executorSlow: 1 }) =>
  (plan: Plan): Plan => ({
    ...plan,
    erasing: undefined,
    faults,
    ingests: putBack(plan.ingests, { editAfterMs, backAfterMs }),
    requests: plan.scopes.flatMap((scope) =>
      [1000, 6000, 11_000, 21_000].map((afterMs) => ({
        atMs: START_MS + afterMs,
        scope,
        origin: 'drain' as const,
        parallel: 2,
        idempotencyKey: undefined,
      })),
    ),
    settings: { ...plan.settings, batchTokens: 0, maxConcurrentPasses: 4, maxPassesPerScope: 3 },
  });

/** A text that is requeued by somebody before it is mended, and given up once more; it is mended in calm. */
const givenUpAgain = (plan: Plan): Plan => {
  const requeuedAtMs = START_MS + 6 * MINUTE_MS;
  const scene = givenUp({}, { mendedAtMs: plan.calmFromMs + 1000 * MINUTE_MS, requeuesAtMs: [requeuedAtMs] })(plan);
  const later = scene.requests.map((request) => ({ ...request, atMs: request.atMs + 8 * MINUTE_MS }));
  return { ...scene, requests: [...scene.requests, ...later], calmFromMs: scene.calmFromMs + 8 * MINUTE_MS };
};

/** What is given up is found only after it has waited: an index that lags shows it where it stood before. */
const lagging = (plan: Plan): Plan => ({ ...givenUp()(plan), lagsMaxMs: [30_000, 30_000] });

export const ROW_MUTANTS: readonly Mutant[] = [
  {
    name: 'lease by what the index showed',
    replaces: 'leaseEvidence of a row that moved since it was read: what has to wait is read before its time',
    caughtBy: ['who waits is not read before its time', 'a source that breaks off waits'],
    within: 60,
    direct: lagging,
    wrapStore: rewriting('evidence:lease', without(AS_READ)),
  },
  {
    name: 'put back from under a reader',
    replaces: 'requeueEvidence of a row that was leased since it was read',
    caughtBy: ['I6 own release', 'I5 monotone'],
    within: 60,
    direct: (plan) => {
      const scene = wentBack(3 * SECOND_MS, 2 * SECOND_MS, {})(plan);
      return { ...scene, ingests: scene.ingests.flatMap((call) => [call, call]) };
    },
    slow: [{ name: 'evidence:requeue', forMs: 12 * SECOND_MS, chance: 0.5 }],
    wrapStore: rewriting('evidence:requeue', without(AS_READ)),
  },
  {
    name: 'what went back taken out',
    replaces:
      'obsoleteEvidence whatever stands by now: a late call takes out a revision that its source has gone back to',
    caughtBy: ['what stands is not taken out'],
    within: 20,
    direct: wentBack(3 * SECOND_MS, 2 * SECOND_MS),
    slow: [{ name: 'evidence:obsolete', role: 'ingest', forMs: 8 * SECOND_MS, chance: 0.7 }],
    wrapStore: rewriting('evidence:obsolete', without('attribute_not_exists(#newestKey) OR #newestKey < :newer')),
  },
  {
    name: 'what was begun taken out',
    replaces:
      'obsoleteEvidence of what a pass read in part: its rest is read by nobody, and its claims stand beside those of the next',
    caughtBy: ['what was begun is read on'],
    within: 60,
    direct: storm({ executorPartial: 0.8 }),
    wrapStore: rewriting(
      'evidence:obsolete',
      without('#cursor <= :start OR #cursor = #beganAt OR attribute_exists(#leasePass) OR #state = :quarantined'),
    ),
  },
  {
    name: 'given up though it was replaced',
    replaces: 'quarantineEvidence of a revision that a newer one took out of the queue',
    caughtBy: FORM,
    within: 60,
    direct: givenUpAndEdited({ outliveTimeout: 1 }, 200 * SECOND_MS),
    slow: [{ name: 'evidence:quarantine', forMs: 100 * SECOND_MS }],
    wrapStore: rewriting('evidence:quarantine', without(PENDING)),
  },
  {
    name: 'given up though another holds it',
    replaces: 'quarantineEvidence of a source that its pass does not hold any more',
    caughtBy: ['I6 own release', ...FORM],
    within: 60,
    direct: givenUp({ outliveTimeout: 1, tickDouble: 1 }),
    slow: [{ name: 'evidence:quarantine', forMs: 150 * SECOND_MS }],
    wrapStore: rewriting('evidence:quarantine', without(MINE)),
  },
  {
    name: 'end of a lease kept',
    replaces: 'releaseEvidence leaves leaseExpiresAtMs: the row has an end of no lease',
    caughtBy: FORM,
    within: 20,
    direct: storm({ executorFail: 0.5 }),
    wrapStore: rewriting('evidence:release', keeping('leaseExpiresAtMs')),
  },
  {
    name: 'settled source kept in the queue',
    replaces: 'settleEvidence leaves its place in the index: every page reads past all that was ever read',
    caughtBy: FORM,
    within: 20,
    wrapStore: rewriting('evidence:settle', keeping('queuePartition')),
  },
  {
    name: 'replaced revision kept in the index',
    replaces: 'obsoleteEvidence leaves its place in the index',
    caughtBy: FORM,
    within: 20,
    wrapStore: rewriting('evidence:obsolete', keeping('queuePartition')),
  },
  {
    name: 'mark of what was given up kept',
    replaces: 'reopenEvidence leaves when and why it was given up',
    caughtBy: FORM,
    within: 20,
    direct: givenUp(),
    wrapStore: rewriting('evidence:reopen', keeping('quarantineClass')),
  },
  {
    name: 'finalized pass kicked',
    replaces: 'kickPass of a pass that was marked meanwhile: its row moves, and the stream wakes for nothing',
    caughtBy: FORM,
    within: 60,
    direct: storm({ streamDrop: 0.5, streamLate: 0.3, tickDouble: 1 }),
    slow: [{ name: 'pass:kick', forMs: 20 * SECOND_MS }],
    wrapStore: rewriting('pass:kick', without('attribute_not_exists(#finalizedAtMs)')),
  },
  {
    name: 'given up though it ended',
    replaces: 'expireAttempt and expireRunningPass of a pass that ended meanwhile',
    caughtBy: ['I7 one end'],
    within: 60,
    direct: storm({ freeze: 0.05, outliveTimeout: 1, killAtRandom: 0.3, tickDouble: 1 }),
    slow: [{ name: 'pass:expired', forMs: 60 * SECOND_MS }],
    wrapStore: rewriting('pass:expired', without('#status = :running', '#heartbeatAtMs = :heartbeat')),
  },
  {
    name: 'cleared attention kept cleared',
    replaces: 'raiseEvidenceAttention leaves how it was closed: who is given up once more is told of by nobody',
    caughtBy: ['who is given up is told of'],
    within: 20,
    direct: givenUpAgain,
    wrapStore: rewriting('attention:update', keeping('resolvedAtMs')),
  },
];
