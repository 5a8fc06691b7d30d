/** What an operator changes while a deployment runs: settings, pause and resume, each at once and for good. */
import { describe, expect, it } from 'vitest';
import { call } from '../support/api.ts';
import { type Deployment, notes } from '../support/deployment.ts';
import { runningOf, settledOf, useDeployments } from '../support/deployments.ts';

const MINUTE_MS = 60_000;
const look = { scope: 's', origin: 'trigger', kind: 'incremental' } as const;

const deploy = useDeployments();

describe('settings', () => {
  it('are read with value, origin and range, of a scope that is not known too', async () => {
    const deployment = deploy({ settings: { pageSources: 10 } });
    const { status, body } = await call(deployment, 'GET /v1/scopes/new/settings');
    expect([status, body.known]).toEqual([200, false]);
    expect(body.settings.pageSources).toEqual({ value: 10, from: 'deployment', min: 1, max: 50 });
    expect(body.settings.drainParallel).toEqual({ value: 1, from: 'default', min: 1, max: 16 });
    expect(body.settings.maxConcurrentPasses).toMatchObject({ deploymentOnly: true });
  });

  it('change by name, and are taken back by null', async () => {
    const deployment = deploy({ settings: { pageSources: 10 } });
    const path = 'PATCH /v1/scopes/s/settings';
    const first = await call(deployment, path, { body: { pageSources: 7, maxPassesPerScope: 3 } });
    expect(first.body.settings.pageSources).toMatchObject({ value: 7, from: 'scope' });
    await call(deployment, 'PATCH /v1/settings', { body: { pageSources: 12, batchTokens: 5 } });
    const back = await call(deployment, path, { body: { pageSources: null } });
    expect(back.body.settings.pageSources).toMatchObject({ value: 12, from: 'live' });
    expect(back.body.settings.maxPassesPerScope).toMatchObject({ value: 3, from: 'scope' });
    const read = await call(deployment, 'GET /v1/scopes/s/settings');
    expect(read.body).toEqual({ scope: 's', known: true, settings: back.body.settings });
    expect((await call(deployment, 'GET /v1/settings')).body.settings.batchTokens).toMatchObject({ from: 'live' });
    expect((await call(deployment, 'GET /v1/scopes/s/status')).body.settings.batchTokens).toEqual({
      value: 5,
      from: 'live',
    });
  });

  it.each([
    ['out of range', { pageSources: 51 }, 'pageSources must be a whole number from 1 to 50'],
    ['not whole', { drainParallel: 1.5 }, 'drainParallel must be a whole number from 1 to 16'],
    ['unknown', { maxPases: 2 }, 'known settings: maxConcurrentPasses, maxPassesPerScope'],
    ['counted over all scopes', { maxConcurrentPasses: 5 }, 'change it with PATCH /v1/settings'],
    ['no object', [1], 'expected object'],
  ])('what is %s is refused with what is allowed, and nothing is written', async (_, body, message) => {
    const deployment = deploy();
    const answer = await call(deployment, 'PATCH /v1/scopes/s/settings', { body });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_settings' } } });
    expect(answer.body.error.message).toContain(message);
    expect(deployment.items()).toEqual([]);
  });

  it('two changes at once both stand', async () => {
    const deployment = deploy();
    await Promise.all([
      call(deployment, 'PATCH /v1/settings', { body: { pageSources: 7 } }),
      call(deployment, 'PATCH /v1/settings', { body: { batchTokens: 9 } }),
      call(deployment, 'PATCH /v1/scopes/s/settings', { body: { pageSources: 8 } }),
      call(deployment, 'PATCH /v1/scopes/s/settings', { body: { maxWaitMs: 9 } }),
    ]);
    const { settings } = (await call(deployment, 'GET /v1/scopes/s/settings')).body;
    expect([settings.pageSources.value, settings.batchTokens.value, settings.maxWaitMs.value]).toEqual([8, 9, 9]);
  });

  it('an empty change writes nothing', async () => {
    const deployment = deploy();
    expect((await call(deployment, 'PATCH /v1/settings', { body: {} })).status).toBe(200);
    expect((await call(deployment, 'PATCH /v1/scopes/s/settings', { body: {} })).status).toBe(200);
    expect(deployment.items()).toEqual([]);
  });

  it('count from the next admission on: more passes at once, then fewer again', async () => {
    const deployment = deploy({ stub: { delayMs: 5000 } });
    await deployment.ingest('s', notes(40));
    await deployment.ask(look);
    expect(runningOf(deployment).length).toBe(1);
    await call(deployment, 'PATCH /v1/settings', { body: { maxConcurrentPasses: 3 } });
    await call(deployment, 'PATCH /v1/scopes/s/settings', { body: { maxPassesPerScope: 3 } });
    await deployment.ask({ ...look, origin: 'drain', parallel: 2 });
    expect(runningOf(deployment).length).toBe(3);
    await call(deployment, 'PATCH /v1/settings', { body: { maxConcurrentPasses: 1 } });
    expect(await deployment.ask(look)).toMatchObject({ status: 409, body: { refused: [{ reason: 'scope_full' }] } });
    await deployment.ingest('t', notes(3));
    expect(await deployment.ask({ ...look, scope: 't' })).toMatchObject({
      body: { refused: [{ reason: 'capacity' }] },
    });
  });
});

