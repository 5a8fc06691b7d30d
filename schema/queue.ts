/**
 * The order of the index `queue`: one partition per scope, generation and lane, one sort key that is tier and order.
 *
 * | tier | who | order |
 * |---|---|---|
 * | 0 | continuations: partly read revisions | oldest last advance first |
 * | 1 | fresh | newest captured first |
 * | 2 | stalled three times or more | newest captured first |
 * | 3 | waiting until a time | that time |
 * | 4 | leased | lease expiry |
 * | 5 | quarantined: nobody takes them | since when |
 *
 * Key: `<tier>#<15 digits>#…#<hash of the source key>`, unique within the partition, so that a reader can go on from the
 * last key it saw. Leased rows stand behind everything that can be taken: a page costs the same reads at any backlog.
 * Index reads nominate; `leaseEvidence` decides (design rule 5).
 */
import * as z from 'zod';
import { hash22 } from './ids.ts';
import type { Lane } from './kind.ts';
import { query, type Query } from './request.ts';
import { timeKey, timeKeyNewestFirst, timeOfKey } from './time.ts';

interface QueueAddress {
  readonly scope: string;
  readonly generation: number;
  readonly lane: Lane;
}

export function queuePartition({ scope, generation, lane }: QueueAddress): string {
  return `${scope}#${generation}#${lane}`;
}

export function continuationKey(advancedAtMs: number, sourceKey: string): string {
  return `0#${timeKey(advancedAtMs)}#${hash22(sourceKey)}`;
}
export function freshKey(capturedAtMs: number, sourceKey: string): string {
  return `1#${timeKeyNewestFirst(capturedAtMs)}#${hash22(sourceKey)}`;
}
export function stalledKey(capturedAtMs: number, sourceKey: string): string {
  return `2#${timeKeyNewestFirst(capturedAtMs)}#${hash22(sourceKey)}`;
}
export function waitingKey(untilMs: number, sourceKey: string): string {
  return `3#${timeKey(untilMs)}#${hash22(sourceKey)}`;
}
/** Under the lease's expiry and its pass, so that one pass's own leases stand together. */
export function leasedKey(expiresAtMs: number, passId: string, sourceKey: string): string {
  return `4#${timeKey(expiresAtMs)}#${passId}#${hash22(sourceKey)}`;
}

/** Behind everything: no reader of the queue comes there, who asks what is quarantined does. */
export function quarantinedKey(sinceMs: number, sourceKey: string): string {
  return `5#${timeKey(sinceMs)}#${hash22(sourceKey)}`;
}

/** One row as the index shows it: keys and the attributes it includes. */
export const queueRowSchema = z.object({
  sk: z.string(),
  queueKey: z.string(),
  cursor: z.int(),
  seq: z.int(),
  length: z.int(),
  tokens: z.int(),
  /** Leases whose pass did not end by itself, and the one that stands. */
  attempts: z.int().default(0),
});
export type QueueRow = z.infer<typeof queueRowSchema>;

/** What comes after all that is fresh, because nobody acknowledged it three times. */
export const STALLED_TIER = 2;

/** Whether a text is a place among what is quarantined: what a caller sends is none before that is asked. */
export function isQuarantinedKey(text: string): boolean {
  return /^5#[0-9]{15}#[A-Za-z0-9_-]{22}$/.test(text);
}

export function tierOf(queueKey: string): number {
  return Number(queueKey[0]);
}
/** The time a tier 3 or 4 row stands under, in epoch milliseconds. */
export function timeOfQueueKey(queueKey: string): number {
  return timeOfKey(queueKey.slice(2, 17));
}
/** The pass a tier 4 row is leased by. */
export function holderOfQueueKey(queueKey: string): string {
  return queueKey.slice(18, 18 + 38);
}

// '~' is the greatest ASCII character a key may hold, '!' the least: `key + '!'` is the first place after `key`.
const AFTER = '!';
const LAST = '~';

/** Tiers 0 to 2 in order: what may be taken now. `after` is the last key already seen. */
export function queryTakeable(address: QueueAddress, limit: number, after?: string): Query {
  return query({
    index: 'queue',
    partition: queuePartition(address),
    between: [after === undefined ? '0' : `${after}${AFTER}`, `2${LAST}`],
    limit,
  });
}

/** The old end of tier 1: what has waited longest among the fresh, oldest captured first. */
export function queryOldestFresh(address: QueueAddress, limit: number): Query {
  return query({
    index: 'queue',
    partition: queuePartition(address),
    between: ['1', `1${LAST}`],
    limit,
    newestFirst: true,
  });
}

/** Tier 3 whose time has come by `nowMs`. */
export function queryWaitingUntil(address: QueueAddress, nowMs: number, limit: number): Query {
  return query({
    index: 'queue',
    partition: queuePartition(address),
    between: ['3', `3#${timeKey(nowMs)}${LAST}`],
    limit,
  });
}

/** The head of tier 3: the next time at which something stops waiting. */
export function queryNextWaiting(address: QueueAddress): Query {
  return query({ index: 'queue', partition: queuePartition(address), between: ['3', `3${LAST}`], limit: 1 });
}

/** Tier 4 from its head: expired leases first, then the live ones; from `after` when that is given. */
export function queryLeased(address: QueueAddress, limit: number, after?: string): Query {
  return query({
    index: 'queue',
    partition: queuePartition(address),
    between: [after === undefined ? '4' : `${after}${AFTER}`, `4${LAST}`],
    limit,
  });
}

/** Leases that expired before `beforeMs`: none are read while all are live, however many they are. */
export function queryExpired(address: QueueAddress, beforeMs: number, limit: number): Query {
  return query({
    index: 'queue',
    partition: queuePartition(address),
    between: ['4', expiredLeasesEnd(beforeMs)],
    limit,
  });
}

/** The last key a lease that expired before `beforeMs` can have: the live ones stand behind it. */
export function expiredLeasesEnd(beforeMs: number): string {
  return `4#${timeKey(beforeMs)}`;
}

/** What is quarantined, longest first; behind `after` when that is given. */
export function queryQuarantined(address: QueueAddress, limit: number, after?: string): Query {
  return query({
    index: 'queue',
    partition: queuePartition(address),
    between: [after === undefined ? '5' : `${after}${AFTER}`, `5${LAST}`],
    limit,
  });
}

/** The last key a pass's own leases can have under one expiry: to look past them. */
export function ownLeasesEnd(expiresAtMs: number, passId: string): string {
  return `4#${timeKey(expiresAtMs)}#${passId}#${LAST}`;
}
