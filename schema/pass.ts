/**
 * PASS: one bounded run over leased evidence of one scope. Constant size: what it holds and what it read stand in its
 * LEASE and REVIEW rows. Written by scheduler (puts, expires, kicks), worker (starts, beats, ends), finalizer (finalizes).
 *
 * Key: scope partition / `PASS#<passId>`. Life: 30 days after it is finalized (TTL). Stream reaction: a terminal pass
 * that is not finalized wakes the finalizer.
 *
 *   admitted ──start──► running ──end──► completed | failed ──┐
 *      │                   │                                  ├──finalize──► the same, with finalizedAtMs
 *      └──────expire───────┴──expire──► expired ──────────────┘
 *
 * Terminal states never change. Every move is fenced: the worker's by its attempt, which is fresh per execution; the
 * sweep's by the attempt and heartbeat it judged.
 */
import * as z from 'zod';
import { LANES } from './kind.ts';
import { ORIGINS } from './origin.ts';
import { get, type Get, type Key, put, update, type Write } from './request.ts';
import { scopePartition } from './scope.ts';
import { ITEM_VERSION } from './table.ts';

export const PASS_STATUSES = ['admitted', 'running', 'completed', 'failed', 'cancelled', 'expired'] as const;
export type PassStatus = (typeof PASS_STATUSES)[number];
export const TERMINAL_STATUSES: readonly PassStatus[] = ['completed', 'failed', 'cancelled', 'expired'];

export const passCountersSchema = z.object({
  pages: z.int().default(0),
  delivered: z.int().default(0),
  reviewed: z.int().default(0),
  claims: z.int().default(0),
  /** Conditional writes on evidence that another pass won. */
  leasesLost: z.int().default(0),
  toolCalls: z.int().default(0),
  /** Attentions it decided. */
  decided: z.int().default(0),
  /** What its model read, wrote and cost so far: beats carry it, so that a killed pass is charged too. */
  tokensIn: z.int().default(0),
  tokensOut: z.int().default(0),
  costMicroUsd: z.int().default(0),
});
export type PassCounters = z.infer<typeof passCountersSchema>;
export const NO_COUNTERS: PassCounters = passCountersSchema.parse({});

export const failureSchema = z.object({ code: z.string(), message: z.string() });
/** The failure of a pass whose provider was away: its scope is not to blame. */
export const PROVIDER_AWAY = 'provider_away';
export type PassFailure = z.infer<typeof failureSchema>;

export const passItemSchema = z.object({
  v: z.literal(ITEM_VERSION),
  passId: z.string(),
  scope: z.string(),
  generation: z.int(),
  kind: z.string(),
  lane: z.enum(LANES),
  slotNumber: z.int(),
  triggerId: z.string(),
  origin: z.enum(ORIGINS),
  status: z.enum(PASS_STATUSES),
  /** Settings as they stood at admission: a change in mid-pass concerns the next pass. */
  pageSources: z.int(),
  pageCharacters: z.int(),
  passTimeoutMs: z.int(),
  executor: z.string(),
  /** Passes that wait until this one, the canary, has proved its provider. */
  heldBack: z.int().optional(),
  /** Owns its scope's attention, as its ledger entry says; `only`: nothing else was there to do. */
  attention: z.enum(['owned', 'only']).optional(),
  admittedAtMs: z.number(),
  invokedAtMs: z.number(),
  attempt: z.string().optional(),
  /** The invocation's request id: ties a failed invocation to the attempt it was. */
  requestId: z.string().optional(),
  startedAtMs: z.number().optional(),
  deadlineAtMs: z.number().optional(),
  heartbeatAtMs: z.number().optional(),
  endedAtMs: z.number().optional(),
  counters: passCountersSchema.default(NO_COUNTERS),
  /** A page came back empty: nothing was left that this pass could have taken. */
  sawEmptyQueue: z.boolean().default(false),
  reviewRows: z.int().default(0),
  /** It ended while a request of it hung: what that had sent may arrive as long as its function may live. */
  leftBehind: z.boolean().optional(),
  settled: z.int().optional(),
  released: z.int().optional(),
  failure: failureSchema.optional(),
  finalizedAtMs: z.number().optional(),
  kicks: z.int().default(0),
});
export type PassItem = z.infer<typeof passItemSchema>;

export interface PassAddress {
  readonly scope: string;
  readonly generation: number;
  readonly passId: string;
}

export function passKey({ scope, generation, passId }: PassAddress): Key {
  return { pk: scopePartition(scope, generation), sk: `PASS#${passId}` };
}

/** The address in a PASS, LEASE or REVIEW row's key; undefined for any other row. */
export function passAddressOf(pk: string, sk: string): PassAddress | undefined {
  const partition = /^SCOPE#([^#]+)#([0-9]+)$/.exec(pk);
  const row = /^PASS#([^#]+)/.exec(sk);
  if (!partition?.[1] || !partition[2] || !row?.[1]) return undefined;
  return { scope: partition[1], generation: Number(partition[2]), passId: row[1] };
}

export function isTerminal(status: PassStatus): boolean {
  return TERMINAL_STATUSES.includes(status);
}

export function getPass(address: PassAddress): Get {
  return get(passKey(address));
}

const RUNNING = '#status = :running';
const MY_ATTEMPT = '#attempt = :attempt';

export type NewPass = Pick<
  PassItem,
  | 'scope'
  | 'generation'
  | 'passId'
  | 'kind'
  | 'lane'
  | 'slotNumber'
  | 'triggerId'
  | 'origin'
  | 'pageSources'
  | 'pageCharacters'
  | 'passTimeoutMs'
  | 'executor'
  | 'heldBack'
  | 'attention'
  | 'admittedAtMs'
