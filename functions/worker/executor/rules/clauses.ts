/** Clauses: whom a part of a sentence is about, its verb group, and whether it may give a claim at all. */
import type { Sentence, Token } from './language.ts';
import { isHardStop, isNameWord } from './phrases.ts';
import { isRole } from './role-phrases.ts';
import { findSubjects, type Speech } from './subjects.ts';
import { readVerbGroup, type VerbGroup } from './verb-groups.ts';
import { AUXILIARIES, HYPOTHETICALS, QUESTION_WORDS, REPORT_VERBS, TIME_CONJUNCTIONS } from './vocabulary.ts';

export interface Clause {
  sentence: Sentence;
  speech: Speech;
  entity: string;
  /** True when the speaker is the subject. */
  isFirst: boolean;
  /** Index of the subject's first token. */
  start: number;
  verb: VerbGroup;
  /** Index after the clause's last token. */
  end: number;
  /** Introduced by "when", "after" and their like: a retelling if it looks back, and no statement if it does not. */
  isSubordinate: boolean;
  /** The subject is a thing or a pet of the speaker's. */
  isThing: boolean;
}

// Nobody says more in one breath; what is longer is a list or a dump, and the rules compare tokens with each other.
const SENTENCE_TOKENS_MAX = 200;

// After "and" these are verbs, whatever wink takes them for.
const COORDINATED_VERBS = new Set(
  'live lives work works moved quit left joined started adopted love hate speak speaks play plays drive drives have has got use'.split(
    ' ',
  ),
);
// What may be added to a description: "a nurse living in Denver", "34, married, from Leeds".
const PARTICIPLES = new Set(
  'living based working studying married engaged divorced single from born raised vegan vegetarian allergic'.split(' '),
);
// "Update: I moved" is the speaker's; "Jonas: I moved" inside a turn is a quotation.
const LABELS = new Set(
  'note notes update edit ps fyi news fact facts reminder today rules context background about bio intro status result report summary info plus also confession anyway details family work diet hobbies answer'.split(
    ' ',
  ),
);
/** The clauses of a sentence that may give a claim, in order. A question gives none. */
export function readClauses(sentence: Sentence, speech: Speech): Clause[] {
  if (sentence.tokens.length > SENTENCE_TOKENS_MAX) return [];
  // A question states nothing, but "he" in the next sentence may be whom it asks about.
  const subjects = findSubjects(sentence, speech);
  if (sentence.isQuestion) return [];
  const clauses: Clause[] = [];
  for (const [index, subject] of subjects.entries()) {
    const limit = subjects[index + 1]?.start ?? sentence.tokens.length;
    if (isBlocked(sentence, subject.start, speech.people) || isTakenBack(sentence.tokens, subject.next)) continue;
    const verb = readVerbGroup(sentence.tokens, subject.next);
    if (verb === undefined || verb.main >= limit) continue;
    const previous = sentence.tokens[subject.start - 1]?.lower ?? '';
    const clause: Clause = {
      sentence,
      speech,
      entity: subject.entity,
      isFirst: subject.isFirst,
      start: subject.start,
      verb,
      end: findClauseEnd(sentence.tokens, verb.main, limit),
      isSubordinate: TIME_CONJUNCTIONS.has(previous) && sentence.tokens[subject.start]?.lower !== 'someone',
      isThing: subject.isThing === true,
    };
    clauses.push(clause, ...readCoordinated(clause, limit), ...readParticiples(clause, limit));
  }
  return clauses;
}

/** What stands before a subject can make all after it a question, a hypothesis or somebody else's words. */
function isBlocked(sentence: Sentence, start: number, people: ReadonlySet<string>): boolean {
  const { tokens } = sentence;
  const before = tokens.slice(0, start);
  if (before.some((token) => HYPOTHETICALS.has(token.lower) || /^(?:neither|nor)$/.test(token.lower))) return true;
  const colon = before.findLastIndex((token) => token.text === ':');
  const label = tokens[colon - 1];
  if (colon > 0 && label !== undefined && isSpeaker(label, people)) return true;
  if (isRelative(tokens, start)) return true;
  let index = start - 1;
  if (tokens[index]?.lower === 'that') index -= 1;
  const previous = tokens[index];
  if (previous === undefined) return false;
  // "I have a sister who lives" is no question.
  const isOwned = /^(?:an?|one)$/.test(tokens[start]?.lower ?? '');
  if ((AUXILIARIES.has(previous.lower) && !isOwned) || (QUESTION_WORDS.has(previous.lower) && index === start - 1))
    return true;
  return tokens
    .slice(Math.max(0, index - 2), index + 1)
    .some((token, offset, window) => REPORT_VERBS.has(token.lower) && !window.slice(offset).some(isComma));
}

// What is said behind a comma to make light of what was said before it.
const AFTERTHOUGHT =
  /, (?:sort of|kind of|i guess|i suppose|maybe|perhaps|probably|or something|or so|so they say|apparently|allegedly|not|just kidding|lol|jk)\b[^,]*$/;

