/** Which of the nominated sources make a page: up to a number of sources and a budget of characters (design section 5). */
import { LIMITS } from '../../schema/limits.ts';
import { type QueueRow, tierOf } from '../../schema/queue.ts';

export interface PageRoom {
  readonly sources: number;
  readonly characters: number;
}

export interface PageChoice {
  readonly chosen: readonly QueueRow[];
  /** Nominated sources that the page had no room for. */
  readonly left: number;
}

/**
 * Takes rows in order while there is room. A page is either all continuations or all fresh. A source longer than the
 * room is taken in part, but not into a rest of under 2,000 characters: a crumb costs a lease and tells nothing.
 */
export function choosePage(rows: readonly QueueRow[], room: PageRoom): PageChoice {
  const [first] = rows;
  if (!first) return { chosen: [], left: 0 };
  const continuing = tierOf(first.queueKey) === 0;
  const chosen: QueueRow[] = [];
  let characters = room.characters;
  for (const row of rows) {
    if (chosen.length >= room.sources || (tierOf(row.queueKey) === 0) !== continuing) break;
    const unread = row.length - row.cursor;
    if (unread > characters && chosen.length > 0 && characters < LIMITS.pageCharactersMin) break;
    if (characters <= 0) break;
    chosen.push(row);
    characters -= Math.min(unread, characters);
  }
  return { chosen, left: rows.length - chosen.length };
}

/** Rows into the queue at which a pass begins to read, so that passes that start together do not meet. */
export function startOffset(slotNumber: number, pageRows: number): number {
  return Math.min(slotNumber * pageRows, LIMITS.startOffsetRowsMax);
}
