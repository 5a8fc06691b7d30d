/** Times as people write them into turns and front matter, read without the machine's zone or locale. */
import { TIME_MAX_MS, TIME_MIN_MS } from '../../schema/time.ts';

const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?: ?([Zz]|[+-]\d{2}(?::?\d{2})?))?)?$/;
const MINUTE_MS = 60_000;

export interface Instant {
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** ISO 8601 with the offset it was written with: `2024-05-03T10:00:00+02:00`. Milliseconds only when there are any. */
  readonly iso: string;
}

interface Fields {
  readonly localMs: number;
  /** Minutes east of UTC; absent when the text names no offset. */
  readonly offsetMinutes?: number;
  readonly isUtc: boolean;
}

function readOffset(text: string | undefined): { minutes: number; isUtc: boolean } | undefined {
  if (text === undefined) return undefined;
  if (text.toUpperCase() === 'Z') return { minutes: 0, isUtc: true };
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(3).replace(':', '') || '0');
  if (hours > 23 || minutes > 59) return undefined;
  return { minutes: (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes), isUtc: false };
}

/** The parts of a date or date-time; undefined for anything else, and for days and hours that do not exist. */
function readFields(text: string): Fields | undefined {
  const match = DATE_TIME.exec(text.trim());
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? '0')) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(0);
  // Not Date.UTC, which takes the years 0 to 99 for 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  date.setUTCHours(hour, minute, second, Number((match[7] ?? '0').padEnd(3, '0').slice(0, 3)));
  const offset = readOffset(match[8]);
  if (match[8] !== undefined && offset === undefined) return undefined;
  return {
    localMs: date.getTime(),
    isUtc: offset?.isUtc ?? false,
    ...(offset && { offsetMinutes: offset.minutes }),
  };
}

function isoOf({ localMs, offsetMinutes = 0, isUtc }: Fields): string {
  const local = new Date(localMs).toISOString().replace(/\.000Z$|Z$/, '');
  if (isUtc) return `${local}Z`;
  const far = Math.abs(offsetMinutes);
  const pad = (n: number) => String(n).padStart(2, '0');
  return `${local}${offsetMinutes < 0 ? '-' : '+'}${pad(Math.floor(far / 60))}:${pad(far % 60)}`;
}

const inRange = (atMs: number): boolean => atMs >= TIME_MIN_MS && atMs <= TIME_MAX_MS;

/** A date-time with an offset; undefined for anything else, also for a time that no key can carry. */
export function readInstant(text: string): Instant | undefined {
  const fields = readFields(text);
  if (fields?.offsetMinutes === undefined) return undefined;
  const atMs = fields.localMs - fields.offsetMinutes * MINUTE_MS;
  return inRange(atMs) ? { atMs, iso: isoOf(fields) } : undefined;
}

/** A date or date-time in epoch milliseconds; what names no offset is taken as UTC. Undefined for anything else. */
export function readDate(text: string): number | undefined {
  const fields = readFields(text);
  if (!fields) return undefined;
  const atMs = fields.localMs - (fields.offsetMinutes ?? 0) * MINUTE_MS;
  return inRange(atMs) ? atMs : undefined;
}
