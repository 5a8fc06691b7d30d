import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countCharacters } from '../../functions/core/characters.ts';
import { formatChange, mergeChanges, normalizeText } from '../../functions/core/normalize.ts';

const CASES: readonly (readonly [string, string, string, readonly string[]])[] = [
  ['plain text', 'one\ntwo', 'one\ntwo', []],
  ['a byte order mark', '\ufeffone', 'one', ['byte-order-mark']],
  ['two of them', '\ufeff\ufeffone', 'one', ['byte-order-mark']],
  ['U+FEFF further on, which is a character', 'o\ufeffne', 'o\ufeffne', []],
  ['CRLF', 'one\r\ntwo\r\nthree', 'one\ntwo\nthree', ['line-endings: 2']],
  ['CR alone', 'one\rtwo', 'one\ntwo', ['line-endings: 1']],
  ['CR before CRLF', 'one\r\r\ntwo', 'one\n\ntwo', ['line-endings: 2']],
  ['NFD', 'cafe\u0301', 'caf\u00e9', ['nfc']],
  ['a combining mark without a composed form', 'x\u0301', 'x\u0301', []],
  ['NUL', 'o\u0000n\u0000e', 'one', ['nul: 2']],
  ['a lone high surrogate', 'a\ud83dz', 'a\ufffdz', ['lone-surrogates: 1']],
  ['a lone low surrogate', 'a\ude00', 'a\ufffd', ['lone-surrogates: 1']],
  ['two halves in the wrong order', '\ude00\ud83d', '\ufffd\ufffd', ['lone-surrogates: 2']],
  ['a pair', 'a\u{1f600}z', 'a\u{1f600}z', []],
  ['a pair beside a half', '\u{1f600}\ud83d', '\u{1f600}\ufffd', ['lone-surrogates: 1']],
  ['trailing newlines', 'one\n\n\n', 'one', ['trailing-newlines: 3']],
  ['leading newlines, which stay', '\n\none', '\n\none', []],
  ['NUL between the halves of a pair', '\ud83d\u0000\ude00', '\u{1f600}', ['nul: 1']],
  ['NUL between CR and LF', 'one\r\u0000\ntwo', 'one\ntwo', ['nul: 1', 'line-endings: 1']],
  ['NUL between a letter and its accent', 'e\u0000\u0301', '\u00e9', ['nul: 1', 'nfc']],
  ['NUL before a byte order mark', '\u0000\ufeffone', 'one', ['nul: 1', 'byte-order-mark']],
  [
    'everything at once',
    '\ufeffe\u0301\r\n\u0000\ud800\r\n',
    '\u00e9\n\ufffd',
    ['nul: 1', 'byte-order-mark', 'lone-surrogates: 1', 'line-endings: 2', 'nfc', 'trailing-newlines: 1'],
  ],
  ['30 marks on one letter, already in order', `x${'\u0316'.repeat(30)}`, `x${'\u0316'.repeat(30)}`, []],
  [
    'more of them, which are parted',
    `x${'\u0316'.repeat(61)}`,
    `x${'\u0316'.repeat(30)}\u034f${'\u0316'.repeat(30)}\u034f\u0316`,
    ['mark-runs'],
  ],
  ['nothing', '', '', []],
];

describe('normalizeText', () => {
  it.each(CASES)('%s', (_, given, text, changes) => {
    const normalized = normalizeText(given);
    expect(normalized.text).toBe(text);
    expect(normalized.changes.map(formatChange)).toEqual(changes);
  });

  // What each step is about, in any neighbourhood.
  const pieces = fc.constantFrom('a', 'e', '\u0301', '\u0323', '\r', '\n', '\u0000', '\ufeff', '\ud83d', '\ude00', ' ');
  const marks = fc
    .array(fc.constantFrom('\u0301', '\u0316', '\u0344', '\u034f'), { minLength: 28, maxLength: 70 })
    .map((parts) => `e${parts.join('')}`);
  const texts = fc.oneof(
    marks,
    fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary' }),
  );

  it('is idempotent', () => {
    fc.assert(
      fc.property(texts, (given) => {
        const once = normalizeText(given).text;
        expect(normalizeText(once)).toEqual({ text: once, changes: [] });
      }),
      { numRuns: 2000 },
    );
  });

  it('would not be with surrogates replaced before NUL is removed: the cases above see the order', () => {
    const wrongOrder = '\ud83d\u0000\ude00'.toWellFormed().replaceAll('\u0000', '');
    expect(wrongOrder).not.toBe(normalizeText('\ud83d\u0000\ude00').text);
  });

  it('leaves what is counted in code points', () => {
    expect(countCharacters(normalizeText('\u{1f468}\u200d\u{1f469}\u200d\u{1f467} cafe\u0301').text)).toBe(10);
  });
});

describe('mergeChanges', () => {
  it('adds up by name, in order of first appearance', () => {
    const changes = [{ name: 'nul', count: 1 }, { name: 'nfc' }, { name: 'nul', count: 2 }, { name: 'nfc' }];
    expect(mergeChanges(changes)).toEqual([{ name: 'nul', count: 3 }, { name: 'nfc' }]);
  });
});
