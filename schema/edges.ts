/**
 * The settings of every asynchronous edge (design section 14), shared by the stack and by what asserts their relations.
 * Times are in seconds unless named otherwise, as CloudFormation takes them.
 */
import { PARTITION_KEY, SORT_KEY } from './table.ts';

const MINUTE_S = 60;
const DAY_S = 24 * 60 * MINUTE_S;

/** EventBridge Scheduler → scheduler. A tick older than its period is worthless: the next one is already there. */
export const TICK = {
  rateMinutes: 1,
  maxEventAgeS: MINUTE_S,
  retries: 1,
  /** The scheduler's own asynchronous invocations: a lost tick is repaired by the next. */
  asyncRetries: 0,
  asyncMaxEventAgeS: MINUTE_S,
} as const;

/** SQS triggers → scheduler. Visibility is six times the function's timeout, as AWS advises (trap Q2). */
export const TRIGGERS = {
  functionTimeoutS: 30,
  visibilityS: 180,
  batchSize: 10,
  maxConcurrency: 2,
  maxReceiveCount: 5,
  dlqRetentionS: 14 * DAY_S,
} as const;

/** Scheduler → worker, asynchronous, ids only. A retry by Lambda would be a second attempt nobody admitted: none. */
export const WORK = {
  retries: 0,
  maxEventAgeS: 300,
  /** The pass ends itself 30 s before this; the longest `passTimeoutMs` is 600 s. */
  functionTimeoutS: 630,
  memoryMiB: 1024,
} as const;

/** Failed or aged-out worker invocations → scheduler. */
export const FAILED_PASSES = { batchSize: 10, visibilityS: 180, maxReceiveCount: 5, retentionS: 4 * DAY_S } as const;

/** Table stream → finalizer. */
export const STREAM = {
  batchSize: 10,
  parallelization: 4,
  retries: 5,
  maxRecordAgeS: 60 * MINUTE_S,
  functionTimeoutS: 60,
} as const;

/** HTTP API → functions. */
export const HTTP = {
  timeoutS: 10,
  memoryMiB: 512,
  bodyMaxBytes: 1024 * 1024,
  rateLimit: 100,
  burstLimit: 200,
} as const;

/**
 * EventBridge Scheduler → eraser. What a caller's own call did not finish goes on here; nothing waits for it that anybody
 * could still read, so one look in five minutes is enough. Idle, it is one query.
 */
export const ERASE = {
  rateMinutes: 5,
  maxEventAgeS: 5 * MINUTE_S,
  retries: 1,
  asyncRetries: 0,
  asyncMaxEventAgeS: 5 * MINUTE_S,
  functionTimeoutS: 60,
} as const;

/**
 * What wakes the finalizer: a terminal pass that is not finalized, or a LEASE row that the service's TTL removed (a
 * pattern cannot ask for `LEASE` in the middle of a key, so other rows of old passes come too and owe nothing).
 * The finalizer's own writes match neither: its deletes carry no service identity, and a finalized pass carries
 * `finalizedAtMs` (design rule 11). Tested on golden records.
 */
export const STREAM_FILTERS = [
  {
    dynamodb: {
      Keys: { [SORT_KEY]: { S: [{ prefix: 'PASS#' }] } },
      NewImage: {
        status: { S: ['completed', 'failed', 'cancelled', 'expired'] },
        finalizedAtMs: { N: [{ exists: false }] },
      },
    },
  },
  {
    eventName: ['REMOVE'],
    userIdentity: { type: ['Service'], principalId: ['dynamodb.amazonaws.com'] },
    dynamodb: { Keys: { [PARTITION_KEY]: { S: [{ prefix: 'SCOPE#' }] }, [SORT_KEY]: { S: [{ prefix: 'PASS#' }] } } },
  },
] as const;

