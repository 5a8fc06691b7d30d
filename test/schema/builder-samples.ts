/**
 * Every exported builder of the schema with sample arguments, one request for each form its expressions take. The subset
 * test walks their expressions, the document test compares them with the table of access patterns, and a scan of the
 * sources holds this list complete.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { getEvidence, leaseEvidence, obsoleteEvidence, putEvidence, settleEvidence } from '../../schema/evidence.ts';
import { raiseEvidenceAttention } from '../../schema/evidence-attention.ts';
import { reopenEvidence, requeueEvidence } from '../../schema/evidence-requeue.ts';
import { quarantineEvidence, releaseEvidence } from '../../schema/evidence-return.ts';
import { putCallPage, queryCallPages } from '../../schema/call-page.ts';
import { leasePageKey, putLeasePage, queryLeasePages } from '../../schema/lease-page.ts';
import { admitPasses, getLedger, removeFromLedger } from '../../schema/ledger.ts';
import { getPass } from '../../schema/pass.ts';
import { queryPasses } from '../../schema/pass-list.ts';
import { countRetry } from '../../schema/retry-hour.ts';
import {
  queryExpired,
  queryLeased,
  queryQuarantined,
  queryNextWaiting,
  queryOldestFresh,
  queryTakeable,
  queryWaitingUntil,
} from '../../schema/queue.ts';
import { type BatchGet, type Read, remove, type Write } from '../../schema/request.ts';
import { putProposalPage, queryProposalPages } from '../../schema/proposal.ts';
import { putReviewPage, queryReviewPages } from '../../schema/review-page.ts';
import {
  deferScope,
  getScope,
  idleScope,
  markScopeDue,
  noteBacklog,
  noteEmptyProbe,
  queryDueScopes,
  serveScope,
} from '../../schema/scope.ts';
import {
  completeSource,
  getListedSource,
  getSource,
  noteSourceCrash,
  putNewestSource,
  queryNewestSources,
  type SeenSource,
} from '../../schema/source.ts';
import { batchGetText, putTextPart, type TextAddress, textPartKey } from '../../schema/text.ts';
import {
  announceRefusal,
  bindTrigger,
  getTrigger,
  putTrigger,
  rebindTrigger,
  recordOutcome,
} from '../../schema/trigger.ts';
import { CLAIM_SAMPLES } from './claim-samples.ts';
import { ERASURE_SAMPLES } from './erasure-samples.ts';
import { PASS_MOVES } from './pass-moves.ts';
import { ME, NOW_MS, OTHER, sampleEntry, sampleEvidence, samplePass } from './samples.ts';
import { countOf } from './scope-scenes.ts';
import { SWITCH_SAMPLES } from './switch-samples.ts';
import { UPLOAD_SAMPLES } from './upload-samples.ts';

export type Request = Write | Read | BatchGet;
export type Samples = Readonly<Record<string, readonly [Request, ...Request[]]>>;

const op = 'op-1';
const { address, evidence } = sampleEvidence('scope-a');
const pass = samplePass('scope-a');
const startKey = { pk: 'p', sk: 's' };
const marked = { scope: 'scope-a', nowMs: NOW_MS, op };
const seen = { ...marked, backlogVersion: 1 };
const textAddress: TextAddress = { scope: 'scope-a', generation: 1, ref: evidence.ref };
const triggerId = pass.triggerId;
const binding = { scope: 'scope-a', idempotencyKey: 'k', requestHash: 'h', triggerId, nowMs: NOW_MS, op };
const outcome = { passIds: [ME], alreadyRunning: [], requested: 1, effective: 1, refused: [] };
const entries = { [ME]: sampleEntry(op), [OTHER]: sampleEntry(op, 1) };

const sourceAddress = { scope: 'scope-a', generation: 1, kind: 'note', id: 'a' } as const;
function newestSource(seenSource?: SeenSource): Write {
  const row = { revision: evidence.ref.revision, capturedAtMs: NOW_MS, capturedFrom: 'call', format: 'text' } as const;
  return putNewestSource(sourceAddress, { ...row, length: 1, completed: true, ingestedAtMs: NOW_MS }, op, seenSource);
}

const settlement = { passId: ME, from: 0, length: 1000, nowMs: NOW_MS, op };
const LEASE = { passId: ME, seq: 1, nowMs: NOW_MS, expiresAtMs: NOW_MS + 1, op };
const requeue = { seq: 1, capturedAtMs: NOW_MS, op };

const EVIDENCE_SAMPLES: Samples = {
  putEvidence: [
    putEvidence(address, evidence, op),
    putEvidence(address, { ...evidence, waitUntilMs: NOW_MS, beganAt: 1 }, op),
  ],
  getEvidence: [getEvidence(address)],
  leaseEvidence: [leaseEvidence(address, LEASE)],
  settleEvidence: [
    settleEvidence(address, { ...settlement, to: 400 }),
    settleEvidence(address, { ...settlement, to: 1000 }),
  ],
  quarantineEvidence: [
    quarantineEvidence(address, { passId: ME, why: 'broke_off', marks: { crashesAlone: 3 }, nowMs: NOW_MS, op }),
  ],
  reopenEvidence: [reopenEvidence(address, { seq: 3, homeKey: 'key', op })],
  raiseEvidenceAttention: [
    raiseEvidenceAttention(address, {
      sourceKey: address.sourceKey,
      stateKey: '1',
      details: { source: 'note:a@0', state: 'stalled', cursor: 0, length: 9, stalls: 3 },
      nowMs: NOW_MS,
      op,
    }),
  ],
  queryQuarantined: [queryQuarantined(address, 101), queryQuarantined(address, 100, '5#a')],
  releaseEvidence: [
    releaseEvidence(address, { passId: ME, orderly: true, op }),
    releaseEvidence(address, { passId: ME, orderly: false, op }),
    releaseEvidence(address, { passId: ME, orderly: true, marks: { stalls: 3, homeKey: 'key' }, op }),
  ],
  obsoleteEvidence: [obsoleteEvidence(address, op), obsoleteEvidence(address, op, 'key', 1)],
  requeueEvidence: [
    requeueEvidence(address, requeue),
    requeueEvidence(address, { ...requeue, newestKey: 'key', waitUntilMs: NOW_MS }),
  ],
  queryTakeable: [queryTakeable(address, 21), queryTakeable(address, 21, 'key')],
  queryWaitingUntil: [queryWaitingUntil(address, NOW_MS, 21)],
  queryNextWaiting: [queryNextWaiting(address)],
  queryOldestFresh: [queryOldestFresh(address, 10)],
  queryExpired: [queryExpired(address, NOW_MS, 21)],
  queryLeased: [queryLeased(address, 21), queryLeased(address, 21, 'key')],
};

const PASS_SAMPLES: Samples = {
  putPass: [PASS_MOVES.putPass(pass)],
  getPass: [getPass(pass)],
  queryPasses: [queryPasses('scope-a', 1, 20), queryPasses('scope-a', 1, 20, startKey)],
  noteInvoked: [PASS_MOVES.noteInvoked(pass)],
  startPass: [PASS_MOVES.startPass(pass)],
  heartbeatPass: [PASS_MOVES.heartbeatPass(pass)],
  endPass: [PASS_MOVES.endPass(pass), PASS_MOVES.endPass(pass, 'attempt-1', 'failed')],
  expireRunningPass: [PASS_MOVES.expireRunningPass(pass)],
  expireAttempt: [PASS_MOVES.expireAttempt(pass)],
  expireUnstartedPass: [PASS_MOVES.expireUnstartedPass(pass)],
  finalizePass: [PASS_MOVES.finalizePass(pass)],
  kickPass: [PASS_MOVES.kickPass(pass)],
  putLeasePage: [putLeasePage(pass, { page: 1, sourceKeys: ['a'], expiresAtMs: NOW_MS, op })],
  queryLeasePages: [queryLeasePages(pass), queryLeasePages(pass, startKey)],
  remove: [remove(leasePageKey(pass, 1))],
  putReviewPage: [putReviewPage(pass, { n: 1, reviews: [], nowMs: NOW_MS, op })],
  putCallPage: [putCallPage(pass, { calls: [{ seq: 1, tool: 'x', atMs: NOW_MS, arguments: {} }], nowMs: NOW_MS, op })],
  queryCallPages: [queryCallPages(pass, 25), queryCallPages(pass, 25, startKey)],
  queryReviewPages: [queryReviewPages(pass), queryReviewPages(pass, startKey)],
  putProposalPage: [putProposalPage(pass, { n: 1, citations: [], nowMs: NOW_MS, op })],
  queryProposalPages: [queryProposalPages(pass), queryProposalPages(pass, startKey)],
  getLedger: [getLedger()],
  admitPasses: [admitPasses({ seenVersion: 0, entries, op }), admitPasses({ seenVersion: 7, entries, op })],
  removeFromLedger: [removeFromLedger(ME, op)],
  putTrigger: [putTrigger({ triggerId, scope: 'a', origin: 'drain', kind: 'incremental', requestedAtMs: NOW_MS }, op)],
  getTrigger: [getTrigger(triggerId)],
  announceRefusal: [announceRefusal(triggerId, outcome, op)],
  recordOutcome: [recordOutcome(triggerId, outcome, op)],
  bindTrigger: [bindTrigger(binding)],
  rebindTrigger: [rebindTrigger(binding, 'refused')],
};

const SCOPE_SAMPLES: Samples = {
  getScope: [getScope('scope-a')],
  queryDueScopes: [queryDueScopes(NOW_MS)],
  markScopeDue: [markScopeDue(marked), markScopeDue({ ...marked, bringsNoEvidence: true })],
  noteBacklog: [noteBacklog(marked), noteBacklog({ ...marked, bringsNoEvidence: true })],
  serveScope: [serveScope(marked)],
  deferScope: [deferScope({ ...seen, seenDueAtMs: NOW_MS, dueAtMs: NOW_MS })],
  noteEmptyProbe: [noteEmptyProbe(seen)],
  idleScope: [idleScope(seen)],
  countOutcome: [
    countOf('scope-a'),
    countOf('scope-a', { move: { kind: 'halt', atMs: NOW_MS } }),
    countOf('scope-a', { move: { kind: 'due', atMs: NOW_MS } }),
  ],
  getSource: [getSource(sourceAddress)],
  getListedSource: [getListedSource(sourceAddress, { sourceKey: 'note#a#0', capturedAtMs: NOW_MS, length: 9 })],
  queryNewestSources: [
    queryNewestSources(sourceAddress, {}, 200),
    queryNewestSources(sourceAddress, { sinceMs: NOW_MS, beforeMs: NOW_MS + 1 }, 200),
  ],
  putNewestSource: [
    newestSource(),
    newestSource({ newestKey: undefined }),
    newestSource({ newestKey: 'key' }),
    newestSource({ newestKey: 'key', crashSeq: 3 }),
  ],
  noteSourceCrash: [
    noteSourceCrash(sourceAddress, { crashes: [{ passId: ME, atMs: NOW_MS }], crashSeq: undefined, op }),
    noteSourceCrash(sourceAddress, { crashes: [{ passId: ME, atMs: NOW_MS }], crashSeq: 1, op }),
  ],
  countRetry: [countRetry(NOW_MS, op)],
  completeSource: [completeSource(sourceAddress, 'key', op)],
  putTextPart: [putTextPart(textAddress, 0, new Uint8Array(1), op)],
  ...UPLOAD_SAMPLES,
  batchGetText: [batchGetText([textPartKey(textAddress, 0)])],
};

export const BUILDER_SAMPLES: Samples = {
  ...CLAIM_SAMPLES,
  ...ERASURE_SAMPLES,
  ...SWITCH_SAMPLES,
  ...SCOPE_SAMPLES,
  ...EVIDENCE_SAMPLES,
  ...PASS_SAMPLES,
};

/** `request.ts` makes requests from parts; `remove` alone of it is called as it is. */
const MAKERS = new Set(['update', 'put', 'removeWhen', 'get', 'query']);
const REQUEST_TYPES = new Set(['Write', 'Get', 'Query', 'BatchGet']);

/** Names of the exported functions of a schema source that return a request. */
export function builderNamesIn(source: string): string[] {
  return source.split(/^export function /m).flatMap((text, position) => {
    // The first line that closes a list of parameters and opens a body is the function's own.
    const returned = /\): ([^\n]+) \{$/m.exec(text)?.[1];
    const name = /^\w+/.exec(text)?.[0];
    return position > 0 && name && returned && REQUEST_TYPES.has(returned) ? [name] : [];
  });
}

const SCHEMA = new URL('../../schema/', import.meta.url);

export function exportedBuilders(): string[] {
  const files = readdirSync(SCHEMA).filter((name) => name.endsWith('.ts'));
  const names = files.flatMap((name) => builderNamesIn(readFileSync(new URL(name, SCHEMA), 'utf8')));
  return names.filter((name) => !MAKERS.has(name)).sort();
}
