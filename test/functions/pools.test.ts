/** More pools than one: each scope in its own, no limit passed in sum, and what another number of them would do. */
import { describe, expect, it } from 'vitest';
import { markBacklog } from '../../functions/io/backlog-mark.ts';
import { runTrigger } from '../../functions/scheduler/run.ts';
import { changeLiveSettings, changeScopeSettings, pauseOne, switchAll } from '../../functions/trigger/switches.ts';
import { triggerIdOf } from '../../schema/ids.ts';
import { ledgerItemSchema } from '../../schema/ledger.ts';
import type { TriggerMessage } from '../../schema/messages.ts';
import { poolOf, shareOf } from '../../schema/pool.ts';
import type { Write } from '../../schema/request.ts';
import { scopeItemSchema } from '../../schema/scope.ts';
import { call } from '../support/api.ts';
import { type Deployment, type DeploymentOptions, notes } from '../support/deployment.ts';
import { settledOf, useDeployments } from '../support/deployments.ts';
import { START_MS } from '../support/virtual-clock.ts';
import { withoutClause } from '../support/without-clause.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const look = { origin: 'trigger', kind: 'incremental' } as const;
const SCOPES = Array.from({ length: 50 }, (_, k) => `scope-${k}`);
const deploy = useDeployments();

const ledgersOf = (deployment: Deployment) =>
  deployment
    .items()
    .filter((item) => item.sk === 'LEDGER')
    .map((item) => ({ number: Number(String(item.pk).slice('POOL#'.length)), ...ledgerItemSchema.parse(item) }));
const owing = (deployment: Deployment): number =>
  ledgersOf(deployment).reduce((sum, { passes }) => sum + Object.keys(passes).length, 0);
const messageFor = (scope: string): TriggerMessage => ({
  v: 1,
  triggerId: triggerIdOf(START_MS, scope),
  scope,
  ...look,
});
const isLedger = (write: Write) => write.kind === 'update' && write.input.Key?.sk === 'LEDGER';

/** Whatever stands of a scope or pass stands in the pool of its scope. */
function misplaced(deployment: Deployment, pools: number): string[] {
  const rows = deployment
    .items()
    .filter((item) => item.sk === 'SCOPE')
    .filter(({ scope, workPartition }) => {
      return !String(workPartition).endsWith(`#${poolOf(String(scope), pools).number}`);
    });
  const entries = ledgersOf(deployment).flatMap(({ number, passes }) =>
    Object.values(passes).filter(({ scope }) => poolOf(scope, pools).number !== number),
  );
  return [...rows, ...entries].map(({ scope }) => String(scope));
}

describe.each([1, 3])('%i pools', (pools) => {
  const settings = { maxConcurrentPasses: 7, maxModelConcurrency: 4, maxWaitMs: 0 };

  it('drain every scope by the schedule alone, each in its own, and rest', async () => {
    const deployment = deploy({ pools, settings, stub: { delayMs: 500 } });
    for (const scope of SCOPES.slice(0, 12)) await deployment.ingest(scope, notes(3));
    deployment.lost.add('triggers');
    for (let k = 0; k < 4; k++) {
      await deployment.tick();
      expect(misplaced(deployment, pools)).toEqual([]);
      await deployment.quiesce({ untilMs: deployment.clock.nowMs() + MINUTE_MS });
    }
    expect([settledOf(deployment), owing(deployment), deployment.crashes]).toEqual([36, 0, []]);
    await deployment.passTime(HOUR_MS);
    const { body } = await call(deployment, 'GET /v1/status');
    expect(body).toMatchObject({ scopes: { due: 0, parked: 0, more: false }, passes: { running: 0, capacity: 7 } });
    expect(misplaced(deployment, pools)).toEqual([]);
  });

  it('are told of in sum', async () => {
    const deployment = deploy({ pools, settings, stub: { delayMs: 100_000 } });
    for (const scope of SCOPES.slice(0, 24)) await deployment.ingest(scope, notes(3));
    await call(deployment, 'POST /v1/scopes/scope-11/pause');
    await deployment.tick();
    const { body } = await call(deployment, 'GET /v1/status');
    expect(body).toMatchObject({ passes: { running: owing(deployment) }, scopes: { parked: 1 } });
    expect(owing(deployment)).toBe(7);
    const snapshot = await call(deployment, 'GET /v1/status?snapshot=1');
    expect(snapshot.body.running).toHaveLength(7);
    const status = await call(deployment, 'GET /v1/scopes/scope-11/status');
    expect(status.body).toMatchObject({ workState: 'parked', now: { because: [expect.stringContaining('paused')] } });
  });

  it('are swept, each of them', async () => {
    const deployment = deploy({ pools, settings });
    for (const scope of SCOPES.slice(0, 6)) await deployment.ingest(scope, notes(3));
    deployment.lost.add('work').add('stream').add('triggers');
    await deployment.tick();
    const first = owing(deployment);
    expect(first).toBeGreaterThanOrEqual(5);
    deployment.lost.clear();
    await deployment.passTime(3 * MINUTE_MS);
    expect([settledOf(deployment), owing(deployment)]).toEqual([18, 0]);
  });

  it('say which setting leaves one of them without a share', async () => {
    const deployment = deploy({ pools, settings });
    const { status, body } = await call(deployment, 'PATCH /v1/settings', { body: { maxConcurrentPasses: 2 } });
    expect(status).toBe(pools === 1 ? 200 : 400);
    if (pools > 1) expect(body.error.message).toContain('maxConcurrentPasses must be at least 3');
  });

  it('are paused and resumed together, and follow one change of the settings', async () => {
    const deployment = deploy({ pools, settings });
    for (const scope of SCOPES.slice(0, 6)) await deployment.ingest(scope, notes(3));
    await call(deployment, 'POST /v1/pause');
    await deployment.tick();
    for (const scope of SCOPES.slice(0, 6)) {
      expect(await call(deployment, `POST /v1/scopes/${scope}/dream/trigger`)).toMatchObject({
        status: 409,
        body: { error: { code: 'paused_all' } },
      });
    }
    await call(deployment, 'PATCH /v1/settings', { body: { pageSources: 2 } });
    await call(deployment, 'POST /v1/resume');
    await deployment.passTime(2 * MINUTE_MS);
    expect(new Set(deployment.passes().map((pass) => pass.pageSources))).toEqual(new Set([2]));
    expect(settledOf(deployment)).toBe(18);
  });
});

