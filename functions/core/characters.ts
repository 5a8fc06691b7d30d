/**
 * Offsets count characters as Unicode code points: the same in every language a reader may be written in. JavaScript
 * counts UTF-16 units; the two are equal unless a text holds surrogate pairs, which one test of the text tells.
 */

const SURROGATE = /[\ud800-\udfff]/;

/** Code points in a text. */
export function countCharacters(text: string): number {
  if (!SURROGATE.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** The UTF-16 index of the n-th code point; the text's length when there are fewer. */
function unitIndexOf(text: string, characters: number): number {
  let index = 0;
  for (let seen = 0; seen < characters && index < text.length; seen++) {
    index += (text.codePointAt(index) as number) > 0xffff ? 2 : 1;
  }
  return index;
}

/** The code points from `start` to `end`, `end` not included. */
export function sliceCharacters(text: string, start: number, end: number): string {
  if (!SURROGATE.test(text)) return text.slice(start, end);
  const from = unitIndexOf(text, start);
  const rest = text.slice(from);
  return rest.slice(0, unitIndexOf(rest, Math.max(0, end - start)));
}
