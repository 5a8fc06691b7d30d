/** The shapes that the two readers of time expressions share. */
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
