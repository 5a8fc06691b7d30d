/**
 * SCOPE: whose memory this is. One row per scope outside its generation: settings, generation, when it has work, and the
 * record of failures. Written by ingest (marks), scheduler (serves, defers, clears) and finalizer (outcomes).
 *
 * Key: `SCOPE#<scope>` / `SCOPE`. Every other row of the scope: pk `SCOPE#<scope>#<generation>`.
 * Life: for ever. Stream reaction: none.
 *
 * Which scopes have work stands in the sparse index `work`: `due#<pool>` sorted by due time, `parked#<pool>` (paused,
 * halted; comes back by resume), `idle#<pool>` (nothing waits). Clearing is two-phase, so that no ingest between two
 * looks can be forgotten: an empty probe moves the due time on, a second at the same `backlogVersion` makes it idle.
 */
import * as z from 'zod';
import { LIMITS } from './limits.ts';
import { FIRST_POOL, type Pool } from './pool.ts';
import { get, type Get, type Key, query, type Query, update, type Write } from './request.ts';
import { storedSettingsSchema } from './settings.ts';
import { ITEM_VERSION } from './table.ts';

export const lastFailureSchema = z.object({
  passId: z.string(),
  code: z.string(),
  message: z.string(),
  atMs: z.number(),
});
export type LastFailure = z.infer<typeof lastFailureSchema>;

export const scopeItemSchema = z.object({
  v: z.literal(ITEM_VERSION),
  scope: z.string(),
  generation: z.int().min(1),
  backlogVersion: z.int().default(0),
  workPartition: z.string(),
  workDueAtMs: z.number(),
  /** When the oldest evidence began to wait that came since the scope was served; absent: none did. */
  waitingSinceMs: z.number().optional(),
  /** The `backlogVersion` at which a probe found nothing. */
  emptyAtVersion: z.int().optional(),
  settings: storedSettingsSchema.optional(),
  settingsVersion: z.int().optional(),
  paused: z.boolean().optional(),
  haltedAtMs: z.number().optional(),
  /** Times of the failures since the last success, newest last, at most `haltFailures`. */
  failureTimesMs: z.array(z.number()).default([]),
  failures: z.int().default(0),
  /** Why the last pass failed; absent after a success. */
  lastFailure: lastFailureSchema.optional(),
  lastPassAtMs: z.number().optional(),
  /** Pass id → end time, of the passes whose outcome is counted. */
  counted: z.record(z.string(), z.number()).default({}),
  statsVersion: z.int().default(0),
});
export type ScopeItem = z.infer<typeof scopeItemSchema>;

export const FIRST_GENERATION = 1;

/** Where the scopes of a pool stand in the index `work`. */
export function workPartitionsOf({ number }: Pool): Readonly<Record<'due' | 'idle' | 'parked', string>> {
  return { due: `due#${number}`, idle: `idle#${number}`, parked: `parked#${number}` };
}
export const { due: DUE, idle: IDLE, parked: PARKED } = workPartitionsOf(FIRST_POOL);

export function scopeKey(scope: string): Key {
  return { pk: `SCOPE#${scope}`, sk: 'SCOPE' };
}

/** The partition of all other rows of a scope's generation. */
export function scopePartition(scope: string, generation: number): string {
  return `SCOPE#${scope}#${generation}`;
}

export function isDue(item: ScopeItem): boolean {
  return item.workPartition.startsWith('due#');
}
export function isParked(item: ScopeItem): boolean {
  return item.workPartition.startsWith('parked#');
}

export function isIdle(item: ScopeItem): boolean {
  return item.workPartition.startsWith('idle#');
}

export function getScope(scope: string): Get {
  return get(scopeKey(scope));
}

/** Scopes of a pool that are paused or halted. Index read: for people, decides nothing. */
export function queryParkedScopes(pool: Pool = FIRST_POOL): Query {
  return query({ partition: workPartitionsOf(pool).parked, index: 'work', limit: LIMITS.dueScopesPerTickMax });
}

/** The scopes of a pool due at `nowMs`, oldest due first. Index read: names candidates, decides nothing. */
export function queryDueScopes(nowMs: number, pool: Pool = FIRST_POOL): Query {
  return query({
    partition: workPartitionsOf(pool).due,
    index: 'work',
    between: [0, nowMs],
    limit: LIMITS.dueScopesPerTickMax,
  });
}

const NOT_PARKED = `attribute_not_exists(#workPartition) OR #workPartition <> :parked`;
const NOT_DUE_BEFORE = `attribute_not_exists(#workPartition) OR #workPartition <> :due OR #workDueAtMs > :now`;
const STANDS_DUE = `#workPartition = :due`;
const AT_BACKLOG_VERSION = `#backlogVersion = :backlogVersion`;
/** A scope stays in its pool: who was started with another number of them moves nothing. */
export const IN_POOL = `attribute_not_exists(#workPartition) OR #workPartition IN (:due, :idle, :parked)`;

/** The values that `IN_POOL` compares with. */
export function poolValuesOf(pool: Pool): Record<':due' | ':idle' | ':parked', string> {
  const { due, idle, parked } = workPartitionsOf(pool);
  return { ':due': due, ':idle': idle, ':parked': parked };
}

interface Marked {
  readonly scope: string;
  readonly nowMs: number;
  readonly op: string;
  readonly pool?: Pool;
}

