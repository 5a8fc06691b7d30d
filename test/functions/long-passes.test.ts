/** A pass is bounded in its rows, not only in its sources: what it puts, the finalizer can read. */
import { expect, it, vi } from 'vitest';
import { LIMITS } from '../../schema/limits.ts';
import type { Store } from '../../functions/io/ports.ts';
import { owingOf, useDeployments } from '../support/deployments.ts';

const deploy = useDeployments();
const MINUTE_MS = 60_000;
/** Far below what a setting may ask for, with a hundred rows a pass: a short text has more pages than rows. */
const PAGE_CHARACTERS = 20;
vi.mock('../../schema/limits.ts', async (original) => {
  const module = await original<typeof import('../../schema/limits.ts')>();
  return { ...module, LIMITS: { ...module.LIMITS, pagesPerPassMax: 100, passReadsMax: 3 } };
});

function withTinyPages(store: Store): Store {
  return {
    ...store,
    async write(request) {
      const outcome = await store.write(request);
      if (outcome.kind !== 'won' || outcome.item?.pageCharacters === undefined) return outcome;
      return { ...outcome, item: { ...outcome.item, pageCharacters: PAGE_CHARACTERS } };
    },
  };
}

it('a text of more pages than a pass has rows is read by passes that follow each other', async () => {
  const deployment = deploy({ wrapStore: (store, name) => (name === 'worker' ? withTinyPages(store) : store) });
  const text = 'One of many words. '.repeat(LIMITS.pagesPerPassMax * 1.5);
  await deployment.ingest('s', [{ kind: 'document', id: 'long', format: 'text', text }]);
  await deployment.ask({ scope: 's', origin: 'trigger', kind: 'incremental' });
  await deployment.quiesce({ untilMs: deployment.clock.nowMs() + MINUTE_MS });
  const passes = deployment.passes();
  expect(passes.every(({ status }) => status === 'completed')).toBe(true);
  const asked = passes.filter(({ origin }) => origin === 'trigger');
  const followed = passes.filter(({ origin }) => origin === 'continuation');
  expect([asked.length, followed.length]).toEqual([1, passes.length - 1]);
  expect(followed.length).toBeGreaterThan(0);
  for (const { reviewRows, counters } of passes) {
    expect(reviewRows).toBeLessThan(LIMITS.pagesPerPassMax);
    // What it was given last is acknowledged in a row as well: nothing is read twice.
    expect(reviewRows).toBe((counters as { pages: number }).pages);
  }
  expect(deployment.evidence()).toMatchObject([{ state: 'settled', cursor: text.length }]);
  expect(owingOf(deployment)).toEqual([]);
  expect(deployment.crashes).toEqual([]);
});

it('a model that acknowledges by the sentence puts as many rows as pages', async () => {
  const executor = {
    name: 'stub',
    async run(tools: import('../../functions/worker/executor/executor.ts').Tools) {
      const { items } = await tools.searchEvidence({});
      for (const { source, end } of items) {
        for (let through = 1; through <= end; through++) await tools.reviewEvidence([{ source, through }]);
      }
    },
  };
  const deployment = deploy({ executor });
  const text = 'x'.repeat(300);
  await deployment.ingest('s', [{ kind: 'note', id: 'n', format: 'text', text }]);
  await deployment.ask({ scope: 's', origin: 'trigger', kind: 'incremental' });
  await deployment.quiesce({ untilMs: deployment.clock.nowMs() + MINUTE_MS });
  expect(deployment.passes()).toMatchObject([{ status: 'completed', reviewRows: 1, settled: 1 }]);
});
