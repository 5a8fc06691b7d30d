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
 *      ├────quarantine──► quarantined   (pass after pass got nowhere with it; tier 5)
 *      ▲──────reopen──────────┘          (a person asked for it; also of one that is stalled)
 *   pending ──obsolete──► obsolete   (a newer revision came before anyone read this one, or while a pass holds it)
 *   quarantined ──obsolete──► obsolete   (a newer revision came: what was wrong with this one is history)
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
  /** Where it began: what its text shares with the revision it replaced, and was settled of that. Absent: 0. */
  beganAt: z.int().min(0).optional(),
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
  /** Passes that cited it with nothing but what it does not say, and did not acknowledge it, since it was last settled. */
  rejections: z.int().optional(),
  /** The state under which an attention of it was raised last. */
  attentionKey: z.string().optional(),
  /** Claims that were written of what was settled; absent: it was settled before that was counted. */
  claims: z.int().optional(),
  capturedAtMs: z.number(),
  /** Where this revision stood among those of its source when it was queued (`newestKeyOf`). */
  newestKey: z.string().optional(),
  homeKey: z.string(),
  leasePass: z.string().optional(),
  leaseExpiresAtMs: z.number().optional(),
  settledAtMs: z.number().optional(),
  quarantinedAtMs: z.number().optional(),
  quarantineClass: z.string().optional(),
  /** The pass that moved the cursor last. */
  settledBy: z.string().optional(),
  /** When its source went back to it, last: what a pass read of it before is of no account since. */
  putBackAtMs: z.number().optional(),
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

/** No pass has failed at it: how a source begins, and begins anew. */
export const UNBLAMED = { stalls: 0, attempts: 0, crashesAlone: 0, rejections: 0 } as const;

const PENDING = '#state = :pending';
const AS_READ = '#seq = :seq';
const UNLEASED = 'attribute_not_exists(#leasePass)';
const MINE = '#leasePass = :me';
const EXPIRED = '#leaseExpiresAtMs < :expiredBefore';
const IN_INDEX = '#state IN (:pending, :quarantined)';
const UNREAD_OR_HELD =
  '#cursor <= :start OR #cursor = #beganAt OR attribute_exists(#leasePass) OR #state = :quarantined';
const OLDER = 'attribute_not_exists(#newestKey) OR #newestKey < :newer';

export interface NewEvidence {
  readonly ref: SourceRef;
  readonly length: number;
  readonly tokens: number;
  readonly capturedAtMs: number;
  readonly newestKey?: string;
  /** Absent: it may be read at once. Present: an unfinished session, to be read from then on. */
  readonly waitUntilMs?: number;
  /** Characters that need no reading, being those that were settled of the revision before. Absent: 0. */
  readonly beganAt?: number;
}

/** Where a revision stands that nobody has read: among the waiting until a time, else among the fresh. */
export function homeKeyOf(
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
      cursor: evidence.beganAt ?? 0,
      ...(evidence.beganAt !== undefined && { beganAt: evidence.beganAt }),
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
  /** Claims that were written of it. Absent: 0. */
  readonly claims?: number | undefined;
  readonly nowMs: number;
  readonly op: string;
}

/**
 * Settles: moves the cursor and releases the lease in one write, fenced by the pass id. Answers the row.
 * Conditional on: leased by this pass, with the cursor where this pass began to read.
 * Loses when: settled or released already (then done), or taken by another pass after this one's lease expired.
 */
export function settleEvidence(address: EvidenceAddress, settlement: Settlement): Write {
  const { passId, from, to, length, claims = 0, nowMs, op } = settlement;
  const whole = to >= length;
  const home = continuationKey(nowMs, address.sourceKey);
  return update({
    key: evidenceKey(address),
    op,
    set: {
      cursor: to,
      ...UNBLAMED,
      settledBy: passId,
      ...(whole ? { state: 'settled', settledAtMs: nowMs } : { queueKey: home, homeKey: home }),
    },
    setClauses: ['#seq = #seq + :one'],
    add: { claims },
    remove: ['leasePass', 'leaseExpiresAtMs', ...(whole ? ['queuePartition', 'queueKey'] : [])],
    when: [MINE, '#cursor = :from'],
    values: { ':me': passId, ':from': from, ':one': 1 },
    returns: 'ALL_NEW',
  });
}

/**
 * Takes a revision out of the queue because a newer one came. One that a pass holds is left to its holder. Answers the row.
 * Conditional on: quarantined, or pending and nothing of it settled, or nothing beyond `start`, where the newer one begins,
 * or leased; given `newerKey`, also older than that by the order of the SOURCE row, so that a late call cannot take out a
 * revision that its source has gone back to since.
 * Loses when it was read further, in part and unleased too, or is newer than its caller knew.
 */
export function obsoleteEvidence(address: EvidenceAddress, op: string, newerKey?: string, start = 0): Write {
  const bounded = newerKey !== undefined;
  return update({
    key: evidenceKey(address),
    op,
    set: { state: 'obsolete' },
    setClauses: ['#seq = #seq + :one'],
    remove: ['queuePartition', 'queueKey'],
    when: [IN_INDEX, UNREAD_OR_HELD, ...(bounded ? [OLDER] : [])],
    values: {
      ':pending': 'pending',
      ':quarantined': 'quarantined',
      ':one': 1,
      ':start': start,
      ...(bounded && { ':newer': newerKey }),
    },
    returns: 'ALL_NEW',
  });
}

/** Reads an evidence row as stored; undefined when it is of a version this code does not know. */
export function parseEvidence(item: Item | undefined): EvidenceItem | undefined {
  const parsed = evidenceItemSchema.safeParse(item);
  return parsed.success ? parsed.data : undefined;
}
