/** A table of time expressions with their closed-open intervals, in the speaker's own offset. */
import { describe, expect, it } from 'vitest';
import { findTimeExpressions } from '../../../../../functions/worker/executor/rules/time-expressions.ts';

// Friday, 9 June 2023, 23:30 in Denver: already the 10th in UTC, so a resolution in UTC would be a day off.
const ANCHOR = { atMs: Date.UTC(2023, 5, 10, 5, 30), offsetMinutes: -360 };

const PAST: readonly [string, string][] = [
  ['yesterday', '2023-06-08T00:00/2023-06-09T00:00 day'],
  ['the day before yesterday', '2023-06-07T00:00/2023-06-08T00:00 day'],
  ['today', '2023-06-09T00:00/2023-06-10T00:00 day'],
  ['this morning', '2023-06-09T00:00/2023-06-10T00:00 day'],
  ['last week', '2023-05-29T00:00/2023-06-05T00:00 day'],
  ['last weekend', '2023-06-03T00:00/2023-06-05T00:00 day'],
  ['last month', '2023-05-01T00:00/2023-06-01T00:00 month'],
  ['last year', '2022-01-01T00:00/2023-01-01T00:00 year'],
  ['last summer', '2022-06-01T00:00/2022-09-01T00:00 month'],
  ['last winter', '2022-12-01T00:00/2023-03-01T00:00 month'],
  ['last spring', '2023-03-01T00:00/2023-06-01T00:00 month'],
  ['summer of 2021', '2021-06-01T00:00/2021-09-01T00:00 month'],
  ['last Tuesday', '2023-06-06T00:00/2023-06-07T00:00 day'],
  ['last Friday', '2023-06-02T00:00/2023-06-03T00:00 day'],
  ['on Saturday', '2023-06-03T00:00/2023-06-04T00:00 day'],
  ['two years back', '2021-01-01T00:00/2022-01-01T00:00 year'],
  ['3 months ago', '2023-03-01T00:00/2023-04-01T00:00 month'],
  ['a couple of weeks ago', '2023-05-22T00:00/2023-05-29T00:00 day'],
  ['ten days ago', '2023-05-30T00:00/2023-05-31T00:00 day'],
  ['two hours ago', '2023-06-09T21:00/2023-06-09T22:00 hour'],
  ['in 2022', '2022-01-01T00:00/2023-01-01T00:00 year'],
  ['in May 2022', '2022-05-01T00:00/2022-06-01T00:00 month'],
  ['in Sept. 2021', '2021-09-01T00:00/2021-10-01T00:00 month'],
  ['in June', '2023-06-01T00:00/2023-07-01T00:00 month'],
  ['in July', '2022-07-01T00:00/2022-08-01T00:00 month'],
  ['last June', '2022-06-01T00:00/2022-07-01T00:00 month'],
  ['on March 14th', '2023-03-14T00:00/2023-03-15T00:00 day'],
  ['on 14 November', '2022-11-14T00:00/2022-11-15T00:00 day'],
  ['on May 3rd, 2021', '2021-05-03T00:00/2021-05-04T00:00 day'],
  ['on 2021-05-03', '2021-05-03T00:00/2021-05-04T00:00 day'],
  ['on 29 February 2020', '2020-02-29T00:00/2020-03-01T00:00 day'],
  ['on May 3, 2021 at 5:30 pm', '2021-05-03T17:30/2021-05-03T17:31 minute'],
];

const FUTURE: readonly [string, string][] = [
  ['tomorrow', '2023-06-10T00:00/2023-06-11T00:00 day'],
  ['next week', '2023-06-12T00:00/2023-06-19T00:00 day'],
  ['next May', '2024-05-01T00:00/2024-06-01T00:00 month'],
  ['in August', '2023-08-01T00:00/2023-09-01T00:00 month'],
  ['on Friday', '2023-06-16T00:00/2023-06-17T00:00 day'],
  ['on Monday', '2023-06-12T00:00/2023-06-13T00:00 day'],
  ['in 2 weeks', '2023-06-19T00:00/2023-06-26T00:00 day'],
  ['next summer', '2024-06-01T00:00/2024-09-01T00:00 month'],
  ['on March 14th', '2024-03-14T00:00/2024-03-15T00:00 day'],
];

const NOTHING = [
  'for 5 years',
  'a few years back',
  'a card-night',
  'I may go',
  'this may work',
  'on 5/3/2021',
  'on 30 February 2021',
];

function resolve(text: string, direction: 'past' | 'future', anchor: typeof ANCHOR | undefined): string[] {
  const at = (ms: number) => new Date(ms + (anchor?.offsetMinutes ?? 0) * 60_000).toISOString().slice(0, 16);
  return findTimeExpressions(text, direction, anchor).map(({ interval }) =>
    interval === undefined ? 'unresolved' : `${at(interval.startMs)}/${at(interval.endMs)} ${interval.precision}`,
  );
}

describe('time expressions', () => {
  it.each(PAST)('looking back: %s', (text, interval) => expect(resolve(text, 'past', ANCHOR)).toEqual([interval]));
  it.each(FUTURE)('looking ahead: %s', (text, interval) => expect(resolve(text, 'future', ANCHOR)).toEqual([interval]));
  it.each(NOTHING)('no time: %s', (text) => expect(resolve(text, 'past', ANCHOR)).toEqual([]));

  it('leaves out what points the other way than the verb', () => {
    expect(resolve('next May', 'past', ANCHOR)).toEqual([]);
    expect(resolve('last week', 'future', ANCHOR)).toEqual([]);
  });

  it('resolves nothing relative without an anchor, and absolute times in UTC', () => {
    for (const text of ['yesterday', 'last week', 'in May', 'on March 14th', 'two years ago', 'last summer']) {
      expect(resolve(text, 'past', undefined)).toEqual(['unresolved']);
    }
    expect(resolve('in May 2022', 'past', undefined)).toEqual(['2022-05-01T00:00/2022-06-01T00:00 month']);
  });

  it('shifts with the speaker and not with the machine', () => {
    const tokyo = findTimeExpressions('today', 'past', { atMs: ANCHOR.atMs, offsetMinutes: 540 })[0]?.interval;
    expect(tokyo?.startMs).toBe(Date.UTC(2023, 5, 9, 15));
    expect(tokyo?.endMs).toBe(Date.UTC(2023, 5, 10, 15));
  });
});
