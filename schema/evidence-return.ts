/**
 * What becomes of a source that a pass held and did not settle: given back to the queue, or taken out of it because it
 * breaks the passes that read it. Written by worker and finalizer.
 */
import { type EvidenceAddress, evidenceKey } from './evidence.ts';
import { quarantinedKey } from './queue.ts';
import { update, type Write } from './request.ts';

const MINE = '#leasePass = :me';
const PENDING = '#state = :pending';

interface Release {
  readonly passId: string;
  /** An orderly end sets the count of attempts back; a pass that died leaves it standing. */
  readonly orderly: boolean;
  /** What the end of the pass says of the source, computed from its row by who ends the pass for it. */
  readonly marks?: ReleaseMarks;
  readonly op: string;
}

export interface ReleaseMarks {
  readonly stalls?: number;
  readonly crashesAlone?: number;
  readonly rejections?: number;
  /** Under which an attention of it was raised. */
  readonly attentionKey?: string;
  /** Where it stands from now on; absent: where it stood. */
  readonly homeKey?: string;
}

/**
 * Gives a source back to the queue, at its home. Answers the row.
 * Conditional on: leased by this pass. Loses when it is not: settled, released before, or taken over after expiry.
 */
export function releaseEvidence(address: EvidenceAddress, { passId, orderly, marks = {}, op }: Release): Write {
  const { homeKey } = marks;
  const moves = homeKey !== undefined;
  return update({
    key: evidenceKey(address),
    op,
    set: { ...(orderly && { attempts: 0 }), ...marks, ...(moves && { queueKey: homeKey }) },
    setClauses: ['#seq = #seq + :one', ...(moves ? [] : ['#queueKey = #homeKey'])],
    remove: ['leasePass', 'leaseExpiresAtMs'],
    when: [MINE],
    values: { ':me': passId, ':one': 1 },
    returns: 'ALL_NEW',
  });
}

/**
 * broke_off: pass after pass broke off at it alone. quote_mismatch: pass after pass cited it with nothing but what it does
 * not say. stalled: pass after pass was given it and did not acknowledge it.
 */
export const QUARANTINE_CLASSES = ['broke_off', 'quote_mismatch', 'stalled'] as const;
export type QuarantineClass = (typeof QUARANTINE_CLASSES)[number];

interface Quarantine {
  readonly passId: string;
  readonly why: QuarantineClass;
  readonly marks: Omit<ReleaseMarks, 'homeKey'>;
  readonly nowMs: number;
  readonly op: string;
}

/**
 * Takes a source out of the queue, and off its pass, because pass after pass got nowhere with it. The index keeps it behind
 * everything that can be taken, for who asks what is quarantined.
 * Conditional on: pending, leased by this pass. Loses when it is not: released before, taken over, or replaced meanwhile
 * by a newer revision.
 */
export function quarantineEvidence(address: EvidenceAddress, quarantine: Quarantine): Write {
  const { passId, why, marks, nowMs, op } = quarantine;
  return update({
    key: evidenceKey(address),
    op,
    set: {
      state: 'quarantined',
      quarantinedAtMs: nowMs,
      quarantineClass: why,
      ...marks,
      queueKey: quarantinedKey(nowMs, address.sourceKey),
    },
    setClauses: ['#seq = #seq + :one'],
    remove: ['leasePass', 'leaseExpiresAtMs'],
    when: [PENDING, MINE],
    values: { ':pending': 'pending', ':me': passId, ':one': 1 },
  });
}
