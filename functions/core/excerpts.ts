/**
 * What a query finds: which texts hold which of its words, in what order they are answered, and the excerpt of each. Words
 * are taken as they stand, each a piece of text in any case.
 */
import { LIMITS } from '../../schema/limits.ts';
import { countCharacters } from './characters.ts';
import { GRAPHEME_WINDOW, graphemeEnd } from './fragment.ts';

/** Of an excerpt, what stands before the first hit: the sentence it belongs to begins there, as a rule. */
const BEFORE_HIT_SHARE = 0.35;

/** The words of a query, each once, and how many of those given are not among them. */
export function wordsOf(query: string): { readonly words: readonly string[]; readonly ignored: number } {
  const given = [
    ...new Set(
      query
        .normalize('NFC')
        .split(/\s+/)
        .filter((word) => word !== ''),
    ),
  ];
  const words = given.slice(0, LIMITS.lookUpWordsMax);
  return { words, ignored: given.length - words.length };
}

export type Matcher = (text: string) => Hit | undefined;

export interface Hit {
  /** Words that were found. */
  readonly words: number;
  /** UTF-16 index of the first of them. */
  readonly at: number;
}

const BESIDE_LETTERS = /[\\^$.*+?()[\]{}|/-]/g;

/** Finds the words of a query; without any, every text is a hit at its beginning. */
export function matcherOf(words: readonly string[]): Matcher {
  if (words.length === 0) return () => ({ words: 0, at: 0 });
  const patterns = words.map((word) => new RegExp(word.replaceAll(BESIDE_LETTERS, '\\$&'), 'i'));
  return (text) => {
    const found = patterns.map((pattern) => text.search(pattern)).filter((at) => at >= 0);
    return found.length === 0 ? undefined : { words: found.length, at: Math.min(...found) };
  };
}

export interface Excerpt {
  /** In characters, end not included. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** At most `characters` around the UTF-16 index `at`, cut at whole graphemes. */
export function excerptAround(text: string, at: number, characters: number = LIMITS.lookUpExcerptCharacters): Excerpt {
  const before = Math.floor(characters * BEFORE_HIT_SHARE);
  // In UTF-16 units, of which a character has one or two: an excerpt is never longer than it may be.
  const latest = Math.max(0, text.length - characters);
  const from = cutAt(text, Math.min(latest, Math.max(0, at - before)));
  const to = cutAt(text, Math.min(text.length, from + characters));
  const excerpt = text.slice(from, to);
  const start = countCharacters(text.slice(0, from));
  return { start, end: start + countCharacters(excerpt), text: excerpt };
}

/** The last grapheme boundary at or before `at`, told by what stands around it: a text may have millions of characters. */
function cutAt(text: string, at: number): number {
  const from = wholeAt(text, Math.max(0, at - GRAPHEME_WINDOW));
  return from + graphemeEnd(text.slice(from, at + GRAPHEME_WINDOW), wholeAt(text, at) - from);
}

/** The index, or the one before where it would part a surrogate pair. */
function wholeAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}
