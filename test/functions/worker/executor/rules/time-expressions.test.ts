/** The table of time expressions, in three zones of the machine. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Anchor } from '../../../../../functions/worker/executor/rules/calendar.ts';
import { readInstant } from '../../../../../functions/worker/executor/rules/rendered-text.ts';
import { findTimeExpressions } from '../../../../../functions/worker/executor/rules/time-expressions.ts';
import { TIME_TABLE, TURNS } from './time-table.ts';

const ZONES: readonly [zone: string, minutesWestInJuly: number][] = [
  ['UTC', 0],
  ['Asia/Tokyo', -540],
  ['America/Los_Angeles', 420],
];

function anchorOf(turn: string): Anchor {
  const [at = '', south] = turn.split(' ');
  const anchor = readInstant(at);
  if (anchor === undefined) throw new Error(`${turn} is no time with an offset`);
  return south === undefined ? anchor : { ...anchor, isSouthern: true };
}

function resolve(text: string, direction: 'past' | 'future', anchor: Anchor | undefined): string {
  const at = (ms: number) => new Date(ms + (anchor?.offsetMinutes ?? 0) * 60_000).toISOString().slice(0, 16);
  const found = findTimeExpressions(text, direction, anchor).map(({ interval }) =>
    interval === undefined ? 'unresolved' : `${at(interval.startMs)}/${at(interval.endMs)} ${interval.precision}`,
  );
  return found.join(', ') || '-';
}

describe.each(ZONES)('time expressions on a machine in %s', (zone, minutesWest) => {
  const before = process.env['TZ'];
  beforeAll(() => {
    process.env['TZ'] = zone;
  });
  afterAll(() => {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  });

  it('runs in that zone', () => expect(new Date(2024, 6, 1).getTimezoneOffset()).toBe(minutesWest));

  it.each(TIME_TABLE)('said in %s, %s: %s', (said, direction, words, interval) => {
    expect(resolve(words, direction, anchorOf(TURNS[said]))).toBe(interval);
  });
});

describe('the table', () => {
  it('has 80 rows or more that are a time, and no row twice', () => {
    expect(TIME_TABLE.filter(([, , , interval]) => interval !== '-').length).toBeGreaterThanOrEqual(80);
    expect(new Set(TIME_TABLE.map((row) => row.slice(0, 3).join())).size).toBe(TIME_TABLE.length);
  });
});

describe('without an anchor', () => {
  it('nothing relative is resolved, and absolute times are read in UTC', () => {
    for (const text of [
      'yesterday',
      'last week',
      'in May',
      'on March 14th',
      'two years ago',
      'last summer',
      'on the 5th',
    ]) {
      expect(resolve(text, 'past', undefined)).toBe('unresolved');
    }
    expect(resolve('in May 2022', 'past', undefined)).toBe('2022-05-01T00:00/2022-06-01T00:00 month');
  });

  it('the hemisphere of a season is the northern', () => {
    const southern = anchorOf(TURNS.sydneyMonday);
    const { isSouthern: _south, ...unknown } = southern;
    expect(resolve('last summer', 'past', southern)).toBe('2023-12-01T00:00/2024-03-01T00:00 month');
    expect(resolve('last summer', 'past', unknown)).toBe('2024-06-01T00:00/2024-09-01T00:00 month');
  });
});

describe('the offset of the turn', () => {
  it('places the day, whatever the machine', () => {
    const anchor = { atMs: Date.UTC(2023, 5, 10, 5, 30), offsetMinutes: 540 };
    expect(findTimeExpressions('today', 'past', anchor)[0]?.interval).toMatchObject({
      startMs: Date.UTC(2023, 5, 9, 15),
      endMs: Date.UTC(2023, 5, 10, 15),
    });
  });
});
