/** Triggers and drains: how many passes each starts, what it is told, and that however many come, no harm is done. */
import { describe, expect, it } from 'vitest';
import type { Tools } from '../../functions/worker/executor/executor.ts';
import { requestLook } from '../../functions/trigger/run.ts';
import { call } from '../support/api.ts';
import { type Deployment, type DeploymentOptions, notes } from '../support/deployment.ts';
import { deliveredOf, runningOf, settledOf, useDeployments } from '../support/deployments.ts';

const MINUTE_MS = 60_000;
const look = { scope: 's', origin: 'trigger', kind: 'incremental' } as const;
const TRIGGER = 'POST /v1/scopes/s/dream/trigger';
const DRAIN = 'POST /v1/scopes/s/dream/drain';

const deploy = useDeployments();

/** A pass that takes its page and keeps it until its scope's gate is opened. */
function gated(): { options: DeploymentOptions; open: () => void } {
  let free: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (free = resolve));
  const executor = {
    name: 'gated',
    async run(tools: Tools, { sleep }: { sleep: (ms: number) => Promise<void> }) {
      const { items } = await tools.searchEvidence({ limit: 5 });
      await Promise.race([gate, sleep(600_000)]);
      await tools.reviewEvidence(items);
    },
  };
  return { options: { executor, settings: { passTimeoutMs: 600_000 } }, open: () => free() };
}

describe('a trigger', () => {
  it('every second for 500 s at default settings never has two passes', { timeout: 120_000 }, async () => {
    const deployment = deploy({ stub: { delayMs: 8000 } });
    await deployment.ingest('s', notes(50));
    const statuses = new Set<number>();
    for (let second = 0; second < 500; second++) {
      if (second % 100 === 99) await deployment.ingest('s', [{ ...(notes(1)[0] as object), id: `later-${second}` }]);
      const pending = requestLook(deployment.triggerDeps(), look);
      await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 1000 });
      statuses.add((await pending).status);
    }
    expect([...statuses].sort((a, b) => a - b)).toEqual([202, 409]);
    const times = deployment.passes().map((pass) => [Number(pass.admittedAtMs), Number(pass.finalizedAtMs)] as const);
    expect(times.length).toBeGreaterThan(4);
    for (const [k, [admittedAtMs]] of times.sort(([a], [b]) => a - b).entries()) {
      if (k > 0) expect(admittedAtMs).toBeGreaterThanOrEqual(times[k - 1]?.[1] ?? 0);
    }
    expect([deployment.crashes, settledOf(deployment)]).toEqual([[], 54]);
  });

  it('at 3 of a scope, 3 in all, 4 models starts three on a deep backlog; more are scope_full until one ends', async () => {
    const { options } = gated();
    const settings = { ...options.settings, maxPassesPerScope: 3, maxConcurrentPasses: 3, maxModelConcurrency: 4 };
    const deployment = deploy({ ...options, settings });
    await deployment.ingest('s', notes(50));
    await deployment.ingest('s', notes(60).slice(50));
    const first = await deployment.ask(look);
    expect(first).toMatchObject({ status: 202, body: { requested: 3, effective: 3, refused: [] } });
    for (let k = 0; k < 3; k++) {
      expect(await deployment.ask(look)).toMatchObject({ status: 409, body: { refused: [{ reason: 'scope_full' }] } });
    }
    await call(deployment, `POST /v1/scopes/s/passes/${first.body.passIds?.[1]}/cancel`);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 20_000 });
    const next = await deployment.ask(look);
    expect(next).toMatchObject({ status: 202, body: { effective: 1 } });
    expect(
      runningOf(deployment)
        .map((pass) => Number(pass.slotNumber))
        .sort((a, b) => a - b),
    ).toEqual([0, 1, 2]);
    expect(runningOf(deployment).find((pass) => pass.passId === next.body.passIds?.[0])?.slotNumber).toBe(1);
  });

  it('that is refused because all passes of the deployment run is told so at once, and leaves nothing behind', async () => {
    const { options } = gated();
    const deployment = deploy({ ...options, settings: { ...options.settings, maxConcurrentPasses: 1 } });
    await deployment.ingest('s', notes(5));
    await deployment.ingest('t', notes(5));
    await deployment.ask(look);
    const before = deployment.items();
    const answer = await deployment.ask({ ...look, scope: 't' });
    expect(answer).toMatchObject({ status: 409, body: { refused: [{ reason: 'capacity' }] } });
    expect(deployment.items()).toEqual(before);
  });

  it('200 of them during a drain are harmless', async () => {
    const deployment = deploy({ settings: { maxPassesPerScope: 3, maxConcurrentPasses: 3 }, stub: { delayMs: 1000 } });
    for (const from of [0, 50]) await deployment.ingest('s', notes(from + 50).slice(from));
    await call(deployment, DRAIN, { body: { parallel: 3 } });
    let most = 0;
    for (let k = 0; k < 200; k++) {
      deployment.triggers.push({
        v: 1,
        triggerId: triggerAt(deployment, k),
        scope: 's',
        origin: 'trigger',
        kind: 'incremental',
      });
      if (k % 10 === 9) await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 1000 });
      most = Math.max(most, runningOf(deployment).length);
    }
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 10 * MINUTE_MS });
    expect(most).toBe(3);
    expect([settledOf(deployment), deliveredOf(deployment), deployment.leasesLeft()]).toEqual([100, 100, 0]);
    // A message that stays contended is delivered again by its queue.
    expect(deployment.crashes.filter((it) => (it as Error).name !== 'ContendedLedgerError')).toEqual([]);
  });
});

