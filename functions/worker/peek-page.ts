/**
 * A page as `take-page.ts` would take it, and nothing taken: what the index nominates is looked up, and given when it
 * stands as it was nominated. For dry runs; other passes take the same sources meanwhile, and are not in the way.
 */
import { type EvidenceItem, getEvidence, parseEvidence, sourceKeyOfEvidence } from '../../schema/evidence.ts';
import type { QueueRow } from '../../schema/queue.ts';
import { isOldestFirst, isSuspect, type PageRoom } from '../core/paging.ts';
import type { WorkerDeps } from './deps.ts';
import { advance, type TriedRows, nominate } from './queue-position.ts';
import type { Leasing, TakenPage } from './take-page.ts';

/** `read`: rows that were given before; those of this page are added. */
export async function peekPage(
  deps: WorkerDeps,
  leasing: Leasing,
  room: PageRoom,
  read: TriedRows,
): Promise<TakenPage> {
  const { reader, position, holds } = leasing;
  const oldestFirst = isOldestFirst(leasing.pages, reader.slotNumber);
  leasing.pages++;
  const nomination = await nominate(deps, reader, position, { need: room.sources, oldestFirst, passOver: read });
  const unread = nomination.rows.filter((row) => !read.has(row));
  const { chosen, left } = deps.decide.choosePage(unread, { ...room, ...(holds && { holds }) });
  const found = await Promise.all(chosen.map((row) => lookUp(deps, leasing, row)));
  for (const row of chosen) read.add(row);
  const taken = found.filter((item) => item !== undefined);
  const [first] = chosen;
  if (taken.length > 0 && first) leasing.holds ??= isSuspect(first) ? 'suspects' : 'others';
  const oldest = new Set(nomination.oldest);
  advance(
    position,
    chosen.filter((row) => !oldest.has(row)),
  );
  return {
    taken,
    more: left > 0,
    heldByOthers: nomination.heldByOthers,
    lostAll: chosen.length > 0 && taken.length === 0,
    setAside: chosen.length === 0 && unread.length > 0,
  };
}

/** The evidence, if it still stands where the index showed it: a lease would be won. */
async function lookUp({ store }: WorkerDeps, { reader }: Leasing, row: QueueRow): Promise<EvidenceItem | undefined> {
  const { queue } = reader;
  const sourceKey = sourceKeyOfEvidence(row.sk, queue.lane);
  const item = parseEvidence(await store.get(getEvidence({ ...queue, sourceKey })));
  return item?.state === 'pending' && item.seq === row.seq ? item : undefined;
}
