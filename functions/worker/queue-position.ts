/**
 * Nominates sources for a page: where a pass stands in its scope's queue, and what it reads next. Index reads only; the
 * lease decides. A page costs one Query while there is work, three or four more at the tail; every fourth page, which
 * asks first for what has waited longest, at most six.
 */
import type { Lane } from '../../schema/kind.ts';
import { LIMITS } from '../../schema/limits.ts';
import {
  holderOfQueueKey,
  ownLeasesEnd,
  queryLeased,
  queryOldestFresh,
  queryTakeable,
  queryWaitingUntil,
  type QueueRow,
  tierOf,
  timeOfQueueKey,
} from '../../schema/queue.ts';
import { inTurn, oldestShare, startOffset } from '../core/paging.ts';
import type { Clock, Store } from '../io/ports.ts';
import { readQueueRows } from '../io/probe.ts';

export interface QueueReader {
  readonly queue: { readonly scope: string; readonly generation: number; readonly lane: Lane };
  readonly passId: string;
  readonly slotNumber: number;
  readonly leaseExpiresAtMs: number;
}

/** Where the pass reads on: behind the last key it read, if it read any. */
export interface QueuePosition {
  after: string | undefined;
}

export interface Nomination {
  readonly rows: readonly QueueRow[];
  /** Of these, what comes first because it has waited longest: it says nothing of where the pass stands in the queue. */
  readonly oldest: readonly QueueRow[];
  /** Other passes hold live leases in this queue; only looked for when too few rows were found. */
  readonly heldByOthers: boolean;
}

type Reads = { readonly store: Pick<Store, 'query'>; readonly clock: Pick<Clock, 'nowMs'> };

/**
 * At least `need` rows that can be taken, if there are as many, and one more to tell that more wait. With `oldestFirst`,
 * half of them are what has waited longest: under any stream of new sources nothing waits for ever.
 */
export async function nominate(
  deps: Reads,
  reader: QueueReader,
  position: QueuePosition,
  { need, oldestFirst }: { readonly need: number; readonly oldestFirst: boolean },
): Promise<Nomination> {
  const read = oldestFirst ? await readTail(deps, reader, need) : undefined;
  const oldest = read ? await nominateOldest(deps, reader, need, read) : [];
  const rows = distinct([...oldest, ...(await nominateTakeable(deps, reader, position, need))]);
  if (rows.length > need) return { rows, oldest, heldByOthers: false };
  const tail = read ?? (await readTail(deps, reader, need));
  return { rows: distinct([...rows, ...tail.ripe, ...tail.expired]), oldest, heldByOthers: tail.heldByOthers };
}

/** Each source once, where it came first: a row that moves between two reads shows in both. */
function distinct(rows: readonly QueueRow[]): QueueRow[] {
  const seen = new Set<string>();
  return rows.filter(({ sk }) => !seen.has(sk) && seen.add(sk));
}

/** What stopped waiting, what a dead pass held, and the old end of the fresh, one of each in turn. */
async function nominateOldest(
  { store }: Reads,
  { queue, slotNumber }: QueueReader,
  need: number,
  { ripe, expired }: Tail,
): Promise<QueueRow[]> {
  const share = oldestShare(need);
  // Those whose turn it is together begin apart here as well.
  const skip = startOffset(Math.floor(slotNumber / LIMITS.oldestFirstEvery), share);
  const old = await readQueueRows(store, queryOldestFresh(queue, skip + share));
  // What broke two passes waits until nothing else does: it must not stand in the way of what is sound.
  const isSound = (row: QueueRow) => row.attempts < LIMITS.aloneFromAttempts;
  return inTurn([ripe.filter(isSound), expired.filter(isSound), old.slice(skip).filter(isSound)], share);
}

/**
 * Every page begins slot number × page rows beyond the pass's own position, not only the first: passes that answer at the
 * same pace stay in step, and all of them would meet at the first row that nobody has leased. Counted on 3 passes in
 * step, 1,200 leases: 429 lost when only the first page spread, 80 when each does.
 */
async function nominateTakeable(
  { store }: Reads,
  { queue, slotNumber }: QueueReader,
  { after }: QueuePosition,
  need: number,
): Promise<QueueRow[]> {
  const skip = startOffset(slotNumber, need);
  const rows = await readQueueRows(store, queryTakeable(queue, skip + need + 1, after));
  const ahead = rows.slice(skip);
  if (ahead.length > need) return ahead;
  // Too little ahead of the position: what stands before it comes next, from the head of the queue.
  const fromHead = after === undefined ? rows : await readQueueRows(store, queryTakeable(queue, need + 1));
  const seen = new Set(ahead.map((row) => row.queueKey));
  return [...ahead, ...fromHead.filter((row) => !seen.has(row.queueKey))].slice(0, need + 1);
}

interface Tail {
  /** Tier 3 whose time has come. */
  readonly ripe: readonly QueueRow[];
  /** Leases that expired. */
  readonly expired: readonly QueueRow[];
  readonly heldByOthers: boolean;
}

async function readTail({ store, clock }: Reads, reader: QueueReader, need: number): Promise<Tail> {
  const nowMs = clock.nowMs();
  const ripe = await readQueueRows(store, queryWaitingUntil(reader.queue, nowMs, need + 1));
  const leased = await readQueueRows(store, queryLeased(reader.queue, need + 1));
  const isExpired = (row: QueueRow) => timeOfQueueKey(row.queueKey) < nowMs - LIMITS.leaseMarginMs;
  const expired = leased.filter(isExpired);
  const others = leased.some((row) => !isExpired(row) && holderOfQueueKey(row.queueKey) !== reader.passId);
  if (others || leased.length <= need) return { ripe, expired, heldByOthers: others };
  const end = ownLeasesEnd(reader.leaseExpiresAtMs, reader.passId);
  const beyondMine = await readQueueRows(store, queryLeased(reader.queue, 1, end));
  return { ripe, expired, heldByOthers: beyondMine.length > 0 };
}

/** Moves the position behind the last row of tiers 0 to 2 that was read. */
export function advance(position: QueuePosition, read: readonly QueueRow[]): void {
  const last = read.findLast((row) => tierOf(row.queueKey) < 3);
  if (last) position.after = last.queueKey;
}
