import { describe, expect, it } from 'vitest';
import { countCharacters } from '../../functions/core/characters.ts';
import { checkQuote } from '../../functions/core/quotes.ts';

// Five code points of which one takes two UTF-16 units, then plain text.
const TEXT = 'Hi 🦉 there, I live in Denver.\nYes.';
const quote = (text: string, start: number) => ({ quote: { text, start, end: start + countCharacters(text) } });

describe('a quote is exactly what was delivered', () => {
  it.each([
    ['plain words', quote('I live in Denver', 12), 0],
    ['offsets count the owl as one character', quote('🦉 there', 3), 0],
    ['the whole text', quote(TEXT, 0), 0],
    ['offsets are those of the whole source', quote('I live', 1012), 1000],
    ['another line end', { quote: { text: 'Denver.\r\nYes', start: 22, end: 33 } }, 0],
  ])('%s: taken', (_, draft, start) => {
    expect(checkQuote(draft, TEXT, start)).toEqual({ kind: 'ok' });
  });

  it('compares in composed form', () => {
    expect(checkQuote({ quote: { text: 'cafe\u0301', start: 0, end: 4 } }, 'café', 0).kind).toBe('ok');
  });

  it.each([
    ['one character off', quote('I live in Denver', 11), 0],
    ['another word', quote('I live in Boston', 12), 0],
    ['another case', quote('i live in denver', 12), 0],
    ['a slice longer than its quote', { quote: { text: 'I live', start: 12, end: 19 } }, 0],
    ['offsets counted in UTF-16 units', quote('I live in Denver', 13), 0],
  ])('%s: a mismatch that shows what stands there', (_, draft, start) => {
    expect(checkQuote(draft, TEXT, start)).toMatchObject({ kind: 'refused', reason: 'quote_mismatch' });
  });

  it.each([
    ['text before the fragment', quote('I live', 12), 13],
    ['text behind the fragment', quote('Yes. And', 30), 0],
    ['the last character missing', quote(`${TEXT}!`, 0), 0],
  ])('%s: not delivered', (_, draft, start) => {
    expect(checkQuote(draft, TEXT, start)).toMatchObject({ kind: 'refused', reason: 'quote_not_delivered' });
  });
});
