/**
 * Interval arithmetic on the proleptic Gregorian calendar at a fixed UTC offset.
 * `Date` is used only through its UTC methods, so neither the machine's time zone nor its locale can leak in.
 */
import type { EventInterval, EventPrecision } from './claim-draft.ts';

/** A turn's own time: the instant, and the offset its speaker wrote it with. */
export interface Anchor {
  atMs: number;
  offsetMinutes: number;
  /** Present when the speaker is known to live south of the equator; it turns the seasons. */
  isSouthern?: true;
}

/** A calendar day as its speaker sees it. `dayNumber` counts from 1970-01-01; `weekday` is 0 for Monday (ISO weeks). */
export interface LocalDay {
  year: number;
  month: number;
  day: number;
  dayNumber: number;
  weekday: number;
}

const MS_PER_MINUTE = 60_000;
export const MS_PER_HOUR = 60 * MS_PER_MINUTE;
const MS_PER_DAY = 24 * MS_PER_HOUR;
// 1970-01-01 was a Thursday, the fourth day of an ISO week.
const EPOCH_WEEKDAY = 3;

/** The calendar day that `dayNumber` stands for. */
export function toLocalDay(dayNumber: number): LocalDay {
  const date = new Date(dayNumber * MS_PER_DAY);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    dayNumber,
    weekday: (((dayNumber + EPOCH_WEEKDAY) % 7) + 7) % 7,
  };
}

/** The day on which the speaker of a turn spoke. */
export function anchorDay(anchor: Anchor): LocalDay {
  return toLocalDay(Math.floor((anchor.atMs + anchor.offsetMinutes * MS_PER_MINUTE) / MS_PER_DAY));
}

/** The day number of a date; months beyond 1..12 carry into the year. */
export function dayNumberOf(year: number, month: number, day: number): number {
  return Math.floor(Date.UTC(year, month - 1, day) / MS_PER_DAY);
}

/** True for a date that the calendar has: 30 February is refused. */
export function isRealDate(year: number, month: number, day: number): boolean {
  const date = toLocalDay(dayNumberOf(year, month, day));
  return date.year === year && date.month === month && date.day === day;
}

/** The interval from one day number up to another, exclusive. */
export function daysInterval(
  span: { from: number; to: number; precision: EventPrecision },
  offsetMinutes: number,
): EventInterval {
  return {
    startMs: span.from * MS_PER_DAY - offsetMinutes * MS_PER_MINUTE,
    endMs: span.to * MS_PER_DAY - offsetMinutes * MS_PER_MINUTE,
    precision: span.precision,
    from: 'text',
  };
}

/** One whole day. */
export function dayInterval(dayNumber: number, offsetMinutes: number): EventInterval {
  return daysInterval({ from: dayNumber, to: dayNumber + 1, precision: 'day' }, offsetMinutes);
}

/** `count` whole months from the first of `month`; months beyond 1..12 carry into the year. */
export function monthsInterval(
  first: { year: number; month: number; count: number },
  offsetMinutes: number,
): EventInterval {
  return daysInterval(
    {
      from: dayNumberOf(first.year, first.month, 1),
      to: dayNumberOf(first.year, first.month + first.count, 1),
      precision: 'month',
    },
    offsetMinutes,
  );
}

/** One whole year. */
export function yearInterval(year: number, offsetMinutes: number): EventInterval {
  return daysInterval(
    { from: dayNumberOf(year, 1, 1), to: dayNumberOf(year + 1, 1, 1), precision: 'year' },
    offsetMinutes,
  );
}

/** A span of the clock on one day, from minute `startMinute` of that day. */
export function clockInterval(
  at: { dayNumber: number; startMinute: number; lengthMinutes: number; precision: EventPrecision },
  offsetMinutes: number,
): EventInterval {
  const startMs = at.dayNumber * MS_PER_DAY + (at.startMinute - offsetMinutes) * MS_PER_MINUTE;
  return { startMs, endMs: startMs + at.lengthMinutes * MS_PER_MINUTE, precision: at.precision, from: 'text' };
}
