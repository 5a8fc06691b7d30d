/**
 * Nominates sources for a page: where a pass stands in its scope's queue, and what it reads next. Index reads only; the
 * lease decides. A page costs one Query while there is work, three to five more at the tail; every fourth page, which
 * asks first for what has waited longest, three more and at most seven.
 */
import type { Lane } from '../../schema/kind.ts';
import { LIMITS } from '../../schema/limits.ts';
import {
  holderOfQueueKey,
  expiredLeasesEnd,
  ownLeasesEnd,
  queryExpired,
  queryLeased,
  queryOldestFresh,
  queryTakeable,
  queryWaitingUntil,
  type QueueRow,
  tierOf,
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

/**
 * Rows that this page has tried for, won or lost, as the index showed them. One that lags shows them again, and each further
 * try would lose: they are passed over until the row has moved. Or, of a pass that leaves them where they are, those that
 * it was given: `nameOf` then tells a row by its source alone, as others move it meanwhile.
 */
export class TriedRows {
  readonly #tried = new Set<string>();
  readonly #nameOf: (row: QueueRow) => string;

  constructor(nameOf = ({ sk, seq }: QueueRow): string => `${seq} ${sk}`) {
    this.#nameOf = nameOf;
  }

  get size(): number {
    return this.#tried.size;
  }
  add(row: QueueRow): void {
    this.#tried.add(this.#nameOf(row));
  }
  has(row: QueueRow): boolean {
    return this.#tried.has(this.#nameOf(row));
  }
}

const NONE_TRIED = new TriedRows();

export interface Ask {
  readonly need: number;
  readonly oldestFirst: boolean;
  readonly passOver?: TriedRows;
}

export interface Nomination {
  readonly rows: readonly QueueRow[];
  /** Of these, what comes first because it has waited longest: it says nothing of where the pass stands in the queue. */
  readonly oldest: readonly QueueRow[];
  /** Other passes hold live leases in this queue; only looked for when too few rows were found. */
  readonly heldByOthers: boolean;
  /** Rows left out because this page has tried for them. */
  readonly passedOver: number;
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
  { need, oldestFirst, passOver = NONE_TRIED }: Ask,
): Promise<Nomination> {
  // So many more rows are read as are passed over: behind them the same number is found.
  const most = need + passOver.size;
  const passed = new Set<string>();
  const fresh = (rows: readonly QueueRow[]) => rows.filter((row) => !passOver.has(row) || !passed.add(row.sk));
  const read = oldestFirst ? await readTail(deps, reader, need) : undefined;
  const oldest = read ? await nominateOldest(deps, reader, need, read) : [];
  const rows = distinct([...oldest, ...fresh(await nominateTakeable(deps, reader, position, { need, most }))]);
  if (rows.length > need) return { rows, oldest, heldByOthers: false, passedOver: passed.size };
  const tail = read ?? (await readTail(deps, reader, most));
  const heldByOthers = await findOthers(deps, reader);
  const all = distinct([...rows, ...fresh(tail.ripe), ...fresh(tail.expired)]);
  return { rows: all, oldest, heldByOthers, passedOver: passed.size };
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
  { need, most }: { readonly need: number; readonly most: number },
): Promise<QueueRow[]> {
  const skip = startOffset(slotNumber, need);
  const rows = await readQueueRows(store, queryTakeable(queue, skip + most + 1, after));
  const ahead = rows.slice(skip);
  if (ahead.length > most) return ahead;
  // Too little ahead of the position: what stands before it comes next, from the head of the queue.
  const fromHead = after === undefined ? rows : await readQueueRows(store, queryTakeable(queue, most + 1));
  const seen = new Set(ahead.map((row) => row.queueKey));
  return [...ahead, ...fromHead.filter((row) => !seen.has(row.queueKey))].slice(0, most + 1);
}

interface Tail {
  /** Tier 3 whose time has come. */
  readonly ripe: readonly QueueRow[];
  /** Leases that expired. */
  readonly expired: readonly QueueRow[];
}

/** Neither of the two reads a row of what sleeps or is leased: they cost the same however many these are. */
async function readTail({ store, clock }: Reads, { queue }: QueueReader, need: number): Promise<Tail> {
  const nowMs = clock.nowMs();
  const ripe = await readQueueRows(store, queryWaitingUntil(queue, nowMs, need + 1));
  const expired = await readQueueRows(store, queryExpired(queue, nowMs - LIMITS.leaseMarginMs, need + 1));
  return { ripe, expired };
}

/** Whether others hold live leases: the first live one tells, or the first behind the pass's own. */
async function findOthers({ store, clock }: Reads, reader: QueueReader): Promise<boolean> {
  const { queue, passId, leaseExpiresAtMs } = reader;
  const live = expiredLeasesEnd(clock.nowMs() - LIMITS.leaseMarginMs);
  const [first] = await readQueueRows(store, queryLeased(queue, 1, live));
  if (!first || holderOfQueueKey(first.queueKey) !== passId) return first !== undefined;
  const behindOwn = await readQueueRows(store, queryLeased(queue, 1, ownLeasesEnd(leaseExpiresAtMs, passId)));
  return behindOwn.length > 0;
}

/** Moves the position behind the last row of tiers 0 to 2 that was read. */
export function advance(position: QueuePosition, read: readonly QueueRow[]): void {
  const last = read.findLast((row) => tierOf(row.queueKey) < 3);
  if (last) position.after = last.queueKey;
}
