/** Name and birthday: "my name is Maya", "hi, I'm Maya", "my mom's birthday is June 3". */
import { readMonthAndDay } from './calendar-dates.ts';
import type { Finding } from './claim-draft.ts';
import { type Clause, readKin, type Speech } from './clauses.ts';
import type { Sentence, Token } from './language.ts';
import { joinTokens, readName } from './phrases.ts';
import { DEFAULT_PERSON } from './rendered-text.ts';
import { monthName } from './time-words.ts';
import { HYPOTHETICALS, NEGATIONS } from './vocabulary.ts';

const BIRTHDAY_TOKENS_MAX = 9;
const NAMELESS_SPEAKERS = new Set([DEFAULT_PERSON, 'human', 'me']);

/** What a sentence that begins at "my" says of a name or a birthday. */
export function findIdentity(sentence: Sentence, speech: Speech): Finding[] {
  const { tokens } = sentence;
  if (sentence.isQuestion) return [];
  if (tokens.some((token) => HYPOTHETICALS.has(token.lower) || NEGATIONS.has(token.lower) || token.lower === "n't")) {
    return [];
  }
  const findings: Finding[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    if (sentence.quoted[index] === true || tokens[index]?.lower !== 'my') continue;
    findings.push(...findOwnName(tokens, index, speech), ...findBirthday(tokens, index, speech));
  }
  return findings;
}

function findOwnName(tokens: readonly Token[], index: number, speech: Speech): Finding[] {
  if (tokens[index + 1]?.lower !== 'name' || !/^(?:is|'s)$/.test(tokens[index + 2]?.lower ?? '')) return [];
  const name = readName(tokens, index + 3, tokens.length);
  return name === undefined ? [] : [toName(speech.speaker, name.value, 'my-name', 0.95)];
}

/** "I'm Maya" is a name only where the speaker is called so, or is not named at all and opens with it. */
export function findIntroduction(clause: Clause): Finding[] {
  const { tokens } = clause.sentence;
  const { verb, speech } = clause;
  if (!clause.isFirst || !verb.isCopula || verb.isPast || verb.isNegated || verb.isUncertain) return [];
  const name = readName(tokens, verb.main, clause.end);
  const after = tokens[name?.next ?? tokens.length];
  if (name === undefined || !(after === undefined || after.pos === 'PUNCT' || after.pos === 'CCONJ')) return [];
  const first = name.value.split(' ')[0] ?? '';
  const isOwn = speech.speaker.toLowerCase().split(' ').includes(first.toLowerCase());
  const greets = clause.start > 0 && /^(?:hi|hello|hey)$/.test(tokens[0]?.lower ?? '');
  if (!isOwn && !(NAMELESS_SPEAKERS.has(speech.speaker.toLowerCase()) && greets)) return [];
  return [toName(clause.entity, name.value, 'i-am-name', 0.8)];
}

function findBirthday(tokens: readonly Token[], index: number, speech: Speech): Finding[] {
  const kin = readKin(tokens, index, tokens.length);
  const possessed = kin !== undefined && tokens[kin.next]?.lower === "'s";
  const noun = possessed ? kin.next + 1 : index + 1;
  if (tokens[noun]?.lower !== 'birthday' || !/^(?:is|'s)$/.test(tokens[noun + 1]?.lower ?? '')) return [];
  const date = readMonthAndDay(joinTokens(tokens.slice(noun + 2, noun + 2 + BIRTHDAY_TOKENS_MAX)));
  if (date === undefined) return [];
  const entity = possessed ? (kin.name ?? `${speech.speaker}'s ${kin.kin}`) : speech.speaker;
  return [toBirthday(entity, date)];
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
