/**
 * What is odd about a citation's times, so that a person sees it: nothing is thrown away for it, since the quote may well
 * say so. A function of the row.
 */
import type { Citation } from '../../schema/citation.ts';

/**
 * `future_event`: it begins after it was told of. `future_date`: the value holds a date after that. `impossible_date`: the
 * value holds a date that is in no calendar. `future_capture`: the source says it was captured after it was recorded.
 */
export const TIME_FLAGS = ['future_event', 'future_date', 'impossible_date', 'future_capture'] as const;
export type TimeFlag = (typeof TIME_FLAGS)[number];

const DAY_MS = 86_400_000;
const ISO_DATE = /(?<![\d-])(\d{4})-(\d{2})-(\d{2})(?![\d-])/g;

/** Midnight UTC of a date; undefined when there is no such day. */
function readDay(yearText: string, monthText: string, dayText: string): number | undefined {
  const [year, month, day] = [Number(yearText), Number(monthText) - 1, Number(dayText)];
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  return date.getUTCMonth() === month && date.getUTCDate() === day ? date.getTime() : undefined;
}

/** The flags of a citation, in the order of their list. A day's difference is a zone, not the future. */
export function timeFlagsOf(
  citation: Pick<Citation, 'value' | 'planned' | 'capturedAtMs' | 'recordedAtMs'>,
): TimeFlag[] {
  const { value, planned, capturedAtMs, recordedAtMs } = citation;
  const days = [...value.matchAll(ISO_DATE)].map(([, year = '', month = '', day = '']) => readDay(year, month, day));
  const found: Record<TimeFlag, boolean> = {
    future_event: planned,
    future_date: days.some((dayMs) => dayMs !== undefined && dayMs > capturedAtMs + DAY_MS),
    impossible_date: days.includes(undefined),
    future_capture: capturedAtMs > recordedAtMs + DAY_MS,
  };
  return TIME_FLAGS.filter((flag) => found[flag]);
}
