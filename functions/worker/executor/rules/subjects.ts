/** Whom a part of a sentence is about: the speaker, kin, a person known by name, or "he" and "she" where that is safe. */
import type { Anchor } from './calendar.ts';
import type { Sentence, Token } from './language.ts';
import { kinKey } from './people.ts';
import { isNameWord, readName } from './phrases.ts';
import { noteKin, noteToken, type Referents } from './referents.ts';
import { readNumber } from './time-words.ts';
import { ACQUAINTANCES, KIN, KIN_ADJECTIVES, KIN_FORMAL, PLAIN_ADVERBS } from './vocabulary.ts';

/** Who speaks, when, and which names the text has shown to be people's. */
export interface Speech {
  speaker: string;
  people: ReadonlySet<string>;
  /** Names of the kin one has one of, by `kinKey`. */
  kinNames: ReadonlyMap<string, string>;
  /** Employers named so far in this text, lower case: "left Acme" ends a job only for one of these. */
  employers: Set<string>;
  /** Whom "he" and "she" mean so far in this turn. */
  referents: Referents;
  anchor?: Anchor;
}

export interface Subject {
  entity: string;
  isFirst: boolean;
  start: number;
  next: number;
  /** A thing or a pet of the speaker's ("my bike was stolen"): it has no claims of its own, but things happen to it. */
  isThing?: true;
}

export interface KinMention {
  kin: string;
  name?: string;
  next: number;
}

// Notes drop the "I": these words alone, at the beginning, are then read as the writer's.
const BARE_VERBS = new Set(
  `moved quit adopted joined started got bought sold born graduated retired finished turned based living live lives
   working work love hate allergic married engaged divorced drive speak went ran signed booked`.split(/\s+/),
);
const VERB_TAGS = new Set(['VERB', 'AUX']);
const THIRD_PERSON_VERBS = new Set(
  `lives works moved is was has are were have live work 's started joined left quit loves hates likes speaks drives plays
   studies turned got turns just`.split(/\s+/),
);
// A name nobody has introduced is taken for a person's only before these.
const PERSONAL =
  /^(?:lives in|works (?:at|as|for)|moved to|got (?:married|engaged|divorced)|is (?:married|engaged|divorced)|is allergic)\b/;
const KIN_ADJECTIVES_MAX = 3;
const THING_TOKENS_MAX = 6;
// After "my sister's": a verb, where everything else is a possession.
const CONTRACTED =
  /^(?:a|an|not|been|allergic|vegan|vegetarian|moving|getting|turning|starting|coming|leaving|visiting|married|engaged|from|in|pregnant)$/;
