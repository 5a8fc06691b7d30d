/** Readers of phrases: names, places, employers, roles and plain words, each from a token on. */
import type { Token } from './language.ts';
import { isCalendarWord } from './time-words.ts';
import { KNOWN_EMPLOYERS, KNOWN_PLACES, SOUTHERN_PLACES } from './vocabulary-things.ts';
import { CAPITAL_PLACES, CLAUSE_BREAKS, NEVER_NAMES, NO_PLACES, WORKPLACES } from './vocabulary.ts';

/** A phrase read from tokens: its value, and the index of the first token after it. */
export interface Phrase {
  value: string;
  next: number;
}

const NAME_TOKENS_MAX = 8;
const PLACE_LOOKAHEAD_MAX = 9;
const NAME_CONNECTORS = new Set('of de da do del della la le von van der am upon sur & and'.split(' '));
const PLACE_LEADS = new Set(
  'in of downtown central north south east west northern southern eastern western greater upstate rural near'.split(
    ' ',
  ),
);
export const isPunctuation = (token: Token | undefined): boolean =>
  token === undefined || !/[\p{L}\p{N}]/u.test(token.text);

/** Punctuation that ends a clause for good; a comma does not, and neither does a hyphen inside a word. */
export function isHardStop(tokens: readonly Token[], index: number): boolean {
  const token = tokens[index];
  if (token === undefined) return true;
  if (/^[.!?…;:()[\]{}—–"“”|=]+$/.test(token.text)) return true;
  const previous = tokens[index - 1];
  return /^-+$/.test(token.text) && (token.text.length > 1 || previous === undefined || previous.end < token.start);
}

/** True for a token that can be part of a proper name. */
export function isNameWord(token: Token | undefined): boolean {
  return (
    token !== undefined &&
    /^\p{Lu}/u.test(token.text) &&
    !NEVER_NAMES.has(token.lower) &&
    !isCalendarWord(token.lower.replace('.', ''))
  );
}

/** "I left that school": here "that" points, and opens no clause. */
function isPointing(tokens: readonly Token[], index: number): boolean {
  return (
    tokens[index]?.lower === 'that' &&
    tokens[index - 1]?.pos === 'VERB' &&
    /^(?:NOUN|ADJ)$/.test(tokens[index + 1]?.pos ?? '')
  );
}

/** The words of tokens as a value: white space collapsed, nothing else changed. */
export function joinTokens(tokens: readonly Token[]): string {
  let value = '';
  for (const [index, token] of tokens.entries()) {
    const previous = tokens[index - 1];
    value += previous !== undefined && previous.end < token.start ? ` ${token.text}` : token.text;
  }
  return value;
}

/** A run of capitalised words with the connectors inside it: "Rio de Janeiro", "St. Mary's Hospital", "Ben & Jerry's". */
export function readName(tokens: readonly Token[], from: number, end: number): Phrase | undefined {
  if (!isNameWord(tokens[from])) return undefined;
  let next = from + 1;
  while (next < end && next - from < NAME_TOKENS_MAX) {
    const token = tokens[next];
    const previous = tokens[next - 1];
    const following = tokens[next + 1];
    if (token === undefined || previous === undefined) break;
    const glued = previous.end === token.start;
    if (isNameWord(token)) next += 1;
    else if (token.text === '-' && glued && following?.start === token.end) next += 2;
    else if (next + 1 < end && isNameConnector(token, previous) && isNameWord(following)) next += 2;
    else break;
  }
  const value = joinTokens(tokens.slice(from, next)).replace(/\.$/, '');
  return { value, next };
}

/** "and" joins names to one only where an ampersand would; a possessive only when the name goes on after it. */
function isNameConnector(token: Token, previous: Token): boolean {
  if (token.lower === "'s" || token.text === "'" || token.text === '’') return previous.end === token.start;
  return token.lower !== 'and' && NAME_CONNECTORS.has(token.lower);
}

/** A place by its proper name: "Austin", "a small flat in Austin", "the suburbs of Denver". The part before a comma. */
export function readPlace(tokens: readonly Token[], from: number, end: number): Phrase | undefined {
  let index = from;
  const limit = Math.min(end, from + PLACE_LOOKAHEAD_MAX);
  while (index < limit) {
    const token = tokens[index];
    if (token === undefined || isPunctuation(token)) return undefined;
    const name = readName(tokens, index, end) ?? readKnownPlace(tokens, index, end);
    if (name === undefined) {
      if (index > from && CLAUSE_BREAKS.has(token.lower)) return undefined;
      index += 1;
      continue;
    }
    const lead = tokens[index - 1]?.lower ?? '';
    const direct = index === from || PLACE_LEADS.has(lead) || (lead === 'the' && index === from + 1);
    if (direct && lead !== 'near') return isPlaceName(name.value) ? name : undefined;
    index = name.next;
  }
  return undefined;
}

/** A place that is known, and so may be written without a capital. */
function readKnownPlace(tokens: readonly Token[], from: number, end: number): Phrase | undefined {
  for (const count of [3, 2, 1]) {
    const words = tokens.slice(from, Math.min(end, from + count));
    const value = joinTokens(words);
    if (words.length === count && (KNOWN_PLACES.has(value) || SOUTHERN_PLACES.has(value)))
      return { value, next: from + count };
  }
  return undefined;
}

function isPlaceName(value: string): boolean {
  const first = value.split(' ')[0] ?? '';
  const lower = first.toLowerCase();
  if (NO_PLACES.has(lower) || value.length < 2 || /\d|\p{Ll}\p{Lu}|&/u.test(value)) return false;
  return !/^\p{Lu}{2,}$/u.test(first) || CAPITAL_PLACES.has(lower);
}

/** An employer: a proper name, or an article and up to four words that end in a kind of workplace. */
export function readEmployer(tokens: readonly Token[], from: number, end: number): Phrase | undefined {
  const article = /^(?:the|a|an)$/.test(tokens[from]?.lower ?? '');
  const name = readName(tokens, article && tokens[from]?.lower === 'the' ? from + 1 : from, end);
  if (name !== undefined) return name;
  const known = tokens[from];
  if (known !== undefined && from < end && KNOWN_EMPLOYERS.has(known.lower))
    return { value: known.text, next: from + 1 };
  if (!article) return undefined;
  for (let index = Math.min(end, from + 6) - 1; index > from; index -= 1) {
    const token = tokens[index];
    if (token === undefined || !WORKPLACES.has(token.lower)) continue;
    const words = tokens.slice(from + 1, index + 1);
    if (words.some((word) => isPunctuation(word) && word.text !== '-') || hasBreak(words)) continue;
    if (tokens[index + 1]?.lower === "'s" || tokens[index + 1]?.pos === 'NOUN') continue;
    if (/^(?:called|named)$/.test(tokens[index + 1]?.lower ?? '')) {
      const called = readName(tokens, index + 2, end);
      if (called !== undefined) return called;
    }
    return { value: joinTokens(words), next: index + 1 };
  }
  return undefined;
}

/** The index of the first token from `from` on that ends a phrase: a stop, a comma, or a word that opens a new clause. */
export function findPhraseEnd(tokens: readonly Token[], from: number, end: number): number {
  for (let index = from; index < end; index += 1) {
    const token = tokens[index];
    if (token === undefined || isHardStop(tokens, index) || token.text === ',') return index;
    // "black-and-white" is one word, cut at its hyphens.
    const isGlued = tokens[index - 1]?.text === '-';
    if (index > from && !isGlued && CLAUSE_BREAKS.has(token.lower) && !isPointing(tokens, index)) return index;
  }
  return end;
}

function hasBreak(words: readonly Token[]): boolean {
  return words.some((word) => CLAUSE_BREAKS.has(word.lower) || /^(?:PRON|VERB|AUX)$/.test(word.pos));
}
