/** Loads what a probe of a scope's queue needs: one Query when there is work, at most four when there is none but stalled. */
import { type Backlog, weighBacklog } from '../core/backlog.ts';
import type { Lane } from '../../schema/kind.ts';
import { LIMITS } from '../../schema/limits.ts';
import {
  queryLeased,
  queryNextWaiting,
  queryTakeable,
  queryWaitingUntil,
  type QueueRow,
  queueRowSchema,
  STALLED_TIER,
  tierOf,
} from '../../schema/queue.ts';
import type { Query } from '../../schema/request.ts';
import type { Store } from './ports.ts';

interface QueueOf {
  readonly scope: string;
  readonly generation: number;
  readonly lane: Lane;
}

/** Rows of the queue index; one of a version this code does not know is passed over. */
export async function readQueueRows(store: Pick<Store, 'query'>, read: Query): Promise<QueueRow[]> {
  const { items } = await store.query(read);
  return items.flatMap((item) => {
    const parsed = queueRowSchema.safeParse(item);
    return parsed.success ? [parsed.data] : [];
  });
}

export async function probeBacklog(store: Pick<Store, 'query'>, queue: QueueOf, nowMs: number): Promise<Backlog> {
  const takeable = await readQueueRows(store, queryTakeable(queue, LIMITS.probeSourcesMax + 1));
  // Stalled ones alone do not tell when the schedule is to look: what waits for a time may come first.
  if (takeable.some((row) => tierOf(row.queueKey) < STALLED_TIER)) return weighBacklog({ takeable, ripe: [], nowMs });
  const ripe = await readQueueRows(store, queryWaitingUntil(queue, nowMs, LIMITS.probeSourcesMax + 1));
  if (ripe.length > 0) return weighBacklog({ takeable, ripe, nowMs });
  const [nextWaiting] = await readQueueRows(store, queryNextWaiting(queue));
  const [firstLeased] = await readQueueRows(store, queryLeased(queue, 1));
  return weighBacklog({
    takeable,
    ripe,
    ...(nextWaiting && { nextWaiting }),
    ...(firstLeased && { firstLeased }),
    nowMs,
  });
}
