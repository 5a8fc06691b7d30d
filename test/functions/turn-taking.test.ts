import { afterEach, describe, expect, it } from 'vitest';
import type { TriggerRequest } from '../../functions/trigger/run.ts';
import { LIMITS } from '../../schema/limits.ts';
import { call } from '../support/api.ts';
import { Deployment, type DeploymentOptions, notes } from '../support/deployment.ts';

/** Scopes take turns, and nothing one scope holds, or one row says, stops the others. */
const MINUTE_MS = 60_000;
const lookAt = (scope: string): TriggerRequest => ({ scope, origin: 'trigger', kind: 'incremental' });

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

const pendingOf = (deployment: Deployment, scope: string) =>
  deployment.evidence().filter((item) => String(item.pk).startsWith(`SCOPE#${scope}#`) && item.state === 'pending')
    .length;

describe('a deep backlog that goes on by itself', () => {
  it('gives way to a scope that waits, at the next pass', async () => {
    const settings = { maxConcurrentPasses: 1, passTimeoutMs: 30_000, batchTokens: 0 };
    const deployment = deploy({ settings, stub: { delayMs: 2000, limit: 5 } });
    for (let k = 0; k < 6; k++) await deployment.ingest('deep', notes(50 * (k + 1)).slice(50 * k));
    await deployment.ask(lookAt('deep'));
    await deployment.ingest('shallow', notes(1));
    // A pass of the deep scope takes some 15 s: in two minutes many of them follow each other.
    await deployment.passTime(2 * MINUTE_MS);
    expect(pendingOf(deployment, 'shallow')).toBe(0);
    expect(pendingOf(deployment, 'deep')).toBeGreaterThan(0);
  });

  const sixty = async (deployment: Deployment, scope: string): Promise<void> => {
    for (const from of [0, 50]) await deployment.ingest(scope, notes(Math.min(from + 50, 60)).slice(from));
  };

  it('gives way to a scope that waits behind one that waits for its batch', async () => {
    const settings = { maxConcurrentPasses: 1, passTimeoutMs: 30_000, maxWaitMs: 60 * MINUTE_MS };
    const deployment = deploy({ settings, stub: { delayMs: 2000, limit: 5 } });
    for (let k = 0; k < 6; k++) await deployment.ingest('deep', notes(50 * (k + 1)).slice(50 * k));
    await deployment.ask(lookAt('deep'));
    await deployment.ingest('little', notes(1));
    await sixty(deployment, 'shallow');
    await deployment.passTime(2 * MINUTE_MS);
    expect(pendingOf(deployment, 'shallow')).toBeLessThan(60);
    expect([pendingOf(deployment, 'little'), pendingOf(deployment, 'deep') > 0]).toEqual([1, true]);
  });

  it('gives way to a scope that waits behind one that has all its passes', async () => {
    const settings = { maxConcurrentPasses: 2, maxPassesPerScope: 1, passTimeoutMs: 30_000, batchTokens: 0 };
    const deployment = deploy({ settings, stub: { delayMs: 2000, limit: 5 } });
    await sixty(deployment, 'full');
    deployment.lost.add('work');
    await deployment.ask(lookAt('full'));
    deployment.lost.clear();
    for (let k = 0; k < 6; k++) await deployment.ingest('deep', notes(50 * (k + 1)).slice(50 * k));
    await deployment.ask(lookAt('deep'));
    await deployment.ingest('shallow', notes(1));
    // Nobody takes up the pass of the first within that time.
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 40_000 });
    expect([pendingOf(deployment, 'full'), pendingOf(deployment, 'shallow')]).toEqual([60, 0]);
    expect(pendingOf(deployment, 'deep')).toBeGreaterThan(0);
  });

  it('gives way to a scope that waits behind one whose day is spent', async () => {
    const settings = { maxConcurrentPasses: 1, passTimeoutMs: 30_000, batchTokens: 0 };
    const deployment = deploy({ settings, stub: { delayMs: 2000, limit: 5 } });
    const forAWhile = () => deployment.quiesce({ untilMs: deployment.clock.nowMs() + 50_000 });
    await sixty(deployment, 'spent');
    await call(deployment, 'PATCH /v1/scopes/spent/settings', { body: { budgetPasses: 1 } });
    await deployment.ask(lookAt('spent'));
    await forAWhile();
    const left = pendingOf(deployment, 'spent');
    for (let k = 0; k < 6; k++) await deployment.ingest('deep', notes(50 * (k + 1)).slice(50 * k));
    await deployment.ask(lookAt('deep'));
    await deployment.ingest('shallow', notes(1));
    await forAWhile();
    expect([left > 0, pendingOf(deployment, 'spent'), pendingOf(deployment, 'shallow')]).toEqual([true, left, 0]);
    expect(pendingOf(deployment, 'deep')).toBeGreaterThan(0);
  });

  it('gives way to a scope that waits behind one that is due, and backs off', async () => {
    const settings = { maxConcurrentPasses: 1, passTimeoutMs: 30_000, batchTokens: 0 };
    const deployment = deploy({ settings, stub: { delayMs: 2000, limit: 5 } });
    await sixty(deployment, 'failing');
    // As after a second failure, and a pass since that a person asked for: its due time is that pass's.
    deployment.tables.engine.dispatch('UpdateItem', {
      TableName: 'control',
      Key: { pk: { S: 'SCOPE#failing' }, sk: { S: 'SCOPE' } },
      UpdateExpression: 'SET #f = :f, #t = :t',
      ExpressionAttributeNames: { '#f': 'failures', '#t': 'failureTimesMs' },
      ExpressionAttributeValues: { ':f': { N: '2' }, ':t': { L: [{ N: String(deployment.clock.nowMs()) }] } },
    });
    for (let k = 0; k < 6; k++) await deployment.ingest('deep', notes(50 * (k + 1)).slice(50 * k));
    await deployment.ask(lookAt('deep'));
    await deployment.ingest('shallow', notes(1));
    await deployment.quiesce({ untilMs: deployment.clock.nowMs() + 50_000 });
    expect([pendingOf(deployment, 'failing'), pendingOf(deployment, 'shallow')]).toEqual([60, 0]);
    expect(pendingOf(deployment, 'deep')).toBeGreaterThan(0);
  });

  it('looks at none again that it found empty: who waits behind more than a look takes in is served', async () => {
    let reads = 0;
    const settings = { maxConcurrentPasses: 1, passTimeoutMs: 37_000, batchTokens: 0 };
    const deployment = deploy({
      settings,
      stub: { delayMs: 4100, limit: 1 },
      wrapStore: (store, name) =>
        name === 'scheduler' ? { ...store, query: (read) => (reads++, store.query(read)) } : store,
    });
    const drained = Array.from({ length: LIMITS.dueScopesPerTickMax + 5 }, (_, k) => `drained-${k}`);
    for (const scope of drained) await deployment.ingest(scope, notes(1));
    await deployment.passTime(MINUTE_MS);
    while (drained.some((scope) => pendingOf(deployment, scope) > 0)) await deployment.passTime(MINUTE_MS);
    for (let k = 0; k < 10; k++) await deployment.ingest('deep', notes(50 * (k + 1)).slice(50 * k));
    await deployment.ask(lookAt('deep'));
    await deployment.passTime(16 * MINUTE_MS);
    await deployment.ingest('shallow', notes(1));
    const [passes, before] = [deployment.passes().length, reads];
    await deployment.passTime(2 * MINUTE_MS);
    expect([pendingOf(deployment, 'shallow'), pendingOf(deployment, 'deep') > 0]).toEqual([0, true]);
    expect((reads - before) / (deployment.passes().length - passes)).toBeLessThan(20);
  });

  it('twin: one that looks at as many scopes as there are places gives way to nobody behind them', async () => {
    const settings = { maxConcurrentPasses: 1, passTimeoutMs: 30_000, maxWaitMs: 60 * MINUTE_MS };
    const deployment = deploy({
      settings,
      stub: { delayMs: 2000, limit: 5 },
      wrapStore: (store, name) => ({
        ...store,
        async query(read) {
          const page = await store.query(read);
          return name === 'scheduler' && read.input.IndexName === 'work'
            ? { ...page, items: page.items.filter(({ pk }) => pk !== 'SCOPE#deep').slice(0, 1) }
            : page;
        },
        // Nor does it put off whom it cannot serve.
        write: async (write) =>
          name === 'scheduler' && JSON.stringify(write.input).includes(':seenDueAtMs')
            ? { kind: 'held', stored: undefined }
            : store.write(write),
      }),
    });
    for (let k = 0; k < 6; k++) await deployment.ingest('deep', notes(50 * (k + 1)).slice(50 * k));
    await deployment.ask(lookAt('deep'));
    await deployment.ingest('little', notes(1));
    await sixty(deployment, 'shallow');
    await deployment.passTime(2 * MINUTE_MS);
    expect(pendingOf(deployment, 'shallow')).toBe(60);
  });
});

