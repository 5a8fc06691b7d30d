/** Why is nothing running? What status answers, and that the next look comes when it says. */
import { describe, expect, it } from 'vitest';
import { call } from '../support/api.ts';
import { type Deployment, notes } from '../support/deployment.ts';
import { useDeployments } from '../support/deployments.ts';

const MINUTE_MS = 60_000;
const look = { scope: 's', origin: 'trigger', kind: 'incremental' } as const;
const deploy = useDeployments();
const status = async (deployment: Deployment) => (await call(deployment, 'GET /v1/scopes/s/status')).body;

/** Ticks every minute until a pass starts; answers when that was. */
async function firstStart(deployment: Deployment): Promise<number> {
  const before = deployment.passes().length;
  for (let k = 0; k < 60 && deployment.passes().length === before; k++) await deployment.passTime(MINUTE_MS);
  return Math.max(...deployment.passes().map((pass) => Number(pass.admittedAtMs)));
}

describe('why is nothing running', () => {
  it('a batch is not full yet: until when, and then it runs', async () => {
    const deployment = deploy();
    await deployment.ingest('s', notes(3));
    const body = await status(deployment);
    expect(body).toMatchObject({ now: { verdict: 'waits' }, workState: 'due', running: [] });
    expect(body.now.because[0]).toMatch(/3 sources of \d+ tokens wait for a batch of 4000/);
    expect(body.waitingSince).toBe(new Date(deployment.clock.nowMs()).toISOString());
    const startedAtMs = await firstStart(deployment);
    expect(startedAtMs - body.nextLookAtMs).toBeGreaterThanOrEqual(0);
    expect(startedAtMs - body.nextLookAtMs).toBeLessThanOrEqual(MINUTE_MS);
  });

  it('the last pass failed: why, and when it is tried again, and then it is', async () => {
    const deployment = deploy({ stub: { behaviour: 'fail' } });
    await deployment.ingest('s', notes(3));
    await deployment.ask(look);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 1000 });
    const body = await status(deployment);
    expect(body).toMatchObject({
      failures: 1,
      lastFailure: { code: 'Error', message: expect.stringContaining('the executor threw Error') },
      now: { verdict: 'refused', because: [expect.stringContaining('backing_off')] },
    });
    expect(new Date(body.backOffUntil).getTime()).toBe(body.nextLookAtMs);
    const startedAtMs = await firstStart(deployment);
    expect(startedAtMs - body.nextLookAtMs).toBeGreaterThanOrEqual(0);
    expect(startedAtMs - body.nextLookAtMs).toBeLessThanOrEqual(MINUTE_MS);
  });

  it.each([
    ['POST /v1/scopes/s/pause', 'paused: this scope is paused', { paused: true }],
    ['POST /v1/pause', 'paused_all: all scopes are paused', { pausedAll: true }],
  ])('%s: nobody looks until a resume', async (route, because, shown) => {
    const deployment = deploy();
    await deployment.ingest('s', notes(3));
    await call(deployment, route);
    const body = await status(deployment);
    expect(body).toMatchObject({ ...shown, now: { verdict: 'refused', because: [because] } });
    expect(body).not.toHaveProperty('nextLookAtMs');
  });

  it('something runs: what it holds, and that the scope is full', async () => {
    const deployment = deploy({ stub: { delayMs: 20_000, limit: 2 } });
    await deployment.ingest('s', notes(5));
    await deployment.ask(look);
    // What it was given is known from its beats.
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 11_000 });
    const body = await status(deployment);
    expect(body.running).toMatchObject([
      { slotNumber: 0, status: 'running', delivered: 2, reviewed: 0, attention: true },
    ]);
    expect(body.now).toEqual({ verdict: 'refused', because: [expect.stringContaining('scope_full')] });
    expect(body.backlog).toMatchObject({ sources: 3, held: true });
  });

  it('all capacity is taken by others', async () => {
    const deployment = deploy({ stub: { delayMs: 20_000 }, settings: { maxConcurrentPasses: 1, maxWaitMs: 0 } });
    await deployment.ingest('t', notes(5));
    await deployment.ingest('s', notes(5));
    await deployment.ask({ ...look, scope: 't' });
    expect((await status(deployment)).now.because).toEqual([
      'capacity: the deployment runs as many passes as it may: 1 passes in all',
    ]);
    const wide = (await call(deployment, 'GET /v1/status')).body;
    expect(wide).toMatchObject({ passes: { running: 1, capacity: 1 }, scopes: { due: 2, parked: 0, more: false } });
  });

  it('nothing waits', async () => {
    const deployment = deploy();
    await deployment.ingest('s', notes(3));
    await deployment.passTime(60 * MINUTE_MS);
    const body = await status(deployment);
    expect(body).toMatchObject({ now: { verdict: 'empty', because: ['nothing waits'] }, workState: 'idle' });
    expect(body).not.toHaveProperty('nextLookAtMs');
  });
});