describe('50 schedulers at once, in three pools', () => {
  /** Most passes of all ledgers together, and of each. */
  function watched(change: (write: Write) => Write = (write) => write) {
    const most = { all: 0, pool: [0, 0, 0] };
    const holder: { deployment?: Deployment } = {};
    const options: DeploymentOptions = {
      pools: 3,
      settings: { maxConcurrentPasses: 10 },
      wrapStore: (store) => ({
        ...store,
        async write(write) {
          const outcome = await store.write(isLedger(write) ? change(write) : write);
          if (!isLedger(write) || !holder.deployment) return outcome;
          most.all = Math.max(most.all, owing(holder.deployment));
          for (const { number, passes } of ledgersOf(holder.deployment)) {
            most.pool[number] = Math.max(most.pool[number] ?? 0, Object.keys(passes).length);
          }
          return outcome;
        },
      }),
    };
    const deployment = deploy(options);
    holder.deployment = deployment;
    return { deployment, most };
  }

  async function deliverAtOnce(deployment: Deployment, scopes: readonly string[]): Promise<void> {
    for (let left = scopes.map(messageFor); left.length > 0; ) {
      const outcomes = await Promise.allSettled(left.map((it) => runTrigger(deployment.schedulerDeps(), it)));
      left = left.filter((_, k) => outcomes[k]?.status === 'rejected');
    }
  }

  it('admit as many as all may have in sum, never one more, and each pool its share', async () => {
    const { deployment, most } = watched();
    for (const scope of SCOPES) await deployment.ingest(scope, notes(1));
    await deliverAtOnce(deployment, SCOPES);
    const limits = { maxConcurrentPasses: 10, maxModelConcurrency: 10 };
    expect(most.pool).toEqual([0, 1, 2].map((number) => shareOf(limits, { number, of: 3 }).maxConcurrentPasses));
    expect([most.all, owing(deployment)]).toEqual([10, 10]);
    expect(misplaced(deployment, 3)).toEqual([]);
  });

  it('twin: without the version in the condition they admit far more', async () => {
    const clause = '#version = :seenVersion';
    const { deployment, most } = watched((write) =>
      String(write.input.ConditionExpression).includes(clause) ? withoutClause(write, clause) : write,
    );
    for (const scope of SCOPES) await deployment.ingest(scope, notes(1));
    // The first of each makes its item: from then on the version is all that holds.
    await deliverAtOnce(deployment, SCOPES.slice(0, 6));
    await deliverAtOnce(deployment, SCOPES.slice(6));
    expect(most.all).toBeGreaterThan(10);
  });
});

