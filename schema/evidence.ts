/**
 * EVIDENCE: a source revision standing in a lane's queue, with its cursor and its lease. The lease lives on this row, so
 * that one conditional write decides who may read the source, and the fence and the cursor move together.
 * Written by ingest (puts), worker (leases), finalizer (settles, releases).
 *
 * Key: scope partition / `EVIDENCE#<lane>#<kind>#<id>#<revision>`. Life: until erased. Stream reaction: none.
 *
 *   pending ──lease──► pending, leased (tier 4) ──settle──► settled          (cursor at the end; leaves the index)
 *      ▲                        │          └─────settle──► pending, tier 0   (cursor moved; read on from there)
 *      └────────release─────────┘
 *      └────quarantine──► quarantined   (the passes that held it broke off at it alone)
 *   pending ──obsolete──► obsolete   (a newer revision came before anyone read this one, or while a pass holds it)
 *      ▲──────requeue────────┘         (its source went back to it; or, still pending, what it waited for has come)
 *      ▲──────requeue──── settled      (its source went back to it with a later captured time: it is read anew)
 *
 * One made obsolete while it is leased keeps its lease and leaves the index: what its holder gives back stays out of it.
 * The sparse index `queue` answers "what comes next?": see `schema/queue.ts` for its order. `homeKey` is where the row
 * stands when nobody leases it; a lease puts it under its expiry, a release brings it home.
 */
import * as z from 'zod';
import { sourceKeyOf, type SourceRef, sourceKindSchema } from './ids.ts';
import type { Lane } from './kind.ts';
import { LIMITS } from './limits.ts';
import { continuationKey, freshKey, leasedKey, queuePartition, waitingKey } from './queue.ts';
import { get, type Get, type Item, type Key, put, update, type Write } from './request.ts';
import { scopePartition } from './scope.ts';
import { ITEM_VERSION } from './table.ts';

export const EVIDENCE_STATES = ['pending', 'settled', 'obsolete', 'quarantined'] as const;

export const evidenceItemSchema = z.object({
  v: z.literal(ITEM_VERSION),
  sk: z.string(),
  state: z.enum(EVIDENCE_STATES),
  kind: sourceKindSchema,
  id: z.string(),
  revision: z.string(),
  /** Characters read and settled so far. */
  cursor: z.int().min(0),
  /** Characters in all. */
  length: z.int().min(0),
  /** Estimated tokens of the whole text. */
  tokens: z.int().min(0),
  /** Adds one at every move: whoever acts on a stale reading loses. */
  seq: z.int(),
  stalls: z.int().default(0),
  /** Leases since the last orderly release or settlement. */
  attempts: z.int().default(0),
  /** Passes that broke off when this was all they had not acknowledged, since it was last settled. */
  crashesAlone: z.int().default(0),
  capturedAtMs: z.number(),
  /** Where this revision stood among those of its source when it was queued (`newestKeyOf`). */
  newestKey: z.string().optional(),
  homeKey: z.string(),
  leasePass: z.string().optional(),
  leaseExpiresAtMs: z.number().optional(),
  settledAtMs: z.number().optional(),
  quarantinedAtMs: z.number().optional(),
  /** The pass that moved the cursor last. */
  settledBy: z.string().optional(),
});
export type EvidenceItem = z.infer<typeof evidenceItemSchema>;

/** Where a scope's evidence lives. `lane` and `sourceKey` name the row within it. */
export interface EvidenceAddress {
  readonly scope: string;
  readonly generation: number;
  readonly lane: Lane;
  /** `<kind>#<id>#<revision>` in key form. */
  readonly sourceKey: string;
}

export function evidenceAddress(scope: string, generation: number, lane: Lane, ref: SourceRef): EvidenceAddress {
  return { scope, generation, lane, sourceKey: sourceKeyOf(ref) };
}