function triggerAt(deployment: Deployment, k: number): string {
  return `${String(deployment.clock.nowMs() + 62_135_596_800_000).padStart(15, '0')}-${String(k).padStart(22, '0')}`;
}

describe('a drain', () => {
  it.each([0, 17, -1, 1.5, '3'])('of %s is refused with the range', async (parallel) => {
    const deployment = deploy();
    await deployment.ingest('s', notes(5));
    const answer = await call(deployment, DRAIN, { body: { parallel } });
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toContain('parallel must be a whole number from 1 to 16');
    expect(deployment.passes()).toEqual([]);
  });

  it('without a number asks for drainParallel, and says what was lowered', async () => {
    const deployment = deploy({ settings: { drainParallel: 4, maxPassesPerScope: 2, maxConcurrentPasses: 9 } });
    await deployment.ingest('s', notes(5));
    const { status, body } = await call(deployment, DRAIN);
    expect(status).toBe(202);
    expect(body).toMatchObject({ requested: 4, effective: 2, alreadyRunning: [], refused: [{ reason: 'scope_full' }] });
    expect(body.coerced).toEqual(['4 passes lowered to 2: maxPassesPerScope is 2 and 0 run']);
    expect(body.passIds).toHaveLength(2);
  });

  it('that asks for what there is says nothing of lowering', async () => {
    const deployment = deploy({ settings: { maxPassesPerScope: 2 } });
    await deployment.ingest('s', notes(5));
    const { body } = await call(deployment, DRAIN, { body: { parallel: 2 } });
    expect([body.effective, body.coerced, body.refused]).toEqual([2, undefined, []]);
  });

  it('of 8 in an idle scope is 8 passes with 8 ids and slot numbers 0 to 7, each source read by one', async () => {
    const deployment = deploy({ settings: { maxPassesPerScope: 8, maxConcurrentPasses: 8 }, stub: { delayMs: 1000 } });
    await deployment.ingest('s', notes(50));
    const { body } = await call(deployment, DRAIN, { body: { parallel: 8 } });
    expect(new Set(body.passIds).size).toBe(8);
    expect(
      runningOf(deployment)
        .map((pass) => Number(pass.slotNumber))
        .sort((a, b) => a - b),
    ).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    await deployment.passTime(5 * MINUTE_MS);
    expect([settledOf(deployment), deliveredOf(deployment)]).toEqual([50, 50]);
  });

  it('fills the free slot numbers, holes first, whatever runs, and tells new passes from old', async () => {
    const { options } = gated();
    const settings = { ...options.settings, maxPassesPerScope: 4, maxConcurrentPasses: 8 };
    const deployment = deploy({ ...options, settings });
    await deployment.ingest('s', notes(50));
    const first = await call(deployment, DRAIN, { body: { parallel: 3 } });
    await call(deployment, `POST /v1/scopes/s/passes/${first.body.passIds[1]}/cancel`);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 20_000 });
    const second = await call(deployment, DRAIN, { body: { parallel: 2 } });
    expect(second.body.alreadyRunning.map((it: { slotNumber: number }) => it.slotNumber).sort()).toEqual([0, 2]);
    const slotOf = (id: string) => deployment.passes().find((pass) => pass.passId === id)?.slotNumber;
    expect(second.body.passIds.map(slotOf)).toEqual([1, 3]);
    const ids = [...first.body.passIds, ...second.body.passIds];
    expect(new Set(ids).size).toBe(5);
  });

  it('that is refused is an error with the refusal, never a success', async () => {
    const deployment = deploy();
    const answer = await call(deployment, DRAIN, { body: { parallel: 3 } });
    expect(answer).toMatchObject({ status: 409, body: { error: { code: 'nothing_to_do' } } });
    expect(answer.body.error.details).toMatchObject({ requested: 3, effective: 0, passIds: [], status: 'refused' });
    const unknown = await call(deployment, DRAIN, { body: { kind: 'core_rewrite' } });
    expect(unknown).toMatchObject({ status: 400, body: { error: { code: 'unknown_kind' } } });
  });

  it('above maxConcurrentPasses starts what there is room for', async () => {
    const deployment = deploy({ settings: { maxPassesPerScope: 8, maxConcurrentPasses: 3 }, stub: { delayMs: 1000 } });
    await deployment.ingest('s', notes(40));
    const { status, body } = await call(deployment, DRAIN, { body: { parallel: 8 } });
    expect([status, body.passIds.length]).toEqual([202, 3]);
    expect(body.refused.map((it: { reason: string }) => it.reason)).toEqual(['capacity']);
    await deployment.passTime(10 * MINUTE_MS);
    expect([settledOf(deployment), deliveredOf(deployment)]).toEqual([40, 40]);
  });
});

