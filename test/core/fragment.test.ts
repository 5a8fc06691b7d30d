import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countCharacters, sliceCharacters } from '../../functions/core/characters.ts';
import { parseEventTime } from '../../functions/core/event-time.ts';
import { fragmentLength, overlapStart } from '../../functions/core/fragment.ts';

describe('characters are code points', () => {
  it('agrees with the definition on any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(40), fc.nat(40), (text, a, b) => {
        const points = Array.from(text);
        const [start, end] = a < b ? [a, b] : [b, a];
        expect(countCharacters(text)).toBe(points.length);
        expect(sliceCharacters(text, start, end)).toBe(points.slice(start, end).join(''));
      }),
    );
  });
});

describe('fragmentLength', () => {
  const family = '👨‍👩‍👧‍👦';

  it('takes all that fits', () => {
    expect(fragmentLength('short', 5)).toBe(5);
  });

  it('cuts at a paragraph, else a line, else a sentence', () => {
    expect(fragmentLength('one one one one.\n\ntwo two two', 22)).toBe('one one one one.\n\n'.length);
    expect(fragmentLength('one one one one\ntwo two two', 20)).toBe('one one one one\n'.length);
    expect(fragmentLength('One one one one. Two two two two', 20)).toBe('One one one one. '.length);
  });

  it('never splits a grapheme at a hard cut', () => {
    const text = `${'x'.repeat(10)}${family}${'y'.repeat(10)}`;
    for (let budget = 11; budget < 17; budget++) expect(fragmentLength(text, budget)).toBe(10);
    const combining = `${'x'.repeat(10)}e\u0301\u0302zzz`;
    expect(fragmentLength(combining, 11)).toBe(10);
  });

  it('never splits a long row of flags, marks stacked on a letter, or a space with a mark', () => {
    const flags = `${'x'.repeat(9)}${'🇳🇴'.repeat(600)}`;
    for (const budget of [400, 401, 1_000, 1_001]) expect((fragmentLength(flags, budget) - 9) % 2).toBe(0);
    const stacked = `${'x'.repeat(150)}e${'\u0301'.repeat(120)}z`;
    for (const budget of [152, 200, 270]) expect(fragmentLength(stacked, budget)).toBe(150);
    expect(fragmentLength(`One one one one. ${'\u0301'.repeat(3)}two`, 18)).toBe('One one one one.'.length);
  });

  it('always moves on, and covers the whole text without a gap', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }),
        fc.integer({ min: 1, max: 50 }),
        (text, budget) => {
          let rest = text;
          let covered = '';
          while (rest !== '') {
            const length = fragmentLength(rest, budget);
            expect(length).toBeGreaterThan(0);
            expect(length).toBeLessThanOrEqual(Math.max(budget, 1));
            covered += sliceCharacters(rest, 0, length);
            rest = sliceCharacters(rest, length, Number.POSITIVE_INFINITY);
          }
          expect(covered).toBe(text);
        },
      ),
    );
  });
});

describe('overlapStart', () => {
  it('leaves the last 200 characters, beginning with a whole grapheme', () => {
    expect(overlapStart('x'.repeat(500))).toBe(300);
    expect(overlapStart('short')).toBe(0);
    const families = `${'x'.repeat(50)}${'👨‍👩‍👧‍👦'.repeat(40)}`;
    const overlap = families.slice(overlapStart(families));
    expect(overlap.replaceAll('👨‍👩‍👧‍👦', '')).toBe('');
    expect([countCharacters(overlap), countCharacters(overlap) % 7]).toEqual([196, 0]);
  });
});

describe('parseEventTime', () => {
  it.each([
    ['2024', '2024-01-01', '2025-01-01', 'year'],
    ['2024-05', '2024-05-01', '2024-06-01', 'month'],
    ['2024-12', '2024-12-01', '2025-01-01', 'month'],
    ['2024-02-29', '2024-02-29', '2024-03-01', 'day'],
    ['0031-05-04', '0031-05-04', '0031-05-05', 'day'],
    ['2024-05-03T10:00Z', '2024-05-03T10:00Z', '2024-05-03T10:01Z', 'minute'],
    ['2024-05-03T10:00:05+02:00', '2024-05-03T08:00:05Z', '2024-05-03T08:00:06Z', 'second'],
  ])('%s', (text, start, end, precision) => {
    expect(parseEventTime(text)).toEqual({ startMs: Date.parse(start), endMs: Date.parse(end), precision });
  });

  it.each(['', 'May 2024', '2024-13', '2024-02-30', '2024-00', '0000', '2024-05-03T10:00', '2024-05-03T25:00Z'])(
    'refuses %j',
    (text) => {
      expect(parseEventTime(text)).toBeUndefined();
    },
  );
});