export function evidenceKey({ scope, generation, lane, sourceKey }: EvidenceAddress): Key {
  return { pk: scopePartition(scope, generation), sk: `EVIDENCE#${lane}#${sourceKey}` };
}

/** The `<kind>#<id>#<revision>` of an evidence sort key. */
export function sourceKeyOfEvidence(sk: string, lane: Lane): string {
  return sk.slice(`EVIDENCE#${lane}#`.length);
}

export function getEvidence(address: EvidenceAddress): Get {
  return get(evidenceKey(address));
}

const PENDING = '#state = :pending';
const AS_READ = '#seq = :seq';
const UNLEASED = 'attribute_not_exists(#leasePass)';
const MINE = '#leasePass = :me';
const EXPIRED = '#leaseExpiresAtMs < :expiredBefore';
const UNREAD_OR_HELD = '#cursor = :zero OR attribute_exists(#leasePass)';
const OLDER = 'attribute_not_exists(#newestKey) OR #newestKey < :newer';

export interface NewEvidence {
  readonly ref: SourceRef;
  readonly length: number;
  readonly tokens: number;
  readonly capturedAtMs: number;
  readonly newestKey?: string;
  /** Absent: it may be read at once. Present: an unfinished session, to be read from then on. */
  readonly waitUntilMs?: number;
}

/** Where a revision stands that nobody has read: among the waiting until a time, else among the fresh. */
function homeKeyOf(
  address: EvidenceAddress,
  { capturedAtMs, waitUntilMs }: Pick<NewEvidence, 'capturedAtMs' | 'waitUntilMs'>,
): string {
  return waitUntilMs === undefined
    ? freshKey(capturedAtMs, address.sourceKey)
    : waitingKey(waitUntilMs, address.sourceKey);
}

/**
 * Puts a revision into its lane's queue.
 * Conditional on: the row does not exist. Loses when the revision is known already, whatever became of it.
 */
export function putEvidence(address: EvidenceAddress, evidence: NewEvidence, op: string): Write {
  const homeKey = homeKeyOf(address, evidence);
  return put({
    op,
    item: {
      ...evidenceKey(address),
      v: ITEM_VERSION,
      state: 'pending',
      ...evidence.ref,
      cursor: 0,
      length: evidence.length,
      tokens: evidence.tokens,
      seq: 1,
      stalls: 0,
      attempts: 0,
      capturedAtMs: evidence.capturedAtMs,
      ...(evidence.newestKey !== undefined && { newestKey: evidence.newestKey }),
      queuePartition: queuePartition(address),
      queueKey: homeKey,
      homeKey,
    },
    when: ['attribute_not_exists(#pk)'],
  });
}

interface Lease {
  readonly passId: string;
  /** As read from the index or the row. */
  readonly seq: number;
  readonly nowMs: number;
  readonly expiresAtMs: number;
  readonly op: string;
}

/**
 * Leases one source for a pass: the write that decides who reads it. Answers the row.
 * Conditional on: pending, at the `seq` that was read (a cursor alone would let a quarantined row be leased), and
 * unleased, or leased by this pass, or expired with the margin.
 * Loses when: another pass was faster, the source was settled, or the index told of an older state.
 */
export function leaseEvidence(address: EvidenceAddress, lease: Lease): Write {
  return update({
    key: evidenceKey(address),
    op: lease.op,
    set: {
      leasePass: lease.passId,
      leaseExpiresAtMs: lease.expiresAtMs,
      queueKey: leasedKey(lease.expiresAtMs, lease.passId, address.sourceKey),
    },
    setClauses: ['#seq = #seq + :one'],
    add: { attempts: 1 },
    when: [PENDING, AS_READ, `${UNLEASED} OR ${MINE} OR ${EXPIRED}`],
    values: {
      ':pending': 'pending',
      ':seq': lease.seq,
      ':one': 1,
      ':me': lease.passId,
      ':expiredBefore': lease.nowMs - LIMITS.leaseMarginMs,
    },
    returns: 'ALL_NEW',
  });
}