>;

/**
 * Puts an admitted pass, after its ledger entry.
 * Conditional on: the row does not exist. Loses when a replay or the sweep put it before; then it is invoked all the same.
 */
export function putPass(pass: NewPass, op: string): Write {
  return put({
    op,
    item: { ...passKey(pass), v: ITEM_VERSION, ...pass, status: 'admitted', invokedAtMs: pass.admittedAtMs, kicks: 0 },
    when: ['attribute_not_exists(#pk)'],
  });
}

/**
 * Notes that an admitted pass is invoked again.
 * Conditional on: still admitted. Loses when it started or ended meanwhile.
 */
export function noteInvoked(address: PassAddress, nowMs: number, op: string): Write {
  return update({
    key: passKey(address),
    op,
    set: { invokedAtMs: nowMs },
    when: ['#status = :admitted'],
    values: { ':admitted': 'admitted' },
  });
}

interface Start {
  readonly attempt: string;
  readonly requestId: string;
  readonly nowMs: number;
  readonly deadlineAtMs: number;
  readonly op: string;
}

/**
 * Starts a pass: the worker's first write. Answers the row.
 * Conditional on: admitted. Loses when a doubled invocation started it before, or it ended unstarted.
 */
export function startPass(address: PassAddress, { attempt, requestId, nowMs, deadlineAtMs, op }: Start): Write {
  return update({
    key: passKey(address),
    op,
    set: { status: 'running', attempt, requestId, startedAtMs: nowMs, heartbeatAtMs: nowMs, deadlineAtMs },
    when: ['#status = :admitted'],
    values: { ':admitted': 'admitted' },
    returns: 'ALL_NEW',
  });
}

interface Beat {
  readonly attempt: string;
  readonly nowMs: number;
  readonly counters: PassCounters;
  readonly op: string;
}

/**
 * Beats: after each page, and every 10 s inside the loop.
 * Conditional on: running with my attempt. Loses when the pass was expired or cancelled: then the worker releases what it
 * just took and stops.
 */
export function heartbeatPass(address: PassAddress, { attempt, nowMs, counters, op }: Beat): Write {
  return update({
    key: passKey(address),
    op,
    set: { heartbeatAtMs: nowMs, counters },
    when: [RUNNING, MY_ATTEMPT],
    values: { ':running': 'running', ':attempt': attempt },
  });
}

interface End extends Beat {
  readonly status: 'completed' | 'failed';
  /** How many REVIEW rows count; those of a crashed write beyond it count for nothing. */
  readonly reviewRows: number;
  readonly sawEmptyQueue: boolean;
  /** A call of its tools hung, and was left behind. */
  readonly leftBehind?: boolean;
  readonly failure?: PassFailure;
}

/**
 * Ends a pass: the terminal write, from which on its acknowledgements count.
 * Conditional on: running with my attempt. Loses when it was expired or cancelled meanwhile; then nothing counts.
 */
export function endPass(address: PassAddress, end: End): Write {
  return update({
    key: passKey(address),
    op: end.op,
    set: {
      status: end.status,
      endedAtMs: end.nowMs,
      heartbeatAtMs: end.nowMs,
      counters: end.counters,
      reviewRows: end.reviewRows,
      sawEmptyQueue: end.sawEmptyQueue,
      ...(end.leftBehind && { leftBehind: true }),
      ...(end.failure && { failure: end.failure }),
    },
    when: [RUNNING, MY_ATTEMPT],
    values: { ':running': 'running', ':attempt': end.attempt },
  });
}

interface Expiry {
  readonly nowMs: number;
  readonly failure: PassFailure;
  readonly op: string;
}

/**
 * Expires a running pass that died.
 * Conditional on: running, with the attempt and the heartbeat that were judged dead.
 * Loses when it beat or ended meanwhile: a pass that can still write is alive.
 */
export function expireRunningPass(
  address: PassAddress,
  { attempt, heartbeatAtMs, nowMs, failure, op }: Expiry & { attempt: string; heartbeatAtMs: number },
): Write {
  return update({
    key: passKey(address),
    op,
    set: { status: 'expired', endedAtMs: nowMs, failure },
    when: [RUNNING, MY_ATTEMPT, '#heartbeatAtMs = :heartbeat'],
    values: { ':running': 'running', ':attempt': attempt, ':heartbeat': heartbeatAtMs },
  });
}

/**
 * Expires the attempt whose invocation is known to have failed, whatever its last heartbeat was.
 * Conditional on: running with that attempt. Loses when it ended before it died.
 */
export function expireAttempt(
  address: PassAddress,
  { attempt, nowMs, failure, op }: Expiry & { attempt: string },
): Write {
  return update({
    key: passKey(address),
    op,
    set: { status: 'expired', endedAtMs: nowMs, failure },
    when: [RUNNING, MY_ATTEMPT],
    values: { ':running': 'running', ':attempt': attempt },
  });
}

/**
 * Expires a pass that nobody ever started.
 * Conditional on: admitted. Loses when it started at last.
 */
export function expireUnstartedPass(address: PassAddress, { nowMs, failure, op }: Expiry): Write {
  return update({
    key: passKey(address),
    op,
    set: { status: 'expired', endedAtMs: nowMs, failure },
    when: ['#status = :admitted'],
    values: { ':admitted': 'admitted' },
  });
}
