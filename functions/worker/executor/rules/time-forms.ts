/** The forms of words that stand for a time, each with its resolution. Calendar dates with a day are read elsewhere. */
import { monthsInterval, yearInterval } from './calendar.ts';
import { readStep, type TimeForm } from './time-frame.ts';
import {
  resolveDay,
  resolveDayOfMonth,
  resolveDecade,
  resolveDistance,
  resolveHoliday,
  resolveIsoWeek,
  resolveMonth,
  resolvePeriod,
  resolveSeason,
  resolveSeasonOf,
  resolveTheWeekend,
  resolveWeekday,
  resolveWeekdayOf,
} from './time-resolution.ts';
import {
  COUNT_SOURCE,
  HOLIDAY_SOURCE,
  MONTH_SOURCE,
  PART_OF_DAY_SOURCE,
  readCount,
  readMonth,
  SEASON_SOURCE,
  WEEKDAY_SOURCE,
  YEAR_SOURCE,
} from './time-words.ts';

const DAY_WORDS: Readonly<Record<string, number>> = {
  'the day before yesterday': -2,
  yesterday: -1,
  'last night': -1,
  tomorrow: 1,
  'the day after tomorrow': 2,
};
// A stretch of a month or a year is the whole of it: its edges are nobody's convention.
const STRETCH = '(?:(?:early|late|mid)[ -]|the (?:beginning|start|middle|end) of )?';
const STEP = 'last|this past|this coming|this|next';

const form = (pattern: string, resolve: TimeForm['resolve']): TimeForm => ({
  pattern: new RegExp(pattern, 'gi'),
  resolve,
});

const DAYS: readonly TimeForm[] = [
  form(
    `\\b(the day before yesterday|yesterday|today|tonight|this (?:morning|afternoon|evening)|last night|the day after tomorrow|tomorrow)${PART_OF_DAY_SOURCE}\\b`,
    (match, frame) => resolveDay(DAY_WORDS[(match[1] ?? '').toLowerCase()] ?? 0, frame),
  ),
  form(`\\b(?:on )?(${WEEKDAY_SOURCE})${PART_OF_DAY_SOURCE} (?:of )?(last|this|next) week\\b`, (match, frame) =>
    resolveWeekdayOf(match[2] ?? '', match[1] ?? '', frame),
  ),
  form(`\\b(last|next) week(?: on)? (${WEEKDAY_SOURCE})`, (match, frame) =>
    resolveWeekdayOf(match[1] ?? '', match[2] ?? '', frame),
  ),
  form(`\\b(?:on )?(${STEP}|on) (${WEEKDAY_SOURCE})${PART_OF_DAY_SOURCE}`, (match, frame) =>
    resolveWeekday(match[1] ?? '', match[2] ?? '', frame),
  ),
  form(`\\b(${COUNT_SOURCE}) (${WEEKDAY_SOURCE.replace('\\b', '')})s ago\\b`, (match, frame) =>
    resolveWeekday('last', match[2] ?? '', frame, readCount(match[1] ?? '') ?? 1),
  ),
  // A bare weekday counts at the end of what is said only: "my Tuesday class" and "every Tuesday" are no days.
  form(
    `(?<!\\b(?:my|the|a|our|his|her|every|each|most|per|black|good|ash|of|and|or|love|hate|until|till|by|since|before|after|from|to) )(?<=\\w )\\b(monday|tuesday|wednesday|thursday|friday|saturday|sunday)\\b${PART_OF_DAY_SOURCE}(?=$|[.!,;]| (?:at|with)\\b)`,
    (match, frame) => resolveWeekday('on', match[1] ?? '', frame),
  ),
  form(`\\bon the (\\d{1,2})(?:st|nd|rd|th)\\b(?! of\\b| (?:${MONTH_SOURCE}|floor|street|avenue))`, (match, frame) =>
    resolveDayOfMonth(Number(match[1]), frame),
  ),
  form(
    `\\b(?:(last|this|next|on|at|over|around|for|this past) )(${HOLIDAY_SOURCE})\\b(?! ${YEAR_SOURCE})`,
    (match, frame) => resolveHoliday(match[1] ?? '', match[2] ?? '', frame),
  ),
];

