/** The schedule: what a tick does, that a doubled or stale one does no harm, and that it alone is enough. */
import { describe, expect, it } from 'vitest';
import { type Deployment, type DeploymentOptions, EDGES, notes } from '../support/deployment.ts';
import { deliveredOf, owingOf, runningOf, scopeRowOf, settledOf, useDeployments } from '../support/deployments.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const look = { scope: 's', origin: 'trigger', kind: 'incremental' } as const;
const deploy = useDeployments();

describe('ticks', () => {
  it('doubled, at once and late, admit one pass', async () => {
    const deployment = deploy({
      stub: { delayMs: 1000 },
      settings: { maxPassesPerScope: 3, maxConcurrentPasses: 3, maxWaitMs: 0 },
    });
    await deployment.ingest('s', notes(5));
    await Promise.all([deployment.tick(), deployment.tick(), deployment.tick()]);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 30_000 });
    await deployment.tickAt(deployment.clock.nowMs() - 29_000);
    expect(deployment.passes()).toHaveLength(1);
    expect(settledOf(deployment)).toBe(5);
  });

  it('that come stale, all at once after an outage, do nothing', async () => {
    const deployment = deploy({ settings: { maxWaitMs: 0 } });
    await deployment.ingest('s', notes(5));
    const nowMs = deployment.clock.nowMs();
    deployment.clock.advanceTo(nowMs + 60 * MINUTE_MS);
    const before = deployment.items();
    for (let k = 0; k < 58; k++) await deployment.tickAt(nowMs + k * MINUTE_MS);
    expect(deployment.items()).toEqual(before);
    await deployment.tick();
    expect(deployment.passes()).toHaveLength(1);
  });
});

describe('a tick while all capacity is taken', () => {
  it('reads the ledger and the passes in it, however many scopes are due, and moves none of them', async () => {
    let reads = 0;
    const deployment = deploy({
      settings: { maxConcurrentPasses: 1, maxWaitMs: 0 },
      stub: { delayMs: 50_000 },
      wrapStore: (store, name) => ({
        ...store,
        get: (read) => (name === 'scheduler' && reads++, store.get(read)),
        query: (read) => (name === 'scheduler' && reads++, store.query(read)),
      }),
    });
    for (let k = 0; k < 12; k++) await deployment.ingest(`scope-${k}`, notes(1));
    await deployment.tick();
    const rows = () => deployment.items().filter((item) => item.sk === 'SCOPE');
    const before = rows();
    reads = 0;
    await deployment.tickAt(deployment.clock.nowMs() + 1000);
    expect(reads).toBe(2);
    expect(rows()).toEqual(before);
    await deployment.passTime(40 * MINUTE_MS);
    expect(settledOf(deployment)).toBe(12);
  });
});

describe('a deep scope', () => {
  /** Most passes at once while more than 50 sources were left. */
  async function watch(deployment: Deployment, begin: () => Promise<unknown>): Promise<number> {
    for (const from of [0, 50, 100]) await deployment.ingest('s', notes(Math.min(from + 50, 120)).slice(from));
    await begin();
    let least = Number.POSITIVE_INFINITY;
    for (let k = 0; k < 600 && settledOf(deployment) < 120; k++) {
      await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 500 });
      if (k % 120 === 119) await deployment.tick();
      const unread = deployment.evidence().filter((item) => item.state === 'pending' && item.leasePass === undefined);
      if (unread.length > 50) least = Math.min(least, runningOf(deployment).length);
    }
    expect([settledOf(deployment), deliveredOf(deployment), deployment.leasesLeft()]).toEqual([120, 120, 0]);
    return least;
  }
  const three: DeploymentOptions = {
    settings: { maxPassesPerScope: 3, maxConcurrentPasses: 3 },
    stub: { delayMs: 1000, limit: 5 },
  };

  it('of 120 sources has three passes while more than 50 are left, by one trigger', async () => {
    const deployment = deploy(three);
    expect(await watch(deployment, () => deployment.ask(look))).toBe(3);
  });

  it('and again by the schedule alone', async () => {
    const deployment = deploy(three);
    expect(await watch(deployment, () => deployment.tick())).toBe(3);
  });

  it('twin: a shallow one has one pass, whatever it may have', async () => {
    const deployment = deploy(three);
    await deployment.ingest('s', notes(50));
    await deployment.ask(look);
    expect(runningOf(deployment)).toHaveLength(1);
  });
});

