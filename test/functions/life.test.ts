/** The life of a pass: how it starts once, how it ends, and what is left of it then. */
import { describe, expect, it } from 'vitest';
import { findClaimLines } from '../../functions/worker/executor/claim-lines.ts';
import type { Tools } from '../../functions/worker/executor/executor.ts';
import { LIMITS } from '../../schema/limits.ts';
import { call } from '../support/api.ts';
import { type Deployment, notes } from '../support/deployment.ts';
import { owingOf, scopeRowOf, settledOf, useDeployments } from '../support/deployments.ts';
import { loadHalfDrained } from '../support/fixture.ts';

const MINUTE_MS = 60_000;
const look = { scope: 's', origin: 'trigger', kind: 'incremental' } as const;

const deploy = useDeployments();
const claims = (deployment: Deployment) => deployment.rows('CLAIM#').length;
const cancelOf = (deployment: Deployment, id = String(deployment.passes()[0]?.passId)) =>
  call(deployment, `POST /v1/scopes/s/passes/${id}/cancel`);

describe('cancel', () => {
  it('of an admitted pass: it never starts, and its capacity is free', async () => {
    const deployment = deploy();
    await deployment.ingest('s', notes(5));
    deployment.lost.add('work');
    const { body } = await deployment.ask(look);
    const passId = String(body.passIds?.[0]);
    expect((await cancelOf(deployment, passId)).body).toEqual({ scope: 's', id: passId, status: 'cancelled' });
    deployment.lost.clear();
    await deployment.runWorker({ v: 1, scope: 's', generation: 1, passId });
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 1000 });
    expect(deployment.passes()).toMatchObject([{ status: 'cancelled', settled: 0, released: 0 }]);
    expect([owingOf(deployment), deployment.rows('PASS#').length]).toEqual([[], 1]);
  });

  it('of a running pass: its sources are free at once, it counts as no failure, and nothing follows by itself', async () => {
    const deployment = deploy({ stub: { delayMs: 30_000 } });
    await deployment.ingest('s', notes(12));
    await deployment.ask(look);
    expect((await cancelOf(deployment)).body.status).toBe('cancelled');
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 2 * MINUTE_MS });
    expect(deployment.passes()).toMatchObject([{ status: 'cancelled', settled: 0 }]);
    expect([deployment.leasesLeft(), owingOf(deployment), scopeRowOf(deployment)?.failures]).toEqual([0, [], 0]);
    expect(deployment.crashes).toEqual([]);
    expect((await deployment.ask(look)).status).toBe(202);
  });

  it('of a pass that ended answers how, and changes nothing; of none that there is: 404', async () => {
    const deployment = deploy();
    await deployment.ingest('s', notes(5));
    await deployment.ask(look);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + MINUTE_MS });
    const before = deployment.items();
    expect((await cancelOf(deployment)).body).toMatchObject({ status: 'completed', endedBefore: true });
    expect(deployment.items()).toEqual(before);
    expect((await cancelOf(deployment, 'nonsense')).status).toBe(404);
    expect((await cancelOf(deployment, '063902822400000-AAAAAAAAAAAAAAAAAAAAAA')).status).toBe(404);
    expect((await call(deployment, 'POST /v1/scopes/none/passes/x/cancel')).status).toBe(404);
  });

  /** Reads a page, is cancelled while it thinks, then acknowledges it with a claim. */
  async function cancelWhileThinking(beats: boolean): Promise<Deployment> {
    const executor = {
      name: 'thinking',
      async run(tools: Tools) {
        const { items } = await tools.searchEvidence({});
        await cancelOf(deployment);
        const [first] = items;
        if (!first) return;
        await tools.reviewEvidence([{ source: first.source, claims: findClaimLines(first.text, first.start) }]);
      },
    };
    const deployment: Deployment = deploy({
      executor,
      wrapStore: (store, name) => ({
        ...store,
        async write(write) {
          const beat = write.kind === 'update' && write.input.UpdateExpression?.startsWith('SET #heartbeatAtMs');
          return name === 'worker' && beat && !beats ? { kind: 'won', item: undefined } : store.write(write);
        },
      }),
    });
    await deployment.ingest(
      's',
      notes(1, () => '@claim Ann | home | north'),
    );
    await deployment.ask(look);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + MINUTE_MS });
    expect(deployment.passes()[0]?.status).toBe('cancelled');
    return deployment;
  }

  it('stops the worker before its next write of a claim', async () => {
    const deployment = await cancelWhileThinking(true);
    expect([claims(deployment), deployment.leasesLeft()]).toEqual([0, 0]);
  });

  it('twin: a worker that does not beat before it acts writes on', async () => {
    expect(claims(await cancelWhileThinking(false))).toBe(1);
  });
});

