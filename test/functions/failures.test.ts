/** What a scope's failures do to it, to it alone, and how it comes back. */
import { describe, expect, it } from 'vitest';
import { ProviderAwayError, type Tools } from '../../functions/worker/executor/executor.ts';
import { call } from '../support/api.ts';
import { type Deployment, type DeploymentOptions, notes } from '../support/deployment.ts';
import { scopeRowOf, settledOf, useDeployments } from '../support/deployments.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const look = { scope: 's', origin: 'trigger', kind: 'incremental' } as const;

const deploy = useDeployments();
const passesOf = (deployment: Deployment, scope = 's') => deployment.passes().filter((pass) => pass.scope === scope);

/** Acknowledges all it is given, but for sources of scope `s` while it is told to fail. */
function failing(state: { fails: boolean }): DeploymentOptions {
  const executor = {
    name: 'failing',
    async run(tools: Tools) {
      const { items } = await tools.searchEvidence({});
      if (state.fails && items.some((item) => item.text.startsWith('Bad'))) throw new Error('it cannot read this');
      await tools.reviewEvidence(items);
    },
  };
  return { executor };
}
const bad = () => notes(3, (k) => `Bad ${k}.`);

describe('failures', () => {
  it('are charged to the scope that failed, with the reason; another goes on', async () => {
    const deployment = deploy(failing({ fails: true }));
    await deployment.ingest('s', bad());
    await deployment.ingest('t', notes(3));
    await deployment.passTime(20 * MINUTE_MS);
    expect(scopeRowOf(deployment)).toMatchObject({
      failures: 1,
      lastFailure: { code: 'Error', message: expect.stringContaining('the executor threw Error') },
    });
    expect(scopeRowOf(deployment, 't')).toMatchObject({ failures: 0 });
    expect(settledOf(deployment)).toBe(3);
  });

  it('keep no word of what was thrown: a provider sends back what it could not take', async () => {
    const thrown: unknown[] = [
      Object.assign(new Error('400: cannot take "Zebulon lives in Timbuktu"'), {
        name: 'APICallError',
        statusCode: 400,
      }),
      Object.assign(new Error('Timbuktu'), { name: 'Zebulon lives in Timbuktu Error' }),
      new ProviderAwayError('over quota at "Zebulon lives in Timbuktu"'),
      'Zebulon lives in Timbuktu',
    ];
    const failures: unknown[] = [];
    for (const error of thrown) {
      const deployment = deploy({
        executor: {
          name: 'quoting',
          async run(tools: Tools) {
            await tools.searchEvidence({});
            throw error;
          },
        },
      });
      await deployment.ingest(
        's',
        notes(1, () => 'Zebulon lives in Timbuktu'),
      );
      await deployment.ask(look);
      await deployment.quiesce({ untilMs: deployment.clock.nowMs() + MINUTE_MS });
      const [pass] = deployment.passes();
      failures.push(pass?.failure);
      expect(JSON.stringify([pass, scopeRowOf(deployment)])).not.toMatch(/zebulon|timbuktu/i);
      expect(JSON.stringify((await call(deployment, 'GET /v1/scopes/s/passes')).body)).not.toMatch(/zebulon|timbuktu/i);
    }
    expect(failures).toMatchObject([
      { code: 'APICallError', message: expect.stringContaining('status 400') },
      { code: 'Error' },
      { code: 'provider_away' },
      { code: 'Error' },
    ]);
  });

  it('of a pass that settles nothing are called no_progress', async () => {
    const deployment = deploy({ stub: { behaviour: 'finish' } });
    await deployment.ingest('s', notes(3));
    await deployment.ask(look);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + MINUTE_MS });
    expect(scopeRowOf(deployment)).toMatchObject({ failures: 1, lastFailure: { code: 'no_progress' } });
  });

  it('back off by 10, 20, 40 and 80 minutes, then halt at the fifth', async () => {
    const deployment = deploy(failing({ fails: true }));
    await deployment.ingest('s', bad());
    await deployment.passTime(24 * HOUR_MS);
    const started = passesOf(deployment)
      .map((pass) => Number(pass.startedAtMs) / MINUTE_MS)
      .sort((a, b) => a - b);
    const gaps = started.slice(1).map((atMs, k) => Math.round(atMs - (started[k] ?? 0)));
    expect(gaps.map((gap, k) => gap - 10 * 2 ** k).every((late) => late >= 0 && late <= 1)).toBe(true);
    expect(gaps).toHaveLength(4);
    expect(scopeRowOf(deployment)).toMatchObject({ workPartition: 'parked#0', failures: 5 });
    expect(scopeRowOf(deployment)?.haltedAtMs).toBeDefined();
  });

  it('are counted once, however often the pass is finalized', async () => {
    const deployment = deploy({ stub: { behaviour: 'finish' } });
    await deployment.ingest('s', notes(3));
    await deployment.ask(look);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + MINUTE_MS });
    const [pass] = deployment.passes();
    const key = { pk: String(pass?.pk), sk: String(pass?.sk) };
    await Promise.all([deployment.finalizeKey(key), deployment.finalizeKey(key), deployment.finalizeKey(key)]);
    expect(scopeRowOf(deployment)?.failures).toBe(1);
  });
});

describe('a halted scope', () => {
  async function halted(state: { fails: boolean }): Promise<Deployment> {
    const deployment = deploy(failing(state));
    await deployment.ingest('s', bad());
    await deployment.passTime(5 * HOUR_MS);
    expect(scopeRowOf(deployment)?.haltedAtMs).toBeDefined();
    return deployment;
  }

  it('rests until a resume, which the schedule takes up with a fresh count', async () => {
    const state = { fails: true };
    const deployment = await halted(state);
    await deployment.passTime(HOUR_MS);
    expect(passesOf(deployment)).toHaveLength(5);
    await call(deployment, 'POST /v1/scopes/s/resume');
    await deployment.passTime(2 * MINUTE_MS);
    expect(scopeRowOf(deployment)).toMatchObject({ failures: 1, workPartition: 'due#0' });
    expect(scopeRowOf(deployment)?.haltedAtMs).toBeUndefined();
    state.fails = false;
    // Passes broke off at these sources again and again: each waits for its own time, on the scope's clean count.
    await deployment.passTime(3 * 60 * MINUTE_MS);
    expect(settledOf(deployment)).toBe(3);
    expect(scopeRowOf(deployment)).toMatchObject({ failures: 0 });
    expect(scopeRowOf(deployment)?.lastFailure).toBeUndefined();
  });

  it('runs for an explicit trigger, and a success of it ends the halt', async () => {
    const state = { fails: true };
    const deployment = await halted(state);
    expect((await deployment.ask(look)).status).toBe(202);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + MINUTE_MS });
    expect(scopeRowOf(deployment)?.haltedAtMs).toBeDefined();
    state.fails = false;
    await deployment.ask(look);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + MINUTE_MS });
    expect(scopeRowOf(deployment)?.haltedAtMs).toBeUndefined();
    expect(settledOf(deployment)).toBeGreaterThan(0);
    await deployment.passTime(6 * 60 * MINUTE_MS);
    expect(settledOf(deployment)).toBe(3);
  });

  it('failures that lie more than a day apart never halt', async () => {
    const deployment = deploy(failing({ fails: true }));
    await deployment.ingest('s', bad());
    for (let day = 0; day < 8; day++) {
      await deployment.ask(look);
      await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 25 * HOUR_MS });
    }
    expect(scopeRowOf(deployment)).toMatchObject({ failures: 8 });
    expect(scopeRowOf(deployment)?.haltedAtMs).toBeUndefined();
  });
});
