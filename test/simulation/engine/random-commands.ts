/** Commands of `schema/` with random arguments out of few values, so that conditions hold and fail about as often. */
import { makeCitation } from '../../../functions/core/claims.ts';
import { addCitationPass, putCitation, queryCitations } from '../../../schema/citation.ts';
import { putEntity } from '../../../schema/entity.ts';
import {
  evidenceAddress,
  leaseEvidence,
  obsoleteEvidence,
  putEvidence,
  settleEvidence,
} from '../../../schema/evidence.ts';
import { requeueEvidence } from '../../../schema/evidence-requeue.ts';
import { releaseEvidence } from '../../../schema/evidence-return.ts';
import { raiseRegister } from '../../../schema/head.ts';
import { passIdOf, type SourceRef, triggerIdOf } from '../../../schema/ids.ts';
import { leasePageKey, putLeasePage, queryLeasePages } from '../../../schema/lease-page.ts';
import { admitPasses, removeFromLedger } from '../../../schema/ledger.ts';
import {
  endPass,
  expireAttempt,
  expireRunningPass,
  expireUnstartedPass,
  heartbeatPass,
  NO_COUNTERS,
  noteInvoked,
  putPass,
  startPass,
} from '../../../schema/pass.ts';
import { queryPasses } from '../../../schema/pass-list.ts';
import { finalizePass, kickPass } from '../../../schema/pass-finalization.ts';
import {
  queryExpired,
  queryLeased,
  queryNextWaiting,
  queryOldestFresh,
  queryTakeable,
  queryWaitingUntil,
} from '../../../schema/queue.ts';
import { type Query, remove, type Write } from '../../../schema/request.ts';
import { putReviewPage, queryReviewPages } from '../../../schema/review-page.ts';
import {
  deferScope,
  idleScope,
  markScopeDue,
  noteBacklog,
  noteEmptyProbe,
  queryDueScopes,
  serveScope,
} from '../../../schema/scope.ts';
import { countOutcome } from '../../../schema/scope-outcome.ts';
import { completeSource, newestKeyOf, putNewestSource } from '../../../schema/source.ts';
import { putTextPart } from '../../../schema/text.ts';
import { announceRefusal, bindTrigger, putTrigger, rebindTrigger, recordOutcome } from '../../../schema/trigger.ts';
import { START_MS } from './kernel.ts';
import type { Random } from './random.ts';

const TRIGGERS = [0, 1].map((k) => triggerIdOf(START_MS, `trigger ${k}`));
const PASSES = TRIGGERS.flatMap((triggerId) => [0, 1].map((k) => passIdOf(triggerId, k)));
const REVISIONS = ['0000000000000001', '0000000000000002'];
const QUEUE = { scope: 's', generation: 1, lane: 'incremental' } as const;

/** Draws everything a builder takes. */
class Draw {
  readonly #random: Random;
  #ops = 0;

  constructor(random: Random) {
    this.#random = random;
  }
  pick<T>(choices: readonly T[]): T {
    return this.#random.pick(choices);
  }
  int(min: number, max: number): number {
    return this.#random.int(min, max);
  }
  /** Mostly fresh, sometimes one used just before: a request sent again. */
  op(): string {
    return `op-${this.#random.chance(0.15) ? this.#ops : ++this.#ops}`;
  }
  nowMs(): number {
    return START_MS + this.int(0, 6) * 10_000;
  }
  newestKey(): string {
    return newestKeyOf({ capturedAtMs: this.nowMs(), ingestedAtMs: this.nowMs(), revision: this.pick(REVISIONS) });
  }
  scope(): string {
    return this.pick(['s', 't']);
  }
  passId(): string {
    return this.pick(PASSES);
  }
  pass() {
    return { scope: 's', generation: 1, passId: this.passId() };
  }
  ref(): SourceRef {
    return { kind: 'note', id: this.pick(['x', 'y#z']), revision: this.pick(REVISIONS) };
  }
  evidence() {
    return evidenceAddress('s', 1, 'incremental', this.ref());
  }
  seq(): number {
    return this.int(1, 5);
  }
  counters() {
    return { ...NO_COUNTERS, pages: this.int(0, 3) };
  }
  failure() {
    return { code: 'silent', message: 'it fell silent' };
  }
  citation() {
    const end = this.int(2, 4);
    const draft = {
      entity: this.pick(['Ann', 'Bo']),
      attribute: 'home',
      cardinality: 'one' as const,
      value: this.pick(['north', 'south']),
      quote: { text: 'x'.repeat(end), start: 0, end },
      ...(this.#random.chance(0.5) && {
        event: { startMs: this.nowMs(), endMs: START_MS + 1e9, precision: 'day' as const },
      }),
    };
    return makeCitation({
      draft,
      source: this.ref(),
      capturedAtMs: START_MS + 1e9 + this.nowMs(),
      executor: 'stub',
      recordedAtMs: this.nowMs(),
    });
  }
}

