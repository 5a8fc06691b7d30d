/**
 * Calendar dates with a day in them, as chrono-node reads them: "May 3rd, 2024 at 5:30 pm", "the 3rd of May",
 * "2024-05-03". Only the components chrono calls certain are used; the interval and a missing year are ours.
 */
import * as en from 'chrono-node/en';
import { clockInterval, dayInterval, dayNumberOf, isRealDate } from './calendar.ts';
import type { TimeExpression, TimeFrame } from './time-frame.ts';
import { inferYear } from './time-resolution.ts';
import { MONTH_SOURCE } from './time-words.ts';

// chrono is asked only where a day of a month stands: it costs more than all other forms together.
const DATE_GATE = new RegExp(
  `\\d[-/]\\d|\\b${MONTH_SOURCE} (?:the )?\\d{1,2}(?!\\d)|\\b\\d{1,2}(?:st|nd|rd|th)?(?: of)? ${MONTH_SOURCE}`,
  'i',
);

// Nothing relative is taken from chrono, so the reference is a constant and the machine's clock and zone stay out. It is a
// leap day because chrono refuses "29 February" beside any other year.
const REFERENCE = { instant: new Date(Date.UTC(2024, 1, 29)), timezone: 0 };

/** Month and day of a text that is one calendar date, for instance a birthday, else undefined. */
export function readMonthAndDay(text: string): { month: number; day: number } | undefined {
  if (!DATE_GATE.test(text)) return undefined;
  for (const { start, text: found } of en.strict.parse(text, REFERENCE)) {
    if (!start.isCertain('month') || !start.isCertain('day')) continue;
    const month = start.get('month') ?? 0;
    const day = start.get('day') ?? 0;
    // 2024 is a leap year: a birthday may be the 29th of February.
    if (!isAmbiguous(found, month, day) && isRealDate(2024, month, day)) return { month, day };
  }
  return undefined;
}

/** The calendar dates of a clause, in order. A date without a year and without an anchor has no interval. */
export function findCalendarDates(clause: string, frame: TimeFrame): TimeExpression[] {
  if (!DATE_GATE.test(clause)) return [];
  const found: TimeExpression[] = [];
  for (const { start, index, text } of en.strict.parse(clause, REFERENCE)) {
    if (!start.isCertain('month') || !start.isCertain('day')) continue;
    const month = start.get('month') ?? 0;
    const day = start.get('day') ?? 0;
    if (isAmbiguous(text, month, day)) continue;
    const year = start.isCertain('year') ? (start.get('year') ?? undefined) : inferYear(month, day, frame);
    const span = { start: index, end: index + text.length };
    if (year === undefined) found.push(span);
    if (year === undefined || !isRealDate(year, month, day)) continue;
    const dayNumber = dayNumberOf(year, month, day);
    if (!start.isCertain('hour')) {
      found.push({ ...span, interval: dayInterval(dayNumber, frame.offsetMinutes) });
      continue;
    }
    const exact = /:\d\d/.test(text);
    const clock = {
      dayNumber,
      startMinute: (start.get('hour') ?? 0) * 60 + (exact ? (start.get('minute') ?? 0) : 0),
      lengthMinutes: exact ? 1 : 60,
      precision: exact ? ('minute' as const) : ('hour' as const),
    };
    found.push({ ...span, interval: clockInterval(clock, frame.offsetMinutes) });
  }
  return found;
}

/** 5/3/2024 is two different days on the two sides of the Atlantic, so it is taken for none. */
function isAmbiguous(text: string, month: number, day: number): boolean {
  return /^\d{1,2}\/\d{1,2}/.test(text) && day <= 12 && month !== day;
}
