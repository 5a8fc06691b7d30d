import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDate, readInstant } from '../../functions/core/instant.ts';

describe('readInstant', () => {
  it.each([
    ['2024-05-03T10:00:00Z', '2024-05-03T10:00:00Z', '2024-05-03T10:00:00Z'],
    ['2024-05-03t10:00z', '2024-05-03T10:00:00Z', '2024-05-03T10:00:00Z'],
    ['2024-05-03 10:00:00+02:00', '2024-05-03T10:00:00+02:00', '2024-05-03T08:00:00Z'],
    ['2024-05-03T10:00:00 -0530', '2024-05-03T10:00:00-05:30', '2024-05-03T15:30:00Z'],
    ['2024-05-03T10:00:00+02', '2024-05-03T10:00:00+02:00', '2024-05-03T08:00:00Z'],
    ['2024-05-03T10:00:00.5Z', '2024-05-03T10:00:00.500Z', '2024-05-03T10:00:00.5Z'],
    ['2024-05-03T10:00:00.123456Z', '2024-05-03T10:00:00.123Z', '2024-05-03T10:00:00.123Z'],
    ['2024-05-03T10:00:00-00:00', '2024-05-03T10:00:00+00:00', '2024-05-03T10:00:00Z'],
    ['2024-01-01T00:30:00+01:00', '2024-01-01T00:30:00+01:00', '2023-12-31T23:30:00Z'],
  ])('%s', (text, iso, utc) => {
    expect(readInstant(text)).toEqual({ iso, atMs: Date.parse(utc) });
  });

  it.each([
    ['no offset', '2024-05-03T10:00:00'],
    ['a date', '2024-05-03'],
    ['a day that does not exist', '2024-02-30T10:00:00Z'],
    ['an hour that does not exist', '2024-05-03T24:00:00Z'],
    ['an offset that does not exist', '2024-05-03T10:00:00+25:00'],
    ['a zone by name', '2024-05-03T10:00:00 CET'],
    ['the year 0, which no key can carry', '0000-05-03T10:00:00Z'],
    ['a first moment that an offset moves before the year 1', '0001-01-01T00:00:00+01:00'],
    ['words', 'yesterday'],
    ['nothing', ''],
  ])('refuses %s', (_, text) => {
    expect(readInstant(text)).toBeUndefined();
  });

  it('agrees with Date on every instant it writes, and reads its own form back', () => {
    const years = { min: new Date('0002-01-01T00:00:00Z'), max: new Date('9998-12-31T00:00:00Z'), noInvalidDate: true };
    fc.assert(
      fc.property(fc.date(years), fc.integer({ min: -23 * 60, max: 23 * 60 }), (date, offset) => {
        const sign = offset < 0 ? '-' : '+';
        const pad = (n: number) => String(n).padStart(2, '0');
        const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, -1);
        const text = `${local}${sign}${pad(Math.floor(Math.abs(offset) / 60))}:${pad(Math.abs(offset) % 60)}`;
        const instant = readInstant(text);
        expect(instant?.atMs).toBe(date.getTime());
        expect(readInstant(instant?.iso ?? '')).toEqual(instant);
      }),
    );
  });
});

describe('readDate', () => {
  it.each([
    ['2024-05-03', '2024-05-03T00:00:00Z'],
    ['2024-05-03T10:00', '2024-05-03T10:00:00Z'],
    ['2024-05-03 10:00:05', '2024-05-03T10:00:05Z'],
    ['2024-05-03T10:00:00+02:00', '2024-05-03T08:00:00Z'],
    ['0099-05-03', '0099-05-03T00:00:00Z'],
  ])('takes %s', (text, utc) => {
    expect(readDate(text)).toBe(Date.parse(utc));
  });
  it.each(['2024', '03.05.2024', '2024-13-01', 'May 2024'])('refuses %s', (text) => {
    expect(readDate(text)).toBeUndefined();
  });
});
