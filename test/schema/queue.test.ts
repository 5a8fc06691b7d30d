import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hash22, sourceKeyOf } from '../../schema/ids.ts';
import {
  continuationKey,
  freshKey,
  holderOfQueueKey,
  leasedKey,
  expiredLeasesEnd,
  ownLeasesEnd,
  queryExpired,
  queryLeased,
  queryNextWaiting,
  queryTakeable,
  queryWaitingUntil,
  queuePartition,
  queueRowSchema,
  stalledKey,
  tierOf,
  timeOfQueueKey,
  waitingKey,
} from '../../schema/queue.ts';
import type { Query, Write } from '../../schema/request.ts';
import { TIME_MAX_MS, TIME_MIN_MS } from '../../schema/time.ts';
import { createTestTables, TABLES_TIMEOUT_MS, type TestTables } from '../support/tables.ts';
import { winAll } from './guards.ts';
import { freshScope, ME, NOW_MS, OTHER } from './samples.ts';

const keyOfSource = (id: string) => sourceKeyOf({ kind: 'note', id, revision: '0000000000000000' });
const [A, B, C] = ['a', 'b', 'c'].map(keyOfSource) as [string, string, string];

describe('queue keys', () => {
  const inOrder = [
    continuationKey(NOW_MS - 5, B),
    continuationKey(NOW_MS, A),
    freshKey(NOW_MS, C),
    freshKey(NOW_MS - 5, A),
    stalledKey(NOW_MS + 9, C),
    stalledKey(NOW_MS, A),
    waitingKey(NOW_MS + 1, C),
    waitingKey(NOW_MS + 2, A),
    leasedKey(NOW_MS + 1, OTHER, A),
    leasedKey(NOW_MS + 2, ME, B),
  ];

  it('order the tiers, and inside each oldest or newest first as the tier says', () => {
    expect([...inOrder].sort()).toEqual(inOrder);
    expect(inOrder.map(tierOf)).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4]);
  });

  it('carry their time and holder, from the least time to the greatest', () => {
    const anyTime = fc.integer({ min: TIME_MIN_MS, max: TIME_MAX_MS });
    fc.assert(
      fc.property(anyTime, anyTime, (a, b) => {
        expect(timeOfQueueKey(waitingKey(a, A))).toBe(a);
        expect(timeOfQueueKey(leasedKey(a, ME, A))).toBe(a);
        expect(holderOfQueueKey(leasedKey(a, ME, A))).toBe(ME);
        expect(freshKey(a, A) < freshKey(b, A)).toBe(b < a);
        expect(continuationKey(a, A) < continuationKey(b, A)).toBe(a < b);
        expect(leasedKey(a, ME, A) < leasedKey(b, ME, A)).toBe(a < b);
      }),
    );
  });

  it('differ for two sources of the same time, and are ASCII for any source', () => {
    expect(freshKey(NOW_MS, A)).not.toBe(freshKey(NOW_MS, B));
    expect(freshKey(NOW_MS, keyOfSource('größe'))).toMatch(/^[\x21-\x7d]+$/);
  });

  it('a pass’s own leases under one expiry end at the mark, and another’s stand before or behind them', () => {
    const [low, high] = [ME, OTHER].sort() as [string, string];
    const end = ownLeasesEnd(NOW_MS, low);
    for (const source of [A, B, C]) {
      expect(leasedKey(NOW_MS, low, source) < end).toBe(true);
      expect(leasedKey(NOW_MS, high, source) > end).toBe(true);
      expect(leasedKey(NOW_MS, low, source) < ownLeasesEnd(NOW_MS, high)).toBe(true);
    }
    expect(leasedKey(NOW_MS + 1, low, A) > end).toBe(true);
  });
});

describe('reading the queue', () => {
  let tables: TestTables;
  beforeAll(async () => {
    tables = await createTestTables();
  }, TABLES_TIMEOUT_MS);
  afterAll(() => tables.close());

  const address = { scope: freshScope(), generation: 1, lane: 'incremental' } as const;
  // The stalled tier has no builder yet; readers of the tiers below 3 must see it all the same.
  const stalled = `2#${freshKey(NOW_MS, B).slice(2)}`;
  const keys = {
    continuation: continuationKey(NOW_MS, A),
    newer: freshKey(NOW_MS + 1, A),
    older: freshKey(NOW_MS, B),
    stalled,
    ripe: waitingKey(NOW_MS, C),
    unripe: waitingKey(NOW_MS + 1, C),
    expired: leasedKey(NOW_MS - 1, OTHER, A),
    live: leasedKey(NOW_MS + 1, ME, A),
  };
  beforeAll(async () => {
    const rows = Object.values(keys).map((queueKey): Write => {
      const row = { queuePartition: queuePartition(address), queueKey, cursor: 0, seq: 1, length: 1, tokens: 1 };
      const Item = { pk: `SCOPE#${address.scope}#1`, sk: `EVIDENCE#${hash22(queueKey)}`, ...row };
      return { kind: 'put', table: 'control', isMine: () => false, input: { Item } };
    });
    await winAll(tables, rows);
  });

  const cases: readonly (readonly [string, Query, readonly (keyof typeof keys)[]])[] = [
    ['what may be taken now', queryTakeable(address, 10), ['continuation', 'newer', 'older', 'stalled']],
    ['… at most so many', queryTakeable(address, 2), ['continuation', 'newer']],
    ['… after a key that was seen', queryTakeable(address, 10, keys.newer), ['older', 'stalled']],
    [
      '… after a key that is gone',
      queryTakeable(address, 10, continuationKey(NOW_MS + 1, A)),
      ['newer', 'older', 'stalled'],
    ],
    ['what waited until now', queryWaitingUntil(address, NOW_MS, 10), ['ripe']],
    ['the next that stops waiting', queryNextWaiting(address), ['ripe']],
    ['leases, expired ones first', queryLeased(address, 10), ['expired', 'live']],
    ['leases that expired', queryExpired(address, NOW_MS, 10), ['expired']],
    ['the live leases', queryLeased(address, 10, expiredLeasesEnd(NOW_MS)), ['live']],
    ['leases after those of a pass', queryLeased(address, 10, ownLeasesEnd(NOW_MS - 1, OTHER)), ['live']],
    ['another lane or generation', queryTakeable({ ...address, generation: 2 }, 10), []],
  ];
  it.each(cases)('%s', async (_, read, names) => {
    const found = async () => (await tables.store.query(read)).items.map((row) => queueRowSchema.parse(row).queueKey);
    await expect.poll(found).toEqual(names.map((name) => keys[name]));
  });
});