describe('a row that this release cannot read', () => {
  it('of settings is read without what it does not know; the other scope is served as ever', async () => {
    const deployment = deploy();
    await deployment.ingest('odd', notes(5));
    await deployment.ingest('even', notes(5));
    const update = (expression: string, value: object) =>
      deployment.tables.engine.dispatch('UpdateItem', {
        TableName: 'control',
        Key: { pk: { S: 'SCOPE#odd' }, sk: { S: 'SCOPE' } },
        UpdateExpression: expression,
        ExpressionAttributeNames: { '#s': 'settings' },
        ExpressionAttributeValues: { ':s': value },
      });
    update('SET #s = :s', { M: { fromTheFuture: { N: '7' }, pageSources: { N: '9999' } } });
    await deployment.passTime(17 * MINUTE_MS);
    expect([pendingOf(deployment, 'odd'), pendingOf(deployment, 'even')]).toEqual([0, 0]);
    expect(deployment.crashes).toEqual([]);
  });

  it('of a scope is passed over: the other scope is served, and the tick goes on', async () => {
    const deployment = deploy();
    await deployment.ingest('broken', notes(5));
    await deployment.ingest('whole', notes(5));
    deployment.tables.engine.dispatch('UpdateItem', {
      TableName: 'control',
      Key: { pk: { S: 'SCOPE#broken' }, sk: { S: 'SCOPE' } },
      UpdateExpression: 'SET #v = :v',
      ExpressionAttributeNames: { '#v': 'v' },
      ExpressionAttributeValues: { ':v': { N: '99' } },
    });
    await deployment.passTime(17 * MINUTE_MS);
    expect([pendingOf(deployment, 'broken'), pendingOf(deployment, 'whole')]).toEqual([5, 0]);
  });
});

