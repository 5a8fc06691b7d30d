/**
 * Evidence that goes back into the queue, as if no pass had failed at it: because its source went back to that revision, or
 * a session is complete, or because a person asked for it. Written by ingest and trigger.
 */
import { type EvidenceAddress, evidenceKey, homeKeyOf, UNBLAMED } from './evidence.ts';
import { queuePartition } from './queue.ts';
import { update, type Write } from './request.ts';

const AS_READ = '#seq = :seq';

/** What a source no longer is that is read anew. */
const HELD_OR_DONE = [
  'leasePass',
  'leaseExpiresAtMs',
  'settledAtMs',
  'settledBy',
  'claims',
  'quarantinedAtMs',
  'quarantineClass',
] as const;

interface Requeue {
  /** As read from the row. */
  readonly seq: number;
  readonly capturedAtMs: number;
  readonly newestKey?: string;
  /** Absent: it may be read at once. */
  readonly waitUntilMs?: number;
  /** Where it goes on, and where it began. Absent: it is read from its beginning. */
  readonly cursor?: number;
  readonly beganAt?: number;
  /** Present where its source went back to it: now. */
  readonly putBackAtMs?: number;
  readonly op: string;
}

/**
 * Puts a revision among the fresh or waiting ones: one that its source went back to, whatever became of it, to be read
 * from its beginning, or a session that is now complete, from where it stands. Who holds it loses its lease; `waitUntilMs`
 * has to keep it from others until that would have run out.
 * Conditional on: the `seq` that was read. Loses when it moved since; the stored row tells.
 */
export function requeueEvidence(address: EvidenceAddress, requeue: Requeue): Write {
  const { seq, capturedAtMs, newestKey, cursor = 0, beganAt = 0, putBackAtMs, op } = requeue;
  const homeKey = homeKeyOf(address, requeue);
  return update({
    key: evidenceKey(address),
    op,
    set: {
      state: 'pending',
      ...UNBLAMED,
      cursor,
      beganAt,
      capturedAtMs,
      ...(newestKey !== undefined && { newestKey }),
      ...(putBackAtMs !== undefined && { putBackAtMs }),
      queuePartition: queuePartition(address),
      queueKey: homeKey,
      homeKey,
    },
    setClauses: ['#seq = #seq + :one'],
    remove: [...HELD_OR_DONE],
    when: [AS_READ],
    values: { ':seq': seq, ':one': 1 },
  });
}

interface Reopening {
  /** As read from the row. */
  readonly seq: number;
  /** Where it stands from now on. */
  readonly homeKey: string;
  readonly op: string;
}

/**
 * Puts a quarantined or stalled source back among what can be taken, as if no pass had failed at it, to be read on from its
 * cursor: a person asked for it.
 * Conditional on: the `seq` that was read, and nobody holds it. Loses when it moved since; the stored row tells.
 */
export function reopenEvidence(address: EvidenceAddress, { seq, homeKey, op }: Reopening): Write {
  return update({
    key: evidenceKey(address),
    op,
    set: {
      state: 'pending',
      ...UNBLAMED,
      queuePartition: queuePartition(address),
      queueKey: homeKey,
      homeKey,
    },
    setClauses: ['#seq = #seq + :one'],
    remove: ['quarantinedAtMs', 'quarantineClass', 'attentionKey'],
    when: [AS_READ, 'attribute_not_exists(#leasePass)'],
    values: { ':seq': seq, ':one': 1 },
  });
}