const OWNS = /^(?:have|got|'ve)$/;
const PAST = /^(?:was|were|got|died|broke|had|went|came|won|ran|\w+ed)$/;

/** The subjects of a sentence in order; what it mentions is noted for the "he" and "she" that follow. */
export function findSubjects(sentence: Sentence, speech: Speech): Subject[] {
  const { tokens } = sentence;
  const subjects: Subject[] = [];
  let index = 0;
  while (index < tokens.length) {
    const subject = sentence.quoted[index] === true ? undefined : readSubject(tokens, index, speech);
    if (subject === undefined) {
      index = noteMention(tokens, index, speech);
      continue;
    }
    subjects.push(subject);
    index = Math.max(subject.next, index + 1);
  }
  return subjects;
}

/** Kin after "my" or "our": the word, the name if one follows, and the index after both. */
export function readKin(tokens: readonly Token[], from: number, end: number): KinMention | undefined {
  // "Dad" with a capital is the speaker's own.
  if (
    /^(?:Mom|Mum|Dad|Grandma|Grandpa|Nana)$/.test(tokens[from]?.text ?? '') &&
    !/^(?:my|our|his|her|their|your|'s|the|a)$/.test(tokens[from - 1]?.lower ?? '')
  ) {
    return { kin: KIN_FORMAL.get(tokens[from]?.lower ?? '') ?? '', next: from + 1 };
  }
  if (!/^(?:my|our)$/.test(tokens[from]?.lower ?? '')) return undefined;
  return readKinNoun(tokens, from + 1, end);
}

/** The same after "my", "a" or "one": "older sister Ana", "mother-in-law". */
export function readKinNoun(tokens: readonly Token[], from: number, end: number): KinMention | undefined {
  let index = from;
  while (index < from + KIN_ADJECTIVES_MAX && isKinAdjective(tokens, index)) index += 1;
  const inLaw = tokens[index + 4]?.lower === 'law' && tokens[index + 2]?.lower === 'in';
  const word = inLaw ? `${tokens[index]?.lower}-in-law` : (tokens[index]?.lower ?? '');
  if (tokens[index]?.lower === 'in' && tokens[index + 2]?.lower === 'laws') return { kin: 'in-laws', next: index + 3 };
  if (!KIN.has(word) || index >= end) return undefined;
  const kin = KIN_FORMAL.get(word) ?? word;
  const next = index + (inLaw ? 5 : 1);
  const comma = tokens[next]?.text === ',';
  if (/^(?:named|called)$/.test(tokens[next]?.lower ?? '')) {
    const called = readName(tokens, next + 1, end);
    if (called !== undefined) return { kin, name: called.value, next: called.next };
  }
  if (tokens[next]?.text === '(' && tokens[next + 2]?.text === ')' && isNameWord(tokens[next + 1])) {
    return { kin, name: tokens[next + 1]?.text ?? '', next: next + 3 };
  }
  const name = readName(tokens, comma ? next + 1 : next, end);
  if (name === undefined || name.value.split(' ').length > 2 || /^(?:'s|and)$/.test(name.value)) return { kin, next };
  if (!comma) return { kin, name: name.value, next: name.next };
  return tokens[name.next]?.text === ',' ? { kin, name: name.value, next: name.next + 1 } : { kin, next };
}

function isKinAdjective(tokens: readonly Token[], index: number): boolean {
  const lower = tokens[index]?.lower ?? '';
  return KIN_ADJECTIVES.has(lower) && (!KIN.has(lower) || KIN.has(tokens[index + 1]?.lower ?? ''));
}

/** The name of kin in claims: their own once given, else "Maya's sister". */
export function entityOf(speech: Speech, { kin, name }: { kin: string; name?: string }): string {
  return name ?? speech.kinNames.get(kinKey(speech.speaker, kin)) ?? `${speech.speaker}'s ${kin}`;
}

function readSubject(tokens: readonly Token[], index: number, speech: Speech): Subject | undefined {
  const token = tokens[index];
  if (token === undefined) return undefined;
  if (token.lower === 'i' || token.lower === 'we') {
    if (tokens[index + 1]?.text === '.') return undefined;
    return { entity: speech.speaker, isFirst: true, start: index, next: index + 1 };
  }
  if (token.lower === 'me' && tokens[index + 1]?.lower === 'and') {
    const mention = readKin(tokens, index + 2, tokens.length);
    if (mention !== undefined && isPredicate(tokens, mention.next)) {
      return { entity: speech.speaker, isFirst: true, start: index, next: mention.next };
    }
  }
  const third =
    readKinSubject(tokens, index, speech) ?? readPronoun(tokens, index, speech) ?? readNamed(tokens, index, speech);
  if (third !== undefined) return third;
  const thing = readThing(tokens, index, speech);
  if (thing !== undefined) return thing;
  if (isSomeoneWho(tokens, index)) return { entity: speech.speaker, isFirst: true, start: index, next: index + 2 };
  if (BARE_VERBS.has(token.lower) && isBareStart(tokens, index)) {
    return { entity: speech.speaker, isFirst: true, start: index, next: index };
  }
  return undefined;
}

/** "My bike was stolen", "our old cat Miso died": up to four words after "my", and a past tense. */
function readThing(tokens: readonly Token[], index: number, speech: Speech): Subject | undefined {
  if (!/^(?:my|our)$/.test(tokens[index]?.lower ?? '')) return undefined;
  const previous = tokens[index - 1];
  if (previous !== undefined && !/^(?:PUNCT|CCONJ|INTJ)$/.test(previous.pos)) return undefined;
  for (let next = index + 2; next < index + THING_TOKENS_MAX; next += 1) {
    const token = tokens[next];
    const before = tokens[next - 1]?.lower ?? '';
    if (token === undefined || KIN.has(before)) return undefined;
    if (ACQUAINTANCES.has(before) || ACQUAINTANCES.has(tokens[next - 2]?.lower ?? '')) return undefined;
    if (PAST.test(token.lower) && VERB_TAGS.has(token.pos))
      return { entity: speech.speaker, isFirst: false, isThing: true, start: index, next };
    if (!/^(?:NOUN|PROPN|ADJ|NUM)$/.test(token.pos)) return undefined;
  }
  return undefined;
}

/** "My sister Ana lives", "my brother, who lives", "I have a sister who lives". */
function readKinSubject(tokens: readonly Token[], index: number, speech: Speech): Subject | undefined {
  const isOwned = /^(?:a|an|one)$/.test(tokens[index]?.lower ?? '') && OWNS.test(tokens[index - 1]?.lower ?? '');
  const mention = isOwned ? readKinNoun(tokens, index + 1, tokens.length) : readKin(tokens, index, tokens.length);
  // "Nobody in my family", "the mother of my wife": these are about somebody else.
  if (mention === undefined || (!isOwned && tokens[index - 1]?.pos === 'ADP')) return undefined;
  const apposition = readApposition(tokens, index, mention);
  if (apposition !== undefined) return apposition;
  const comma = tokens[mention.next]?.text === ',' ? 1 : 0;
  const isRelative = tokens[mention.next + comma]?.lower === 'who';
  if (isOwned && !isRelative) return undefined;
  const next = isRelative ? mention.next + comma + 1 : mention.next;
  if (!isPredicate(tokens, next)) return undefined;
  const said = mention.name ?? readSaidName(tokens, mention.next);
  const entity = entityOf(speech, said === undefined ? mention : { kin: mention.kin, name: said });
  noteKin(speech.referents, { kin: mention.kin, entity, hasName: said !== undefined });
  return { entity, isFirst: false, start: index, next };
}

/** "Ana, my sister, lives in Oslo": the name stands before the kin. */
function readApposition(tokens: readonly Token[], index: number, mention: KinMention): Subject | undefined {
  const name = tokens[index - 2];
  if (mention.name !== undefined || tokens[index - 1]?.text !== ',' || !isNameWord(name) || name === undefined)
    return undefined;
  if (tokens[mention.next]?.text !== ',' || !isPredicate(tokens, mention.next + 1)) return undefined;
  return { entity: name.text, isFirst: false, start: index - 2, next: mention.next + 1 };
}

function readPronoun(tokens: readonly Token[], index: number, speech: Speech): Subject | undefined {
  const lower = tokens[index]?.lower;
  if (lower !== 'he' && lower !== 'she') return undefined;
  const entity = speech.referents[lower];
  if (typeof entity !== 'string' || !isPredicate(tokens, index + 1)) return undefined;
  return { entity, isFirst: false, start: index, next: index + 1 };
}

function readNamed(tokens: readonly Token[], index: number, speech: Speech): Subject | undefined {
  const token = tokens[index];
  if (token === undefined || !isNameWord(token)) return undefined;
  const previous = tokens[index - 1];
  const opens =
    previous === undefined ||
    /^(?:PUNCT|CCONJ|SCONJ|INTJ)$/.test(previous.pos) ||
    ACQUAINTANCES.has(previous.lower) ||
    KIN.has(previous.lower);
  if (!opens) return undefined;
  const isKnown = speech.people.has(token.text);
  const words = tokens
    .slice(index + 1, index + 4)
    .map(({ lower }) => lower)
    .join(' ');
  const isPerson = isKnown
    ? isPredicate(tokens, index + 1)
    : index === 0 && token.pos === 'PROPN' && PERSONAL.test(words);
  if (!isPerson) return undefined;
  const { referents, speaker } = speech;
  const isFirst = token.text === speaker;
  if (!isFirst)
    for (const word of ['he', 'she'] as const) referents[word] = referents[word] === token.text ? token.text : null;
  return { entity: token.text, isFirst, start: index, next: index + 1 };
}

/** "'s name is Tom", "is called Tom", "are named Tim" from a token on. */
export function readSaidName(tokens: readonly Token[], from: number): string | undefined {
  const words = tokens
    .slice(from, from + 3)
    .map(({ lower }) => lower)
    .join(' ');
  const skip =
    words === "'s name is" || words === "' names are" ? 3 : /^(?:is|'s|are) (?:called|named)\b/.test(words) ? 2 : 0;
  return skip === 0 ? undefined : readName(tokens, from + skip, tokens.length)?.value;
}

/** Passes over what is no subject, and notes whom it mentions. */
function noteMention(tokens: readonly Token[], index: number, speech: Speech): number {
  const mention = readKin(tokens, index, tokens.length);
  if (mention !== undefined) {
    const name = mention.name ?? readSaidName(tokens, mention.next);
    const entity = entityOf(speech, name === undefined ? mention : { kin: mention.kin, name });
    noteKin(speech.referents, { kin: mention.kin, entity, hasName: name !== undefined });
    return Math.max(mention.next, index + 1);
  }
  const owned =
    /^(?:an?|one)$/.test(tokens[index]?.lower ?? '') && OWNS.test(tokens[index - 1]?.lower ?? '')
      ? readKinNoun(tokens, index + 1, tokens.length)
      : undefined;
  if (owned !== undefined) {
    noteKin(speech.referents, { kin: owned.kin, entity: entityOf(speech, owned), hasName: owned.name !== undefined });
    return owned.next;
  }
  const named = ACQUAINTANCES.has(tokens[index]?.lower ?? '') ? readName(tokens, index + 1, tokens.length) : undefined;
  if (named !== undefined) {
    noteKin(speech.referents, { kin: '', entity: named.value, hasName: true });
    // The name itself is looked at next: it may be a subject.
    return index + 1;
  }
  const token = tokens[index];
  if (token !== undefined) noteToken(speech.referents, token, speech.people, speech.speaker);
  return index + 1;
}

/** True when what follows a third person is a verb. A possessive ("my sister's flat") is none. */
function isPredicate(tokens: readonly Token[], index: number): boolean {
  const token = tokens[index];
  if (token === undefined) return false;
  if (token.lower === "'s") {
    const next = tokens[index + 1]?.lower ?? '';
    return CONTRACTED.test(next) || readNumber(next) !== undefined;
  }
  if (PLAIN_ADVERBS.has(token.lower))
    return isPredicate(tokens, index + 1) && !PLAIN_ADVERBS.has(tokens[index + 1]?.lower ?? '');
  return VERB_TAGS.has(token.pos) || THIRD_PERSON_VERBS.has(token.lower) || /^(?:died|\w{2,}ed)$/.test(token.lower);
}

/** "As someone who lives in Oslo, …" at the beginning says it of the speaker. */
function isSomeoneWho(tokens: readonly Token[], index: number): boolean {
  return index === 1 && tokens[0]?.lower === 'as' && tokens[1]?.lower === 'someone' && tokens[2]?.lower === 'who';
}

function isBareStart(tokens: readonly Token[], index: number): boolean {
  if (index > 2) return false;
  return tokens
    .slice(0, index)
    .every((token) => PLAIN_ADVERBS.has(token.lower) || token.pos === 'INTJ' || token.text === ',');
}
