/** Where a text that does not fit is cut: never inside a grapheme, at a paragraph or sentence end where there is one. */
import { LIMITS } from '../../schema/limits.ts';
import { countCharacters, sliceCharacters } from './characters.ts';

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Characters looked at beyond a cut: emoji sequences run to some 30, stacked marks to hundreds. */
export const GRAPHEME_WINDOW = 1_024;

/** The characters of the fragment of `text` that fits into `budget` characters; at least one when there is text. */
export function fragmentLength(text: string, budget: number): number {
  const window = sliceCharacters(text, 0, Math.max(1, budget));
  if (window.length === text.length) return countCharacters(text);
  // An end in the first half would make pages of crumbs.
  const earliest = Math.floor(window.length / 2);
  const paragraph = window.lastIndexOf('\n\n');
  if (paragraph >= earliest) return countCharacters(window.slice(0, paragraph + 2));
  const line = window.lastIndexOf('\n');
  if (line >= earliest) return countCharacters(window.slice(0, line + 1));
  const sentence = graphemeEnd(text, lastSentenceEnd(window));
  if (sentence > earliest) return countCharacters(window.slice(0, sentence));
  const hard = graphemeEnd(text, window.length);
  return countCharacters(hard > 0 ? window.slice(0, hard) : window);
}

/** Where the last characters of `text` begin that are shown again before what follows it, as a UTF-16 index. */
export function overlapStart(text: string): number {
  const characters = Math.max(0, countCharacters(text) - LIMITS.overlapCharacters);
  const cut = sliceCharacters(text, 0, characters).length;
  const end = graphemeEnd(text, cut);
  // Forward: not more than it may be, where the boundary lies before.
  return end === cut ? cut : nextGrapheme(text, end);
}

function lastSentenceEnd(window: string): number {
  for (let at = window.length - 1; at > 0; at--) {
    const mark = window[at - 1];
    if ((window[at] === ' ' && (mark === '.' || mark === '!' || mark === '?')) || mark === '。')
      return at + (window[at] === ' ' ? 1 : 0);
  }
  return 0;
}

/**
 * The last grapheme boundary at or before the UTF-16 index `at`. From the beginning of the text on, which is one: in a long
 * row of flags, where two letters make one, no place further on tells which two belong together.
 */
export function graphemeEnd(text: string, at: number): number {
  if (at <= 0 || at >= text.length) return Math.max(0, Math.min(at, text.length));
  return segmenter.segment(text).containing(at)?.index ?? 0;
}

function nextGrapheme(text: string, at: number): number {
  return at + (segmenter.segment(text).containing(at)?.segment.length ?? 0);
}
