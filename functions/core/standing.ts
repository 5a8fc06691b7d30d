/**
 * How a source that comes in stands to what is stored: whether there is anything to write, whether a known revision has
 * to come back into the queue, and what may be taken out of it.
 */
import type { EvidenceItem } from '../../schema/evidence.ts';
import { tierOf, timeOfQueueKey } from '../../schema/queue.ts';
import type { SourceItem } from '../../schema/source.ts';
import type { PreparedSource } from './intake.ts';

/** What is stored of a source, as read before anything is written. */
export interface Standing {
  /** The newest revision; undefined when the source is not known. */
  readonly source: SourceItem | undefined;
  /** Evidence of the revision that comes in; only read when a newer one stands. */
  readonly own?: EvidenceItem | undefined;
  /** Evidence of the revision that the newest one replaced. */
  readonly replaced?: EvidenceItem | undefined;
}

const WAITING_TIER = 3;

/** Pending, held by nobody, and nothing of it settled: it can be taken out of the queue, or moved in it. */
export function isUntouched(item: EvidenceItem | undefined): boolean {
  return item?.state === 'pending' && item.leasePass === undefined && item.cursor === 0;
}

/** A call died after it had replaced that revision and before it could take its evidence out of the queue. */
export function hasLeftover({ source, replaced }: Standing): boolean {
  return source !== undefined && isUntouched(replaced);
}

/**
 * The outcome when nothing has to be written; undefined when something has.
 * `unchanged`: that text stands as the newest, and is as complete as it comes in. `older`: it is history already.
 */
export function judgeStanding(
  incoming: Pick<PreparedSource, 'revision' | 'newestKey' | 'completed'>,
  standing: Standing,
): 'unchanged' | 'older' | undefined {
  const { source, own } = standing;
  if (!source || hasLeftover(standing)) return undefined;
  if (source.revision === incoming.revision) return source.completed || !incoming.completed ? 'unchanged' : undefined;
  return source.newestKey > incoming.newestKey && own !== undefined && !isUntouched(own) ? 'older' : undefined;
}

interface Wanted {
  readonly capturedAtMs: number;
  /** Absent: to be read at once. */
  readonly waitUntilMs?: number;
}

/**
 * Where evidence that is known already has to stand now that its text came in again as the newest; undefined when it
 * stands right, was read, or is held.
 *
 * - obsolete: its source went back to this text, so it is queued as if it were new;
 * - waiting, and the session is now complete: queued at once;
 * - known with an earlier captured time: raised to the later one, which keeps out a late call that still wants to make
 *   this revision obsolete for having been captured before its own.
 */
export function planRequeue(
  known: EvidenceItem,
  wanted: Wanted,
  nowMs: number,
): (Wanted & { readonly seq: number }) | undefined {
  if (known.leasePass !== undefined || known.cursor > 0) return undefined;
  if (known.state === 'obsolete') return { ...wanted, seq: known.seq };
  if (known.state !== 'pending') return undefined;
  const untilMs = tierOf(known.homeKey) === WAITING_TIER ? timeOfQueueKey(known.homeKey) : undefined;
  const waits = untilMs !== undefined && untilMs > nowMs && wanted.waitUntilMs !== undefined;
  const released = untilMs !== undefined && untilMs > nowMs && wanted.waitUntilMs === undefined;
  if (!released && wanted.capturedAtMs <= known.capturedAtMs) return undefined;
  return {
    seq: known.seq,
    capturedAtMs: Math.max(known.capturedAtMs, wanted.capturedAtMs),
    ...(waits && { waitUntilMs: untilMs }),
  };
}

/**
 * The bound on the captured time under which `revision` is older than the newer one, whatever it was captured at when it
 * was last looked at: with equal times the revision decides, as in the source's own order.
 */
export function capturedBeforeOf(
  newer: { readonly capturedAtMs: number; readonly revision: string },
  revision: string,
): number {
  return revision < newer.revision ? newer.capturedAtMs + 1 : newer.capturedAtMs;
}
