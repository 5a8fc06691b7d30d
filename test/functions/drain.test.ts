import { afterEach, describe, expect, it } from 'vitest';
import type { TriggerRequest } from '../../functions/trigger/run.ts';
import { LIMITS } from '../../schema/limits.ts';
import { Deployment, type DeploymentOptions, notes } from '../support/deployment.ts';

const MINUTE_MS = 60_000;
const drain = (parallel: number): TriggerRequest => ({ scope: 's', origin: 'drain', kind: 'incremental', parallel });
const look: TriggerRequest = { scope: 's', origin: 'trigger', kind: 'incremental' };

let open: Deployment[] = [];
function deploy(options: DeploymentOptions = {}): Deployment {
  const deployment = new Deployment(options);
  open.push(deployment);
  return deployment;
}
afterEach(() => {
  for (const deployment of open) deployment.close();
  open = [];
});

const settled = (deployment: Deployment) => deployment.evidence().filter((item) => item.state === 'settled').length;
const ledgerPasses = (deployment: Deployment) =>
  Object.keys((deployment.items().find((item) => item.sk === 'LEDGER')?.passes as object | undefined) ?? {});

describe('a backlog drains to empty by itself', () => {
  it('with three passes at once, each source read once, nothing left behind', async () => {
    const deployment = deploy({ settings: { maxPassesPerScope: 3, maxConcurrentPasses: 3 }, stub: { delayMs: 1000 } });
    await deployment.ingest('s', notes(40));
    const answer = await deployment.ask(drain(3));
    expect(answer).toMatchObject({ status: 202, body: { requested: 3, effective: 3, refused: [] } });
    expect(answer.body.passIds).toHaveLength(3);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 10 * MINUTE_MS });
    expect(settled(deployment)).toBe(40);
    expect(deployment.leasesLeft()).toBe(0);
    expect(ledgerPasses(deployment)).toEqual([]);
    const delivered = deployment
      .passes()
      .reduce((sum, pass) => sum + (pass.counters as { delivered: number }).delivered, 0);
    expect(delivered).toBe(40);
    expect(
      deployment
        .passes()
        .map((pass) => Number(pass.slotNumber))
        .sort((a, b) => a - b),
    ).toEqual([0, 1, 2]);
    expect(deployment.crashes).toEqual([]);
  });

  it('goes on by itself beyond the thousand sources of one pass', async () => {
    const deployment = deploy({ stub: { limit: 50 }, settings: { pageSources: 50 } });
    for (let k = 0; k < 21; k++) {
      await deployment.ingest(
        's',
        notes(50, () => 'x').map((note, n) => ({ ...(note as object), id: `n${k}-${n}`, text: `${k} ${n}` })),
      );
    }
    await deployment.ask(look);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 20 * MINUTE_MS });
    expect(settled(deployment)).toBe(1050);
    expect(deployment.passes().length).toBe(2);
    expect(deployment.passes().map((pass) => pass.origin)).toContain('continuation');
    expect(deployment.leasesLeft()).toBe(0);
  });

  it('makes no worker call at all once it is drained', async () => {
    const deployment = deploy();
    await deployment.ingest('s', notes(5));
    await deployment.ask(look);
    await deployment.passTime(40 * MINUTE_MS);
    const before = deployment.invocations;
    await deployment.passTime(6 * 60 * MINUTE_MS);
    expect(deployment.invocations).toBe(before);
    expect(deployment.items().find((item) => item.sk === 'SCOPE')?.workPartition).toBe('idle#0');
  });

  it('is found by the schedule when every message was lost', async () => {
    const deployment = deploy();
    await deployment.ingest('s', notes(5));
    await deployment.passTime(16 * MINUTE_MS);
    expect(settled(deployment)).toBe(5);
  });

  it('reads a source far larger than a page whole, in one pass', async () => {
    const deployment = deploy();
    const text = Array.from({ length: 3000 }, (_, k) => `Sentence number ${k} of a very long note.`).join(' ');
    await deployment.ingest('s', [{ kind: 'note', id: 'long', format: 'text', text }]);
    await deployment.ask(look);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 5 * MINUTE_MS });
    expect(deployment.evidence()[0]).toMatchObject({ state: 'settled', cursor: text.length });
    expect(deployment.passes()).toHaveLength(1);
  });
});

