/** Many passes on one queue: they begin apart, and one that loses every race has not seen the end of the queue. */
import { describe, expect, it } from 'vitest';
import { startOffset } from '../../functions/core/paging.ts';
import type { EvidencePage, Executor } from '../../functions/worker/executor/executor.ts';
import { LIMITS } from '../../schema/limits.ts';
import { notes } from '../support/deployment.ts';
import { scopeRowOf, settledOf, useDeployments } from '../support/deployments.ts';

const deploy = useDeployments();
const MINUTE_MS = 60_000;

describe('where a pass begins to read', () => {
  it.each([1, 5, 7, 20, 33, 50])('pages of %i: at most 100 rows in, each place shared by as few as can be', (rows) => {
    const offsets = Array.from({ length: LIMITS.passesPerScopeMax }, (_, slot) => startOffset(slot, rows));
    expect(Math.max(...offsets)).toBeLessThanOrEqual(LIMITS.startOffsetRowsMax);
    const places = Math.floor(LIMITS.startOffsetRowsMax / rows) + 1;
    const shared = [...Map.groupBy(offsets, (offset) => offset).values()].map((slots) => slots.length);
    expect(Math.max(...shared)).toBe(Math.ceil(LIMITS.passesPerScopeMax / places));
  });
});

describe('sixteen passes with pages of twenty', () => {
  it('all get something to read while there is enough for all', async () => {
    const deployment = deploy({
      settings: { maxPassesPerScope: 16, maxConcurrentPasses: 16 },
      stub: { limit: 20, delayMs: 1500 },
    });
    for (let k = 0; k < 8; k++) {
      const fifty = notes(50).map((note, n) => ({ ...(note as object), id: `n${k}-${n}`, text: `text ${k} ${n}` }));
      await deployment.ingest('s', fifty);
    }
    await deployment.ask({ scope: 's', origin: 'drain', kind: 'incremental', parallel: 16 });
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 5 * MINUTE_MS });
    expect(settledOf(deployment)).toBe(400);
    const delivered = deployment
      .passes()
      .slice(0, 16)
      .map((pass) => (pass.counters as { delivered: number }).delivered);
    expect(Math.min(...delivered)).toBeGreaterThan(0);
  }, 60_000);
});

describe('a pass that loses every race', () => {
  /** The worker's index shows each row as it stood before another pass's last move, for as many reads as told. */
  function behind(staleReads: number) {
    const pages: EvidencePage[] = [];
    const executor: Executor = {
      name: 'stub',
      async run(tools) {
        for (;;) {
          const page = await tools.searchEvidence({});
          pages.push(page);
          if (page.items.length === 0) return;
          await tools.reviewEvidence(page.items);
        }
      },
    };
    let reads = 0;
    const deployment = deploy({
      executor,
      wrapStore: (store, name) => ({
        ...store,
        async query(read) {
          const answer = await store.query(read);
          if (name !== 'worker' || read.input.IndexName === undefined || ++reads > staleReads) return answer;
          return { ...answer, items: answer.items.map((item) => ({ ...item, seq: -1 })) };
        },
      }),
    });
    return { deployment, pages };
  }

  it('asks again, and gets what is there', async () => {
    const { deployment, pages } = behind(LIMITS.refillMax + 3);
    await deployment.ingest('s', notes(50));
    await deployment.ask({ scope: 's', origin: 'trigger', kind: 'incremental' });
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + MINUTE_MS });
    expect(pages[0]?.items.length).toBeGreaterThan(0);
    expect(settledOf(deployment)).toBe(50);
  });

  it('ends after so many tries without a word about the end of the queue, and its scope is not to blame', async () => {
    const { deployment, pages } = behind(Number.POSITIVE_INFINITY);
    await deployment.ingest('s', notes(50));
    await deployment.ask({ scope: 's', origin: 'trigger', kind: 'incremental' });
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + MINUTE_MS });
    expect(pages).toEqual([{ items: [], hasMore: false, note: expect.stringMatching(/faster/) }]);
    expect(deployment.passes()).toMatchObject([{ status: 'completed', sawEmptyQueue: false }]);
    expect(scopeRowOf(deployment)).toMatchObject({ failures: 0, workPartition: 'due#0' });
    const leasesLost = deployment.passes().map(({ counters }) => (counters as { leasesLost: number }).leasesLost)[0];
    expect(leasesLost).toBeLessThanOrEqual(20 * (LIMITS.lostPagesMax + 1) * (LIMITS.refillMax + 1));
  });
});
