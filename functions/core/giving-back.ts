/**
 * What becomes of a source that a pass held and did not settle, by how the pass ended (design section 5, poison and
 * stalls). Pure: the row as it stands under that pass's lease, in; where it goes, out.
 */
import type { EvidenceItem } from '../../schema/evidence.ts';
import type { QuarantineClass, ReleaseMarks } from '../../schema/evidence-return.ts';
import { LIMITS } from '../../schema/limits.ts';
import { stalledKey, waitingKey } from '../../schema/queue.ts';

/**
 * stalled: its pass completed and did not acknowledge it; `rejected`, if it cited it with nothing but what it does not say.
 * broke-off: its pass failed or died before it had acknowledged it; `alone`, if that was true of no other source.
 */
export type Unsettled =
  | { readonly kind: 'stalled'; readonly rejected?: boolean }
  | { readonly kind: 'broke-off'; readonly alone: boolean };

export type Return =
  | { readonly kind: 'release'; readonly orderly: boolean; readonly marks: ReleaseMarks }
  | { readonly kind: 'quarantine'; readonly why: QuarantineClass; readonly marks: Omit<ReleaseMarks, 'homeKey'> };

type Row = Pick<EvidenceItem, 'stalls' | 'attempts' | 'crashesAlone' | 'rejections' | 'capturedAtMs'>;

/** `row.attempts` counts this pass's lease. */
export function planReturn(row: Row, sourceKey: string, unsettled: Unsettled, nowMs: number): Return {
  if (unsettled.kind === 'stalled') return planStalled(row, sourceKey, unsettled.rejected === true);
  const crashesAlone = row.crashesAlone + (unsettled.alone ? 1 : 0);
  if (crashesAlone >= LIMITS.crashesAloneMax) return { kind: 'quarantine', why: 'broke_off', marks: { crashesAlone } };
  if (row.attempts < LIMITS.aloneFromAttempts) return { kind: 'release', orderly: false, marks: { crashesAlone } };
  // Others go first, and bring their scope a success before this one is tried again.
  const homeKey = waitingKey(nowMs + waitMs(row.attempts), sourceKey);
  return { kind: 'release', orderly: false, marks: { crashesAlone, homeKey } };
}

/** A model may cite a source wrongly once, and see what it says the next time; three passes that do will not. */
function planStalled(row: Row, sourceKey: string, rejected: boolean): Return {
  const stalls = row.stalls + 1;
  const rejections = (row.rejections ?? 0) + (rejected ? 1 : 0);
  const marks = { stalls, ...(rejected && { rejections }) };
  if (rejections >= LIMITS.rejectedPassesMax) return { kind: 'quarantine', why: 'quote_mismatch', marks };
  if (stalls >= LIMITS.stallsMax) return { kind: 'quarantine', why: 'stalled', marks };
  if (stalls < LIMITS.stalledAt) return { kind: 'release', orderly: true, marks };
  return { kind: 'release', orderly: true, marks: { ...marks, homeKey: stalledKey(row.capturedAtMs, sourceKey) } };
}

/** 5 min × 2^attempts, as a scope backs off after failures: 20 minutes after the second, at most 320. */
function waitMs(attempts: number): number {
  return LIMITS.backOffBaseMs * 2 ** Math.min(attempts, LIMITS.backOffExponentMax);
}