type Make<T> = (draw: Draw) => T;
const SCOPE = { scope: 's', generation: 1 };

const EVIDENCE_WRITES: readonly Make<Write>[] = [
  (d) => {
    const ref = d.ref();
    const waits = d.pick([{}, { waitUntilMs: d.nowMs() }]);
    const evidence = { ref, length: 4, tokens: 1, capturedAtMs: d.nowMs(), ...waits };
    return putEvidence(evidenceAddress('s', 1, 'incremental', ref), evidence, d.op());
  },
  (d) => {
    const lease = { passId: d.passId(), seq: d.seq(), nowMs: d.nowMs(), expiresAtMs: d.nowMs(), op: d.op() };
    return leaseEvidence(d.evidence(), lease);
  },
  (d) => {
    const [from, to] = [d.int(0, 2), d.int(2, 4)];
    return settleEvidence(d.evidence(), { passId: d.passId(), from, to, length: 4, nowMs: d.nowMs(), op: d.op() });
  },
  (d) => releaseEvidence(d.evidence(), { passId: d.passId(), orderly: d.pick([true, false]), op: d.op() }),
  (d) => obsoleteEvidence(d.evidence(), d.op(), d.pick([undefined, d.newestKey()])),
  (d) => requeueEvidence(d.evidence(), { seq: d.seq(), capturedAtMs: d.nowMs(), newestKey: d.newestKey(), op: d.op() }),
];

const PASS_WRITES: readonly Make<Write>[] = [
  (d) => {
    const passId = d.passId();
    const entry = {
      kind: 'incremental',
      slotNumber: d.int(0, 2),
      triggerId: d.pick(TRIGGERS),
      origin: 'drain' as const,
    };
    const settings = { pageSources: 5, pageCharacters: 16_000, passTimeoutMs: 30_000, executor: 'stub' };
    return putPass({ ...SCOPE, passId, lane: 'incremental', ...entry, ...settings, admittedAtMs: d.nowMs() }, d.op());
  },
  (d) => noteInvoked(d.pass(), d.nowMs(), d.op()),
  (d) => {
    const [attempt, nowMs] = [d.pick(['a', 'b']), d.nowMs()];
    return startPass(d.pass(), { attempt, requestId: 'r', nowMs, deadlineAtMs: nowMs + 30_000, op: d.op() });
  },
  (d) => heartbeatPass(d.pass(), { attempt: d.pick(['a', 'b']), nowMs: d.nowMs(), counters: d.counters(), op: d.op() }),
  (d) => {
    const status = d.pick(['completed', 'failed'] as const);
    const end = { attempt: d.pick(['a', 'b']), nowMs: d.nowMs(), counters: d.counters(), op: d.op() };
    return endPass(d.pass(), { ...end, status, reviewRows: d.int(0, 2), sawEmptyQueue: d.pick([true, false]) });
  },
  (d) => {
    const expiry = { nowMs: d.nowMs(), failure: d.failure(), op: d.op() };
    return expireRunningPass(d.pass(), { ...expiry, attempt: d.pick(['a', 'b']), heartbeatAtMs: d.nowMs() });
  },
  (d) => expireAttempt(d.pass(), { nowMs: d.nowMs(), failure: d.failure(), op: d.op(), attempt: d.pick(['a', 'b']) }),
  (d) => expireUnstartedPass(d.pass(), { nowMs: d.nowMs(), failure: d.failure(), op: d.op() }),
  (d) => finalizePass(d.pass(), { nowMs: d.nowMs(), settled: d.int(0, 2), released: 0, op: d.op() }),
  (d) => kickPass(d.pass(), d.op()),
  (d) => {
    const page = { page: d.int(1, 3), sourceKeys: ['note#x#1'], expiresAtMs: d.nowMs(), op: d.op() };
    return putLeasePage(d.pass(), page);
  },
  (d) => remove(leasePageKey(d.pass(), d.int(1, 3))),
  (d) => {
    const reviews = [{ sourceKey: 'note#x#1', from: 0, to: d.int(1, 4), length: 4 }];
    return putReviewPage(d.pass(), { n: d.int(1, 3), reviews, nowMs: d.nowMs(), op: d.op() });
  },
];

