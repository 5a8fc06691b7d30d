import { describe, expect, it } from 'vitest';
import { excerptAround, matcherOf, wordsOf } from '../../functions/core/excerpts.ts';
import { countCharacters, sliceCharacters } from '../../functions/core/characters.ts';

describe('the words of a query', () => {
  it('are at most eight, each once, and it is told how many were left out', () => {
    expect(wordsOf(' a b  a c ')).toEqual({ words: ['a', 'b', 'c'], ignored: 0 });
    expect(wordsOf('1 2 3 4 5 6 7 8 9 10')).toEqual({ words: ['1', '2', '3', '4', '5', '6', '7', '8'], ignored: 2 });
  });

  it('are pieces of text in any case, never patterns', () => {
    expect(matcherOf(['DENVER', 'oslo'])('moved to Denver')).toEqual({ words: 1, at: 9 });
    for (const word of ['.*', '(a', 'a|b', '[x]', 'c++', '\\d', '$1', '^', 'a-b', '?']) {
      expect(matcherOf([word])('nothing of it'), word).toBeUndefined();
      expect(matcherOf([word])(`it is ${word} here`), word).toEqual({ words: 1, at: 6 });
    }
    expect(matcherOf([])('anything')).toEqual({ words: 0, at: 0 });
  });
});

describe('an excerpt', () => {
  it('begins a third of it before the hit, and is exactly the text between its offsets', () => {
    const text = `${'a'.repeat(5_000)}HIT${'b'.repeat(5_000)}`;
    const excerpt = excerptAround(text, 5_000);
    expect(excerpt).toMatchObject({ start: 4_300, end: 6_300 });
    expect(excerpt.text).toBe(text.slice(4_300, 6_300));
    expect(excerptAround(text, 0)).toMatchObject({ start: 0, end: 2_000 });
    expect(excerptAround(text, text.length - 3)).toMatchObject({ start: text.length - 2_000, end: text.length });
    expect(excerptAround('short', 2)).toEqual({ start: 0, end: 5, text: 'short' });
  });

  it('holds whole graphemes, is never too long, and counts characters', () => {
    const text = '👨‍👩‍👧‍👦'.repeat(900);
    for (let at = 0; at < 200; at += 7) {
      const { start, end, text: cut } = excerptAround(text, at * 11, 100);
      expect(cut).toBe(sliceCharacters(text, start, end));
      expect(cut.replaceAll('👨‍👩‍👧‍👦', '')).toBe('');
      expect(countCharacters(cut)).toBeLessThanOrEqual(111);
    }
  });
});
