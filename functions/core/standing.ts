/**
 * How a source that comes in stands to what is stored: whether there is anything to write, whether a known revision has
 * to come back into the queue, and what may be taken out of it.
 */
import type { EvidenceItem } from '../../schema/evidence.ts';
import { tierOf, timeOfQueueKey } from '../../schema/queue.ts';
import { newestKeyOf, type SourceItem } from '../../schema/source.ts';
import type { PreparedSource } from './intake.ts';

/** What is stored of a source, as read before anything is written. */
export interface Standing {
  /** The newest revision; undefined when the source is not known. */
  readonly source: SourceItem | undefined;
  /** Evidence of the revision that comes in; only read when one stands that may be newer. */
  readonly own?: EvidenceItem | undefined;
  /** Evidence of the revision that the newest one replaced. */
  readonly replaced?: EvidenceItem | undefined;
}

const WAITING_TIER = 3;

/** Pending, and not read in part by a pass that gave it back: it is taken out of the queue when a newer one stands. */
export function isInQueue(item: EvidenceItem | undefined): item is EvidenceItem {
  return item?.state === 'pending' && (item.cursor === (item.beganAt ?? 0) || item.leasePass !== undefined);
}

/** A call died after it had replaced that revision and before it could take its evidence out of the queue. */
export function hasLeftover({ source, replaced }: Standing): boolean {
  return source !== undefined && (replaced?.state === 'quarantined' || isInQueue(replaced));
}

type Incoming = Pick<PreparedSource, 'revision' | 'capturedAtMs' | 'capturedFrom'>;

/**
 * Whether the revision that comes in was the newest once. One that is still in the queue never was, unless it is what the
 * newest replaced: its call died before the SOURCE row.
 */
export function isKnown({ source, own }: Standing, revision: string): boolean {
  return own !== undefined && (!isInQueue(own) || source?.replaces === revision);
}

/** The time by which what comes in is compared with the newest: as its source told it, before it was raised. */
function statedAtMsOf({ statedAtMs, capturedAtMs }: SourceItem): number {
  return statedAtMs ?? capturedAtMs;
}

/** Whether the newest revision may be newer than what comes in; an inferred time says no more than when it came in. */
export function mayBeOlder({ capturedAtMs, capturedFrom }: Incoming, newest: SourceItem | undefined): boolean {
  return newest !== undefined && capturedFrom !== 'inferred' && capturedAtMs <= statedAtMsOf(newest);
}

/** Where a revision that comes in stands among those of its source. */
export interface Place extends Pick<SourceItem, 'capturedAtMs' | 'statedAtMs' | 'ingestedAtMs' | 'newestKey'> {
  readonly isOlder: boolean;
}

interface Arrival {
  /** Whether it was the newest once. */
  readonly wasKnown: boolean;
  readonly nowMs: number;
  /** The captured time of the evidence of what stands. Absent: it was not asked for. */
  readonly queuedMs?: number | undefined;
}

/**
 * Newest is by (captured time, arrival, revision). Of equal captured times what comes in is the newer, unless it was the
 * newest before: then the call is a late repetition. An inferred time gives way to the order in which texts come in: clocks
 * of two functions differ by seconds, and a file may be older than the one whose place it takes.
 *
 * A newer one is captured a millisecond after what it replaces, if not later by itself: its claims must stand above those
 * that were read of the other, and claims of one captured time are told apart by a hash. Also above the evidence of that,
 * where it is known: of two calls at once with one text the one that did not make it stand may have queued it last.
 */
export function placeOf(
  incoming: Incoming,
  newest: SourceItem | undefined,
  { wasKnown, nowMs, queuedMs = Number.NEGATIVE_INFINITY }: Arrival,
): Place {
  const { revision, capturedFrom, capturedAtMs: statedAtMs } = incoming;
  const isEqual = newest !== undefined && statedAtMs === statedAtMsOf(newest);
  const isOlder = mayBeOlder(incoming, newest) && (!isEqual || wasKnown);
  const replaced = isOlder ? undefined : newest;
  const capturedAtMs = replaced ? Math.max(statedAtMs, replaced.capturedAtMs + 1, queuedMs + 1) : statedAtMs;
  const ingestedAtMs = replaced ? Math.max(nowMs, replaced.ingestedAtMs + 1) : nowMs;
  return {
    isOlder,
    capturedAtMs,
    ...(capturedFrom !== 'inferred' && capturedAtMs !== statedAtMs && { statedAtMs }),
    ingestedAtMs,
    newestKey: newestKeyOf({ capturedAtMs, ingestedAtMs, revision }),
  };
}

