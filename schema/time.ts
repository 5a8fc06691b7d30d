/**
 * Times are epoch milliseconds in attributes whose name ends in `Ms`, epoch seconds only in `ttl`.
 * Inside keys a time is 15 ASCII digits, so that byte order is time order back to the year 1.
 */

/** 0001-01-01T00:00:00Z in epoch milliseconds, negated. */
const KEY_OFFSET_MS = 62_135_596_800_000;
const KEY_MAX = 999_999_999_999_999;
const KEY_DIGITS = 15;

/** The least and greatest times a key can carry: 0001-01-01 and a day in the year 31689. */
export const TIME_MIN_MS = -KEY_OFFSET_MS;
export const TIME_MAX_MS = KEY_MAX - KEY_OFFSET_MS;

function checkTime(timeMs: number): void {
  if (!Number.isInteger(timeMs) || timeMs < TIME_MIN_MS || timeMs > TIME_MAX_MS) {
    throw new RangeError(
      `a time in a key must be whole milliseconds from ${TIME_MIN_MS} to ${TIME_MAX_MS}, not ${timeMs}`,
    );
  }
}

/** Oldest first. Throws RangeError outside the years 1 to 31688. */
export function timeKey(timeMs: number): string {
  checkTime(timeMs);
  return String(timeMs + KEY_OFFSET_MS).padStart(KEY_DIGITS, '0');
}

/** Newest first: the complement of `timeKey`. */
export function timeKeyNewestFirst(timeMs: number): string {
  checkTime(timeMs);
  return String(KEY_MAX - (timeMs + KEY_OFFSET_MS)).padStart(KEY_DIGITS, '0');
}

/** The inverse of `timeKey`. */
export function timeOfKey(key: string): number {
  if (!/^[0-9]{15}$/.test(key)) throw new RangeError(`a time key is 15 digits, not "${key}"`);
  return Number(key) - KEY_OFFSET_MS;
}

/** The inverse of `timeKeyNewestFirst`. */
export function timeOfNewestFirst(key: string): number {
  return KEY_MAX - KEY_OFFSET_MS - (timeOfKey(key) + KEY_OFFSET_MS);
}

/** Epoch seconds for the TTL attribute, rounded up so that a row never goes early. */
export function ttlSeconds(timeMs: number): number {
  return Math.ceil(timeMs / 1000);
}
