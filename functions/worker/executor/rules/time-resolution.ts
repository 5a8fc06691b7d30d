/** From the words of a time expression to its interval, by the conventions that README.md states. */
import {
  dayInterval,
  daysInterval,
  dayNumberOf,
  isRealDate,
  monthsInterval,
  MS_PER_HOUR,
  yearInterval,
} from './calendar.ts';
import { looksAway, readStep, type Resolution, type TimeFrame } from './time-frame.ts';
import { readHoliday, readSeason, readWeekday } from './time-words.ts';

// The longest way to a 29 February or a 31st: eight years over a century's missing leap day.
const YEARS_SEARCHED_MAX = 8;
const MONTHS_PER_QUARTER = 3;

/** A day so many days away: "yesterday", "tomorrow". */
export function resolveDay(distance: number, frame: TimeFrame): Resolution {
  if (looksAway(distance, frame.direction)) return 'ignore';
  return frame.now === undefined
    ? 'unresolved'
    : dayInterval(frame.now.today.dayNumber + distance, frame.offsetMinutes);
}

/** A week, weekend, month, quarter or year so many of its kind away: "last week" is -1. */
export function resolvePeriod(step: number, unit: string, frame: TimeFrame): Resolution {
  if (looksAway(step, frame.direction)) return 'ignore';
  const today = frame.now?.today;
  const { offsetMinutes } = frame;
  if (today === undefined) return 'unresolved';
  const monday = today.dayNumber - today.weekday + 7 * step;
  switch (unit.toLowerCase()) {
    case 'week':
      return daysInterval({ from: monday, to: monday + 7, precision: 'day' }, offsetMinutes);
    case 'weekend':
      // This week's weekend is still to come or running, so "last weekend" is that of the week before.
      return daysInterval({ from: monday + 5, to: monday + 7, precision: 'day' }, offsetMinutes);
    case 'month':
      return monthsInterval({ year: today.year, month: today.month + step, count: 1 }, offsetMinutes);
    case 'quarter': {
      const first = today.month - ((today.month - 1) % MONTHS_PER_QUARTER);
      return monthsInterval({ year: today.year, month: first + MONTHS_PER_QUARTER * step, count: 3 }, offsetMinutes);
    }
    default:
      return yearInterval(today.year + step, offsetMinutes);
  }
}

/** "over the weekend": the latest that has begun, or the running or next one. */
export function resolveTheWeekend(frame: TimeFrame): Resolution {
  const today = frame.now?.today;
  if (today === undefined) return 'unresolved';
  const hasBegun = today.weekday >= 5;
  return resolvePeriod(frame.direction === 'past' && !hasBegun ? -1 : 0, 'weekend', frame);
}

/** "last summer", "this winter", "in the spring": the latest over, the running or next, or the latest begun. */
export function resolveSeason(word: string, season: string, frame: TimeFrame): Resolution {
  const step = readStep(word);
  if (looksAway(step, frame.direction)) return 'ignore';
  if (frame.now === undefined) return 'unresolved';
  const { today, anchor } = frame.now;
  const month = readSeason(season, anchor.isSouthern === true);
  if (month === undefined) return 'unresolved';
  const thisMonth = today.year * 12 + today.month;
  let year = today.year + 1;
  if (step < 0) while (year * 12 + month + 3 > thisMonth) year -= 1;
  else if (step > 0) while ((year - 1) * 12 + month > thisMonth) year -= 1;
  else if (frame.direction === 'past') while (year * 12 + month > thisMonth) year -= 1;
  else while ((year - 1) * 12 + month + 3 > thisMonth) year -= 1;
  return monthsInterval({ year, month, count: 3 }, frame.offsetMinutes);
}

/** "summer of 2021". */
export function resolveSeasonOf(season: string, year: number, frame: TimeFrame): Resolution {
  const month = readSeason(season, frame.now?.anchor.isSouthern === true);
  return month === undefined ? 'ignore' : monthsInterval({ year, month, count: 3 }, frame.offsetMinutes);
}

/** "last Tuesday", "on Friday", "two Sundays ago" (`count` 2). Today's own name means the day a week off. */
export function resolveWeekday(word: string, name: string, frame: TimeFrame, count = 1): Resolution {
  const step = readStep(word);
  if (looksAway(step, frame.direction)) return 'ignore';
  const weekday = readWeekday(name);
  const today = frame.now?.today;
  if (today === undefined || weekday === undefined) return 'unresolved';
  const ahead = (weekday - today.weekday + 7) % 7 || 7;
  const behind = ahead === 7 ? 7 : 7 - ahead;
  const distance = frame.direction === 'future' ? ahead + 7 * (count - 1) : -behind - 7 * (count - 1);
  return dayInterval(today.dayNumber + distance, frame.offsetMinutes);
}

/** "Tuesday last week", "next week on Friday": a day of an ISO week. */
export function resolveWeekdayOf(word: string, name: string, frame: TimeFrame): Resolution {
  const step = readStep(word);
  if (looksAway(step, frame.direction)) return 'ignore';
  const weekday = readWeekday(name);
  const today = frame.now?.today;
  if (today === undefined || weekday === undefined) return 'unresolved';
  return dayInterval(today.dayNumber - today.weekday + 7 * step + weekday, frame.offsetMinutes);
}