/**
 * The outcome when nothing has to be written; undefined when something has.
 * `unchanged`: that text stands as the newest, and is as complete as it comes in. `older`: it is history already.
 */
export function judgeStanding(
  incoming: Incoming & Pick<PreparedSource, 'completed'>,
  standing: Standing,
): 'unchanged' | 'older' | undefined {
  const { source, own } = standing;
  if (!source || hasLeftover(standing)) return undefined;
  if (source.revision === incoming.revision) return source.completed || !incoming.completed ? 'unchanged' : undefined;
  return mayBeOlder(incoming, source) && own !== undefined && !isInQueue(own) ? 'older' : undefined;
}

interface QueuePlace {
  readonly capturedAtMs: number;
  readonly newestKey: string;
  /** Absent: to be read at once. */
  readonly waitUntilMs?: number;
}

interface Wanted extends QueuePlace {
  /** Where its reading begins, behind what was settled of the revision it replaces. Absent: at its beginning. */
  readonly beginsAt?: number;
}

interface RequeuePlan extends QueuePlace {
  readonly seq: number;
  /** Where it goes on, and where it began; absent: it is read from its beginning. */
  readonly cursor?: number;
  readonly beganAt?: number;
  /** Present where its source went back to it: now. */
  readonly putBackAtMs?: number;
}

/**
 * Where evidence that is known already has to stand now that its text came in again as the newest; undefined when it
 * stands right, or was read under the captured time it has now.
 *
 * - obsolete: its source went back to this text, so it is queued as if it were new;
 * - known with an earlier captured time, read or not: its source went back to it, or a call that died is sent again. What it
 *   says was captured later now than what came between, so it is read anew, but for what it shares with what it replaces
 *   and was settled of that: what was said in a session before stays as old as it is;
 * - waiting, and the session is now complete: queued at once, or as soon as its source is let through, where it stands.
 *
 * The later place also keeps out a late call that still wants to make this revision obsolete for being older than its own.
 *
 * Who holds it loses it, since what it acknowledges is of the time before; but it may be at it still, so nobody else takes
 * it before its lease would have run out.
 */
export function planRequeue(known: EvidenceItem, wanted: Wanted, nowMs: number): RequeuePlan | undefined {
  const plan = planPlace(known, wanted, nowMs);
  const heldUntilMs = known.leasePass === undefined ? nowMs : (known.leaseExpiresAtMs ?? nowMs);
  const waitUntilMs = Math.max(plan?.waitUntilMs ?? nowMs, heldUntilMs);
  return plan && waitUntilMs > nowMs ? { ...plan, waitUntilMs } : plan;
}

function planPlace(known: EvidenceItem, { beginsAt = 0, ...wanted }: Wanted, nowMs: number): RequeuePlan | undefined {
  const { seq } = known;
  const isLater = wanted.capturedAtMs > known.capturedAtMs;
  const anew = { putBackAtMs: nowMs, ...(beginsAt > 0 && { cursor: beginsAt, beganAt: beginsAt }) };
  if (known.state === 'obsolete' || (known.state === 'settled' && isLater)) return { ...wanted, ...anew, seq };
  if (known.state !== 'pending') return undefined;
  const untilMs = tierOf(known.homeKey) === WAITING_TIER ? timeOfQueueKey(known.homeKey) : undefined;
  const stillWaits = untilMs !== undefined && untilMs > nowMs;
  const isReleased = stillWaits && (wanted.waitUntilMs ?? nowMs) < untilMs && known.leasePass === undefined;
  if (!isLater && !isReleased) return undefined;
  const { waitUntilMs, ...place } = wanted;
  const goesOn = known.cursor > 0 && { cursor: known.cursor, beganAt: known.beganAt ?? 0 };
  return {
    ...place,
    seq,
    ...(isLater ? anew : goesOn),
    ...(stillWaits && waitUntilMs !== undefined && { waitUntilMs: isReleased ? waitUntilMs : untilMs }),
  };
}
