/** Cases of the schedule and its sweep that no other file holds, and twins of others: see `admission-cases.ts`. */
import { describe, expect, it } from 'vitest';
import { planAdmissions } from '../../functions/core/admission.ts';
import { ProviderAwayError } from '../../functions/worker/executor/executor.ts';
import { type Deployment, type DeploymentOptions, notes } from '../support/deployment.ts';
import { scopeRowOf, settledOf, useDeployments } from '../support/deployments.ts';
import { START_MS } from '../support/virtual-clock.ts';

const MINUTE_MS = 60_000;
const look = { scope: 's', origin: 'trigger', kind: 'incremental' } as const;
const WIDE = { maxPassesPerScope: 8, maxConcurrentPasses: 20, maxWaitMs: 0 };
const deploy = useDeployments();

describe('a tick', () => {
  it('twin: a tick with capacity left reads each scope that is due', async () => {
    let reads = 0;
    const deployment = deploy({
      settings: { maxConcurrentPasses: 2, maxWaitMs: 0 },
      wrapStore: (store, name) => ({
        ...store,
        get: (read) => (name === 'scheduler' && reads++, store.get(read)),
      }),
    });
    for (let k = 0; k < 12; k++) await deployment.ingest(`scope-${k}`, notes(1));
    await deployment.tick();
    expect(reads).toBeGreaterThan(12);
  });

  it('twin: a plan that deepens the first before it turns to the others leaves them waiting', async () => {
    const order = async (decide: DeploymentOptions['decide']): Promise<string[]> => {
      const deployment = deploy({
        stub: { delayMs: 10_000 },
        settings: { ...WIDE, maxConcurrentPasses: 3 },
        ...(decide && { decide }),
      });
      for (const from of [0, 50]) await deployment.ingest('s', notes(Math.min(from + 50, 60)).slice(from));
      for (const scope of ['t', 'u']) await deployment.ingest(scope, notes(1));
      await deployment.tick();
      return deployment.passes().map((pass) => String(pass.scope));
    };
    expect((await order(undefined)).sort()).toEqual(['s', 't', 'u']);
    const deepest: typeof planAdmissions = (snapshot, ...given) =>
      planAdmissions({ ...snapshot, candidates: snapshot.candidates.filter(({ scope }) => scope === 's') }, ...given);
    expect(await order({ planAdmissions: deepest })).toEqual(['s', 's', 's']);
  });
});

describe('an entry of the ledger', () => {
  /** Two passes that nobody started, and the row of the first is not readable. */
  async function sweptWith(broken: 'PASS#' | 'LEDGER'): Promise<Deployment> {
    let breaks = false;
    let first: string | undefined;
    const deployment = deploy({
      settings: { ...WIDE, maxPassesPerScope: 1 },
      wrapStore: (store, name) => ({
        ...store,
        async get(read) {
          const sk = String(read.input.Key?.sk);
          if (breaks && name === 'scheduler' && sk.startsWith(broken) && (broken === 'LEDGER' || sk === first)) {
            throw new Error('this row cannot be read');
          }
          return store.get(read);
        },
      }),
    });
    for (const scope of ['s', 't']) await deployment.ingest(scope, notes(3));
    deployment.lost.add('work');
    for (const scope of ['s', 't']) await deployment.ask({ ...look, scope });
    first = String(deployment.passes().find((pass) => pass.scope === 's')?.sk);
    await deployment.ingest('u', notes(3));
    deployment.lost.clear();
    breaks = true;
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + MINUTE_MS });
    await deployment.tick();
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 10_000 });
    return deployment;
  }

  it('that cannot be read keeps nobody from being repaired or served, and the tick counts as failed', async () => {
    const deployment = await sweptWith('PASS#');
    const settledIn = (scope: string) =>
      deployment.evidence().filter((item) => item.state === 'settled' && String(item.pk).includes(`#${scope}#`)).length;
    expect(['s', 't', 'u'].map(settledIn)).toEqual([0, 3, 3]);
    expect(deployment.crashes).toMatchObject([{ message: 'this row cannot be read' }]);
  });

  it('twin: a ledger that cannot be read stops the tick before anything', async () => {
    const deployment = await sweptWith('LEDGER');
    expect([settledOf(deployment), deployment.crashes.length]).toEqual([0, 1]);
  });

  it('twin: an entry that no sweep takes off keeps its place for ever', async () => {
    const keeps = async (decide: DeploymentOptions['decide']): Promise<number> => {
      const deployment = deploy({ settings: { maxConcurrentPasses: 1, maxWaitMs: 0 }, ...(decide && { decide }) });
      deployment.lost.add('work').add('stream');
      await deployment.ingest('s', notes(3));
      await deployment.ingest('t', notes(3));
      await deployment.ask(look);
      await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 15 * MINUTE_MS });
      deployment.lost.clear();
      await deployment.passTime(15 * MINUTE_MS);
      return settledOf(deployment);
    };
    expect(await keeps({ judgeEntry: () => ({ kind: 'leave' }) })).toBe(0);
    expect(await keeps(undefined)).toBeGreaterThanOrEqual(3);
  });
});

describe('a provider that is away', () => {
  it('twin: a plan that does not ask for the provider calls it again and again', async () => {
    const callsIn = async (decide: DeploymentOptions['decide']): Promise<number> => {
      let calls = 0;
      const executor = {
        name: 'stub',
        async run() {
          calls++;
          throw new ProviderAwayError('429: try later', START_MS + 60 * MINUTE_MS);
        },
      };
      const executors = [{ name: 'stub', spends: false, needsProvider: true, decidesAttention: false }];
      const deployment = deploy({ executor, executors, settings: WIDE, ...(decide && { decide }) });
      await deployment.ingest('s', notes(3));
      await deployment.passTime(20 * MINUTE_MS);
      expect(scopeRowOf(deployment)?.failures ?? 0).toBe(0);
      return calls;
    };
    const blind: typeof planAdmissions = (snapshot, ...given) =>
      planAdmissions({ ...snapshot, provider: { kind: 'none' } }, ...given);
    expect(await callsIn(undefined)).toBe(1);
    expect(await callsIn({ planAdmissions: blind })).toBeGreaterThan(5);
  });
});

describe('models', () => {
  it('twin: not bound by their own number, as many are asked at once as there may be passes', async () => {
    const runningAt = async (decide: DeploymentOptions['decide']): Promise<number> => {
      const executors = [{ name: 'stub', spends: false, needsProvider: true, decidesAttention: false }];
      const settings = { ...WIDE, maxModelConcurrency: 4 };
      const deployment = deploy({ executors, settings, stub: { delayMs: 5000 }, ...(decide && { decide }) });
      for (let k = 0; k < 7; k++) await deployment.ingest(`scope-${k}`, notes(3));
      await deployment.passTime(4 * MINUTE_MS);
      return most(deployment);
    };
    const most = (deployment: Deployment): number => {
      const times = deployment.passes().map((pass) => [Number(pass.startedAtMs), Number(pass.endedAtMs)] as const);
      return Math.max(...times.map(([at]) => times.filter(([from, to]) => from <= at && at < to).length));
    };
    const unbound: typeof planAdmissions = (snapshot, { maxConcurrentPasses }, nowMs) =>
      planAdmissions(snapshot, { maxConcurrentPasses }, nowMs);
    expect(await runningAt(undefined)).toBe(4);
    expect(await runningAt({ planAdmissions: unbound })).toBeGreaterThan(4);
  });
});
