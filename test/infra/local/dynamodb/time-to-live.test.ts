import { beforeEach, describe, expect, it } from 'vitest';
import { item, type Main, openMain, TABLE, typed } from './main-table.ts';

const NOW_SECONDS = 1_900_000_000;
const YEAR_SECONDS = 365 * 24 * 3600;

let main: Main;
let nowMs: number;

beforeEach(() => {
  nowMs = NOW_SECONDS * 1000;
  main = openMain({ now: () => nowMs });
  main.engine.dispatch('UpdateTimeToLive', {
    TableName: TABLE,
    TimeToLiveSpecification: { Enabled: true, AttributeName: 'ttl' },
  });
});

describe('the TTL sweep', () => {
  it.each<[string, unknown, boolean]>([
    ['a second ago', typed(NOW_SECONDS - 1), true],
    ['now', typed(NOW_SECONDS), false],
    ['later', typed(NOW_SECONDS + 500), false],
    ['almost five years ago', typed(NOW_SECONDS - 5 * YEAR_SECONDS + 1), true],
    ['five years ago', typed(NOW_SECONDS - 5 * YEAR_SECONDS), false],
    ['milliseconds', typed(NOW_SECONDS * 1000), false],
    ['zero', typed(0), false],
    ['text', typed(String(NOW_SECONDS - 1)), false],
    ['a set of numbers', typed(new Set([NOW_SECONDS - 1])), false],
    ['nothing', undefined, false],
  ])('deletes only what is due: %s', (_what, ttl, isDue) => {
    main.engine.dispatch('PutItem', {
      TableName: TABLE,
      Item: { ...item({ PK: 't', SK: '1' }), ...(ttl ? { ttl } : {}) },
    });
    expect(main.engine.sweepTtl()).toBe(isDue ? 1 : 0);
    expect(main.get('t', '1') === undefined).toBe(isDue);
  });

  it('leaves a record with the identity of the service, and cleans the indexes', () => {
    const due = { PK: 't', SK: '1', ttl: NOW_SECONDS - 1, GSI1PK: 'g', GSI1SK: '1' };
    main.put(due);
    main.put({ ...due, SK: '2', ttl: NOW_SECONDS + 1 });
    main.engine.sweepTtl();
    const [, , removed, ...others] = main.engine.readStream(TABLE, 0, 10).records;
    expect(others).toEqual([]);
    expect(removed).toMatchObject({
      eventName: 'REMOVE',
      userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' },
      dynamodb: { OldImage: item(due) },
    });
    expect(main.query('GSI1PK = :g', { ':g': 'g' }, { IndexName: 'GSI1' }).Items).toEqual([
      item({ ...due, SK: '2', ttl: NOW_SECONDS + 1 }),
    ]);
  });

  it('leaves an item that was renewed, however often it sweeps', () => {
    main.put({ PK: 't', SK: '1', ttl: NOW_SECONDS - 1 });
    main.update('t', '1', {
      UpdateExpression: 'SET #t = :t',
      ExpressionAttributeNames: { '#t': 'ttl' },
      ExpressionAttributeValues: item({ ':t': NOW_SECONDS + 10 }),
    });
    expect(main.engine.sweepTtl()).toBe(0);
    nowMs += 10_001;
    expect(main.engine.sweepTtl()).toBe(1);
    expect(main.engine.sweepTtl()).toBe(0);
  });

  it('does nothing while TTL is disabled', () => {
    main.put({ PK: 't', SK: '1', ttl: NOW_SECONDS - 1 });
    main.engine.dispatch('UpdateTimeToLive', {
      TableName: TABLE,
      TimeToLiveSpecification: { Enabled: false, AttributeName: 'ttl' },
    });
    expect(main.engine.sweepTtl()).toBe(0);
    expect(main.get('t', '1')).toBeDefined();
  });
});
