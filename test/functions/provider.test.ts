/** A model provider that is unproven, answers, goes away and comes back: what is admitted meanwhile. */
import { describe, expect, it } from 'vitest';
import { ProviderAwayError, type Tools } from '../../functions/worker/executor/executor.ts';
import { LIMITS } from '../../schema/limits.ts';
import { call } from '../support/api.ts';
import { type Deployment, type DeploymentOptions, notes } from '../support/deployment.ts';
import { owingOf, runningOf, scopeRowOf, settledOf, useDeployments } from '../support/deployments.ts';

const MINUTE_MS = 60_000;
const deploy = useDeployments();
const MODEL = [{ name: 'stub', spends: false, needsProvider: true, decidesAttention: false }];
const WIDE = { maxPassesPerScope: 8, maxConcurrentPasses: 20, maxModelConcurrency: 4, maxWaitMs: 0 };
const drain = (deployment: Deployment, parallel: number) =>
  call(deployment, 'POST /v1/scopes/s/dream/drain', { body: { parallel } });

interface Provider {
  /** Fails with it while it is set. */
  away?: { untilMs?: number } | undefined;
  calls: number;
}

/** Asks its provider before it uses a tool, as a model's loop does. */
function model(provider: Provider, waitMs = 10_000): DeploymentOptions {
  const executor = {
    name: 'stub',
    async run(tools: Tools, { sleep }: { sleep: (ms: number) => Promise<void> }) {
      for (;;) {
        provider.calls++;
        await sleep(waitMs);
        if (provider.away) throw new ProviderAwayError('429: try later', provider.away.untilMs);
        const { items } = await tools.searchEvidence({ limit: 5 });
        if (items.length === 0) return;
        await tools.reviewEvidence(items);
      }
    },
  };
  return { executor, executors: MODEL, settings: WIDE };
}

describe('a canary', () => {
  it('goes alone while nothing is proven; after its first tool call the rest follow by themselves', async () => {
    const deployment = deploy(model({ calls: 0 }));
    await deployment.ingest('s', notes(50));
    const { status, body } = await drain(deployment, 4);
    expect([status, body.passIds.length]).toBeDefined();
    expect(body.passIds).toHaveLength(1);
    expect(body.refused).toMatchObject([
      { reason: 'capacity', message: expect.stringContaining('proves the provider') },
    ]);
    expect((await drain(deployment, 2)).status).toBe(409);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 12_000 });
    expect(runningOf(deployment)).toHaveLength(4);
    await deployment.passTime(10 * MINUTE_MS);
    expect([settledOf(deployment), owingOf(deployment)]).toEqual([50, []]);
  });

  it('that dies before it proves anything costs one call, not one for each', async () => {
    const provider: Provider = { calls: 0, away: {} };
    const deployment = deploy(model(provider));
    await deployment.ingest('s', notes(50));
    await drain(deployment, 8);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 30_000 });
    expect([provider.calls, runningOf(deployment).length, deployment.passes().length]).toEqual([1, 0, 1]);
  });

  it('is not needed by what needs no provider', async () => {
    const deployment = deploy({ settings: WIDE, stub: { delayMs: 1000 } });
    await deployment.ingest('s', notes(50));
    expect((await drain(deployment, 8)).body.passIds).toHaveLength(8);
  });

  it('once proven, models are bound by their own number', async () => {
    const deployment = deploy(model({ calls: 0 }, 1000));
    await deployment.ingest('s', notes(50));
    await drain(deployment, 1);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 1500 });
    expect((await drain(deployment, 8)).body.passIds).toHaveLength(3);
    expect(runningOf(deployment)).toHaveLength(4);
  });
});

describe('a provider that goes away', () => {
  async function gone(untilMs?: number): Promise<{ deployment: Deployment; provider: Provider; at: number }> {
    const provider: Provider = { calls: 0 };
    const deployment = deploy(model(provider, 1000));
    await deployment.ingest('s', notes(50));
    await deployment.ingest('t', notes(5));
    await drain(deployment, 1);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 1500 });
    provider.away = { ...(untilMs !== undefined && { untilMs: deployment.clock.nowMs() + untilMs }) };
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 3000 });
    return { deployment, provider, at: deployment.clock.nowMs() };
  }

  it('until a time it says: 503 with Retry-After, no call by anybody until then, no failure of any scope', async () => {
    const { deployment, provider } = await gone(20 * MINUTE_MS);
    expect(deployment.passes()).toMatchObject([{ status: 'failed', failure: { code: 'provider_away' } }]);
    const refused = await drain(deployment, 2);
    expect(refused).toMatchObject({ status: 503, body: { error: { code: 'provider_away' } } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(19 * 60);
    expect((await call(deployment, 'GET /v1/status')).body.provider.kind).toBe('away');
    const { calls } = provider;
    await deployment.passTime(18 * MINUTE_MS);
    expect(provider.calls).toBe(calls);
    for (const scope of ['s', 't']) expect(scopeRowOf(deployment, scope)?.failures ?? 0).toBe(0);
    for (const item of deployment.evidence()) expect(item).toMatchObject({ attempts: 0, stalls: 0 });
    provider.away = undefined;
    await deployment.passTime(10 * MINUTE_MS);
    expect(settledOf(deployment)).toBe(55);
    expect((await call(deployment, 'GET /v1/status')).body.provider.kind).toBe('proven');
  });

  it('without saying until when: one canary each time the wait is over', async () => {
    const { deployment, provider } = await gone();
    const { calls } = provider;
    const rounds = 6;
    await deployment.passTime(rounds * LIMITS.providerAwayMs);
    expect(provider.calls - calls).toBeGreaterThan(0);
    expect(provider.calls - calls).toBeLessThanOrEqual(rounds);
    expect(scopeRowOf(deployment)).toMatchObject({ failures: 0 });
  });
});
