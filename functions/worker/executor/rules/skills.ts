/** Languages, things being learned, and education. */
import type { Finding } from './claim-draft.ts';
import { isStated, joinLower, lowerAt, readListed, readMembers, readObject } from './clause-words.ts';
import type { Clause } from './clauses.ts';
import { toGain, toMember } from './findings.ts';
import type { Token } from './language.ts';
import { isNameWord, type Phrase, readName } from './phrases.ts';
import { ACTIVITIES, INSTRUMENTS_AND_GAMES, LANGUAGES } from './vocabulary-things.ts';

const FEW_WORDS = new Set(
  'a an some little bit of basic fluent decent good broken conversational only both native beginner rusty english, very pretty much fluently two three four five six languages :'.split(
    ' ',
  ),
);
const DEGREE =
  /\b(?:degrees?|ph\.?d|doctorate|masters?|master's|bachelors?|bachelor's|mba|msc|bsc|ba|ma|diploma|gcse|a-levels?)\b/;
const SCHOOL =
  /\b(?:university|college|school|academy|institute|polytechnic|conservatory|conservatoire|mit|uni|seminary|ucla|nyu|eth)\b/i;
const NO_SUBJECTS = new Set(
  'for abroad hard it this that the with all in at together how what late here there under every'.split(' '),
);

export function findSkills(clause: Clause): Finding[] {
  const { verb } = clause;
  if (clause.isSubordinate || verb.isNegated || verb.isFuture) return [];
  const main = lowerAt(clause, verb.main);
  if (/^speaks?$/.test(main) && !verb.isPast) return isSpeakable(clause) ? speaks(clause, verb.main + 1) : [];
  if (!isStated(clause)) return [];
  if (/^knows?$/.test(main) && !verb.isPast)
    return speaks(clause, verb.main + 1).filter(({ value }) => isLast(clause, value));
  if (main === 'grew' && joinLower(clause, verb.main + 1, 2) === 'up speaking') return speaks(clause, verb.main + 3);
  if (verb.isCopula && !verb.isPast && /^(?:fluent|bilingual|trilingual|multilingual|conversational)$/.test(main)) {
    return speaks(clause, verb.main + (lowerAt(clause, verb.main + 1) === 'in' ? 2 : 1));
  }
  if (
    verb.isCopula &&
    !verb.isPast &&
    /^an? (?:native|fluent) (?:\w+ speaker|speaker of)\b/.test(joinLower(clause, verb.main, 4))
  ) {
    const at = lowerAt(clause, verb.main + 2) === 'speaker' ? verb.main + 4 : verb.main + 2;
    return speaks(clause, at);
  }
  return [...findLearning(clause, main), ...findEducation(clause, main)];
}

/** "I know French" is a language; "I know French cinema" is none. */
function isLast(clause: Clause, value: string): boolean {
  const at = clause.sentence.tokens.findIndex(({ lower }) => lower === value.toLowerCase());
  return at + 1 >= clause.end || clause.sentence.tokens[at + 1]?.pos !== 'NOUN';
}

/** "can speak" is the one use of "can" that tells a skill; "could" and "would" tell none. */
function isSpeakable(clause: Clause): boolean {
  if (!clause.verb.isUncertain) return true;
  return clause.sentence.tokens.slice(clause.start, clause.verb.main).some(({ lower }) => lower === 'can');
}

function speaks(clause: Clause, from: number): Finding[] {
  // "I speak four languages: Dutch, …": what stands behind the colon belongs to it.
  const whole = { ...clause, end: clause.sentence.tokens.length };
  const { values } = readMembers(whole, from, { accepts: readLanguage, skips: FEW_WORDS });
  return values.map((value) => toMember(clause, { attribute: 'speaks', value, rule: 'speaks@1', confidence: 0.85 }));
}

function readLanguage(tokens: readonly Token[], index: number): Phrase | undefined {
  const found = readListed(tokens, index, LANGUAGES, 1);
  return found === undefined
    ? undefined
    : { ...found, value: found.value.slice(0, 1).toUpperCase() + found.value.slice(1) };
}