interface Settlement {
  readonly passId: string;
  /** The cursor this pass read from; progress is contiguous. */
  readonly from: number;
  readonly to: number;
  readonly length: number;
  readonly nowMs: number;
  readonly op: string;
}

/**
 * Settles: moves the cursor and releases the lease in one write, fenced by the pass id.
 * Conditional on: leased by this pass, with the cursor where this pass began to read.
 * Loses when: settled or released already (then done), or taken by another pass after this one's lease expired.
 */
export function settleEvidence(address: EvidenceAddress, settlement: Settlement): Write {
  const { passId, from, to, length, nowMs, op } = settlement;
  const whole = to >= length;
  const home = continuationKey(nowMs, address.sourceKey);
  return update({
    key: evidenceKey(address),
    op,
    set: {
      cursor: to,
      stalls: 0,
      attempts: 0,
      crashesAlone: 0,
      settledBy: passId,
      ...(whole ? { state: 'settled', settledAtMs: nowMs } : { queueKey: home, homeKey: home }),
    },
    setClauses: ['#seq = #seq + :one'],
    remove: ['leasePass', 'leaseExpiresAtMs', ...(whole ? ['queuePartition', 'queueKey'] : [])],
    when: [MINE, '#cursor = :from'],
    values: { ':me': passId, ':from': from, ':one': 1 },
  });
}

/**
 * Takes a revision out of the queue because a newer one came. One that a pass holds is left to its holder.
 * Conditional on: pending, and nothing of it settled or leased; given `newerKey`, also older than that by the order of the
 * SOURCE row, so that a late call cannot take out a revision that its source has gone back to since.
 * Loses when it was read, in part and unleased too, or is newer than its caller knew.
 */
export function obsoleteEvidence(address: EvidenceAddress, op: string, newerKey?: string): Write {
  const bounded = newerKey !== undefined;
  return update({
    key: evidenceKey(address),
    op,
    set: { state: 'obsolete' },
    setClauses: ['#seq = #seq + :one'],
    remove: ['queuePartition', 'queueKey'],
    when: [PENDING, UNREAD_OR_HELD, ...(bounded ? [OLDER] : [])],
    values: { ':pending': 'pending', ':one': 1, ':zero': 0, ...(bounded && { ':newer': newerKey }) },
  });
}

interface Requeue {
  /** As read from the row. */
  readonly seq: number;
  readonly capturedAtMs: number;
  readonly newestKey?: string;
  /** Absent: it may be read at once. */
  readonly waitUntilMs?: number;
  readonly op: string;
}

/**
 * Puts a revision among the fresh or waiting ones, to be read from its beginning: one that its source went back to,
 * whatever became of it, or a session that is now complete. Who holds it loses its lease as if it had run out.
 * Conditional on: the `seq` that was read. Loses when it moved since; the stored row tells.
 */
export function requeueEvidence(address: EvidenceAddress, requeue: Requeue): Write {
  const { seq, capturedAtMs, newestKey, op } = requeue;
  const homeKey = homeKeyOf(address, requeue);
  return update({
    key: evidenceKey(address),
    op,
    set: {
      state: 'pending',
      cursor: 0,
      capturedAtMs,
      ...(newestKey !== undefined && { newestKey }),
      queuePartition: queuePartition(address),
      queueKey: homeKey,
      homeKey,
    },
    setClauses: ['#seq = #seq + :one'],
    remove: ['leasePass', 'leaseExpiresAtMs', 'settledAtMs', 'settledBy'],
    when: [AS_READ],
    values: { ':seq': seq, ':one': 1 },
  });
}

/** Reads an evidence row as stored; undefined when it is of a version this code does not know. */
export function parseEvidence(item: Item | undefined): EvidenceItem | undefined {
  const parsed = evidenceItemSchema.safeParse(item);
  return parsed.success ? parsed.data : undefined;
}