interface Mark extends Marked {
  /**
   * It is marked for an attention, or for claims that come in by themselves: neither waits for a batch, so no wait begins.
   * Evidence that a pass left there has waited already, and would wait for `maxWaitMs` once more.
   */
  readonly bringsNoEvidence?: boolean;
}

const WAIT_BEGINS = '#waitingSinceMs = if_not_exists(#waitingSinceMs, :now)';

/**
 * Marks a scope as having work now, creating it if need be; counts one backlog version. Answers the row.
 * Conditional on: not parked, and not due already at an earlier time (a scope fed every second must keep its place in
 * the order of due times, or it would never be the oldest), nor in another pool.
 * Loses when: parked or due already; then `noteBacklog` counts the version.
 */
export function markScopeDue({ scope, nowMs, op, pool = FIRST_POOL, bringsNoEvidence = false }: Mark): Write {
  return update({
    key: scopeKey(scope),
    op,
    set: { v: ITEM_VERSION, scope, workPartition: workPartitionsOf(pool).due, workDueAtMs: nowMs },
    setClauses: ['#generation = if_not_exists(#generation, :first)', ...(bringsNoEvidence ? [] : [WAIT_BEGINS])],
    add: { backlogVersion: 1 },
    when: [NOT_PARKED, NOT_DUE_BEFORE, IN_POOL],
    values: { ...poolValuesOf(pool), ':now': nowMs, ':first': FIRST_GENERATION },
    returns: 'ALL_NEW',
  });
}

/**
 * Counts one backlog version of a scope that is parked or due already. Answers the row.
 * Unconditional but for existence: counting twice after a lost reply only delays `idleScope`.
 */
export function noteBacklog({ scope, nowMs, op, bringsNoEvidence = false }: Omit<Mark, 'pool'>): Write {
  return update({
    key: scopeKey(scope),
    op,
    setClauses: bringsNoEvidence ? [] : [WAIT_BEGINS],
    add: { backlogVersion: 1 },
    when: ['attribute_exists(#pk)'],
    values: bringsNoEvidence ? {} : { ':now': nowMs },
    returns: 'ALL_NEW',
  });
}

/**
 * After an admission: due again now, behind every scope that has waited longer, and nothing is said to wait.
 * Conditional on: stands due. Loses when parked or idle meanwhile: then its place is right already.
 */
export function serveScope({ scope, nowMs, op, pool = FIRST_POOL }: Marked): Write {
  return update({
    key: scopeKey(scope),
    op,
    set: { workDueAtMs: nowMs },
    remove: ['waitingSinceMs', 'emptyAtVersion'],
    when: [STANDS_DUE],
    values: { ':due': workPartitionsOf(pool).due },
  });
}

interface Seen extends Marked {
  readonly backlogVersion: number;
}

interface Deferral extends Omit<Seen, 'nowMs'> {
  /** The due time that was judged. */
  readonly seenDueAtMs: number;
  readonly dueAtMs: number;
}

/**
 * A scope that cannot be served before `dueAtMs` is due then, so that the head of the index is always servable.
 * Conditional on: stands due, at the backlog version and the due time that were judged. Loses when evidence came or a pass
 * of it ended meanwhile.
 */
export function deferScope(deferral: Deferral): Write {
  const { scope, op, backlogVersion, seenDueAtMs, dueAtMs, pool = FIRST_POOL } = deferral;
  return update({
    key: scopeKey(scope),
    op,
    set: { workDueAtMs: dueAtMs },
    remove: ['emptyAtVersion'],
    when: [STANDS_DUE, AT_BACKLOG_VERSION, '#workDueAtMs = :seenDueAtMs'],
    values: { ':due': workPartitionsOf(pool).due, ':backlogVersion': backlogVersion, ':seenDueAtMs': seenDueAtMs },
  });
}

/**
 * First phase of clearing: an empty probe. Looks again 15 minutes later.
 * Conditional on: stands due, at the backlog version that was probed. Loses when evidence came meanwhile.
 */
export function noteEmptyProbe({ scope, nowMs, op, backlogVersion, pool = FIRST_POOL }: Seen): Write {
  return update({
    key: scopeKey(scope),
    op,
    set: { workDueAtMs: nowMs + LIMITS.emptyProbeAgainMs, emptyAtVersion: backlogVersion },
    remove: ['waitingSinceMs'],
    when: [STANDS_DUE, AT_BACKLOG_VERSION],
    values: { ':due': workPartitionsOf(pool).due, ':backlogVersion': backlogVersion },
  });
}

/**
 * Second phase of clearing: a second empty probe makes the scope idle.
 * Conditional on: stands due, and the backlog version is the one at which the first probe was empty.
 * Loses when anything was ingested between the two probes: an ingest marks before and after it writes evidence.
 */
export function idleScope({ scope, op, backlogVersion, pool = FIRST_POOL }: Omit<Seen, 'nowMs'>): Write {
  return update({
    key: scopeKey(scope),
    op,
    set: { workPartition: workPartitionsOf(pool).idle },
    remove: ['emptyAtVersion', 'waitingSinceMs'],
    when: [STANDS_DUE, AT_BACKLOG_VERSION, '#emptyAtVersion = :backlogVersion'],
    values: { ':due': workPartitionsOf(pool).due, ':backlogVersion': backlogVersion },
  });
}
