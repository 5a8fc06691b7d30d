/** Times of answers: ISO 8601 in UTC, where the table holds epoch milliseconds. */

export function isoOf(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

/** The same for a time that may be missing. */
export function isoOrNone(timeMs: number | undefined): string | undefined {
  return timeMs === undefined ? undefined : isoOf(timeMs);
}
