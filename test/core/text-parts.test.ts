import { describe, expect, it } from 'vitest';
import { countCharacters } from '../../functions/core/characters.ts';
import { splitTextParts } from '../../functions/core/text-parts.ts';
import { compressText, decompressText } from '../../functions/io/text.ts';
import { LIMITS } from '../../schema/limits.ts';
import { partsOf } from '../../schema/text.ts';

describe('splitTextParts', () => {
  it.each([
    ['', 2, []],
    ['ab', 2, ['ab']],
    ['abc', 2, ['ab', 'c']],
    ['\u{1f600}\u{1f601}\u{1f602}', 2, ['\u{1f600}\u{1f601}', '\u{1f602}']],
    ['a\u{1f600}b', 1, ['a', '\u{1f600}', 'b']],
  ])('%j by %i', (text, most, parts) => {
    expect(splitTextParts(text, most)).toEqual(parts);
  });

  it('agrees with where readers look for a character, and comes back whole from its bodies', () => {
    const text = `${'\u{1f600}'.repeat(LIMITS.textPartCharacters)}ab`;
    const parts = splitTextParts(text);
    expect(parts.map(countCharacters)).toEqual([LIMITS.textPartCharacters, 2]);
    expect(partsOf(0, countCharacters(text))).toEqual([0, 1]);
    expect(parts.map((part) => decompressText(compressText(part))).join('')).toBe(text);
  });

  it('refuses a body that unpacks to more than a part can hold', () => {
    expect(() => decompressText(compressText('x'.repeat(5 * LIMITS.textPartCharacters)))).toThrow();
  });
});