/** The routes of the HTTP API, and the function behind each (design section 13). */
export const ROUTES = [
  ['POST', '/v1/scopes/{scope}/sources', 'ingest'],
  ['PUT', '/v1/scopes/{scope}/sources/{kind}/{id+}', 'ingest'],
  ['POST', '/v1/scopes/{scope}/sources/{kind}/{id+}', 'ingest'],
  ['GET', '/v1/scopes/{scope}/sources/{kind}/{id+}', 'reader'],
  ['POST', '/v1/scopes/{scope}/sources/requeue', 'trigger'],
  ['POST', '/v1/scopes/{scope}/dream/trigger', 'trigger'],
  ['POST', '/v1/scopes/{scope}/dream/drain', 'trigger'],
  ['GET', '/v1/scopes/{scope}/dream/triggers/{triggerId}', 'trigger'],
  ['GET', '/v1/scopes/{scope}/passes', 'reader'],
  ['GET', '/v1/scopes/{scope}/passes/{passId}', 'reader'],
  ['POST', '/v1/scopes/{scope}/passes/{passId}/cancel', 'trigger'],
  ['GET', '/v1/scopes/{scope}/settings', 'reader'],
  ['PATCH', '/v1/scopes/{scope}/settings', 'trigger'],
  ['POST', '/v1/scopes/{scope}/pause', 'trigger'],
  ['POST', '/v1/scopes/{scope}/resume', 'trigger'],
  ['GET', '/v1/scopes/{scope}/status', 'reader'],
  ['GET', '/v1/scopes/{scope}/claims', 'reader'],
  ['GET', '/v1/scopes/{scope}/claims/history', 'reader'],
  ['POST', '/v1/scopes/{scope}/claims/preview', 'reader'],
  ['GET', '/v1/scopes/{scope}/entities', 'reader'],
  ['GET', '/v1/scopes/{scope}/attention', 'reader'],
  ['GET', '/v1/scopes/{scope}/recall', 'reader'],
  ['GET', '/v1/scopes/{scope}/export', 'reader'],
  ['GET', '/v1/scopes/{scope}/passes/{passId}/changes', 'reader'],
  ['POST', '/v1/scopes/{scope}/claims/correct', 'curator'],
  ['POST', '/v1/scopes/{scope}/claims/retract', 'curator'],
  ['POST', '/v1/scopes/{scope}/claims/protect', 'curator'],
  ['POST', '/v1/scopes/{scope}/claims/unprotect', 'curator'],
  ['POST', '/v1/scopes/{scope}/claims/withdraw', 'curator'],
  ['POST', '/v1/scopes/{scope}/claims/repair', 'curator'],
  ['POST', '/v1/scopes/{scope}/passes/{passId}/undo', 'curator'],
  ['POST', '/v1/scopes/{scope}/entities/merge', 'curator'],
  ['POST', '/v1/scopes/{scope}/entities/type', 'curator'],
  ['POST', '/v1/scopes/{scope}/entities/unmerge', 'curator'],
  ['POST', '/v1/scopes/{scope}/import', 'curator'],
  ['DELETE', '/v1/scopes/{scope}', 'eraser'],
  ['DELETE', '/v1/scopes/{scope}/sources/{kind}/{id+}', 'eraser'],
  ['POST', '/v1/scopes/{scope}/claims/forget', 'eraser'],
  ['POST', '/v1/scopes/{scope}/erasures/lift', 'eraser'],
  ['GET', '/v1/scopes/{scope}/erasures', 'reader'],
  ['GET', '/v1/status', 'reader'],
  ['GET', '/v1/settings', 'reader'],
  ['PATCH', '/v1/settings', 'trigger'],
  ['POST', '/v1/pause', 'trigger'],
  ['POST', '/v1/resume', 'trigger'],
] as const;

/** What no route is, with its own authorization: for an answer in our shape, where the gateway would give its own. */
export const FALLBACK = { routeKey: '$default', function: 'reader' } as const;

/**
 * How a path ends that goes on behind a source's id: ids hold slashes, and API Gateway takes a parameter of many segments
 * at the end of a route only. Ingest reads the ending itself.
 */
export const SOURCE_ENDINGS = {
  part: { method: 'PUT', ending: '/revisions/{sha256}/parts/{part}' },
  complete: { method: 'POST', ending: '/revisions/{sha256}/complete' },
  turns: { method: 'POST', ending: '/turns' },
} as const;
