/** What a name or a value may be made of. */
import { describe, expect, it } from 'vitest';
import { correctBodySchema, mergeBodySchema } from '../../schema/memory-api.ts';
import { isPlainText } from '../../schema/plain-text.ts';

const ODD = ['\ud83d', 'Os\udc00lo', 'Os\u0000lo', '\u001b[2J', '\u0007', 'Oslo\u007f', 'Os\u0085lo'];
const PLAIN = [
  '',
  'Oslo',
  'two\nlines\tand a tab\r\n',
  'a form\ffeed',
  '\u{1F468}\u200d\u{1F469}',
  'e\u0301',
  '\u00ad',
  '\ufeff',
];

describe('plain text', () => {
  it.each(PLAIN)('%j is', (text) => expect(isPlainText(text)).toBe(true));
  it.each(ODD)('%j is not, and no person may say it of a name or a value', (text) => {
    expect(isPlainText(text)).toBe(false);
    const said = { entity: 'Ann', attribute: 'home', value: 'Oslo' };
    expect(correctBodySchema.safeParse(said).success).toBe(true);
    expect(correctBodySchema.safeParse({ ...said, value: text }).success).toBe(false);
    expect(correctBodySchema.safeParse({ ...said, entity: text }).success).toBe(false);
    expect(mergeBodySchema.safeParse({ from: 'Ann', into: `Ann${text}` }).success).toBe(false);
  });
});
