/**
 * Our interval layer over time expressions. chrono-node reads only calendar dates with a day in them ("May 3rd, 2024
 * at 5:30 pm", "2024-05-03"), and of its answer only the components it calls certain are used. Everything else is read
 * here, because chrono takes "last week" for one day, "for 5 years" for a year to come, and misses "in 2022".
 *
 * Conventions: weeks are ISO weeks; a weekend is Saturday and Sunday; seasons are meteorological, northern; "last X" is
 * the latest X fully past; a month, day or weekday alone is the latest not in the future when the verb looks back, and
 * the next one when it looks ahead. A relative time without an anchor is found but has no interval.
 */
import { findCalendarDates } from './calendar-dates.ts';
import {
  type Anchor,
  anchorDay,
  dayInterval,
  daysInterval,
  monthsInterval,
  MS_PER_HOUR,
  yearInterval,
} from './calendar.ts';
import type { EventInterval } from './claim-draft.ts';
import type { Direction, TimeExpression, TimeFrame } from './time-frame.ts';
import {
  COUNT_SOURCE,
  MONTH_SOURCE,
  readCount,
  readMonth,
  readSeason,
  readWeekday,
  SEASON_SOURCE,
  WEEKDAY_SOURCE,
  YEAR_SOURCE,
} from './time-words.ts';

/** `ignore` drops the match: it is no time expression here (a "next week" beside a verb that looks back). */
type Resolution = EventInterval | 'unresolved' | 'ignore';

interface Form {
  pattern: RegExp;
  resolve(match: RegExpMatchArray, frame: TimeFrame): Resolution;
}

// A clause longer than this is no sentence a person said in one breath; the bound also keeps chrono's cost small.
const CLAUSE_CHARACTERS_MAX = 600;

const FORMS: readonly Form[] = [
  {
    pattern:
      /\b(the day before yesterday|yesterday|today|tonight|this (?:morning|afternoon|evening)|last night|the day after tomorrow|tomorrow)\b/gi,
    resolve: (match, frame) => resolveDayWord(match[1] ?? '', frame),
  },
  {
    pattern: /\b(last|this|next|this past|this coming) (week|weekend|month|year)\b(?! of\b)/gi,
    resolve: (match, frame) => resolvePeriod(match[1] ?? '', match[2] ?? '', frame),
  },
  {
    pattern: new RegExp(`\\b(last|this|next) (${SEASON_SOURCE})\\b`, 'gi'),
    resolve: (match, frame) => resolveSeason(match[1] ?? '', match[2] ?? '', frame),
  },
  {
    pattern: new RegExp(`\\b(${SEASON_SOURCE})(?: of|,)? (${YEAR_SOURCE})\\b`, 'gi'),
    resolve: (match, frame) =>
      monthsInterval({ year: Number(match[2]), month: readSeason(match[1] ?? '') ?? 1, count: 3 }, frame.offsetMinutes),
  },
  {
    pattern: new RegExp(`\\b(last|this past|this coming|this|next|on) (${WEEKDAY_SOURCE})`, 'gi'),
    resolve: (match, frame) => resolveWeekday(match[1] ?? '', match[2] ?? '', frame),
  },
  {
    pattern: new RegExp(`\\b(${COUNT_SOURCE}) (minute|hour|day|week|month|year)s? (?:ago|back|earlier)\\b`, 'gi'),
    resolve: (match, frame) => resolveDistance(-(readCount(match[1] ?? '') ?? 0), match[2] ?? '', frame),
  },
  {
    pattern: new RegExp(`\\bin (${COUNT_SOURCE}) (day|week|month|year)s?(?: from now|['’] time)?\\b`, 'gi'),
    resolve: (match, frame) => resolveDistance(readCount(match[1] ?? '') ?? 0, match[2] ?? '', frame),
  },
  {
    pattern: new RegExp(`(?<!\\d(?:st|nd|rd|th)?(?: of)? )\\b(${MONTH_SOURCE})(?: of|,)? (${YEAR_SOURCE})\\b`, 'gi'),
    resolve: (match, frame) =>
      monthsInterval({ year: Number(match[2]), month: readMonth(match[1] ?? '') ?? 1, count: 1 }, frame.offsetMinutes),
  },
  {
    // Lower-case "may" is a month only after these words; "this may" and "mid may" would be the verb or a guess.
    pattern: new RegExp(`\\b(in|last|next|since|early|late|mid|of) (${MONTH_SOURCE})(?!\\.?,? (?:\\d|the \\d))`, 'gi'),
    resolve: (match, frame) => resolveMonth(match[1] ?? '', readMonth(match[2] ?? '') ?? 1, frame),
  },
  {
    pattern: new RegExp(`\\b(?:in|since|during|early|late|mid|of) (${YEAR_SOURCE})\\b(?![-/.:]\\d)`, 'gi'),
    resolve: (match, frame) => yearInterval(Number(match[1]), frame.offsetMinutes),
  },
];

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
  const frame: TimeFrame = { direction, offsetMinutes: anchor?.offsetMinutes ?? 0 };
  if (anchor !== undefined) frame.now = { anchor, today: anchorDay(anchor) };
  const found: TimeExpression[] = [];
  for (const form of FORMS) {
    for (const match of clause.matchAll(form.pattern)) {
      const resolution = form.resolve(match, frame);
      if (resolution === 'ignore') continue;
      found.push(toExpression(match.index, match.index + match[0].length, resolution));
    }
  }
  found.push(...findCalendarDates(clause, frame));
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  return found.filter((expression, index) => !found.slice(0, index).some((earlier) => earlier.end > expression.start));
}

