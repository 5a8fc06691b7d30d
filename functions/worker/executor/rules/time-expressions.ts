/**
 * Our interval layer over time expressions. chrono-node reads only calendar dates with a day in them ("May 3rd, 2024
 * at 5:30 pm", "2024-05-03"), and of its answer only the components it calls certain are used. Everything else is read
 * here, because chrono takes "last week" for one day, "for 5 years" for a year to come, and misses "in 2022".
 *
 * Conventions: weeks are ISO weeks; a weekend is Saturday and Sunday; seasons are meteorological, of the speaker's
 * hemisphere, northern if unknown; "last X" is the latest X fully past; a month, day or weekday alone is the latest not
 * in the future when the verb looks back, and the next one when it looks ahead. A relative time without an anchor is
 * found but has no interval.
 */
import { findCalendarDates } from './calendar-dates.ts';
import { type Anchor, anchorDay, clockInterval, MS_PER_HOUR } from './calendar.ts';
import type { EventInterval } from './claim-draft.ts';
import { TIME_FORMS } from './time-forms.ts';
import type { Direction, TimeExpression, TimeFrame } from './time-frame.ts';

// A clause longer than this is no sentence a person said in one breath; the bound also keeps chrono's cost small.
const CLAUSE_CHARACTERS_MAX = 600;
// No form is without one of these words or a figure, and most clauses are without all of them.
const GATE =
  /\d|day|night|tomorrow|morning|afternoon|evening|last|next|this|week|month|quarter|year|ago|back|earlier|from now|spring|summer|autumn|fall|winter|christmas|halloween|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|\b(?:mon|tue|wed|thu|fri|sat|sun)|hour|minute/i;
const CLOCK = /^,? (?:at |around )(\d{1,2})(?:[:.](\d\d))? ?(a\.?m|p\.?m)\b/i;
const DAY_MS = 24 * MS_PER_HOUR;

/**
 * All time expressions of a clause, in order, none overlapping: the earlier start wins, then the longer.
 * `anchor` is the time of the turn; without it absolute times are read in UTC and relative ones stay unresolved.
 */
export function findTimeExpressions(
  text: string,
  direction: Direction,
  anchor: Anchor | undefined,
): readonly TimeExpression[] {
  const clause = text.slice(0, CLAUSE_CHARACTERS_MAX);
  if (!GATE.test(clause)) return [];
  const frame: TimeFrame = { direction, offsetMinutes: anchor?.offsetMinutes ?? 0 };
  if (anchor !== undefined) frame.now = { anchor, today: anchorDay(anchor) };
  const found: TimeExpression[] = [];
  for (const form of TIME_FORMS) {
    for (const match of clause.matchAll(form.pattern)) {
      const resolution = form.resolve(match, frame);
      if (resolution === 'ignore') continue;
      const span = { start: match.index, end: match.index + match[0].length };
      found.push(resolution === 'unresolved' ? span : narrowToClock(clause, { ...span, interval: resolution }));
    }
  }
  found.push(...findCalendarDates(clause, frame));
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  return found.filter((expression, index) => !found.slice(0, index).some((earlier) => earlier.end > expression.start));
}

/** "yesterday at 5 pm": an hour of the day, or a minute when it is named. */
function narrowToClock(clause: string, expression: TimeExpression & { interval: EventInterval }): TimeExpression {
  const { interval } = expression;
  if (interval.precision !== 'day' || interval.endMs - interval.startMs !== DAY_MS) return expression;
  const clock = CLOCK.exec(clause.slice(expression.end));
  const hour = Number(clock?.[1]);
  const minute = Number(clock?.[2] ?? 0);
  if (clock === null || hour < 1 || hour > 12 || minute > 59) return expression;
  const isExact = clock[2] !== undefined;
  const startMinute = ((hour % 12) + (/^p/i.test(clock[3] ?? '') ? 12 : 0)) * 60 + minute;
  const at = {
    dayNumber: 0,
    startMinute,
    lengthMinutes: isExact ? 1 : 60,
    precision: isExact ? 'minute' : 'hour',
  } as const;
  const within = clockInterval(at, 0);
  return {
    start: expression.start,
    end: expression.end + clock[0].length,
    interval: {
      ...within,
      startMs: interval.startMs + within.startMs,
      endMs: interval.startMs + within.endMs,
    },
  };
}
