import { describe, expect, it } from 'vitest';
import { decodeText } from '../../functions/core/decode-text.ts';

const utf8 = (text: string) => Buffer.from(text, 'utf8');
const WORDS = 'words and words '.repeat(50);

describe('bytes that are text', () => {
  it.each([
    ['plain', utf8('caf\u00e9\n'), 'caf\u00e9\n', []],
    ['UTF-8 with its mark, which normalisation removes', utf8('\ufeffone'), '\ufeffone', []],
    [
      'UTF-16, little end first',
      Buffer.from('\ufeffh\u00e9llo \u{1f600}', 'utf16le'),
      'h\u00e9llo \u{1f600}',
      ['utf-16'],
    ],
    ['UTF-16, big end first', Buffer.from('\ufeffhello', 'utf16le').swap16(), 'hello', ['utf-16']],
    ['U+FFFD that was given', utf8(`${WORDS}\ufffd`), `${WORDS}\ufffd`, []],
  ])('%s', (_, bytes, text, changes) => {
    const decoded = decodeText(bytes);
    expect(decoded).toMatchObject({ kind: 'text', text });
    expect(decoded.kind === 'text' && decoded.changes.map(({ name }) => name)).toEqual(changes);
  });

  it('with a byte in a hundred that is none keeps the rest, and counts them', () => {
    const bytes = Buffer.concat([utf8(WORDS), Buffer.from([0xff]), utf8('\ufffd'), Buffer.from([0xfe]), utf8(WORDS)]);
    expect(decodeText(bytes)).toEqual({
      kind: 'text',
      text: `${WORDS}\ufffd\ufffd\ufffd${WORDS}`,
      changes: [{ name: 'invalid-bytes', count: 2 }],
    });
  });

  it('with a NUL behind the first 8 KB is text still', () => {
    expect(decodeText(utf8(`${'x'.repeat(8192)}\0`))).toMatchObject({ kind: 'text' });
  });
});

describe('bytes that are not', () => {
  it.each([
    ['nothing', Buffer.alloc(0), 'empty_text', 'it is empty'],
    ['a mark alone', Buffer.from([0xff, 0xfe]), 'empty_text', 'nothing but a byte order mark'],
    ['a NUL near the beginning', utf8(`${'x'.repeat(8191)}\0`), 'not_text', 'byte 8191 is NUL'],
    ['UTF-16 without its mark', Buffer.from('hello', 'utf16le'), 'not_text', 'UTF-16 is taken when it begins with'],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x68, 0, 0, 0]), 'not_text', 'byte 2 is NUL'],
    ['a picture', Buffer.from([0x89, 0x50, 0xff, 0xfe]), 'not_text', '75 of 100 characters'],
    [
      'Latin-1',
      Buffer.from('caf\u00e9 '.repeat(20), 'latin1'),
      'not_text',
      'Latin-1 or another encoding, convert it to UTF-8',
    ],
  ])('%s', (_, bytes, code, says) => {
    expect(decodeText(bytes)).toMatchObject({ kind: 'refused', code, message: expect.stringContaining(says) });
  });

  it('more than one in a hundred, exactly', () => {
    const damaged = (good: number) => decodeText(Buffer.concat([utf8('x'.repeat(good)), Buffer.from([0xff])])).kind;
    expect([damaged(99), damaged(98)]).toEqual(['text', 'refused']);
  });
});