describe('Idempotency-Key', () => {
  it('is made and returned when absent; the same call with it is answered with the same passes', async () => {
    const deployment = deploy({ stub: { delayMs: 5000 } });
    await deployment.ingest('s', notes(5));
    const first = await call(deployment, TRIGGER);
    const key = String(first.headers.get('idempotency-key'));
    expect(first.body.idempotencyKey).toBe(key);
    const again = await call(deployment, TRIGGER, { headers: { 'idempotency-key': key } });
    expect([again.status, again.body.passIds]).toEqual([202, first.body.passIds]);
    expect(deployment.passes()).toHaveLength(1);
    expect((await call(deployment, TRIGGER)).headers.get('idempotency-key')).not.toBe(key);
  });

  it('is another key in another scope', async () => {
    const deployment = deploy({ stub: { delayMs: 5000 }, settings: { maxConcurrentPasses: 4 } });
    await deployment.ingest('s', notes(5));
    await deployment.ingest('t', notes(5));
    const headers = { 'idempotency-key': 'k' };
    expect((await call(deployment, TRIGGER, { headers })).status).toBe(202);
    expect((await call(deployment, 'POST /v1/scopes/t/dream/trigger', { headers })).status).toBe(202);
    expect(deployment.passes()).toHaveLength(2);
  });

  it('five identical calls with one key at once start one set of passes, and all are told of it', async () => {
    const deployment = deploy({ stub: { delayMs: 5000 } });
    await deployment.ingest('s', notes(5));
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => deployment.ask({ ...look, idempotencyKey: 'k' })),
    );
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202]);
    expect(new Set(answers.flatMap(({ body }) => body.passIds ?? [])).size).toBe(1);
  });

  it('two identical calls, the second while the first is between its two writes, start one set of passes', async () => {
    const ask = () => deployment.ask({ ...look, origin: 'drain', idempotencyKey: 'k' });
    let writes = 0;
    let second: ReturnType<typeof ask> | undefined;
    const deployment: Deployment = deploy({
      stub: { delayMs: 5000 },
      settings: { maxPassesPerScope: 2, maxConcurrentPasses: 2 },
      wrapStore: (store, name) => ({
        ...store,
        async write(write) {
          if (name === 'trigger' && ++writes === 2) await (second = ask());
          return store.write(write);
        },
      }),
    });
    await deployment.ingest('s', notes(50));
    const answers = [await ask(), await second];
    expect(answers.map((answer) => answer?.status)).toEqual([202, 202]);
    expect(answers[0]?.body.passIds).toEqual(answers[1]?.body.passIds);
    expect(runningOf(deployment)).toHaveLength(1);
  });

  it('sent again after its message was lost sends it again', async () => {
    const deployment = deploy();
    await deployment.ingest('s', notes(5));
    const lose = setInterval(() => deployment.triggers.splice(0), 0);
    const pending = deployment.ask({ ...look, idempotencyKey: 'k' });
    deployment.triggers.push = () => 0;
    const first = await pending;
    clearInterval(lose);
    delete (deployment.triggers as { push?: unknown }).push;
    expect(first.body.status).toBe('queued');
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 10_000 });
    const again = await deployment.ask({ ...look, idempotencyKey: 'k' });
    expect(again.body).toMatchObject({ status: 'admitted', triggerId: first.body.triggerId });
  });
});
