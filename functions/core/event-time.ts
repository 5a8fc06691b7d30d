/** Event times as written: ISO 8601 of any precision, as an interval with its end not included. */
import type { EventTime } from '../../schema/citation.ts';

const PARTIAL = /^([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?$/;
const INSTANT =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,3})?)?(?:Z|[+-][0-9]{2}:[0-9]{2})$/;

const SECOND_MS = 1000;
const DAY_MS = 24 * 60 * 60 * SECOND_MS;

/** Parses `2024`, `2024-05`, `2024-05-03` (in UTC) or a full instant with an offset; undefined when it is none of these. */
export function parseEventTime(text: string): EventTime | undefined {
  const partial = PARTIAL.exec(text);
  if (partial) return partialTime(Number(partial[1]), partial[2], partial[3]);
  if (!INSTANT.test(text)) return undefined;
  const startMs = Date.parse(text);
  if (Number.isNaN(startMs)) return undefined;
  const withSeconds = /T[0-9]{2}:[0-9]{2}:/.test(text);
  return withSeconds
    ? { startMs, endMs: startMs + SECOND_MS, precision: 'second' }
    : { startMs, endMs: startMs + 60 * SECOND_MS, precision: 'minute' };
}

function partialTime(year: number, monthText?: string, dayText?: string): EventTime | undefined {
  if (year < 1) return undefined;
  if (monthText === undefined) return { startMs: utc(year, 0, 1), endMs: utc(year + 1, 0, 1), precision: 'year' };
  const month = Number(monthText) - 1;
  if (month < 0 || month > 11) return undefined;
  if (dayText === undefined)
    return { startMs: utc(year, month, 1), endMs: utc(year, month + 1, 1), precision: 'month' };
  const day = Number(dayText);
  const startMs = utc(year, month, day);
  if (day < 1 || new Date(startMs).getUTCMonth() !== month) return undefined;
  return { startMs, endMs: startMs + DAY_MS, precision: 'day' };
}

/** Date.UTC takes the years 0 to 99 for 1900 to 1999; this does not. */
function utc(year: number, month: number, day: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  return date.getTime();
}
