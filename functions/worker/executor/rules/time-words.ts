/** Months, weekdays, seasons, holidays and number words of English, and the regular-expression sources built from them. */

const MONTH_NAMES = 'january february march april may june july august september october november december'.split(' ');
const WEEKDAY_NAMES = 'monday tuesday wednesday thursday friday saturday sunday'.split(' ');
const NUMBER_WORDS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');
const TEENS = 'thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(' ');
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
// Meteorological seasons of the northern hemisphere: the month each begins in. The southern ones lie half a year off.
const SEASON_MONTHS: Readonly<Record<string, number>> = { spring: 3, summer: 6, autumn: 9, fall: 9, winter: 12 };
// Holidays of one fixed day. Easter, Thanksgiving and their like depend on the year, the church or the country.
const HOLIDAYS: Readonly<Record<string, readonly [month: number, day: number]>> = {
  "new year's day": [1, 1],
  "valentine's day": [2, 14],
  "st patrick's day": [3, 17],
  halloween: [10, 31],
  'christmas eve': [12, 24],
  'christmas day': [12, 25],
  christmas: [12, 25],
  'boxing day': [12, 26],
  "new year's eve": [12, 31],
};

export const MONTH_SOURCE =
  '(?:january|february|march|april|may|june|july|august|september|october|november|december|' +
  'jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)\\b\\.?';
export const WEEKDAY_SOURCE =
  '(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tues|tue|wed|thurs|thur|thu|fri|sat|sun)\\b';
export const SEASON_SOURCE = '(?:spring|summer|autumn|fall|winter)';
export const HOLIDAY_SOURCE =
  "(?:new year['’]s (?:day|eve)|valentine['’]s day|st\\.? patrick['’]s day|halloween|christmas (?:eve|day)|christmas|boxing day)";
// The years a person talks about; the upper bound keeps four-digit figures out.
export const YEAR_SOURCE = '(?:19|20)\\d\\d';
export const COUNT_SOURCE =
  '(?:\\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a couple of|a couple|half an?)';
export const PART_OF_DAY_SOURCE = '(?: (?:morning|afternoon|evening|night))?';

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

/** The month (3, 6, 9, 12) in which a season begins in its hemisphere, else undefined. */
export function readSeason(word: string, isSouthern: boolean): number | undefined {
  const month = SEASON_MONTHS[word.toLowerCase()];
  if (month === undefined || !isSouthern) return month;
  return month > 6 ? month - 6 : month + 6;
}

/** Month and day of a holiday that has one, else undefined. */
export function readHoliday(word: string): readonly [month: number, day: number] | undefined {
  return HOLIDAYS[word.toLowerCase().replace('’', "'").replace('.', '')];
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

/** A number below a thousand in figures, or in a word or two joined by a hyphen ("thirty-four"), else undefined. */
export function readNumber(word: string): number | undefined {
  if (/^\d{1,3}$/.test(word)) return Number(word);
  const [tens = '', ones = ''] = word.toLowerCase().split('-');
  const ten = TENS.indexOf(tens);
  if (ten >= 0) return ones === '' ? 10 * ten + 20 : readOnes(ones, 10 * ten + 20);
  const small = [...NUMBER_WORDS, ...TEENS].indexOf(tens);
  return small < 0 || ones !== '' ? undefined : small;
}

function readOnes(word: string, tens: number): number | undefined {
  const index = NUMBER_WORDS.indexOf(word);
  return index < 1 || index > 9 ? undefined : tens + index;
}

/** True for a capitalised word that is a month or a weekday, and so never part of a name. */
export function isCalendarWord(lower: string): boolean {
  return MONTH_NAMES.includes(lower) || WEEKDAY_NAMES.includes(lower) || lower in SEASON_MONTHS;
}

/** "yesterday", and what opens "last week": words that end a noun phrase though they look like its next noun. */
export function isTimeOpener(lower: string): boolean {
  return /^(?:yesterday|today|tomorrow|tonight|now|last|this|next)$/.test(lower) || isCalendarWord(lower);
}

/** The month's name as people write it. */
export function monthName(month: number): string {
  const name = MONTH_NAMES[month - 1] ?? '';
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}