describe('lost for ever', () => {
  /** Its first worker is killed before it can end its pass: the invocation fails and says so, if that arrives. */
  function killedOnce(): DeploymentOptions {
    let isKilled = false;
    return {
      wrapStore: (store, name) => ({
        ...store,
        async write(write) {
          const ends = write.kind === 'update' && write.input.UpdateExpression?.includes('#reviewRows');
          if (name !== 'worker' || !ends || isKilled) return store.write(write);
          isKilled = true;
          throw new Error('the function was killed');
        },
      }),
    };
  }

  /** Ticks until all is settled and owed by nobody; answers how many that took. */
  async function ticksUntilDrained(deployment: Deployment, sources: number): Promise<number> {
    for (let ticks = 0; ticks <= 40; ticks++) {
      const drained = settledOf(deployment) === sources && owingOf(deployment).length === 0;
      if (drained && deployment.leasesLeft() === 0) return ticks;
      await deployment.passTime(MINUTE_MS);
    }
    return Number.POSITIVE_INFINITY;
  }

  it.each([...EDGES.map((edge) => [edge, [edge]] as const), ['all but the tick', EDGES] as const])(
    '%s: work drains within two ticks after the loss ended and it was due',
    async (_, edges) => {
      const deployment = deploy({ settings: { maxWaitMs: 0 }, stub: { delayMs: 500 } });
      await deployment.ingest('s', notes(30));
      for (const edge of edges) deployment.lost.add(edge);
      await deployment.ask(look);
      await deployment.passTime(3 * MINUTE_MS);
      deployment.lost.clear();
      expect(await ticksUntilDrained(deployment, 30)).toBeLessThanOrEqual(2);
      expect(deliveredOf(deployment)).toBe(30);
    },
  );

  it('the record of a killed worker: its silence is found, and its sources are delivered again', async () => {
    const deployment = deploy({ ...killedOnce(), settings: { maxWaitMs: 0 } });
    deployment.lost.add('failures');
    await deployment.ingest('s', notes(5));
    await deployment.ask(look);
    await deployment.passTime(MINUTE_MS);
    expect(deployment.passes()).toMatchObject([{ status: 'expired', failure: { code: 'silent' } }]);
    expect([deployment.leasesLeft(), owingOf(deployment)]).toEqual([0, []]);
    // Whoever died is charged with a failure: the schedule comes back after the back-off.
    await deployment.passTime(11 * MINUTE_MS);
    expect([settledOf(deployment), deliveredOf(deployment)]).toEqual([5, 10]);
  });

  it('60 ticks in a row', async () => {
    const deployment = deploy();
    await deployment.ingest('s', notes(5));
    deployment.clock.advanceTo(deployment.clock.nowMs() + 60 * MINUTE_MS);
    expect(await ticksUntilDrained(deployment, 5)).toBeLessThanOrEqual(2);
  });

  it('60 ticks in a row, and with them the record of a pass that had ended before', async () => {
    const deployment = deploy({ settings: { maxWaitMs: 0 }, stub: { delayMs: 500 } });
    await deployment.ingest('s', notes(5));
    deployment.lost.add('stream');
    await deployment.ask(look);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + MINUTE_MS });
    expect([settledOf(deployment), owingOf(deployment).length]).toEqual([0, 1]);
    deployment.clock.advanceTo(deployment.clock.nowMs() + 60 * MINUTE_MS);
    deployment.lost.clear();
    expect(await ticksUntilDrained(deployment, 5)).toBeLessThanOrEqual(2);
    expect([scopeRowOf(deployment)?.failures, deliveredOf(deployment)]).toEqual([0, 5]);
  });

  it('twin: without a tick at all it would stay so', async () => {
    const deployment = deploy({ settings: { maxWaitMs: 0 }, stub: { delayMs: 500 } });
    await deployment.ingest('s', notes(5));
    for (const edge of EDGES) deployment.lost.add(edge);
    await deployment.ask(look);
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 3 * HOUR_MS });
    deployment.lost.clear();
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 3 * HOUR_MS });
    expect(settledOf(deployment)).toBe(0);
  });
});

describe('after a drain, 24 hours of ticks', () => {
  const bytesOf = (deployment: Deployment) =>
    deployment
      .items()
      .filter((item) => item.ttl === undefined)
      .concat(deployment.items('text'));

  it('make no executor call, no admission, and leave no row or byte that TTL will not remove', async () => {
    const deployment = deploy({ settings: { maxPassesPerScope: 3, maxConcurrentPasses: 4 } });
    for (const scope of ['s', 't']) await deployment.ingest(scope, notes(30));
    for (const scope of ['s', 't']) await deployment.ask({ ...look, scope, origin: 'drain', parallel: 2 });
    await deployment.passTime(HOUR_MS);
    const before = { passes: deployment.passes().length, invocations: deployment.invocations };
    const kept = JSON.stringify(bytesOf(deployment));
    await deployment.passTime(23 * HOUR_MS);
    expect({ passes: deployment.passes().length, invocations: deployment.invocations }).toEqual(before);
    expect(JSON.stringify(bytesOf(deployment))).toBe(kept);
    expect([scopeRowOf(deployment)?.workPartition, deployment.crashes]).toEqual(['idle#0', []]);
  });
});