const SCOPE_WRITES: readonly Make<Write>[] = [
  (d) => markScopeDue({ scope: d.scope(), nowMs: d.nowMs(), op: d.op() }),
  (d) => noteBacklog({ scope: d.scope(), nowMs: d.nowMs(), op: d.op() }),
  (d) => serveScope({ scope: d.scope(), nowMs: d.nowMs(), op: d.op() }),
  (d) =>
    deferScope({
      scope: d.scope(),
      op: d.op(),
      backlogVersion: d.int(1, 6),
      seenDueAtMs: d.nowMs(),
      dueAtMs: d.nowMs(),
    }),
  (d) => noteEmptyProbe({ scope: d.scope(), op: d.op(), backlogVersion: d.int(1, 6), nowMs: d.nowMs() }),
  (d) => idleScope({ scope: d.scope(), op: d.op(), backlogVersion: d.int(1, 6) }),
  (d) => {
    const move = d.pick([{ kind: 'stay' } as const, { kind: 'due', atMs: d.nowMs() } as const]);
    const passId = d.passId();
    const counted = { [passId]: d.nowMs() };
    const times = { failures: d.int(0, 2), failureTimesMs: [d.nowMs()], lastPassAtMs: d.nowMs() };
    return countOutcome({ scope: d.scope(), op: d.op(), passId, statsVersion: d.int(0, 3), counted, move, ...times });
  },
  (d) => {
    const op = d.op();
    const entry = {
      ...SCOPE,
      kind: 'incremental',
      slotNumber: 0,
      triggerId: d.pick(TRIGGERS),
      origin: 'drain' as const,
    };
    const entries = { [d.passId()]: { ...entry, admittedAtMs: d.nowMs(), op } };
    return admitPasses({ seenVersion: d.int(0, 6), entries, op });
  },
  (d) => removeFromLedger(d.passId(), d.op()),
  (d) => {
    const trigger = { scope: 's', origin: 'drain' as const, kind: 'incremental', requestedAtMs: d.nowMs() };
    return putTrigger({ triggerId: d.pick(TRIGGERS), ...trigger }, d.op());
  },
  (d) => {
    const outcome = { passIds: [d.passId()], alreadyRunning: [], requested: 1, effective: 1, refused: [] };
    return d.pick([announceRefusal, recordOutcome])(d.pick(TRIGGERS), outcome, d.op());
  },
  (d) => {
    const binding = { scope: 's', idempotencyKey: 'k', requestHash: 'h', triggerId: d.pick(TRIGGERS) };
    const rest = { nowMs: d.nowMs(), op: d.op() };
    return d.pick([true, false])
      ? bindTrigger({ ...binding, ...rest })
      : rebindTrigger({ ...binding, ...rest }, d.pick(TRIGGERS));
  },
];

const MEMORY_WRITES: readonly Make<Write>[] = [
  (d) => {
    const { id, revision } = d.ref();
    const capturedAtMs = d.nowMs();
    const source = {
      revision,
      capturedAtMs,
      capturedFrom: 'call',
      format: 'text',
      length: 4,
      completed: false,
    } as const;
    const seen = d.pick([undefined, { newestKey: d.pick([undefined, d.newestKey()]) }]);
    return putNewestSource({ ...SCOPE, kind: 'note', id }, { ...source, ingestedAtMs: d.nowMs() }, d.op(), seen);
  },
  (d) => completeSource({ ...SCOPE, kind: 'note', id: d.ref().id }, d.newestKey(), d.op()),
  (d) => putCitation(SCOPE, d.citation(), d.passId(), d.op()),
  (d) => addCitationPass(SCOPE, d.citation(), { passId: d.passId(), nowMs: d.nowMs(), op: d.op() }),
  (d) => {
    const citation = d.citation();
    return raiseRegister(SCOPE, citation, citation.event ? 'dated' : 'undated', d.op());
  },
  (d) => putEntity(SCOPE, d.pick(['Ann', 'Bo']), d.op()),
  (d) => putTextPart({ ...SCOPE, ref: d.ref() }, d.int(0, 1), new Uint8Array([d.int(0, 2), 255]), d.op()),
];

const QUERIES: readonly Make<Query>[] = [
  (d) => queryTakeable(QUEUE, d.int(1, 4)),
  (d) => queryWaitingUntil(QUEUE, d.nowMs(), d.int(1, 4)),
  () => queryNextWaiting(QUEUE),
  (d) => queryOldestFresh(QUEUE, d.int(1, 4)),
  (d) => queryLeased(QUEUE, d.int(1, 4)),
  (d) => queryExpired(QUEUE, d.nowMs(), d.int(1, 4)),
  (d) => queryDueScopes(d.nowMs()),
  (d) => queryPasses('s', 1, d.int(1, 4)),
  (d) => queryLeasePages(d.pass()),
  (d) => queryReviewPages(d.pass()),
  (d) => queryCitations(SCOPE, { limit: d.int(1, 4) }),
];

const WRITES = [EVIDENCE_WRITES, EVIDENCE_WRITES, PASS_WRITES, SCOPE_WRITES, MEMORY_WRITES];

export function createCommands(random: Random): { write(): Write; query(): Query } {
  const draw = new Draw(random);
  return { write: () => draw.pick(draw.pick(WRITES))(draw), query: () => draw.pick(QUERIES)(draw) };
}
