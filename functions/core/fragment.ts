/** Where a text that does not fit is cut: never inside a grapheme, at a paragraph or sentence end where there is one. */
import { countCharacters, sliceCharacters } from './characters.ts';

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
// Longest grapheme considered at a hard cut: emoji sequences run to some 30 code points.
const GRAPHEME_WINDOW = 64;

/** The characters of the fragment of `text` that fits into `budget` characters; at least one when there is text. */
export function fragmentLength(text: string, budget: number): number {
  const length = countCharacters(text);
  if (length <= budget) return length;
  const window = sliceCharacters(text, 0, Math.max(1, budget));
  // An end in the first half would make pages of crumbs.
  const earliest = Math.floor(window.length / 2);
  const paragraph = window.lastIndexOf('\n\n');
  if (paragraph >= earliest) return countCharacters(window.slice(0, paragraph + 2));
  const line = window.lastIndexOf('\n');
  if (line >= earliest) return countCharacters(window.slice(0, line + 1));
  const sentence = lastSentenceEnd(window);
  if (sentence >= earliest) return countCharacters(window.slice(0, sentence));
  return graphemeCut(text, countCharacters(window));
}

function lastSentenceEnd(window: string): number {
  for (let at = window.length - 1; at > 0; at--) {
    const mark = window[at - 1];
    if ((window[at] === ' ' && (mark === '.' || mark === '!' || mark === '?')) || mark === '。')
      return at + (window[at] === ' ' ? 1 : 0);
  }
  return -1;
}

/** The last grapheme boundary at or before `at`; `at` itself when one grapheme fills the window. */
function graphemeCut(text: string, at: number): number {
  const from = Math.max(0, at - GRAPHEME_WINDOW);
  const around = sliceCharacters(text, from, at + GRAPHEME_WINDOW);
  let cut = 0;
  for (const { segment } of segmenter.segment(around)) {
    const next = cut + countCharacters(segment);
    if (from + next > at) break;
    cut = next;
  }
  return cut === 0 ? at : from + cut;
}
