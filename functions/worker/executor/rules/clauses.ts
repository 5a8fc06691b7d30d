/** Clauses: whom a part of a sentence is about, its verb group, and whether it may give a claim at all. */
import type { Anchor } from './calendar.ts';
import type { Sentence, Token } from './language.ts';
import { isHardStop, isNameWord, readName } from './phrases.ts';
import { readVerbGroup, type VerbGroup } from './verb-groups.ts';
import {
  ACQUAINTANCES,
  AUXILIARIES,
  HYPOTHETICALS,
  KIN,
  KIN_ADJECTIVES,
  KIN_FORMAL,
  PLAIN_ADVERBS,
  QUESTION_WORDS,
  REPORT_VERBS,
  TIME_CONJUNCTIONS,
} from './vocabulary.ts';

/** Who speaks, when, and which names the text has shown to be people's. */
export interface Speech {
  speaker: string;
  people: ReadonlySet<string>;
  /** Employers named so far in this text, lower case: "left Acme" ends a job only for one of these. */
  employers: Set<string>;
  anchor?: Anchor;
}

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
}

interface Subject {
  entity: string;
  isFirst: boolean;
  start: number;
  next: number;
}

// Nobody says more in one breath; what is longer is a list or a dump, and the rules compare tokens with each other.
const SENTENCE_TOKENS_MAX = 200;

// Notes drop the "I": these verbs alone are then read as the writer's.
const BARE_VERBS = new Set('moved quit adopted joined started'.split(' '));
// After "and" these are verbs, whatever wink takes them for.
const COORDINATED_VERBS = new Set('live lives work works moved quit left joined started adopted love hate'.split(' '));
// "Update: I moved" is the speaker's; "Jonas: I moved" inside a turn is a quotation.
const LABELS = new Set('note notes update edit ps fyi news fact reminder today'.split(' '));
const VERB_TAGS = new Set(['VERB', 'AUX']);
const THIRD_PERSON_VERBS = new Set("lives works moved is was has 's started joined left quit loves hates".split(' '));

/** The clauses of a sentence that may give a claim, in order. A question gives none. */
export function readClauses(sentence: Sentence, speech: Speech): Clause[] {
  if (sentence.isQuestion || sentence.tokens.length > SENTENCE_TOKENS_MAX) return [];
  const subjects = findSubjects(sentence, speech);
  const clauses: Clause[] = [];
  for (const [index, subject] of subjects.entries()) {
    const limit = subjects[index + 1]?.start ?? sentence.tokens.length;
    if (isBlocked(sentence, subject.start)) continue;
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
      isSubordinate: TIME_CONJUNCTIONS.has(previous),
    };
    clauses.push(clause, ...readCoordinated(clause, limit));
  }
  return clauses;
}

/** Kin after "my" or "our": the word, the name if one follows, and the index after both. */
export function readKin(
  tokens: readonly Token[],
  from: number,
  end: number,
): { kin: string; name?: string; next: number } | undefined {
  if (!/^(?:my|our)$/.test(tokens[from]?.lower ?? '')) return undefined;
  let index = from + 1;
  while (index < from + 3 && KIN_ADJECTIVES.has(tokens[index]?.lower ?? '') && !KIN.has(tokens[index]?.lower ?? '')) {
    index += 1;
  }
  const inLaw = tokens[index + 4]?.lower === 'law' && tokens[index + 2]?.lower === 'in';
  const word = inLaw ? `${tokens[index]?.lower}-in-law` : (tokens[index]?.lower ?? '');
  if (!KIN.has(word) || index >= end) return undefined;
  const kin = KIN_FORMAL.get(word) ?? word;
  const next = index + (inLaw ? 5 : 1);
  const comma = tokens[next]?.text === ',';
  const name = readName(tokens, comma ? next + 1 : next, end);
  if (name === undefined || name.value.split(' ').length > 2) return { kin, next };
  if (!comma) return { kin, name: name.value, next: name.next };
  return tokens[name.next]?.text === ',' ? { kin, name: name.value, next: name.next + 1 } : { kin, next };
}

function findSubjects(sentence: Sentence, speech: Speech): Subject[] {
  const { tokens } = sentence;
  const subjects: Subject[] = [];
  let index = 0;
  while (index < tokens.length) {
    const subject = sentence.quoted[index] === true ? undefined : readSubject(tokens, index, speech);
    if (subject === undefined) {
      index += 1;
      continue;
    }
    subjects.push(subject);
    index = Math.max(subject.next, index + 1);
  }
  return subjects;
}

function readSubject(tokens: readonly Token[], index: number, speech: Speech): Subject | undefined {
  const token = tokens[index];
  if (token === undefined) return undefined;
  if (token.lower === 'i' || token.lower === 'we') {
    if (tokens[index + 1]?.text === '.') return undefined;
    return { entity: speech.speaker, isFirst: true, start: index, next: index + 1 };
  }
  const kin = readKin(tokens, index, tokens.length);
  if (kin !== undefined) {
    if (!isPredicate(tokens, kin.next)) return undefined;
    return { entity: kin.name ?? `${speech.speaker}'s ${kin.kin}`, isFirst: false, start: index, next: kin.next };
  }
  const previous = tokens[index - 1];
  const opens =
    previous === undefined || /^(?:PUNCT|CCONJ|SCONJ|INTJ)$/.test(previous.pos) || ACQUAINTANCES.has(previous.lower);
  if (isNameWord(token) && opens && speech.people.has(token.text) && isPredicate(tokens, index + 1)) {
    return { entity: token.text, isFirst: token.text === speech.speaker, start: index, next: index + 1 };
  }
  if (BARE_VERBS.has(token.lower) && isBareStart(tokens, index)) {
    return { entity: speech.speaker, isFirst: true, start: index, next: index };
  }
  return undefined;
}

/** True when what follows a third person is a verb. A possessive ("my sister's flat") is none. */
function isPredicate(tokens: readonly Token[], index: number): boolean {
  const token = tokens[index];
  if (token === undefined) return false;
  if (token.lower === "'s") return /^(?:a|an|not|been)$/.test(tokens[index + 1]?.lower ?? '');
  if (PLAIN_ADVERBS.has(token.lower)) return THIRD_PERSON_VERBS.has(tokens[index + 1]?.lower ?? '');
  return VERB_TAGS.has(token.pos) || THIRD_PERSON_VERBS.has(token.lower);
}

function isBareStart(tokens: readonly Token[], index: number): boolean {
  if (index > 2) return false;
  return tokens
    .slice(0, index)
    .every((token) => PLAIN_ADVERBS.has(token.lower) || token.pos === 'INTJ' || token.text === ',');
}

/** What stands before a subject can make all after it a question, a hypothesis or somebody else's words. */
function isBlocked(sentence: Sentence, start: number): boolean {
  const { tokens } = sentence;
  const before = tokens.slice(0, start);
  if (before.some((token) => HYPOTHETICALS.has(token.lower))) return true;
  const colon = before.findLastIndex((token) => token.text === ':');
  const label = tokens[colon - 1];
  if (colon > 0 && isNameWord(label) && !LABELS.has(label?.lower ?? '')) return true;
  let index = start - 1;
  if (tokens[index]?.lower === 'that') index -= 1;
  const previous = tokens[index];
  if (previous === undefined) return false;
  if (AUXILIARIES.has(previous.lower) || (QUESTION_WORDS.has(previous.lower) && index === start - 1)) return true;
  return tokens
    .slice(Math.max(0, index - 2), index + 1)
    .some((token, offset, window) => REPORT_VERBS.has(token.lower) && !window.slice(offset).some(isComma));
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