const PERIODS: readonly TimeForm[] = [
  form(
    `\\b(?:(?:earlier|later) )?(${STEP}) (week|weekend|month|quarter|year)\\b(?! of\\b| on\\b| (?:${WEEKDAY_SOURCE}))`,
    (match, frame) => resolvePeriod(readStep(match[1]), match[2] ?? '', frame),
  ),
  form(`\\b(?:over|at|on|during) the weekend\\b`, (_match, frame) => resolveTheWeekend(frame)),
  form(`\\bthe (week|weekend|month|year) before last\\b`, (match, frame) => resolvePeriod(-2, match[1] ?? '', frame)),
  form(`\\bthe (week|weekend|month|year) after next\\b`, (match, frame) => resolvePeriod(2, match[1] ?? '', frame)),
  form(
    `\\b(${COUNT_SOURCE}) (minute|hour|day|week|fortnight|weekend|month|year)s? (?:ago|back|earlier)\\b`,
    (match, frame) =>
      match[1]?.toLowerCase().startsWith('half') === true
        ? resolveHalf(match[2] ?? '', -1, frame)
        : resolveDistance(-(readCount(match[1] ?? '') ?? 0), match[2] ?? '', frame),
  ),
  form(`\\bin (${COUNT_SOURCE}) (hour|day|week|fortnight|month|year)s?(?: from now|['’] time)?\\b`, (match, frame) =>
    match[1]?.toLowerCase().startsWith('half') === true
      ? resolveHalf(match[2] ?? '', 1, frame)
      : resolveDistance(readCount(match[1] ?? '') ?? 0, match[2] ?? '', frame),
  ),
  form(`\\b(${COUNT_SOURCE}) (day|week|month|year)s? from now\\b`, (match, frame) =>
    resolveDistance(readCount(match[1] ?? '') ?? 0, match[2] ?? '', frame),
  ),
  form(`\\bweek (\\d{1,2})(?: of (${YEAR_SOURCE}))?\\b`, (match, frame) =>
    resolveIsoWeek(Number(match[1]), match[2] === undefined ? undefined : Number(match[2]), frame),
  ),
];

/** "half a year ago" is six months ago; half of anything else is not told apart from the whole. */
function resolveHalf(
  unit: string,
  sign: -1 | 1,
  frame: Parameters<TimeForm['resolve']>[1],
): ReturnType<TimeForm['resolve']> {
  return unit.toLowerCase() === 'year' ? resolveDistance(sign * 6, 'month', frame) : 'ignore';
}

const SEASONS_AND_MONTHS: readonly TimeForm[] = [
  form(
    `\\b(last|this|next|in|in the|over the|during the|this past|this coming) (?:(?:early|late) )?(${SEASON_SOURCE})\\b(?!(?: of|,)? ${YEAR_SOURCE})`,
    (match, frame) => resolveSeason(match[1] ?? '', match[2] ?? '', frame),
  ),
  form(`\\b(${SEASON_SOURCE})(?: of|,)? (${YEAR_SOURCE})\\b`, (match, frame) =>
    resolveSeasonOf(match[1] ?? '', Number(match[2]), frame),
  ),
  form(`(?<!\\d(?:st|nd|rd|th)?(?: of)? )\\b(${MONTH_SOURCE})(?: of|,)? (${YEAR_SOURCE})\\b`, (match, frame) =>
    monthsInterval({ year: Number(match[2]), month: readMonth(match[1] ?? '') ?? 1, count: 1 }, frame.offsetMinutes),
  ),
  // Lower-case "may" is a month only after these words; "this may" and "mid may" would be the verb or a guess.
  form(
    `\\b(in|last|next|since|early|late|mid|of) (?:(?:early|late|mid)[ -])?(${MONTH_SOURCE})(?!\\.?,? (?:\\d|the \\d))`,
    (match, frame) => resolveMonth(match[1] ?? '', readMonth(match[2] ?? '') ?? 1, frame),
  ),
  form(`\\b(?:last|next) year in (${MONTH_SOURCE})(?! \\d)`, (match, frame) =>
    resolveMonthOf(match[0].slice(0, 4), readMonth(match[1] ?? '') ?? 1, frame),
  ),
  form(`\\b(${MONTH_SOURCE}) (last|next|this) year\\b`, (match, frame) =>
    resolveMonthOf(match[2] ?? '', readMonth(match[1] ?? '') ?? 1, frame),
  ),
  form(`\\b(?:in )?Q([1-4])(?: of)? (${YEAR_SOURCE})\\b`, (match, frame) =>
    monthsInterval({ year: Number(match[2]), month: 3 * Number(match[1]) - 2, count: 3 }, frame.offsetMinutes),
  ),
  form(
    `\\b(?:in|since|during|back in|early|late|mid|of) ${STRETCH}(${YEAR_SOURCE})\\b(?![-/.:]\\d|s\\b)`,
    (match, frame) => yearInterval(Number(match[1]), frame.offsetMinutes),
  ),
  form(`\\bin the (?:(?:early|late|mid)[ -])?['’]?((?:19|20)\\d0|\\d0)s\\b`, (match, frame) =>
    resolveDecade(match[1] ?? '', frame),
  ),
];

/** "May last year": a month of the year before, whatever month it is now. */
function resolveMonthOf(
  word: string,
  month: number,
  frame: Parameters<TimeForm['resolve']>[1],
): ReturnType<TimeForm['resolve']> {
  const today = frame.now?.today;
  if (today === undefined) return 'unresolved';
  const year = today.year + readStep(word);
  const distance = year * 12 + month - (today.year * 12 + today.month);
  if (frame.direction === 'past' ? distance > 0 : distance < 0) return 'ignore';
  return monthsInterval({ year, month, count: 1 }, frame.offsetMinutes);
}

export const TIME_FORMS: readonly TimeForm[] = [...DAYS, ...PERIODS, ...SEASONS_AND_MONTHS];