describe('one commit', () => {
  it('admits no more than an update expression can carry; the rest has its turn at the next tick', async () => {
    const settings = { maxConcurrentPasses: 200, maxPassesPerScope: 16, batchTokens: 0, maxWaitMs: 0 };
    const deployment = deploy({ settings, stub: { delayMs: 60_000, limit: 1 } });
    for (let k = 0; k < 12; k++) {
      await deployment.ingest(`s${k}`, notes(50));
      await deployment.ingest(`s${k}`, notes(60).slice(50));
    }
    await deployment.tick();
    expect(deployment.passes()).toHaveLength(LIMITS.admittedPerCommitMax);
    expect(deployment.crashes).toEqual([]);
  }, 120_000);
});

describe('a request right after an ingest', () => {
  it('looks twice before it says that there is nothing to do: the index may not show it yet', async () => {
    const shownFromMs = { value: Number.POSITIVE_INFINITY };
    const deployment = deploy({
      wrapStore: (store, name) =>
        name !== 'scheduler'
          ? store
          : {
              ...store,
              query: async (read) => {
                const isStale = read.input.IndexName === 'queue' && deployment.clock.nowMs() < shownFromMs.value;
                return isStale ? { items: [], lastKey: undefined } : store.query(read);
              },
            },
    });
    await deployment.ingest('s', notes(5));
    shownFromMs.value = deployment.clock.nowMs() + LIMITS.indexLagRetryMs / 2;
    expect((await deployment.ask(lookAt('s'))).status).toBe(202);
    shownFromMs.value = Number.POSITIVE_INFINITY;
    await deployment.ingest('t', notes(5));
    expect((await deployment.ask(lookAt('t'))).status).toBe(409);
  });
});