/** "three weeks ago" (-3), "in two months" (2): the whole unit of that name, not a point. */
export function resolveDistance(count: number, unit: string, frame: TimeFrame): Resolution {
  if (count === 0 || looksAway(count, frame.direction)) return 'ignore';
  if (frame.now === undefined) return 'unresolved';
  const { offsetMinutes } = frame;
  const { today, anchor } = frame.now;
  const lower = unit.toLowerCase();
  if (lower === 'minute' || lower === 'hour') {
    const shiftMs = (offsetMinutes * MS_PER_HOUR) / 60;
    const atMs = anchor.atMs + count * (lower === 'hour' ? MS_PER_HOUR : MS_PER_HOUR / 60);
    const startMs = Math.floor((atMs + shiftMs) / MS_PER_HOUR) * MS_PER_HOUR - shiftMs;
    return { startMs, endMs: startMs + MS_PER_HOUR, precision: 'hour', from: 'text' };
  }
  if (lower === 'day') return dayInterval(today.dayNumber + count, offsetMinutes);
  if (lower === 'fortnight') return resolvePeriod(2 * count, 'week', frame);
  return resolvePeriod(count, lower, frame);
}

/** "in May", "last May", "next May": the latest not in the future, the latest over, or the next. */
export function resolveMonth(word: string, month: number, frame: TimeFrame): Resolution {
  const step = readStep(word);
  if (looksAway(step, frame.direction)) return 'ignore';
  const today = frame.now?.today;
  if (today === undefined) return 'unresolved';
  let { year } = today;
  if (frame.direction === 'past') {
    // "last May" in May is a year ago; "in May" said in May is this very month.
    if (step < 0 ? month >= today.month : month > today.month) year -= 1;
  } else if (step > 0 ? month <= today.month : month < today.month) {
    year += 1;
  }
  return monthsInterval({ year, month, count: 1 }, frame.offsetMinutes);
}

/** The year of a day and month without one: the latest not in the future, or the next. A leap day waits for its year. */
export function inferYear(month: number, day: number, frame: TimeFrame): number | undefined {
  if (frame.now === undefined) return undefined;
  const { year, dayNumber } = frame.now.today;
  const step = frame.direction === 'past' ? -1 : 1;
  for (let count = 0; count <= YEARS_SEARCHED_MAX; count += 1) {
    const candidate = year + step * count;
    const isReached = step * (dayNumberOf(candidate, month, day) - dayNumber) >= 0;
    if (isReached && isRealDate(candidate, month, day)) return candidate;
  }
  return undefined;
}

/** "last Christmas", "on New Year's Eve". */
export function resolveHoliday(word: string, name: string, frame: TimeFrame): Resolution {
  const step = readStep(word);
  const date = readHoliday(name);
  if (date === undefined || looksAway(step, frame.direction)) return 'ignore';
  const [month, day] = date;
  const year = inferYear(month, day, frame);
  if (year === undefined || frame.now === undefined) return 'unresolved';
  const dayNumber = dayNumberOf(year, month, day);
  // Said on the day itself, "last" and "next" mean another year's.
  const isToday = step !== 0 && dayNumber === frame.now.today.dayNumber;
  return dayInterval(isToday ? dayNumberOf(year + step, month, day) : dayNumber, frame.offsetMinutes);
}

/** "on the 5th": the latest not in the future, or the next, of the months that have such a day. */
export function resolveDayOfMonth(day: number, frame: TimeFrame): Resolution {
  if (day < 1 || day > 31) return 'ignore';
  const today = frame.now?.today;
  if (today === undefined) return 'unresolved';
  const step = frame.direction === 'past' ? -1 : 1;
  for (let count = 0; count <= 3; count += 1) {
    const months = today.year * 12 + today.month - 1 + step * count;
    const [year, month] = [Math.floor(months / 12), (months % 12) + 1];
    const dayNumber = dayNumberOf(year, month, day);
    if (isRealDate(year, month, day) && step * (dayNumber - today.dayNumber) >= 0) {
      return dayInterval(dayNumber, frame.offsetMinutes);
    }
  }
  return 'unresolved';
}

/** ISO week `week` of `year`; without a year the latest that has begun, or the next that has not ended. */
export function resolveIsoWeek(week: number, year: number | undefined, frame: TimeFrame): Resolution {
  if (week < 1 || week > 53) return 'ignore';
  const today = frame.now?.today;
  if (year === undefined && today === undefined) return 'unresolved';
  let monday = isoWeekMonday(year ?? today?.year ?? 0, week);
  if (year === undefined && today !== undefined) {
    if (frame.direction === 'past' && monday > today.dayNumber) monday = isoWeekMonday(today.year - 1, week);
    if (frame.direction === 'future' && monday + 7 <= today.dayNumber) monday = isoWeekMonday(today.year + 1, week);
  }
  return daysInterval({ from: monday, to: monday + 7, precision: 'day' }, frame.offsetMinutes);
}

/** ISO week 1 is the week that holds the 4th of January. */
function isoWeekMonday(year: number, week: number): number {
  const fourth = dayNumberOf(year, 1, 4);
  return fourth - ((((fourth + 3) % 7) + 7) % 7) + 7 * (week - 1);
}

/** "in the 90s", "in the 1980s": ten years. Two figures alone mean the last century down to the thirties. */
export function resolveDecade(figures: string, frame: TimeFrame): Resolution {
  const short = Number(figures.slice(-2));
  const year = figures.length === 4 ? Number(figures) : short >= 30 ? 1900 + short : 2000 + short;
  return daysInterval(
    { from: dayNumberOf(year, 1, 1), to: dayNumberOf(year + 10, 1, 1), precision: 'year' },
    frame.offsetMinutes,
  );
}
