import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callPageSchema, putCallPage, queryCallPages } from '../../schema/call-page.ts';
import { leasePageKey, leasePageSchema, putLeasePage, queryLeasePages } from '../../schema/lease-page.ts';
import { sourceKeyOf } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';
import { type PassAddress, passKey } from '../../schema/pass.ts';
import { get, remove } from '../../schema/request.ts';
import { putReviewPage, queryReviewPages, reviewPageSchema } from '../../schema/review-page.ts';
import { createTestTables, TABLES_TIMEOUT_MS, type TestTables } from '../support/tables.ts';
import { itRefuses, itSurvivesLostReply, winAll } from './guards.ts';
import { freshOp, freshScope, GENERATION, ME, NOW_MS } from './samples.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTestTables();
}, TABLES_TIMEOUT_MS);
afterAll(() => tables.close());
const open = () => tables;

const freshAddress = (): PassAddress => ({ scope: freshScope(), generation: GENERATION, passId: ME });
const putLease = (address: PassAddress, page: number, sourceKeys = ['note#a#0000000000000000']) =>
  putLeasePage(address, { page, sourceKeys, expiresAtMs: NOW_MS, op: freshOp() });
const putReview = (address: PassAddress, n: number, to = 10) => {
  const reviews = [{ sourceKey: 'note#a#0000000000000000', from: 0, to, length: 10 }];
  return putReviewPage(address, { n, reviews, nowMs: NOW_MS, op: freshOp() });
};

describe('LEASE rows', () => {
  it('are read in page order, apart from the REVIEW rows, and go by TTL a day after their leases', async () => {
    const address = freshAddress();
    await winAll(tables, [putLease(address, 10), putLease(address, 2), putReview(address, 1)]);
    const { items } = await tables.store.query(queryLeasePages(address));
    expect(items.map((item) => leasePageSchema.parse(item).sk)).toEqual([
      `${passKey(address).sk}#LEASE#00002`,
      `${passKey(address).sk}#LEASE#00010`,
    ]);
    expect(items[0]?.['ttl']).toBe((NOW_MS + LIMITS.leasePageKeepMs) / 1000);
  });

  it('are removed, and removed again without an error', async () => {
    const address = freshAddress();
    const key = leasePageKey(address, 1);
    await winAll(tables, [putLease(address, 1), remove(key), remove(key)]);
    expect(await tables.store.get(get(key))).toBeUndefined();
  });

  itSurvivesLostReply(open, 'putLeasePage', { recognisedBy: 'op', arrange: async () => putLease(freshAddress(), 1) });

  itRefuses(open, 'putLeasePage', [
    {
      refuses: 'a page that stands: what it names may be leased',
      clause: 'attribute_not_exists(#pk)',
      arrange: async () => {
        const address = freshAddress();
        await winAll(tables, [putLease(address, 1)]);
        return putLease(address, 1, []);
      },
      broken: (after) => (after['sourceKeys'] as string[]).length === 0,
    },
  ]);
});

describe('REVIEW rows', () => {
  it('are read in their order, apart from the LEASE rows', async () => {
    const address = freshAddress();
    await winAll(tables, [putReview(address, 2), putReview(address, 1), putLease(address, 1)]);
    const { items } = await tables.store.query(queryReviewPages(address));
    expect(items.map((item) => reviewPageSchema.parse(item).n)).toEqual([1, 2]);
  });

  it('outlive their pass, whose own TTL begins when it is finalized', async () => {
    const address = freshAddress();
    await winAll(tables, [putReview(address, 1)]);
    const { items } = await tables.store.query(queryReviewPages(address));
    expect(items[0]?.['ttl']).toBe((NOW_MS + 2 * LIMITS.passKeepMs) / 1000);
  });

  itSurvivesLostReply(open, 'putReviewPage', { recognisedBy: 'op', arrange: async () => putReview(freshAddress(), 1) });

  itRefuses(open, 'putReviewPage', [
    {
      refuses: 'a second acknowledgement under the same number',
      clause: 'attribute_not_exists(#pk)',
      arrange: async () => {
        const address = freshAddress();
        await winAll(tables, [putReview(address, 1)]);
        return putReview(address, 1, 5);
      },
      broken: (after) => (after['reviews'] as { to: number }[])[0]?.to === 5,
    },
  ]);
});

describe('CALL rows', () => {
  const putCalls = (address: PassAddress, seq: number, tool = 'search_evidence') =>
    putCallPage(address, { calls: [{ seq, tool, atMs: NOW_MS, arguments: {} }], nowMs: NOW_MS, op: freshOp() });

  it('are read in the order of their calls, apart from the others, and go by TTL after 30 days', async () => {
    const address = freshAddress();
    await winAll(tables, [putCalls(address, 17), putCalls(address, 1), putReview(address, 1)]);
    const { items } = await tables.store.query(queryCallPages(address, 25));
    expect(items.map((item) => callPageSchema.parse(item).calls[0]?.seq)).toEqual([1, 17]);
    expect(items[0]?.['ttl']).toBe((NOW_MS + LIMITS.passKeepMs) / 1000);
  });

  it('fit an item, with the longest names', async () => {
    const source = sourceKeyOf({ kind: 'transcript', id: '#'.repeat(96), revision: 'f'.repeat(16) });
    const reference = { source, start: 16_000_000, length: 16_000_000, hash: 'h'.repeat(22) };
    const most = LIMITS.callReferencesPerRowMax + 3 * LIMITS.reviewItemsMax;
    const given = Array.from({ length: most }, () => reference);
    const call = { seq: 1, tool: 'search_evidence', atMs: NOW_MS, arguments: {}, given };
    const write = putCallPage(freshAddress(), { calls: [call], nowMs: NOW_MS, op: freshOp() });
    expect(JSON.stringify(write.kind === 'put' && write.input.Item).length).toBeLessThan(200_000);
  });

  itSurvivesLostReply(open, 'putCallPage', { recognisedBy: 'op', arrange: async () => putCalls(freshAddress(), 1) });

  itRefuses(open, 'putCallPage', [
    {
      refuses: 'other calls under the same number',
      clause: 'attribute_not_exists(#pk)',
      arrange: async () => {
        const address = freshAddress();
        await winAll(tables, [putCalls(address, 1)]);
        return putCalls(address, 1, 'finish');
      },
      broken: (after) => (after['calls'] as { tool: string }[])[0]?.tool === 'finish',
    },
  ]);
});

describe('a row with a page of sources', () => {
  /** The longest source key: every character of its id stands as three. */
  const longest = sourceKeyOf({ kind: 'transcript', id: '#'.repeat(96), revision: 'f'.repeat(16) });
  const bytesOf = (item: unknown) => Buffer.byteLength(JSON.stringify(item));

  it('is as small as the finalizer counts on, even when every key is as long as it can be', () => {
    const address = { ...freshAddress(), scope: 's'.repeat(128) };
    const keys = Array.from({ length: LIMITS.reviewsPerRowMax }, () => longest);
    const reviews = keys.map((sourceKey) => ({ sourceKey, from: 15_000_000, to: 16_000_000, length: 16_000_000 }));
    const review = putReviewPage(address, { n: 1, reviews, nowMs: NOW_MS, op: freshOp() });
    for (const write of [putLease(address, 1, keys), review]) {
      const bytes = bytesOf(write.kind === 'put' && write.input.Item);
      expect(bytes).toBeLessThanOrEqual(LIMITS.passRowBytesMax);
      expect(bytes).toBeGreaterThan(LIMITS.passRowBytesMax / 2);
    }
  });
});
