/** An erasure as its readers see it: who, when, how much and how far; nothing of what was erased. */
import type { ErasedCounts, ErasureItem } from '../../schema/erasure.ts';

export interface ErasureBody {
  readonly kind: ErasureItem['kind'];
  readonly source?: { readonly kind: string; readonly id: string };
  /**
   * No source of that name stood when it was ordered. The order stands all the same: none is taken in, and what else names
   * it goes. Absent: there was one.
   */
  readonly known?: false;
  /** Of a claim: its claim slot and value, hashed. */
  readonly hash?: string;
  /** Of a scope: the generation that went. */
  readonly generation?: number;
  readonly by: string;
  readonly requestedAt: string;
  /**
   * `removing`: rows may stand. `watching`: all that was found is gone, and it is looked at again until nobody can write
   * any of it any more. `finished`. `lifted`: it may come in again.
   */
  readonly state: 'removing' | 'watching' | 'finished' | 'lifted';
  readonly looks: number;
  readonly removed: ErasedCounts;
  readonly nextLookAt?: string;
  readonly finishedAt?: string;
  readonly liftedAt?: string;
}

const isoOf = (timeMs: number): string => new Date(timeMs).toISOString();

function stateOf({ liftedAtMs, finishedAtMs, looks, position, isUnderWay }: ErasureItem): ErasureBody['state'] {
  if (liftedAtMs !== undefined) return 'lifted';
  if (finishedAtMs !== undefined) return 'finished';
  return looks === 0 || position !== undefined || isUnderWay ? 'removing' : 'watching';
}

export function erasureBody(item: ErasureItem): ErasureBody {
  const { kind, source, wasKnown, hash, generation, by, requestedAtMs, looks, removed } = item;
  const { workDueAtMs, finishedAtMs, liftedAtMs } = item;
  return {
    kind,
    ...(source && { source }),
    ...(wasKnown === false && { known: false as const }),
    ...(hash !== undefined && { hash }),
    ...(kind === 'scope' && { generation }),
    by,
    requestedAt: isoOf(requestedAtMs),
    state: stateOf(item),
    looks,
    removed,
    ...(workDueAtMs !== undefined && liftedAtMs === undefined && { nextLookAt: isoOf(workDueAtMs) }),
    ...(finishedAtMs !== undefined && { finishedAt: isoOf(finishedAtMs) }),
    ...(liftedAtMs !== undefined && { liftedAt: isoOf(liftedAtMs) }),
  };
}
