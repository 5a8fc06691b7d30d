/** The shapes that the readers of time expressions share. */
import type { Anchor, LocalDay } from './calendar.ts';
import type { EventInterval } from './claim-draft.ts';

/** Whether the verb beside the expression looks back ("moved") or ahead ("am moving"). */
export type Direction = 'past' | 'future';

/** A time expression; offsets are UTF-16 units in the text searched. No interval: found, but it cannot be resolved. */
export interface TimeExpression {
  start: number;
  end: number;
  interval?: EventInterval;
}

/** What an expression is resolved against. Without an anchor there is no `today`, and the offset is UTC's. */
export interface TimeFrame {
  direction: Direction;
  offsetMinutes: number;
  now?: { anchor: Anchor; today: LocalDay };
}

/** `ignore` drops the match: it is no time expression here (a "next week" beside a verb that looks back). */
export type Resolution = EventInterval | 'unresolved' | 'ignore';

/** A form of words, and the interval it stands for. */
export interface TimeForm {
  pattern: RegExp;
  resolve(match: RegExpMatchArray, frame: TimeFrame): Resolution;
}

/** -1 for "last", 1 for "next", 0 for "this" and everything else. */
export function readStep(word: string | undefined): -1 | 0 | 1 {
  const lower = (word ?? '').toLowerCase();
  if (lower === 'last' || lower === 'this past') return -1;
  return lower === 'next' || lower === 'this coming' ? 1 : 0;
}

/** True when an expression points the other way than the verb beside it. */
export function looksAway(distance: number, direction: Direction): boolean {
  return direction === 'past' ? distance > 0 : distance < 0;
}