function isTakenBack(tokens: readonly Token[], from: number): boolean {
  return AFTERTHOUGHT.test(
    tokens
      .slice(from)
      .map(({ lower }) => lower)
      .join(' '),
  );
}

/** Before a colon: somebody's name, or a word that can be one. */
function isSpeaker(label: Token, people: ReadonlySet<string>): boolean {
  return people.has(label.text) || (isNameWord(label) && label.pos === 'PROPN' && !LABELS.has(label.lower));
}

/** "The guy I met yesterday": what follows describes somebody else. "The day I moved" and "the way I live" do not. */
function isRelative(tokens: readonly Token[], start: number): boolean {
  if (!/^(?:i|we|he|she)$/.test(tokens[start]?.lower ?? '')) return false;
  const noun = tokens[start - 1];
  let index = start - 2;
  while (index >= 0 && (/^(?:ADJ|NOUN|NUM)$/.test(tokens[index]?.pos ?? '') || tokens[index]?.text === '-')) index -= 1;
  if (
    noun?.pos !== 'NOUN' ||
    !/^(?:the|a|an|that|this|these|those|every|any|some|my)$/.test(tokens[index]?.lower ?? '')
  )
    return false;
  // "After the wedding I moved": a time, and no thing that was moved.
  if (
    tokens[index - 1]?.pos === 'ADP' ||
    /^(?:after|before|during|since|at|in|on|until|despite|of)$/.test(tokens[index - 1]?.lower ?? '')
  )
    return false;
  return !/^(?:way|moment|day|time|week|weekend|month|year|morning|afternoon|evening|night|summer|winter|spring|fall|autumn|past|end|years|days|weeks|months|yesterday|today|tomorrow|birthday|life|job|fact|course|ago)$/.test(
    noun.lower,
  );
}

const isComma = (token: Token): boolean => token.text === ',' || token.pos === 'CCONJ';

function findClauseEnd(tokens: readonly Token[], from: number, limit: number): number {
  let end = from;
  while (end < limit && !isHardStop(tokens, end)) end += 1;
  // The word that leads over to the next subject belongs to neither clause.
  const leadsOver =
    end === limit && limit < tokens.length && /^(?:CCONJ|SCONJ|PUNCT)$/.test(tokens[end - 1]?.pos ?? '');
  return leadsOver && end > from + 1 ? end - 1 : end;
}

/** "I live in Austin and work at Acme": the verbs after "and" whose subject is that of a plain first clause. */
function readCoordinated(clause: Clause, limit: number): Clause[] {
  const { tokens } = clause.sentence;
  const { verb } = clause;
  if (verb.isNegated || verb.isUncertain || verb.isFuture || verb.isProgressive) return [];
  const coordinated: Clause[] = [];
  for (let index = verb.main + 1; index < limit - 1; index += 1) {
    if (isHardStop(tokens, index)) break;
    if (!/^(?:and|but|then)$/.test(tokens[index]?.lower ?? '')) continue;
    const group = readVerbGroup(tokens, index + 1);
    if (group === undefined || group.main >= limit) continue;
    const main = tokens[group.main];
    if (main === undefined || (main.pos !== 'VERB' && !group.isCopula && !COORDINATED_VERBS.has(main.lower))) continue;
    if (main.lower.endsWith('ing') && !group.isProgressive) continue;
    const previous = coordinated.at(-1) ?? clause;
    previous.end = Math.min(previous.end, index);
    const end = findClauseEnd(tokens, group.main, limit);
    coordinated.push({ ...clause, start: index + 1, verb: group, end });
  }
  return coordinated;
}

/** "I'm a nurse living in Denver", "I'm 34, married, and based in Leeds": what is added to who somebody is. */
function readParticiples(clause: Clause, limit: number): Clause[] {
  const { tokens } = clause.sentence;
  const { verb } = clause;
  if (!verb.isCopula || verb.isPast || verb.isNegated || verb.isUncertain || verb.isFuture) return [];
  const added: Clause[] = [];
  for (let index = verb.main + 1; index < limit; index += 1) {
    const token = tokens[index];
    const previous = tokens[index - 1]?.lower ?? '';
    if (token === undefined || isHardStop(tokens, index)) break;
    const isAge =
      previous === ',' && /^\d\d$/.test(token.text) && /^(?:,|and|\.|!|)$/.test(tokens[index + 1]?.lower ?? '');
    if (!PARTICIPLES.has(token.lower) && !isAge) continue;
    if (!/^(?:,|and|but|currently|now|originally|happily|old)$/.test(previous) && !isRole(previous)) continue;
    const isProgressive = token.lower.endsWith('ing');
    const group = { ...verb, main: index, isCopula: !isProgressive, isProgressive };
    const last = added.at(-1) ?? clause;
    last.end = Math.min(last.end, index);
    added.push({ ...clause, start: index, verb: group, end: findClauseEnd(tokens, index, limit) });
  }
  return added;
}
