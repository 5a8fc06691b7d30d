/** Which of the nominated sources make a page: up to a number of sources and a budget of characters (design section 5). */
import { LIMITS } from '../../schema/limits.ts';
import { type QueueRow, tierOf } from '../../schema/queue.ts';

export interface PageRoom {
  readonly sources: number;
  readonly characters: number;
  /** What the pass holds already: a suspect is never read beside a source that is none. Absent: it holds nothing. */
  readonly holds?: 'suspects' | 'others';
}

export interface PageChoice {
  readonly chosen: readonly QueueRow[];
  /** Nominated sources that the page had no room for. */
  readonly left: number;
}

/** Held by a pass that broke off: it may be what breaks them. */
export function isSuspect({ attempts }: Pick<QueueRow, 'attempts'>): boolean {
  return attempts > 0;
}

/**
 * Takes rows in order while there is room. A page is either all continuations or all fresh, and either all suspects or
 * none: a pass that breaks off again casts doubt on as few as can be, and loses nobody else's work. Suspects come in pages
 * of half the size, from their second time on alone. A source longer than the room is taken in part, but not into a rest
 * of under 2,000 characters: a crumb costs a lease and tells nothing.
 */
export function choosePage(rows: readonly QueueRow[], room: PageRoom): PageChoice {
  const mayTake = rows.filter((row) => room.holds === undefined || isSuspect(row) === (room.holds === 'suspects'));
  const [first] = mayTake;
  if (!first) return { chosen: [], left: 0 };
  const alike = mayTake.filter((row) => isSuspect(row) === isSuspect(first));
  const continuing = tierOf(first.queueKey) === 0;
  const most = roomFor(first, room.sources);
  const chosen: QueueRow[] = [];
  let characters = room.characters;
  for (const row of alike) {
    if (chosen.length >= most || (tierOf(row.queueKey) === 0) !== continuing) break;
    if (chosen.length > 0 && row.attempts >= LIMITS.aloneFromAttempts) break;
    const unread = row.length - row.cursor;
    if (unread > characters && chosen.length > 0 && characters < LIMITS.pageCharactersMin) break;
    if (characters <= 0) break;
    chosen.push(row);
    characters -= Math.min(unread, characters);
  }
  return { chosen, left: alike.length - chosen.length };
}

function roomFor(first: QueueRow, sources: number): number {
  if (first.attempts >= LIMITS.aloneFromAttempts) return 1;
  return isSuspect(first) ? Math.ceil(sources / 2) : sources;
}

/**
 * Whether a page asks first for what has waited longest. The first page of a pass in slot number 0 does, so that passes of
 * one page each count as well; passes side by side take turns, so that they do not meet there.
 */
export function isOldestFirst(page: number, slotNumber: number): boolean {
  return (page + slotNumber) % LIMITS.oldestFirstEvery === 0;
}

/** Sources of such a page that come before the newest: half of it, so that neither end of the queue waits for the other. */
export function oldestShare(pageRows: number): number {
  return Math.min(pageRows, Math.max(3, Math.ceil(pageRows / 2)));
}

/** One of each list in turn, at most `most`: none of them keeps another from its place. */
export function inTurn<T>(lists: readonly (readonly T[])[], most: number): T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  const rounds = Array.from({ length: longest }, (_, k) => lists.flatMap((list) => list.slice(k, k + 1)));
  return rounds.flat().slice(0, most);
}

/**
 * Rows into the queue at which a pass begins to read, so that passes that start together do not meet. At most 100 rows:
 * beyond that the slot numbers begin again at the head, each place shared by as few as can be.
 */
export function startOffset(slotNumber: number, pageRows: number): number {
  const places = Math.floor(LIMITS.startOffsetRowsMax / pageRows) + 1;
  return (slotNumber % places) * pageRows;
}
