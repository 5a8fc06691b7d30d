/** What stands in the queues of evidence, and since when: what a reader must have seen of an index that lags. */
import type { EvidenceItem } from '../../../schema/evidence.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { STALLED_TIER, tierOf, timeOfQueueKey } from '../../../schema/queue.ts';
import type { Change } from '../engine/tables.ts';
import type { World } from '../engine/world.ts';

const CALM_LAG_MS = 200;
export const FRESH_TIER = 1;
export const WAITING_TIER = 3;

/** Behind all that can be taken. */
const LEASED = '4';

/** Where a row stood that left its place. */
interface Left {
  readonly queueKey: string;
  readonly atMs: number;
}

export class QueueWatch {
  readonly #world: World;
  readonly #movedAtMs = new Map<string, number>();
  /** Partition → places of what nobody held that were left, in time. */
  readonly #left = new Map<string, Left[]>();
  /** Partition → pass → when a lease of it was there last. */
  readonly #held = new Map<string, Map<string, number>>();
  /** Partition → when a lease that had run out left it last. */
  readonly #ranOutAtMs = new Map<string, number>();
  /** Partition → when a row that broke off a pass stood there last. */
  readonly #suspectAtMs = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
  }

  /** What was written before this is in each copy of the index by `atMs`. */
  seenSince(atMs: number): number {
    return atMs - Math.max(this.#world.plan.lagsMaxMs[1], this.#world.plan.lagsMaxMs[0], CALM_LAG_MS) - 1;
  }

  onChange({ pk, sk, before, after }: Change): void {
    if (!sk.startsWith('EVIDENCE#')) return;
    const { nowMs } = this.#world.kernel;
    this.#movedAtMs.set(`${pk} ${sk}`, nowMs);
    const [old, next] = [before as EvidenceItem | undefined, after as EvidenceItem | undefined];
    const queueKey = before?.queueKey as string | undefined;
    if (old?.leasePass !== undefined && (old.leaseExpiresAtMs ?? 0) < nowMs + this.#world.plan.skewMaxMs)
      this.#ranOutAtMs.set(pk, nowMs);
    if (old?.leasePass !== undefined) this.#noteHeld(pk, old.leasePass, nowMs);
    else if (queueKey !== undefined) {
      const left = this.#left.get(pk);
      if (left) left.push({ queueKey, atMs: nowMs });
      else this.#left.set(pk, [{ queueKey, atMs: nowMs }]);
    }
    const isSuspect = (row: EvidenceItem | undefined): boolean => (row?.attempts ?? 0) > (row?.leasePass ? 1 : 0);
    if (isSuspect(old) || isSuspect(next)) this.#suspectAtMs.set(pk, nowMs);
  }

  #noteHeld(pk: string, passId: string, nowMs: number): void {
    const held = this.#held.get(pk) ?? new Map<string, number>();
    this.#held.set(pk, held.set(passId, nowMs));
  }

  rows(pk: string): EvidenceItem[] {
    return (this.#world.tables.list(pk, 'EVIDENCE#') as unknown as EvidenceItem[]).filter(
      ({ state }) => state === 'pending',
    );
  }

  /** Whether it has stood so since that time. */
  isUnmoved(pk: string, { sk }: EvidenceItem, sinceMs: number): boolean {
    return (this.#movedAtMs.get(`${pk} ${sk}`) ?? 0) < sinceMs;
  }

  /** Whether a place like this was left since. */
  wasLeft(pk: string, sinceMs: number, isLike: (queueKey: string) => boolean): boolean {
    return this.#left.get(pk)?.some(({ queueKey, atMs }) => atMs >= sinceMs && isLike(queueKey)) === true;
  }

  /** Whether a lease that had run out was taken over, or settled, since. */
  hadRunOut(pk: string, sinceMs: number): boolean {
    return (this.#ranOutAtMs.get(pk) ?? 0) >= sinceMs;
  }

  /** Whether passes broke off at something that stood there since. */
  hadSuspects(pk: string, sinceMs: number): boolean {
    const isSuspect = ({ attempts, leasePass }: EvidenceItem): boolean => attempts > (leasePass ? 1 : 0);
    return (this.#suspectAtMs.get(pk) ?? 0) >= sinceMs || this.rows(pk).some(isSuspect);
  }

  /** Whether another pass than this one held something since. */
  wasHeld(pk: string, passId: string, sinceMs: number): boolean {
    const before = [...(this.#held.get(pk) ?? [])].some(([other, atMs]) => other !== passId && atMs >= sinceMs);
    return before || this.rows(pk).some(({ leasePass }) => leasePass !== undefined && leasePass !== passId);
  }
}

/** Where the index shows a row. */
export const placeOf = (row: EvidenceItem): string => (row.leasePass === undefined ? row.homeKey : LEASED);

/** May be taken by whoever asks at that time, by the clock of who asks. */
export function isTakeable(row: EvidenceItem, nowMs: number): boolean {
  const { leasePass, leaseExpiresAtMs = 0, homeKey } = row;
  if (leasePass !== undefined) return leaseExpiresAtMs < nowMs - LIMITS.leaseMarginMs;
  return tierOf(homeKey) <= STALLED_TIER || isRipe(row, nowMs);
}

/** It waited until a time, which has come. */
export function isRipe({ leasePass, homeKey }: EvidenceItem, nowMs: number): boolean {
  return leasePass === undefined && tierOf(homeKey) === WAITING_TIER && timeOfQueueKey(homeKey) <= nowMs;
}

export const isFresh = (row: EvidenceItem): boolean => tierOf(placeOf(row)) === FRESH_TIER;