describe('pause and resume', () => {
  const plans = (deployment: Deployment) => deployment.passes().length;

  it('of a scope: nothing is admitted by trigger or schedule, backlog is kept, and resume takes it up', async () => {
    const deployment = deploy();
    await deployment.ingest('s', notes(5));
    await deployment.ingest('t', notes(5));
    const paused = await call(deployment, 'POST /v1/scopes/s/pause');
    expect(paused).toMatchObject({ status: 200, body: { scope: 's', paused: true } });
    expect((await call(deployment, 'POST /v1/scopes/s/pause')).body).toMatchObject({ unchanged: true });
    expect(await deployment.ask(look)).toMatchObject({ status: 409, body: { refused: [{ reason: 'paused' }] } });
    await deployment.ingest('s', notes(8).slice(5));
    await deployment.passTime(20 * MINUTE_MS);
    expect(deployment.passes().map((pass) => pass.scope)).toEqual(['t']);
    expect((await call(deployment, 'POST /v1/scopes/s/resume')).body).toEqual({ scope: 's', paused: false });
    await deployment.passTime(2 * MINUTE_MS);
    expect(settledOf(deployment)).toBe(13);
    expect((await call(deployment, 'POST /v1/scopes/s/resume')).body).toMatchObject({ unchanged: true });
  });

  it('of everything: triggers say so, ticks look at no scope, and resume loses no turn', async () => {
    const deployment = deploy();
    await deployment.ingest('s', notes(5));
    await call(deployment, 'POST /v1/pause');
    expect(await deployment.ask(look)).toMatchObject({ status: 409, body: { refused: [{ reason: 'paused_all' }] } });
    expect((await call(deployment, 'GET /v1/status')).body.paused).toBe(true);
    await deployment.passTime(20 * MINUTE_MS);
    expect(plans(deployment)).toBe(0);
    await call(deployment, 'POST /v1/resume');
    await deployment.passTime(MINUTE_MS);
    expect(settledOf(deployment)).toBe(5);
  });

  it('lets the passes that run go on to their end, and starts none after them', async () => {
    const deployment = deploy({ stub: { delayMs: 5000, limit: 1 }, settings: { passTimeoutMs: 30_000 } });
    await deployment.ingest('s', notes(9));
    await deployment.ask(look);
    await call(deployment, 'POST /v1/scopes/s/pause');
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 5 * MINUTE_MS });
    expect(deployment.passes()).toMatchObject([{ status: 'completed' }]);
    expect(settledOf(deployment)).toBeGreaterThan(0);
    expect(settledOf(deployment)).toBeLessThan(9);
    expect(deployment.items().find((item) => item.sk === 'SCOPE')?.workPartition).toBe('parked#0');
  });

  /** The scheduler has loaded all it plans from; then a pause comes in between. */
  async function pauseBeforeCommit(outdates: boolean): Promise<Deployment> {
    let pausing: Promise<unknown> | undefined;
    const deployment: Deployment = deploy({
      wrapStore: (store, name) => ({
        ...store,
        async write(write) {
          const isLedger = write.kind === 'update' && write.input.Key?.pk === 'POOL#0';
          if (isLedger && name === 'trigger' && !outdates) return { kind: 'won', item: undefined };
          if (isLedger && name === 'scheduler' && !pausing) {
            pausing = call(deployment, 'POST /v1/scopes/s/pause');
            await pausing;
          }
          return store.write(write);
        },
      }),
    });
    await deployment.ingest('s', notes(5));
    await deployment.ask(look);
    expect(pausing).toBeDefined();
    return deployment;
  }

  it('a plan made before the pause was answered is not committed after it', async () => {
    expect(plans(await pauseBeforeCommit(true))).toBe(0);
  });

  it('twin: it would be, if a pause did not outdate the plans', async () => {
    expect(plans(await pauseBeforeCommit(false))).toBe(1);
  });
});
