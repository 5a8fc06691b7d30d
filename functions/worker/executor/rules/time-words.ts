/** Months, weekdays, seasons and number words of English, and the regular-expression sources built from them. */

const MONTH_NAMES = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
const WEEKDAY_NAMES = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const NUMBER_WORDS = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];
// Meteorological seasons of the northern hemisphere: the month each begins in.
const SEASON_MONTHS: Record<string, number> = { spring: 3, summer: 6, autumn: 9, fall: 9, winter: 12 };

export const MONTH_SOURCE =
  '(?:january|february|march|april|may|june|july|august|september|october|november|december|' +
  'jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)\\b\\.?';
export const WEEKDAY_SOURCE =
  '(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tues|tue|wed|thurs|thur|thu|fri|sat|sun)\\b';
export const SEASON_SOURCE = '(?:spring|summer|autumn|fall|winter)';
// The years a person talks about; the upper bound keeps four-digit figures out.
export const YEAR_SOURCE = '(?:19|20)\\d\\d';
export const COUNT_SOURCE =
  '(?:\\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a couple of|a couple)';

/** 1..12 for a month's name or its abbreviation, else undefined. */
export function readMonth(word: string): number | undefined {
  const key = word.toLowerCase().replace('.', '').slice(0, 3);
  const index = key.length === 3 ? MONTH_NAMES.findIndex((name) => name.startsWith(key)) : -1;
  return index < 0 ? undefined : index + 1;
}

/** 0..6 from Monday for a weekday's name or its abbreviation, else undefined. */
export function readWeekday(word: string): number | undefined {
  const index = WEEKDAY_NAMES.findIndex((name) => name.startsWith(word.toLowerCase().slice(0, 3)));
  return index < 0 ? undefined : index;
}

/** The month (3, 6, 9, 12) in which a season begins, else undefined. */
export function readSeason(word: string): number | undefined {
  return SEASON_MONTHS[word.toLowerCase()];
}

/** The number that a count word stands for, else undefined. "a" is one, "a couple of" is two. */
export function readCount(word: string): number | undefined {
  const lower = word.toLowerCase();
  if (/^\d+$/.test(lower)) return Number(lower);
  if (lower === 'a' || lower === 'an') return 1;
  if (lower.startsWith('a couple')) return 2;
  const index = NUMBER_WORDS.indexOf(lower);
  return index < 0 ? undefined : index;
}

/** True for a capitalised word that is a month or a weekday, and so never part of a name. */
export function isCalendarWord(lower: string): boolean {
  return MONTH_NAMES.includes(lower) || WEEKDAY_NAMES.includes(lower) || lower in SEASON_MONTHS;
}

/** The month's name as people write it. */
export function monthName(month: number): string {
  const name = MONTH_NAMES[month - 1] ?? '';
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}