/** "I'm learning Italian", "I've been learning the cello since May", "I started learning to swim last week". */
function findLearning(clause: Clause, main: string): Finding[] {
  const { verb } = clause;
  if (main === 'teaching' && verb.isProgressive && lowerAt(clause, verb.main + 1) === 'myself') {
    const object = readOpen(clause, verb.main + 2);
    return object === undefined
      ? []
      : [
          toMember(clause, {
            attribute: 'learning',
            value: object.value.replace(/^(?:how )?to /, ''),
            rule: 'learning@1',
            confidence: 0.75,
          }),
        ];
  }
  const isStart = /^(?:started|began)$/.test(main) && /^(?:learning|studying)$/.test(lowerAt(clause, verb.main + 1));
  const isNow = (main === 'learning' || main === 'studying') && verb.isProgressive && !verb.isPast;
  if (!isStart && !isNow) return findLessons(clause, main);
  const from = verb.main + (isStart ? 2 : 1);
  const { tokens } = clause.sentence;
  const at = /^(?:the|some|a)$/.test(lowerAt(clause, from)) ? from + 1 : from;
  const known =
    readListed(tokens, at, INSTRUMENTS_AND_GAMES) ?? readLanguage(tokens, at) ?? readListed(tokens, at, ACTIVITIES, 1);
  const isLearned = (isStart ? lowerAt(clause, verb.main + 1) : main) === 'learning';
  const object = known ?? (isLearned ? readOpen(clause, from) : undefined);
  if (object === undefined) return [];
  const toFinding = isStart ? toGain : toMember;
  return [toFinding(clause, { attribute: 'learning', value: object.value, rule: 'learning@1', confidence: 0.75 })];
}

function readOpen(clause: Clause, from: number): Phrase | undefined {
  if (
    /^(?:about|from|that|it|this|how|more|a|so|by|not|what|on|as)$/.test(lowerAt(clause, from)) &&
    joinLower(clause, from, 2) !== 'how to'
  )
    return undefined;
  return readObject(clause, from, 5);
}

/** "I'm taking guitar lessons." */
function findLessons(clause: Clause, main: string): Finding[] {
  if (!/^(?:taking|take|takes)$/.test(main) || clause.verb.isPast) return [];
  const object = readObject(clause, clause.verb.main + 1, 4);
  const match = /^(.+?) (?:lessons|classes)$/i.exec(object?.value ?? '');
  if (match === null) return [];
  return [toMember(clause, { attribute: 'learning', value: match[1] ?? '', rule: 'lessons@1', confidence: 0.75 })];
}

function findEducation(clause: Clause, main: string): Finding[] {
  const from = clause.verb.main + 1;
  if (/^(?:studied|study|studies|studying)$/.test(main)) return findStudied(clause, from);
  if (main === 'majored' || main === 'majoring') return lowerAt(clause, from) === 'in' ? educate(clause, from + 1) : [];
  if (main === 'graduated') return findGraduated(clause, from);
  if (main === 'went' || main === 'attended' || main === 'attend' || main === 'attends')
    return findAttended(clause, from);
  if (/^(?:enrolled|enrolling|studying)$/.test(main) && /^(?:in|at)$/.test(lowerAt(clause, from)))
    return educate(clause, from + 1);
  if (/^(?:have|has|got|hold|holds|earned|finished|completed|doing|pursuing|did|received)$/.test(main)) {
    const object = readObject(clause, from, 9);
    const head = object?.value.toLowerCase().split(' ').slice(0, 3).join(' ') ?? '';
    return object !== undefined && DEGREE.test(head) ? [toEducated(clause, object.value)] : [];
  }
  return [];
}

/** "I studied biology at Leeds", "I study law": a subject, and no "for the exam". */
function findStudied(clause: Clause, from: number): Finding[] {
  const first = clause.sentence.tokens[from];
  if (first === undefined || from >= clause.end) return [];
  if (first.lower === 'at')
    return readName(clause.sentence.tokens, from + 1, clause.end) === undefined ? [] : educate(clause, from + 1);
  if (NO_SUBJECTS.has(first.lower) || !/^(?:NOUN|PROPN|ADJ|VERB)$/.test(first.pos)) return [];
  if (clause.verb.isProgressive && LANGUAGES.has(first.lower) && !/\bat\b/.test(joinLower(clause, from, 6))) return [];
  return educate(clause, from);
}

function findGraduated(clause: Clause, from: number): Finding[] {
  const lead = lowerAt(clause, from);
  if (lead !== 'from' && lead !== 'with' && lead !== 'in') return [];
  const object = readObject(clause, from + 1, 9);
  if (
    object === undefined ||
    !(
      isNameWord(clause.sentence.tokens[from + 1]) ||
      SCHOOL.test(object.value) ||
      DEGREE.test(object.value.toLowerCase())
    )
  )
    return [];
  return [toEducated(clause, object.value)];
}

function findAttended(clause: Clause, from: number): Finding[] {
  const at = lowerAt(clause, from) === 'to' ? from + 1 : from;
  const object = readObject(clause, at, 6);
  const isNamed = isNameWord(clause.sentence.tokens[lowerAt(clause, at) === 'the' ? at + 1 : at]);
  return object !== undefined && isNamed && SCHOOL.test(object.value) ? [toEducated(clause, object.value)] : [];
}

function educate(clause: Clause, from: number): Finding[] {
  const object = readObject(clause, from, 8);
  return object === undefined ? [] : [toEducated(clause, object.value)];
}

function toEducated(clause: Clause, value: string): Finding {
  return toGain(clause, { attribute: 'education', value, rule: 'education@1', confidence: 0.7 });
}