describe('start and end', () => {
  it('a doubled invocation, at once or late, runs nothing', async () => {
    const deployment = deploy({ stub: { delayMs: 2000 } });
    await deployment.ingest('s', notes(5));
    deployment.lost.add('work');
    await deployment.ask(look);
    deployment.lost.clear();
    const event = { v: 1, scope: 's', generation: 1, passId: String(deployment.passes()[0]?.passId) } as const;
    deployment.work.push(event, event, event);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + MINUTE_MS });
    deployment.work.push(event);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + MINUTE_MS });
    expect(deployment.invocations).toBe(4);
    expect(deployment.passes()).toMatchObject([{ status: 'completed', counters: { delivered: 5 } }]);
  });

  it('closes the queue to a pass at half its time', async () => {
    const pages: unknown[] = [];
    const executor = {
      name: 'slow',
      async run(tools: Tools, { sleep }: { sleep: (ms: number) => Promise<void> }) {
        pages.push(await tools.searchEvidence({ limit: 1 }));
        await sleep(29_999);
        pages.push(await tools.searchEvidence({ limit: 1 }));
        await sleep(1);
        pages.push(await tools.searchEvidence({ limit: 1 }));
      },
    };
    const deployment = deploy({ executor, settings: { passTimeoutMs: 60_000 } });
    await deployment.ingest('s', notes(5));
    await deployment.ask(look);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + MINUTE_MS });
    expect(pages).toMatchObject([
      { hasMore: true },
      { hasMore: true },
      { items: [], hasMore: false, deliveryClosed: true },
    ]);
  });

  it('ends itself before its function does, as completed, with what it has acknowledged', async () => {
    const workerTimeoutMs = 100_000;
    const deployment = deploy({ stub: { delayMs: 15_000, limit: 2 }, workerTimeoutMs });
    await deployment.ingest('s', notes(30));
    await deployment.ask(look);
    const startedAtMs = deployment.clock.nowMs();
    await deployment.quiesce({ untilMs: startedAtMs + workerTimeoutMs });
    const pass = deployment.passes().find((it) => it.origin === 'trigger');
    expect(pass?.status).toBe('completed');
    expect(Number(pass?.endedAtMs) - startedAtMs).toBeLessThanOrEqual(workerTimeoutMs - LIMITS.passEndReserveMs);
    expect(Number(pass?.settled)).toBeGreaterThan(0);
  });

  it('an invocation that failed expires its attempt within seconds, without a tick', async () => {
    let broken = true;
    const deployment = deploy({
      stub: { delayMs: 1000 },
      wrapStore: (store, name) => ({
        ...store,
        async batchGet(read) {
          if (name === 'worker' && broken) throw new Error('the function was killed');
          return store.batchGet(read);
        },
        async write(write) {
          const ends = write.kind === 'update' && JSON.stringify(write.input).includes(':set_reviewRows');
          if (name === 'worker' && broken && ends) throw new Error('the function was killed');
          return store.write(write);
        },
      }),
    });
    await deployment.ingest('s', notes(5));
    await deployment.ask(look);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 5000 });
    broken = false;
    expect(deployment.passes()).toMatchObject([{ status: 'expired', failure: { code: 'worker_failed' } }]);
    expect(deployment.leasesLeft()).toBe(0);
    await deployment.ask(look);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + MINUTE_MS });
    expect(settledOf(deployment)).toBe(5);
  });

  it('a finalizer run again, late, for every pass there was, changes nothing', async () => {
    const deployment = deploy({ settings: { maxPassesPerScope: 3, maxConcurrentPasses: 3 }, stub: { delayMs: 500 } });
    await deployment.ingest('s', notes(40));
    await deployment.ask({ ...look, origin: 'drain', parallel: 3 });
    await deployment.passTime(5 * MINUTE_MS);
    const before = deployment.items();
    for (const { pk, sk } of deployment.passes()) await deployment.finalizeKey({ pk: String(pk), sk: String(sk) });
    expect([deployment.items(), deployment.triggers]).toEqual([before, []]);
  });
});

describe('a deploy in mid-drain', () => {
  it('tables of release 1, half drained, run on under this code', async () => {
    const deployment = deploy({ settings: { maxPassesPerScope: 3, maxConcurrentPasses: 6 } });
    loadHalfDrained(deployment, 1);
    expect(owingOf(deployment)).toHaveLength(5);
    expect(settledOf(deployment)).toBe(0);
    await deployment.passTime(30 * MINUTE_MS);
    expect(settledOf(deployment)).toBe(37);
    expect([owingOf(deployment), deployment.leasesLeft(), deployment.crashes]).toEqual([[], 0, []]);
    expect(deployment.passes().map((pass) => pass.finalizedAtMs)).not.toContain(undefined);
    expect(claims(deployment)).toBe(1);
  });

  it('what it does not know, it keeps', async () => {
    const deployment = deploy();
    await deployment.ingest('s', notes(5));
    const row = { ...scopeRowOf(deployment) };
    await deployment.tables.store.write({
      kind: 'put',
      table: 'control',
      isMine: () => true,
      input: { Item: { ...row, ofTheNextRelease: { a: [1] } } },
    });
    await deployment.ask(look);
    await deployment.passTime(5 * MINUTE_MS);
    expect(settledOf(deployment)).toBe(5);
    expect(scopeRowOf(deployment)?.ofTheNextRelease).toEqual({ a: [1] });
  });
});