describe('a pause of everything', () => {
  /** A plan in another pool than the first is on its way to its ledger while all are paused. */
  async function admittedAcross(outdates: boolean): Promise<number> {
    const other = SCOPES.find((scope) => poolOf(scope, 3).number === 2) ?? '';
    const holder: { deployment?: Deployment } = {};
    let isPaused = false;
    const deployment = deploy({
      pools: 3,
      settings: { maxConcurrentPasses: 6 },
      wrapStore: (store, name) => ({
        ...store,
        async write(write) {
          const isOther = write.kind === 'update' && write.input.Key?.pk === 'POOL#2';
          if (name === 'trigger' && isOther && !outdates) return { kind: 'won', item: undefined };
          const commits = name === 'scheduler' && isOther && String(write.input.UpdateExpression).includes('pass0');
          if (commits && !isPaused && holder.deployment) {
            isPaused = true;
            await switchAll(holder.deployment.triggerDeps(), true);
          }
          return store.write(write);
        },
      }),
    });
    holder.deployment = deployment;
    await deployment.ingest(other, notes(2));
    // Its ledger is there already: the first admission of a pool has no version to compare.
    await runTrigger(deployment.schedulerDeps(), messageFor(other));
    await deployment.quiesce({ untilMs: START_MS + MINUTE_MS });
    await deployment.ingest(other, [{ ...(notes(1)[0] as object), id: 'more' }]);
    await runTrigger(deployment.schedulerDeps(), { ...messageFor(other), triggerId: triggerIdOf(START_MS, 'again') });
    expect(isPaused).toBe(true);
    return deployment.passes().length;
  }

  it('is seen by a plan of any pool that was made before it was answered', async () => {
    expect(await admittedAcross(true)).toBe(1);
  });

  it('twin: it would not be, if the plans of the others were not outdated', async () => {
    expect(await admittedAcross(false)).toBe(2);
  });
});

describe('a deployment started with another number of pools', () => {
  it.each([
    [3, 1],
    [1, 3],
    [3, 4],
  ])('made with %i, started with %i: admits and moves nothing; set back, nothing is lost', async (made, started) => {
    const deployment = deploy({ pools: made, settings: { maxConcurrentPasses: 8, maxWaitMs: 0 } });
    const scopes = SCOPES.slice(0, 8);
    for (const scope of scopes) await deployment.ingest(scope, notes(2));
    deployment.lost.add('work');
    await deployment.tick();
    const wrong = { ...deployment.schedulerDeps(), pools: started };
    const before = JSON.stringify(deployment.items());
    for (const scope of scopes) {
      const again = { ...messageFor(scope), triggerId: triggerIdOf(START_MS, `again ${scope}`) };
      await expect(runTrigger(wrong, again)).rejects.toThrow(`made with ${made} pools and is started with ${started}`);
    }
    const operator = { ...deployment.triggerDeps(), pools: started };
    const [scope = ''] = scopes;
    for (const change of [
      () => switchAll(operator, true),
      () => pauseOne(operator, scope),
      () => changeLiveSettings(operator, { maxConcurrentPasses: 9 }),
      () => changeScopeSettings(operator, scope, { pageSources: 9 }),
    ]) {
      await expect(change()).rejects.toThrow(`made with ${made} pools`);
    }
    expect(JSON.stringify(deployment.items())).toBe(before);
    deployment.lost.clear();
    await deployment.passTime(3 * MINUTE_MS);
    expect([settledOf(deployment), owing(deployment), misplaced(deployment, made)]).toEqual([16, 0, []]);
  });

  it('twin: if ledgers did not say so, it would admit where a pass runs already', async () => {
    const deployment = deploy({ pools: 1, settings: { maxConcurrentPasses: 9 }, stub: { delayMs: 50_000 } });
    const scope = SCOPES.find((name) => poolOf(name, 3).number === 2) ?? '';
    await deployment.ingest(scope, notes(20));
    const { store, ...deps } = deployment.schedulerDeps();
    const silent: typeof store = {
      ...store,
      async get(read) {
        const item = await store.get(read);
        return item?.sk === 'LEDGER' ? { ...item, pools: 3 } : item;
      },
    };
    await runTrigger({ ...deps, store }, messageFor(scope));
    const again = { ...messageFor(scope), triggerId: triggerIdOf(START_MS, 'again') };
    await expect(runTrigger({ ...deps, store, pools: 3 }, again)).rejects.toThrow('made with 1 pools');
    await runTrigger({ ...deps, store: silent, pools: 3 }, again);
    expect([owing(deployment), misplaced(deployment, 1).length]).toEqual([2, 1]);
  });
});

describe('a scope of another pool', () => {
  const other = SCOPES.find((scope) => poolOf(scope, 3).number === 2) ?? '';

  it('is taken in by nobody who would lose it, and the first ledger says how many there are', async () => {
    const deployment = deploy({ pools: 3, settings: { maxConcurrentPasses: 3, maxWaitMs: 0 } });
    await deployment.ingest(other, notes(2));
    await deployment.passTime(HOUR_MS);
    expect(ledgersOf(deployment).map(({ number, pools }) => [number, pools])).toEqual([
      [0, 3],
      [2, 3],
    ]);
    const [before] = deployment.items().filter((item) => item.sk === 'SCOPE');
    const deps = { ...deployment.schedulerDeps(), pools: 1 };
    await expect(markBacklog(deps, other, scopeItemSchema.parse(before))).rejects.toThrow('made with 3 pools');
    const [after] = deployment.items().filter((item) => item.sk === 'SCOPE');
    expect([before?.workPartition, after?.workPartition]).toEqual(['idle#2', 'idle#2']);
    await expect(runTrigger(deps, messageFor(other))).rejects.toThrow('made with 3 pools');
  });
});
