/** Under a stream of new sources that never ends, what has waited longest is read within four pages. */
import { describe, expect, it } from 'vitest';
import { inTurn, isOldestFirst, oldestShare } from '../../functions/core/paging.ts';
import { nominate } from '../../functions/worker/queue-position.ts';
import type { Executor } from '../../functions/worker/executor/executor.ts';
import { LIMITS } from '../../schema/limits.ts';
import { continuationKey, freshKey, leasedKey, type QueueRow, waitingKey } from '../../schema/queue.ts';
import type { Query } from '../../schema/request.ts';
import { useDeployments } from '../support/deployments.ts';
import { START_MS } from '../support/virtual-clock.ts';

const deploy = useDeployments();

describe('which page asks for the oldest first', () => {
  it('the first of a pass in slot number 0 and every fourth after it; neighbours take turns', () => {
    const pages = [0, 1, 2, 3, 4, 5, 6, 7];
    expect(pages.filter((page) => isOldestFirst(page, 0))).toEqual([0, 4]);
    expect(pages.filter((page) => isOldestFirst(page, 1))).toEqual([3, 7]);
    expect(pages.filter((page) => isOldestFirst(page, 6))).toEqual([2, 6]);
  });

  it('gives them half of its room, and each kind of waiting its turn', () => {
    expect([1, 2, 5, 6, 20].map(oldestShare)).toEqual([1, 2, 3, 3, 10]);
    expect(inTurn([[1, 2, 3], [], [4, 5]], 4)).toEqual([1, 4, 2, 5]);
    expect(inTurn([], 4)).toEqual([]);
  });
});

describe('a page that asks for the oldest first', () => {
  const NOW = START_MS;
  const row = (sk: string, queueKey: string): QueueRow => ({
    sk,
    queueKey,
    cursor: 0,
    seq: 1,
    length: 9,
    tokens: 3,
    attempts: 0,
  });
  const fresh = Array.from({ length: 40 }, (_, k) => row(`fresh-${k}`, freshKey(NOW - k * 1000, `fresh-${k}`)));
  const ripe = row('ripe', waitingKey(NOW - 1000, 'ripe'));
  const dead = row('dead', leasedKey(NOW - LIMITS.leaseMarginMs - 1, 'p'.repeat(38), 'dead'));
  const rows = [...fresh, ripe, dead];

  function reading(all: readonly QueueRow[]) {
    const reads: Query[] = [];
    const store = {
      async query(read: Query) {
        reads.push(read);
        const { ':from': from, ':to': to } = read.input.ExpressionAttributeValues as Record<string, string>;
        const found = all.filter(({ queueKey }) => queueKey >= (from ?? '') && queueKey <= (to ?? ''));
        found.sort((a, b) => (a.queueKey < b.queueKey ? -1 : 1));
        if (read.input.ScanIndexForward === false) found.reverse();
        return { items: found.slice(0, read.input.Limit), lastKey: undefined };
      },
    };
    return { reads, deps: { store, clock: { nowMs: () => NOW } } };
  }
  const reader = (slotNumber = 0) => ({
    queue: { scope: 's', generation: 1, lane: 'incremental' as const },
    passId: 'm'.repeat(38),
    slotNumber,
    leaseExpiresAtMs: NOW + 60_000,
  });
  const ask = async (oldestFirst: boolean, slotNumber = 0, all = rows) => {
    const { reads, deps } = reading(all);
    const found = await nominate(deps, reader(slotNumber), { after: undefined }, { need: 10, oldestFirst });
    return { reads: reads.length, names: found.rows.map(({ sk }) => sk), oldest: found.oldest.map(({ sk }) => sk) };
  };

  it('names what stopped waiting, what a dead pass held and the old end, then the newest', async () => {
    const { names, oldest, reads } = await ask(true);
    expect(oldest).toEqual(['ripe', 'dead', 'fresh-39', 'fresh-38', 'fresh-37']);
    expect(names.slice(5, 8)).toEqual(['fresh-0', 'fresh-1', 'fresh-2']);
    expect(reads).toBe(4);
  });

  it('twin: another page names none of them, with one read', async () => {
    const { names, reads } = await ask(false);
    expect(names).toEqual(fresh.slice(0, 11).map(({ sk }) => sk));
    expect(reads).toBe(1);
  });

  it('costs six reads at most, and names no source twice', async () => {
    const few = [row('half', continuationKey(NOW, 'half')), ...fresh.slice(0, 3), ripe, dead];
    const { names, reads } = await ask(true, 4, few);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toHaveLength(few.length);
    expect(reads).toBeLessThanOrEqual(6);
  });
});

describe.each([1, 3, 10])('passes of %i pages under a stream of new sources', (pagesOfPass) => {
  it('read the oldest within four pages, and the newest all the while', async () => {
    let named = 0;
    const pages: string[][] = [];
    const note = (id: string, atMs: number) => ({
      kind: 'note',
      id,
      format: 'text',
      text: id,
      capturedAt: new Date(atMs).toISOString(),
    });
    const stream = () => {
      named += 10;
      const ids = Array.from({ length: 10 }, (_, k) => named + k);
      return deployment.ingest(
        's',
        ids.map((n) => note(`new-${n}`, START_MS + n * 1000)),
      );
    };
    const executor: Executor = {
      name: 'stub',
      async run(tools) {
        for (let page = 0; page < pagesOfPass && pages.length < 12; page++) {
          const { items } = await tools.searchEvidence({ limit: 5 });
          pages.push(items.map(({ source }) => source));
          await stream();
          await tools.reviewEvidence(items);
        }
      },
    };
    const deployment = deploy({ executor });
    for (let k = 0; k < 4; k++) await stream();
    const look = async (untilPages: number) => {
      for (let asked = 0; pages.length < untilPages && asked < 12; asked++) {
        await deployment.ask({ scope: 's', origin: 'trigger', kind: 'incremental' });
        await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 5000 });
      }
    };
    await deployment.ingest('s', [note('old', START_MS - 1_000_000)]);
    await look(12);
    const at = pages.findIndex((page) => page.some((source) => source.startsWith('note:old@')));
    expect(at).toBeGreaterThanOrEqual(0);
    expect(at).toBeLessThan(LIMITS.oldestFirstEvery);
    for (const page of pages) expect(page.some((source) => source.startsWith('note:new-'))).toBe(true);
  });
});
