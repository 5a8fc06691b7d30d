/** One source that breaks every pass that reads it stops nobody else, and is found; one that nobody acknowledges steps back. */
import { describe, expect, it } from 'vitest';
import type { Executor, Tools } from '../../functions/worker/executor/executor.ts';
import { PROVIDER_AWAY } from '../../schema/pass.ts';
import { tierOf } from '../../schema/queue.ts';
import { type Deployment, notes } from '../support/deployment.ts';
import { scopeRowOf, settledOf, useDeployments } from '../support/deployments.ts';

const deploy = useDeployments();
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const look = { scope: 's', origin: 'trigger', kind: 'incremental' } as const;
const isPoison = (source: string) => source.startsWith('note:note-7@');

/** Reads page after page with `read`, until a page is empty. */
const reading = (read: (tools: Tools, sources: readonly string[]) => Promise<void>): Executor => ({
  name: 'stub',
  async run(tools) {
    for (;;) {
      const { items } = await tools.searchEvidence({});
      if (items.length === 0) return;
      await read(
        tools,
        items.map(({ source }) => source),
      );
    }
  },
});

const oneByOne = reading(async (tools, sources) => {
  for (const source of sources) {
    if (isPoison(source)) throw new Error('this text breaks its reader');
    await tools.reviewEvidence([{ source }]);
  }
});
const wholePages = reading(async (tools, sources) => {
  if (sources.some(isPoison)) throw new Error('this text breaks its reader');
  await tools.reviewEvidence(sources.map((source) => ({ source })));
});

async function ingestHundred(deployment: Deployment): Promise<void> {
  await deployment.ingest('s', notes(50));
  await deployment.ingest('s', notes(100).slice(50));
}

describe('one source of a hundred that breaks its passes', () => {
  it.each([
    ['acknowledged one by one', oneByOne],
    ['acknowledged by the page', wholePages],
  ])(
    'is quarantined within a day, the others are settled, the scope rests: %s',
    async (_, executor) => {
      const deployment = deploy({ executor });
      await ingestHundred(deployment);
      await deployment.passTime(24 * HOUR_MS);
      const poison = deployment.evidence().find(({ id }) => id === 'note-7');
      expect(settledOf(deployment)).toBe(99);
      expect(poison).toMatchObject({ state: 'quarantined', crashesAlone: 3 });
      expect(poison).toMatchObject({ quarantineClass: 'broke_off' });
      expect(tierOf(String(poison?.queueKey))).toBe(5);
      expect(scopeRowOf(deployment)).toMatchObject({ workPartition: 'idle#0' });
      expect(scopeRowOf(deployment)?.haltedAtMs).toBeUndefined();
      expect(deployment.leasesLeft()).toBe(0);
      expect(deployment.passes().length).toBeLessThanOrEqual(30);
    },
    120_000,
  );

  it('costs the others no more than two deliveries that count for nothing', async () => {
    const deployment = deploy({ executor: wholePages });
    await ingestHundred(deployment);
    await deployment.passTime(3 * HOUR_MS);
    expect(settledOf(deployment)).toBe(99);
  }, 60_000);
});

describe('a source that nobody acknowledges', () => {
  it('comes after all that is fresh from its third delivery on, until it gets on', async () => {
    let ignores = true;
    const forgetful = reading(async (tools, sources) => {
      const read = sources.filter((source) => !ignores || !isPoison(source));
      await tools.reviewEvidence(read.map((source) => ({ source })));
    });
    const deployment = deploy({ executor: forgetful });
    const stateOf = () => deployment.evidence().find(({ id }) => id === 'note-7');
    // A look delivers it beside the others, and to the pass that follows, unless it is stalled by then.
    for (const deliveries of [2, 3]) {
      await deployment.ingest('s', deliveries === 2 ? notes(8) : notes(7, (k) => `Note ${k}, edited.`));
      await deployment.ask(look);
      await deployment.quiesce({ untilMs: deployment.clock.nowMs() + MINUTE_MS });
      expect(stateOf()).toMatchObject({ stalls: deliveries, attempts: 0 });
      expect(tierOf(String(stateOf()?.queueKey))).toBe(deliveries < 3 ? 1 : 2);
    }
    ignores = false;
    await deployment.ask(look);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + MINUTE_MS });
    expect(stateOf()).toMatchObject({ state: 'settled', stalls: 0 });
  });
});

describe('a pass that ends without a fault of its sources', () => {
  it.each([['a provider that is away', PROVIDER_AWAY]])('leaves them as they were: %s', async (_, code) => {
    const { ProviderAwayError } = await import('../../functions/worker/executor/executor.ts');
    const executor = reading(async () => {
      throw new ProviderAwayError('over quota');
    });
    const deployment = deploy({ executor });
    await deployment.ingest('s', notes(5));
    await deployment.ask(look);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + MINUTE_MS });
    expect(deployment.passes()).toMatchObject([{ status: 'failed', failure: { code } }]);
    for (const item of deployment.evidence()) expect(item).toMatchObject({ attempts: 0, stalls: 0 });
  });
});
