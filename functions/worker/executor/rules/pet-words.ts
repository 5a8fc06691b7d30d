/** Readers of pets and of the names that follow a noun: "a dog named Rex", "two cats, Miso and Tofu". */
import type { Token } from './language.ts';
import { isHardStop, isNameWord, readName } from './phrases.ts';
import { isTimeOpener } from './time-words.ts';
import { PETS } from './vocabulary.ts';

export const COUNTS = /^(?:an?|one|twin|two|three|four|five|six|seven|[1-7])$/;
export const ADJECTIVE_TAGS = new Set(['ADJ', 'NUM', 'ADV', 'NOUN', 'VERB']);
const PET_TOKENS_MAX = 5;
const NAMES_MAX = 4;

export interface Pet {
  kind: string;
  names: string[];
  next: number;
}

/** A pet within a few tokens: its kind, its names if any follow, and the index after them. */
export function readPet(tokens: readonly Token[], from: number, end: number): Pet | undefined {
  for (let index = from; index < Math.min(end, from + PET_TOKENS_MAX); index += 1) {
    const token = tokens[index];
    if (token === undefined || isHardStop(tokens, index)) return undefined;
    const isGuineaPig = token.lower === 'guinea' && /^pigs?$/.test(tokens[index + 1]?.lower ?? '');
    const kind = isGuineaPig ? 'guinea pig' : readKind(token.lower);
    if (kind !== undefined) {
      const last = isGuineaPig ? index + 1 : index;
      const after = tokens[last + 1];
      // "A golden retriever puppy" is read to its last word.
      if (after !== undefined && readKind(after.lower) !== undefined) continue;
      // A "dog-walking business", a "cat person" and "my dog's vet" are no pets; "my dog's name is Rex" is one.
      const isNamed = after?.lower === "'s" && tokens[last + 2]?.lower === 'name';
      if (
        after !== undefined &&
        !isNamed &&
        (after.text === '-' ||
          after.lower === 'to' ||
          after.lower === "'s" ||
          (after.pos === 'NOUN' && !isTimeOpener(after.lower)))
      )
        return undefined;
      const called = readCalledName(tokens, last + 1, end);
      return { kind, names: called.names, next: called.next };
    }
    const isAgeHyphen = token.text === '-';
    if (
      !isAgeHyphen &&
      (!ADJECTIVE_TAGS.has(token.pos) || isNameWord(token)) &&
      !/^(?:german|border|french|golden|maine|persian|siamese)$/.test(token.lower)
    )
      return undefined;
  }
  return undefined;
}

function readKind(lower: string): string | undefined {
  return PETS.get(lower) ?? PETS.get(lower.replace(/s$/, '')) ?? PETS.get(lower.replace(/ies$/, 'y'));
}

/** Names right after a noun, or after "named" or "called", with a comma, a bracket, "is" or "are" before them or not. */
export function readCalledName(tokens: readonly Token[], from: number, end: number): { names: string[]; next: number } {
  let index = from;
  const lower = (at: number): string => tokens[at]?.lower ?? '';
  if (
    /^(?:,|is|'s|are|\(|:|—|–|who|whose)$/.test(lower(index)) &&
    /^(?:is|'s|are|called|named)$/.test(lower(index + 1))
  )
    index += 1;
  if (/^(?:is|'s|are)$/.test(lower(index)) && /^(?:called|named)$/.test(lower(index + 1))) index += 1;
  if (/^(?:called|named)$/.test(lower(index))) index += 1;
  else if (/^(?:,|\(|:|—|–|-)$/.test(lower(index))) index += 1;
  const names = readNames(tokens, index, end);
  const isCalled = /^(?:called|named)$/.test(lower(index - 1));
  if (names.length === 0 && isCalled && isBareName(tokens, index))
    return { names: [tokens[index]?.text ?? ''], next: index + 1 };
  if (names.length === 0) return { names, next: from };
  let next = index;
  for (const name of names) {
    const at = tokens.findIndex((token, offset) => offset >= next && token.text === name.split(' ')[0]?.split('-')[0]);
    next = at < 0 ? next + 1 : (readName(tokens, at, end)?.next ?? at + 1);
  }
  return { names, next };
}

/** A name written without a capital, as some write everything: one word, and then the end. */
function isBareName(tokens: readonly Token[], index: number): boolean {
  const token = tokens[index];
  const next = tokens[index + 1];
  return (
    token !== undefined &&
    /^\p{Ll}{2,}$/u.test(token.text) &&
    (next === undefined || /^(?:PUNCT|CCONJ)$/.test(next.pos))
  );
}

/** "Miso", "Miso and Tofu", "Leo (7) and Mia (4)". A name that a new clause goes on with is none of them. */
export function readNames(tokens: readonly Token[], from: number, end: number): string[] {
  const names: string[] = [];
  let index = from;
  while (names.length < NAMES_MAX && index < end) {
    const name = readName(tokens, index, end);
    if (name === undefined) break;
    const after = tokens[name.next];
    const isNewClause = names.length > 0 && after !== undefined && /^(?:VERB|AUX|PART)$/.test(after.pos);
    if (isNewClause) break;
    names.push(name.value);
    index = name.next;
    if (tokens[index]?.text === '(' && /^\d+$/.test(tokens[index + 1]?.text ?? '') && tokens[index + 2]?.text === ')')
      index += 3;
    if (!/^(?:,|and|&)$/.test(tokens[index]?.lower ?? '')) break;
    index += tokens[index + 1]?.lower === 'and' ? 2 : 1;
  }
  return names;
}