function toExpression(start: number, end: number, resolution: EventInterval | 'unresolved'): TimeExpression {
  return resolution === 'unresolved' ? { start, end } : { start, end, interval: resolution };
}

function resolveDayWord(word: string, frame: TimeFrame): Resolution {
  const lower = word.toLowerCase();
  const distance =
    lower === 'the day before yesterday'
      ? -2
      : lower === 'yesterday' || lower === 'last night'
        ? -1
        : lower === 'tomorrow'
          ? 1
          : lower === 'the day after tomorrow'
            ? 2
            : 0;
  return shiftDays(distance, frame);
}

function shiftDays(distance: number, frame: TimeFrame): Resolution {
  if (looksAway(distance, frame.direction)) return 'ignore';
  return frame.now === undefined
    ? 'unresolved'
    : dayInterval(frame.now.today.dayNumber + distance, frame.offsetMinutes);
}

/** True when an expression points the other way than the verb beside it. */
function looksAway(distance: number, direction: Direction): boolean {
  return direction === 'past' ? distance > 0 : distance < 0;
}

function readStep(word: string): number {
  const lower = word.toLowerCase();
  return lower === 'last' || lower === 'this past' ? -1 : lower === 'next' || lower === 'this coming' ? 1 : 0;
}

function resolvePeriod(word: string, unit: string, frame: TimeFrame): Resolution {
  const step = readStep(word);
  if (looksAway(step, frame.direction)) return 'ignore';
  const today = frame.now?.today;
  const { offsetMinutes } = frame;
  if (today === undefined) return 'unresolved';
  const monday = today.dayNumber - today.weekday + 7 * step;
  switch (unit.toLowerCase()) {
    case 'week':
      return daysInterval({ from: monday, to: monday + 7, precision: 'day' }, offsetMinutes);
    case 'weekend': {
      // This week's weekend is still to come or running, so "last weekend" is that of the week before.
      return daysInterval({ from: monday + 5, to: monday + 7, precision: 'day' }, offsetMinutes);
    }
    case 'month':
      return monthsInterval({ year: today.year, month: today.month + step, count: 1 }, offsetMinutes);
    default:
      return yearInterval(today.year + step, offsetMinutes);
  }
}

function resolveSeason(word: string, season: string, frame: TimeFrame): Resolution {
  const step = readStep(word);
  if (looksAway(step, frame.direction)) return 'ignore';
  const today = frame.now?.today;
  const { offsetMinutes } = frame;
  const month = readSeason(season);
  if (today === undefined || month === undefined) return 'unresolved';
  const thisMonth = today.year * 12 + today.month;
  let year = today.year;
  // "last": the latest whose third month is over. "next": the next that has not begun. "this": the one whose year it is.
  if (step < 0) while (year * 12 + month + 3 > thisMonth) year -= 1;
  if (step > 0) while (year * 12 + month <= thisMonth) year += 1;
  return monthsInterval({ year, month, count: 3 }, offsetMinutes);
}

function resolveWeekday(word: string, name: string, frame: TimeFrame): Resolution {
  const today = frame.now?.today;
  const step = word.toLowerCase() === 'on' || word.toLowerCase() === 'this' ? 0 : readStep(word);
  if (looksAway(step, frame.direction)) return 'ignore';
  const weekday = readWeekday(name);
  if (today === undefined || weekday === undefined) return 'unresolved';
  const ahead = (weekday - today.weekday + 7) % 7;
  // A weekday that is today's own name means the one a week off: for today people say "today".
  const distance = frame.direction === 'future' ? ahead || 7 : (ahead || 7) - 7 || -7;
  return dayInterval(today.dayNumber + distance, frame.offsetMinutes);
}

function resolveDistance(count: number, unit: string, frame: TimeFrame): Resolution {
  if (count === 0 || looksAway(count, frame.direction)) return 'ignore';
  if (frame.now === undefined) return 'unresolved';
  const { offsetMinutes } = frame;
  const { today, anchor } = frame.now;
  switch (unit.toLowerCase()) {
    case 'minute':
    case 'hour': {
      const shiftMs = (offsetMinutes * MS_PER_HOUR) / 60;
      const atMs = anchor.atMs + count * (unit.toLowerCase() === 'hour' ? MS_PER_HOUR : MS_PER_HOUR / 60);
      const startMs = Math.floor((atMs + shiftMs) / MS_PER_HOUR) * MS_PER_HOUR - shiftMs;
      return { startMs, endMs: startMs + MS_PER_HOUR, precision: 'hour', from: 'text' };
    }
    case 'day':
      return dayInterval(today.dayNumber + count, offsetMinutes);
    case 'week': {
      const monday = today.dayNumber - today.weekday + 7 * count;
      return daysInterval({ from: monday, to: monday + 7, precision: 'day' }, offsetMinutes);
    }
    case 'month':
      return monthsInterval({ year: today.year, month: today.month + count, count: 1 }, offsetMinutes);
    default:
      return yearInterval(today.year + count, offsetMinutes);
  }
}

function resolveMonth(word: string, month: number, frame: TimeFrame): Resolution {
  const step = readStep(word);
  if (looksAway(step, frame.direction)) return 'ignore';
  const today = frame.now?.today;
  const { offsetMinutes } = frame;
  if (today === undefined) return 'unresolved';
  let year = today.year;
  if (frame.direction === 'past') {
    // "last May" in May is a year ago; "in May" said in May is this very month.
    if (step < 0 ? month >= today.month : month > today.month) year -= 1;
  } else if (step > 0 ? month <= today.month : month < today.month) {
    year += 1;
  }
  return monthsInterval({ year, month, count: 1 }, offsetMinutes);
}