describe('a pass that ends badly gives its sources back', () => {
  it('a failed one without waiting for a tick', async () => {
    const deployment = deploy({ stub: { behaviour: 'fail', failAfterPages: 1 } });
    await deployment.ingest('s', notes(10));
    await deployment.ask(look);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 1000 });
    expect(deployment.passes()[0]).toMatchObject({ status: 'failed', settled: 0 });
    expect(deployment.leasesLeft()).toBe(0);
    expect(deployment.evidence().every((item) => item.state === 'pending' && item.cursor === 0)).toBe(true);
    expect(ledgerPasses(deployment)).toEqual([]);
  });

  it('a worker that vanished is expired within silence and one tick, its sources delivered again', async () => {
    let frozen = true;
    const executor = {
      name: 'freezing',
      async run(tools: {
        searchEvidence: (r: object) => Promise<{ items: readonly { source: string }[] }>;
        reviewEvidence: (i: readonly { source: string }[]) => Promise<unknown>;
      }) {
        const { items } = await tools.searchEvidence({});
        if (frozen) {
          frozen = false;
          await new Promise(() => undefined);
        }
        await tools.reviewEvidence(items);
      },
    };
    // The first worker's store goes silent after its first page: neither heartbeat nor end ever arrives.
    let dead = false;
    const deployment = deploy({
      executor,
      wrapStore: (store, name) =>
        name === 'worker'
          ? {
              ...store,
              write: (write) =>
                dead && !frozen && deployment.invocations === 1 ? new Promise(() => undefined) : store.write(write),
            }
          : store,
    });
    await deployment.ingest('s', notes(5));
    await deployment.ask(look);
    dead = true;
    const killedAtMs = deployment.clock.nowMs();
    while (
      deployment.passes().every((pass) => pass.status !== 'expired') &&
      deployment.clock.nowMs() < killedAtMs + 5 * MINUTE_MS
    ) {
      await deployment.passTime(MINUTE_MS);
    }
    const expired = deployment.passes().find((pass) => pass.status === 'expired');
    expect((expired?.endedAtMs as number) - killedAtMs).toBeLessThanOrEqual(
      LIMITS.heartbeatSilenceMs + MINUTE_MS + 5000,
    );
    expect(deployment.evidence().every((item) => item.leasePass === undefined)).toBe(true);
    await deployment.ask(look);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + MINUTE_MS });
    expect(settled(deployment)).toBe(5);
    expect(deployment.leasesLeft()).toBe(0);
  });

  it('a pass whose invocation was dropped for ever is invoked again by the sweep', async () => {
    const deployment = deploy();
    await deployment.ingest('s', notes(5));
    deployment.lost.add('work');
    await deployment.ask(look);
    deployment.lost.clear();
    await deployment.passTime(3 * MINUTE_MS);
    expect(settled(deployment)).toBe(5);
    expect(deployment.passes()).toHaveLength(1);
  });

  it('a pass ended by its deadline completes with what it acknowledged', async () => {
    const deployment = deploy({ stub: { delayMs: 20_000, limit: 5 }, settings: { passTimeoutMs: 60_000 } });
    await deployment.ingest('s', notes(30));
    await deployment.ask(look);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 90_000 });
    const [first] = deployment.passes();
    expect(first?.status).toBe('completed');
    expect(first?.settled).toBeGreaterThan(0);
    expect(first?.settled).toBeLessThan(30);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 20 * MINUTE_MS });
    expect(settled(deployment)).toBe(30);
  });
});

describe('a pass that gets nowhere does not loop', () => {
  it.each([
    ['finishes at once', { behaviour: 'finish' }],
    ['fails', { behaviour: 'fail' }],
    ['leaves every page unreviewed', { unreviewedEvery: 1 }],
  ])('at most 9 passes in 24 hours on 100 sources when it %s', async (_, stub) => {
    const deployment = deploy({ stub });
    await deployment.ingest('s', notes(50));
    await deployment.ingest('s', notes(100).slice(50));
    await deployment.passTime(24 * 60 * MINUTE_MS);
    expect(deployment.passes().length).toBeGreaterThan(1);
    expect(deployment.passes().length).toBeLessThanOrEqual(9);
    expect(deployment.items().find((item) => item.sk === 'SCOPE')?.haltedAtMs).toBeDefined();
    expect(deployment.leasesLeft()).toBe(0);
  });
});

describe('triggers', () => {
  it('refuses one on an unknown scope, and one on an empty queue', async () => {
    const deployment = deploy();
    expect(await deployment.ask(look)).toMatchObject({ status: 409, body: { refused: [{ reason: 'nothing_to_do' }] } });
    await deployment.ingest('s', notes(1));
    await deployment.ask(look);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + MINUTE_MS });
    expect(await deployment.ask(look)).toMatchObject({ status: 409, body: { refused: [{ reason: 'nothing_to_do' }] } });
  });

  it('admits one of five at once at default settings', async () => {
    const deployment = deploy({ stub: { delayMs: 5000 } });
    await deployment.ingest('s', notes(5));
    const answers = await Promise.all(Array.from({ length: 5 }, () => deployment.ask(look)));
    expect(answers.map((answer) => answer.status).sort((a, b) => a - b)).toEqual([202, 409, 409, 409, 409]);
  });

  it('answers a repeated idempotency key with the same passes, and refuses it for another body', async () => {
    const deployment = deploy({ stub: { delayMs: 5000 } });
    await deployment.ingest('s', notes(5));
    const first = await deployment.ask({ ...look, idempotencyKey: 'k' });
    const again = await deployment.ask({ ...look, idempotencyKey: 'k' });
    expect(again.body.passIds).toEqual(first.body.passIds);
    expect(deployment.passes()).toHaveLength(1);
    await expect(deployment.ask({ ...drain(2), idempotencyKey: 'k' })).rejects.toMatchObject({ status: 422 });
  });

  it('remembers only an outcome that admitted', async () => {
    const deployment = deploy();
    await deployment.ingest('other', notes(1));
    expect((await deployment.ask({ ...look, idempotencyKey: 'k' })).status).toBe(409);
    await deployment.ingest('s', notes(5));
    expect((await deployment.ask({ ...look, idempotencyKey: 'k' })).status).toBe(202);
  });
});
