/** Times and free text inside keys: byte order is time order, and no two texts share a part of a key. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatSourceRef,
  hash22,
  keyPart,
  passIdOf,
  passIdSchema,
  revisionOf,
  revisionSchema,
  scopeSchema,
  sourceIdSchema,
  sourceKeyOf,
  triggerIdOf,
  triggerIdSchema,
} from '../../schema/ids.ts';
import { TIME_MAX_MS, TIME_MIN_MS, timeKey, timeKeyNewestFirst, timeOfKey, ttlSeconds } from '../../schema/time.ts';
import { NOW_MS } from './samples.ts';

const anyTime = fc.integer({ min: TIME_MIN_MS, max: TIME_MAX_MS });
const compareBytes = (a: string, b: string) => Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)));

describe('times in keys', () => {
  it('order as bytes and as strings like the times themselves, and the complement the other way round', () => {
    fc.assert(
      fc.property(anyTime, anyTime, (a, b) => {
        expect(compareBytes(timeKey(a), timeKey(b))).toBe(Math.sign(a - b));
        expect(compareBytes(timeKeyNewestFirst(a), timeKeyNewestFirst(b)) + 0).toBe(Math.sign(b - a) + 0);
        expect(timeKey(a) < timeKey(b)).toBe(a < b);
      }),
    );
  });

  it('are 15 digits that read back', () => {
    fc.assert(
      fc.property(anyTime, (timeMs) => {
        expect(timeKey(timeMs)).toMatch(/^[0-9]{15}$/);
        expect(timeKeyNewestFirst(timeMs)).toMatch(/^[0-9]{15}$/);
        expect(timeOfKey(timeKey(timeMs))).toBe(timeMs);
      }),
    );
  });

  it('reach from the year 1 to the last number of 15 digits', () => {
    expect(new Date(TIME_MIN_MS).toISOString()).toBe('0001-01-01T00:00:00.000Z');
    expect([timeKey(TIME_MIN_MS), timeKey(TIME_MAX_MS)]).toEqual(['000000000000000', '999999999999999']);
    expect([timeKeyNewestFirst(TIME_MAX_MS), timeKeyNewestFirst(TIME_MIN_MS)]).toEqual([
      '000000000000000',
      '999999999999999',
    ]);
  });

  it.each([TIME_MIN_MS - 1, TIME_MAX_MS + 1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'refuse %d, with the range',
    (timeMs) => {
      expect(() => timeKey(timeMs)).toThrow(`from ${TIME_MIN_MS} to ${TIME_MAX_MS}, not ${timeMs}`);
      expect(() => timeKeyNewestFirst(timeMs)).toThrow(RangeError);
    },
  );

  it.each(['', '12345678901234', '1234567890123456', '12345678901234x'])('do not read "%s" as a time', (key) => {
    expect(() => timeOfKey(key)).toThrow(/15 digits/);
  });

  it('TTL seconds are rounded up, so that a row never goes early', () => {
    expect([ttlSeconds(1000), ttlSeconds(1001), ttlSeconds(1999)]).toEqual([1, 2, 2]);
  });
});

const PLAIN = fc.string({ unit: fc.constantFrom('a', '#', '%', '~', '2', '3', '5', '7', 'E', ' '), maxLength: 8 });
const anyText = fc.oneof(PLAIN, fc.string({ unit: 'grapheme', maxLength: 120 }), fc.string({ maxLength: 120 }));

describe('keyPart', () => {
  it('gives two texts two parts', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        expect(keyPart(a) === keyPart(b)).toBe(a === b);
      }),
      { numRuns: 1000 },
    );
  });

  it('is printable ASCII without the separator, so that a key splits into its parts again', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(keyPart(text)).toMatch(/^[\x20-\x22\x24-\x7e]*$/);
      }),
    );
  });

  it.each([
    ['plain text.md', 'plain text.md'],
    ['a#b', 'a%23b'],
    ['a%23b', 'a%2523b'],
    ['~', '%7E'],
    ['a~', 'a~'],
    ['größe', `~${hash22('größe')}`],
    ['x'.repeat(96), 'x'.repeat(96)],
    ['x'.repeat(97), `~${hash22('x'.repeat(97))}`],
    [`~${hash22('größe')}`, `%7E${hash22('größe')}`],
  ])('writes "%s" as "%s"', (text, part) => {
    expect(keyPart(text)).toBe(part);
  });
});

describe('identifiers', () => {
  it('a hash is 22 characters of base64url, a revision 16 hexadecimal digits', () => {
    expect(hash22('')).toBe('47DEQpj8HBSa-_TImW-5JC');
    expect(revisionSchema.parse(revisionOf(''))).toBe('e3b0c44298fc1c14');
  });

  it('a source revision reads as kind:id@revision, and its key keeps the separator out of the id', () => {
    const ref = { kind: 'note', id: 'a#b', revision: 'e3b0c44298fc1c14' } as const;
    expect(formatSourceRef(ref)).toBe('note:a#b@e3b0c44298fc1c14');
    expect(sourceKeyOf(ref)).toBe('note#a%23b#e3b0c44298fc1c14');
  });

  it('ids of passes and triggers sort by their time and are the same for the same seed', () => {
    const [early, late] = [triggerIdOf(NOW_MS, 'seed'), triggerIdOf(NOW_MS + 1, 'a')];
    expect(early < late).toBe(true);
    expect(triggerIdSchema.parse(early)).toBe(triggerIdOf(NOW_MS, 'seed'));
    const passes = [0, 1, 2].map((k) => passIdOf(early, k));
    expect(new Set([...passes, early]).size).toBe(4);
    expect(passes).toEqual([0, 1, 2].map((k) => passIdOf(early, k)));
    expect(passes.map((passId) => passIdSchema.parse(passId).slice(0, 15))).toEqual(Array(3).fill(early.slice(0, 15)));
    expect(passIdOf(early, 0, 1)).toBe(passes[0]);
    expect(passes).not.toContain(passIdOf(early, 0, 2));
  });

  it.each(['', 'a b', 'a#b', 'a/b', 'ä', 'x'.repeat(129)])('a scope is not "%s"', (scope) => {
    expect(scopeSchema.safeParse(scope).error?.issues[0]?.message).toMatch(/1 to 128 characters/);
  });

  it.each(['.', '..'])('a scope is not "%s", which is a step in a URL', (scope) => {
    expect(scopeSchema.safeParse(scope).error?.issues[0]?.message).toBe('a scope is not "." or ".."');
    expect(scopeSchema.safeParse(`${scope}.`).success).toBe(scope === '..');
  });

  it('a source id is stored in NFC and holds no control characters', () => {
    expect(sourceIdSchema.parse('gro\u0308\u00dfe')).toBe('größe');
    expect(sourceIdSchema.safeParse('a\nb').error?.issues[0]?.message).toMatch(/no control characters/);
    expect(sourceIdSchema.safeParse('').success).toBe(false);
  });
});
