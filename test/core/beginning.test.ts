import { describe, expect, it } from 'vitest';
import { beginningAfter, beginningOf, continues } from '../../functions/core/beginning.ts';
import type { EvidenceItem } from '../../schema/evidence.ts';
import { revisionOf } from '../../schema/ids.ts';
import type { Format, SourceItem } from '../../schema/source.ts';

const OLD = 'Maya: Hello.\nSam: I live in Austin';
const incoming = (text: string, format: Format = 'turns') => ({ text, length: Array.from(text).length, format });
const stored = (text = OLD, format = 'turns') =>
  ({ revision: revisionOf(text), length: Array.from(text).length, format }) as SourceItem;
const read = (cursor: number) => ({ cursor }) as EvidenceItem;
const begin = (text: string, cursor: number, format: Format = 'turns') =>
  beginningOf(incoming(text, format), stored(OLD, format), read(cursor));

describe('a revision begins', () => {
  it.each([
    ['behind all that was read of the one it continues', `${OLD}\nMaya: Oh.`, OLD.length, OLD.length + 1],
    ['where a continued line begins', `${OLD} no more.`, OLD.length, OLD.indexOf('Sam')],
    ['where the other was read to, which it continues', `${OLD}\nMaya: Oh.`, 5, 5],
    ['at its beginning: nothing was read', `${OLD}\nMaya: Oh.`, 0, 0],
    [
      'at its beginning: all that was read is another text',
      `Maya: Hi.\nSam: I live in Austin\nMaya: Oh.`,
      OLD.length,
      0,
    ],
    ['at its beginning: it is shorter than what was read', OLD.slice(0, 20), OLD.length, 0],
  ])('%s', (_, text, cursor, at) => {
    expect(begin(text, cursor)).toEqual({ kind: 'at', cursor: at });
  });

  it('at its beginning where it is no transcript: who writes stands there', () => {
    expect(begin(`${OLD}\nMore.`, OLD.length, 'markdown')).toEqual({ kind: 'at', cursor: 0 });
  });

  it('by the settled text where only that is the same', () => {
    const edited = `${OLD.slice(0, 20)} now, and more than before`;
    expect(begin(edited, 13)).toEqual({ kind: 'compare', cursor: 13 });
    expect(beginningAfter(incoming(edited), OLD.slice(0, 13))).toBe(13);
    expect(beginningAfter(incoming(edited), OLD.slice(0, 12))).toBe(13);
    expect(beginningAfter(incoming(`x${edited}`), OLD.slice(0, 13))).toBe(0);
  });

  it('by code points, whatever they take in UTF-16', () => {
    const old = 'Maya: \u{1f600}\u{1f600}';
    const text = `${old}\nSam: Yes.`;
    const beginning = beginningOf(incoming(text), stored(old), read(8));
    expect(beginning).toEqual({ kind: 'at', cursor: 9 });
    expect(continues(incoming(text), stored(old))).toBe(true);
  });
});
