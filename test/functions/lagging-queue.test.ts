/** Under an index that lags, a page tries a row that others won once, and reads on behind it. */
import { describe, expect, it, vi } from 'vitest';
import { choosePage } from '../../functions/core/paging.ts';
import { type Leasing, takePage } from '../../functions/worker/take-page.ts';
import { TriedRows } from '../../functions/worker/queue-position.ts';
import { evidenceAddress, leaseEvidence, putEvidence } from '../../schema/evidence.ts';
import { passIdOf } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Item, Query } from '../../schema/request.ts';
import { createTestStore } from '../support/tables.ts';
import { START_MS } from '../support/virtual-clock.ts';

const [ME, OTHER] = [passIdOf('000000000000000-a', 0), passIdOf('000000000000000-a', 1)];
const EXPIRES_MS = START_MS + 600_000;

/** Forty sources, of which another pass has just leased the first twelve; the index shows none of that. */
async function takeBehind(limit: number, remember: boolean, sources = 40) {
  const tables = createTestStore();
  const { store } = tables;
  let count = 0;
  const op = () => `op-${++count}`;
  const refs = Array.from(
    { length: sources },
    (_, k) => ({ kind: 'note', id: `n${k}`, revision: '0'.repeat(16) }) as const,
  );
  const addresses = refs.map((ref) => evidenceAddress('s', 1, 'incremental', ref));
  for (const [k, address] of addresses.entries()) {
    const ref = refs[k] as (typeof refs)[number];
    await store.write(putEvidence(address, { ref, length: 9, tokens: 3, capturedAtMs: START_MS - k }, op()));
  }
  const before = tables.items('control');
  for (const address of addresses.slice(0, 12)) {
    const lease = { passId: OTHER, seq: 1, nowMs: START_MS, expiresAtMs: EXPIRES_MS, op: op() };
    await store.write(leaseEvidence(address, lease));
  }
  const stale = before.filter((item) => item.queueKey !== undefined) as (Item & { queueKey: string })[];
  const query = async ({ input }: Query) => {
    const { ':from': from, ':to': to } = input.ExpressionAttributeValues as Record<string, string>;
    const rows = stale
      .filter(({ queueKey }) => queueKey >= String(from) && queueKey <= String(to))
      .sort((a, b) => (a.queueKey < b.queueKey ? -1 : 1));
    return { items: rows.slice(0, input.Limit), lastKey: undefined };
  };
  const leasing: Leasing = {
    address: { scope: 's', generation: 1, passId: ME },
    reader: {
      queue: { scope: 's', generation: 1, lane: 'incremental' },
      passId: ME,
      slotNumber: 0,
      leaseExpiresAtMs: EXPIRES_MS,
    },
    position: { after: undefined },
    leasePages: 0,
    leasesLost: 0,
    pages: 1,
  };
  const forgets = vi.spyOn(TriedRows.prototype, 'has');
  if (!remember) forgets.mockReturnValue(false);
  try {
    const deps = {
      store: { ...store, query },
      clock: { nowMs: () => START_MS },
      ids: { fresh: op },
      decide: { choosePage },
    };
    const page = await takePage(deps as never, leasing, { sources: limit, characters: 32_000 });
    return { page, lost: leasing.leasesLost };
  } finally {
    forgets.mockRestore();
    tables.close();
  }
}

describe('a page under an index that lags', () => {
  it('is filled from behind what it lost, each of that tried once', async () => {
    const { page, lost } = await takeBehind(40, true);
    expect([page.taken.length, lost]).toEqual([28, 12]);
    expect(page.lostAll).toBe(false);
  });

  it('twin: without remembering, each round tries the same rows again', async () => {
    const { lost } = await takeBehind(40, false);
    expect(lost).toBe(12 * (1 + LIMITS.refillMax));
  });

  it('that lost all it read has not seen the end of the queue', async () => {
    const { page } = await takeBehind(12, true, 12);
    expect([page.taken.length, page.lostAll]).toEqual([0, true]);
  });
});
