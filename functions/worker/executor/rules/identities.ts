/** Name and birthday: "my name is Maya", "hi, I'm Maya", "my mom's birthday is June 3". */
import { readMonthAndDay } from './calendar-dates.ts';
import { anchorDay } from './calendar.ts';
import type { Finding } from './claim-draft.ts';
import type { Clause } from './clauses.ts';
import type { Sentence, Token } from './language.ts';
import { joinTokens, readName } from './phrases.ts';
import { DEFAULT_PERSON } from './rendered-text.ts';
import { entityOf, readKin, type Speech } from './subjects.ts';
import { findTimeExpressions } from './time-expressions.ts';
import { monthName } from './time-words.ts';
import { HYPOTHETICALS, NEGATIONS } from './vocabulary.ts';

const BIRTHDAY_TOKENS_MAX = 9;
const DAY_MS = 86_400_000;
const NEAR_DAY = /^(?:today|tomorrow|yesterday|on \w+day\b|this \w+day\b|next \w+day\b|last \w+day\b)/i;
interface MonthAndDay {
  month: number;
  day: number;
}

const NAMELESS_SPEAKERS = new Set([DEFAULT_PERSON, 'human', 'me']);

/** What a sentence that begins at "my" says of a name or a birthday. */
export function findIdentity(sentence: Sentence, speech: Speech): Finding[] {
  const { tokens } = sentence;
  if (sentence.isQuestion) return [];
  if (tokens.some((token) => HYPOTHETICALS.has(token.lower) || NEGATIONS.has(token.lower) || token.lower === "n't")) {
    return [];
  }
  const findings: Finding[] = findCalled(tokens, speech);
  for (let index = 0; index < tokens.length; index += 1) {
    if (sentence.quoted[index] === true || tokens[index]?.lower !== 'my') continue;
    findings.push(...findOwnName(tokens, index, speech), ...findBirthday(tokens, index, speech));
  }
  return findings;
}

function findOwnName(tokens: readonly Token[], index: number, speech: Speech): Finding[] {
  const noun = /^(?:full|first|given|real)$/.test(tokens[index + 1]?.lower ?? '') ? index + 2 : index + 1;
  if (tokens[noun]?.lower !== 'name' || !/^(?:is|'s)$/.test(tokens[noun + 1]?.lower ?? '')) return [];
  const name = readName(tokens, noun + 2, tokens.length);
  return name === undefined ? [] : [toName(speech.speaker, name.value, 'my-name', 0.95)];
}

/** "Call me Sam", "everyone calls me Sam". */
function findCalled(tokens: readonly Token[], speech: Speech): Finding[] {
  const at = tokens.findIndex(({ lower }, index) => /^calls?$/.test(lower) && tokens[index + 1]?.lower === 'me');
  if (at < 0 || !/^(?:|please|just|can|everyone|everybody|people|friends|they|but)$/.test(tokens[at - 1]?.lower ?? ''))
    return [];
  const name = readName(tokens, at + 2, tokens.length);
  return name === undefined
    ? []
    : [{ ...toName(speech.speaker, name.value, 'call-me', 0.75), attribute: 'nickname', cardinality: 'many' }];
}

/** "I'm Maya" is a name only where the speaker is called so, or is not named at all and opens with it. */
export function findIntroduction(clause: Clause): Finding[] {
  const { tokens } = clause.sentence;
  const { verb, speech } = clause;
  if (!clause.isFirst || !verb.isCopula || verb.isPast || verb.isNegated || verb.isUncertain) return [];
  const isCalled = tokens[verb.main]?.lower === 'called';
  const name = readName(tokens, isCalled ? verb.main + 1 : verb.main, clause.end);
  const after = tokens[name?.next ?? tokens.length];
  if (name === undefined || !(after === undefined || after.pos === 'PUNCT' || after.pos === 'CCONJ')) return [];
  const first = name.value.split(' ')[0] ?? '';
  const isOwn = speech.speaker.toLowerCase().split(' ').includes(first.toLowerCase());
  const greets = clause.start > 0 && /^(?:hi|hello|hey)$/.test(tokens[0]?.lower ?? '');
  if (isCalled) return [toName(clause.entity, name.value, 'i-am-name', 0.8)];
  if (!isOwn && !(NAMELESS_SPEAKERS.has(speech.speaker.toLowerCase()) && greets)) return [];
  return [toName(clause.entity, name.value, 'i-am-name', 0.8)];
}

function findBirthday(tokens: readonly Token[], index: number, speech: Speech): Finding[] {
  const kin = readKin(tokens, index, tokens.length);
  const possessed = kin !== undefined && tokens[kin.next]?.lower === "'s";
  const noun = possessed ? kin.next + 1 : index + 1;
  if (tokens[noun]?.lower !== 'birthday') return [];
  const after = joinTokens(tokens.slice(noun + 2, noun + 2 + BIRTHDAY_TOKENS_MAX));
  const isTold = /^(?:is|'s|was|falls)$/.test(tokens[noun + 1]?.lower ?? '');
  const date = isTold
    ? (readMonthAndDay(after) ?? readNearDay(after, speech))
    : readBirthdayOf(tokens, index, noun, speech);
  if (date === undefined) return [];
  const entity = possessed ? entityOf(speech, kin) : speech.speaker;
  return [toBirthday(entity, date)];
}

/** "It's my birthday today", "today is my birthday". */
function readBirthdayOf(tokens: readonly Token[], my: number, noun: number, speech: Speech): MonthAndDay | undefined {
  const before = joinTokens(tokens.slice(0, my)).toLowerCase();
  const opening = /^(?:\w+,? )?(yesterday|today|tomorrow) (?:is|was)$/.exec(before)?.[1];
  if (opening !== undefined) return readNearDay(opening, speech);
  if (!/^(?:\w+,? )?it ?(?:'s|’s|is|was)$/.test(before)) return undefined;
  return readNearDay(joinTokens(tokens.slice(noun + 1, noun + 4)), speech);
}

/** "today", "on Friday" and their like as month and day, by the turn's own time; a plain "next week" is none. */
function readNearDay(words: string, { anchor }: Speech): MonthAndDay | undefined {
  if (anchor === undefined || !NEAR_DAY.test(words)) return undefined;
  const direction = /^(?:yesterday|last)/i.test(words) ? 'past' : 'future';
  const [found] = findTimeExpressions(words, direction, anchor);
  if (found?.start !== 0 || found.interval?.precision !== 'day') return undefined;
  const day = anchorDay({ ...anchor, atMs: found.interval.startMs });
  return found.interval.endMs - found.interval.startMs === DAY_MS ? { month: day.month, day: day.day } : undefined;
}

/** "I was born on 14 March 1990": the day and the month are the birthday. */
export function findBirth(clause: Clause): Finding[] {
  const { tokens } = clause.sentence;
  const { verb } = clause;
  if (verb.isNegated || verb.isUncertain || tokens[verb.main]?.lower !== 'born') return [];
  const date = readMonthAndDay(joinTokens(tokens.slice(verb.main, Math.min(clause.end, verb.main + 12))));
  return date === undefined ? [] : [toBirthday(clause.entity, date)];
}

function toBirthday(entity: string, date: { month: number; day: number }): Finding {
  return {
    entity,
    attribute: 'birthday',
    cardinality: 'one',
    value: `${monthName(date.month)} ${date.day}`,
    rule: 'rules-en/birthday@1',
    confidence: 0.9,
  };
}

function toName(entity: string, value: string, rule: string, confidence: number): Finding {
  return { entity, attribute: 'name', cardinality: 'one', value, rule: `rules-en/${rule}@1`, confidence };
}
