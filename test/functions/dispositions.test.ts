/** What becomes of a source: reviewed with nothing found, cited wrongly, stalled, quarantined, requeued by hand. */
import { describe, expect, it } from 'vitest';
import { planReturn } from '../../functions/core/giving-back.ts';
import type { Executor, Tools } from '../../functions/worker/executor/executor.ts';
import type { Store } from '../../functions/io/ports.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Item, Write } from '../../schema/request.ts';
import { call } from '../support/api.ts';
import { type Deployment, notes } from '../support/deployment.ts';
import { scopeRowOf, settledOf, useDeployments } from '../support/deployments.ts';
import { look, scripted } from '../support/scripted.ts';
import { withoutClause } from '../support/without-clause.ts';

const deploy = useDeployments();
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const misquoting = {
  entity: 'Ann',
  attribute: 'lives_in',
  cardinality: 'one' as const,
  value: 'Oslo',
  quote: { text: 'nobody said this', start: 0, end: 16 },
};
const TEXT = 'Ann said nothing of where she lives.';

const sourceOf = (deployment: Deployment, id = 'note-0') => deployment.evidence().find((item) => item.id === id);
const shown = async (deployment: Deployment, id = 'note-0') =>
  (await call(deployment, `GET /v1/scopes/s/sources/note/${id}`)).body;
const attentionOf = (deployment: Deployment) => deployment.rows('ATTENTION#evidence#');
const openOf = (deployment: Deployment) => attentionOf(deployment).filter((item) => item.resolvedAtMs === undefined);
const oneNote = () => notes(1, () => TEXT);

/** Takes one page a pass and does nothing with it. */
const ignoring = (): Executor => scripted(async (tools) => void (await tools.searchEvidence({})));

describe('a source in which nothing was found', () => {
  it('is settled for good, as such; and one with a claim says how many', async () => {
    const deployment = deploy();
    await deployment.ingest(
      's',
      notes(2, (k) => (k === 0 ? TEXT : '@claim Ann | lives_in | Oslo')),
    );
    await look(deployment);
    expect(await shown(deployment)).toMatchObject({ state: 'settled', claims: 0 });
    expect(await shown(deployment, 'note-1')).toMatchObject({ state: 'settled', claims: 1 });
    await deployment.passTime(2 * HOUR_MS);
    expect(deployment.passes()).toHaveLength(1);
  });

  it('is read again in a new revision, which begins without blame', async () => {
    let reads = false;
    const executor = scripted(async (tools) => {
      const { items } = await tools.searchEvidence({});
      if (reads && items.length > 0) await tools.reviewEvidence(items.map(({ source }) => ({ source })));
    });
    const deployment = deploy({ executor });
    await deployment.ingest('s', oneNote());
    for (let k = 0; k < 3; k++) await look(deployment);
    expect(sourceOf(deployment)).toMatchObject({ stalls: 3 });
    await deployment.ingest(
      's',
      notes(1, () => `${TEXT} And more.`),
    );
    const fresh = () => deployment.evidence().find((item) => item.state === 'pending');
    expect(fresh()).toMatchObject({ stalls: 0, attempts: 0 });
    reads = true;
    await look(deployment);
    expect(settledOf(deployment)).toBe(1);
  });
});

describe('a source that is cited with nothing but what it does not say', () => {
  /** Cites wrongly in its first `wrong` passes, without acknowledging; then acknowledges, without a claim. */
  const citing = (wrong: number) =>
    scripted(async (tools: Tools, nth) => {
      const { items } = await tools.searchEvidence({});
      const claims = nth < wrong ? [misquoting] : [];
      for (const { source, start } of items) {
        await tools.reviewEvidence([{ source, claims, ...(nth < wrong && { through: start }) }]);
      }
    });

  it.each([1, 2])('%s times is read on', async (wrong) => {
    const deployment = deploy({ executor: citing(wrong) });
    await deployment.ingest('s', oneNote());
    for (let k = 0; k <= wrong; k++) await look(deployment);
    expect(sourceOf(deployment)).toMatchObject({ state: 'settled', rejections: 0 });
    expect(attentionOf(deployment)).toEqual([]);
  });

  it('three times is quarantined, with an attention, and counted', async () => {
    const deployment = deploy({ executor: citing(9) });
    await deployment.ingest('s', oneNote());
    for (let k = 0; k < 3; k++) await look(deployment);
    expect(sourceOf(deployment)).toMatchObject({ state: 'quarantined', rejections: 3 });
    expect(await shown(deployment)).toMatchObject({ state: 'quarantined', class: 'quote_mismatch' });
    expect(openOf(deployment)).toMatchObject([{ details: { state: 'quarantined', because: 'quote_mismatch' } }]);
    const { body } = await call(deployment, 'GET /v1/scopes/s/status');
    expect(body.quarantined).toEqual({ sources: 1, more: false });
    expect((await call(deployment, 'GET /v1/scopes/s/attention')).body.attention).toMatchObject([
      { kind: 'evidence', state: 'quarantined', source: expect.stringContaining('note:note-0@') },
    ]);
  });
});

describe('a stalled source', () => {
  it('has an attention from its third delivery on, which goes when it gets on', async () => {
    let reads = false;
    const executor = scripted(async (tools) => {
      const { items } = await tools.searchEvidence({});
      if (reads && items.length > 0) await tools.reviewEvidence(items.map(({ source }) => ({ source, through: 10 })));
    });
    const deployment = deploy({ executor });
    await deployment.ingest('s', oneNote());
    await look(deployment);
    await look(deployment);
    expect([sourceOf(deployment)?.stalls, attentionOf(deployment)]).toEqual([2, []]);
    await look(deployment);
    expect(openOf(deployment)).toMatchObject([{ details: { state: 'stalled', stalls: 3, cursor: 0 } }]);
    reads = true;
    await look(deployment);
    expect(sourceOf(deployment)).toMatchObject({ state: 'pending', cursor: 10 });
    expect([openOf(deployment), attentionOf(deployment)]).toMatchObject([[], [{ resolution: 'it was read on' }]]);
  });

  it('is quarantined after three deliveries more, and then the scope rests', async () => {
    const deployment = deploy({ executor: ignoring() });
    await deployment.ingest('s', oneNote());
    for (let k = 0; k < 6; k++) await look(deployment);
    expect(sourceOf(deployment)).toMatchObject({ state: 'quarantined', quarantineClass: 'stalled', stalls: 6 });
    expect(openOf(deployment)).toMatchObject([{ details: { state: 'quarantined', because: 'stalled' } }]);
    const passes = deployment.passes().length;
    expect((await deployment.ask({ scope: 's', origin: 'trigger', kind: 'incremental' })).status).toBe(409);
    await deployment.passTime(HOUR_MS);
    expect(deployment.passes()).toHaveLength(passes);
  });

  /** What a scheduler without the rule sees: stalled evidence as any other. */
  const seeingNoStall = (store: Store): Store => ({
    ...store,
    async query(read) {
      const { items, lastKey } = await store.query(read);
      const plain = (item: Item) => ({ ...item, queueKey: String(item.queueKey).replace(/^2#/, '1#') });
      return { items: items.map((item) => (item.queueKey === undefined ? item : plain(item))), lastKey };
    },
  });

  /** Ticks for seven hours after the third stall; answers when the schedule began a pass, in hours after the last. */
  async function nextPass(rests = true): Promise<number | undefined> {
    const deployment = deploy({
      executor: ignoring(),
      settings: { maxWaitMs: 0, batchTokens: 0 },
      wrapStore: (store, name) => (name === 'scheduler' && !rests ? seeingNoStall(store) : store),
    });
    await deployment.ingest('s', oneNote());
    for (let k = 0; k < 3; k++) await look(deployment);
    const lastMs = Number(scopeRowOf(deployment)?.lastPassAtMs);
    const before = deployment.passes().length;
    // Its failures are not what keeps the schedule away here.
    const row = scopeRowOf(deployment);
    const { store } = deployment.tables;
    const item = { ...row, failures: 0, failureTimesMs: [], workPartition: 'due#0', haltedAtMs: undefined };
    await store.write({ kind: 'put', table: 'control', input: { Item: item }, isMine: () => true } as Write);
    await deployment.passTime(7 * HOUR_MS);
    const [next] = deployment.passes().slice(before);
    return next && (Number(next.admittedAtMs) - lastMs) / HOUR_MS;
  }

  it('alone brings the schedule not before six hours after the last pass', async () => {
    const hours = await nextPass();
    expect(hours).toBeGreaterThanOrEqual(LIMITS.maxIntervalMs / HOUR_MS);
    expect(hours).toBeLessThanOrEqual(LIMITS.maxIntervalMs / HOUR_MS + 0.05);
  }, 60_000);

  it('twin: to a scheduler that does not tell it apart it is due when its back-off is over', async () => {
    expect(await nextPass(false)).toBeLessThan(1);
  }, 60_000);

  it('is decided by the count of its row: twin, a row that forgets is delivered for ever', async () => {
    const row = { stalls: 0, attempts: 1, crashesAlone: 0, capturedAtMs: 0 };
    let stalls = 0;
    for (let k = 0; k < 50; k++) {
      const plan = planReturn({ ...row, stalls }, 'a', { kind: 'stalled' }, 0);
      if (plan.kind === 'quarantine') break;
      stalls = plan.marks.stalls ?? 0;
    }
    expect(stalls).toBe(LIMITS.stallsMax - 1);
    expect(planReturn(row, 'a', { kind: 'stalled' }, 0)).toMatchObject({ kind: 'release' });
  });
});

describe('requeue by hand', () => {
  const requeue = (deployment: Deployment, body: object = {}) =>
    call(deployment, 'POST /v1/scopes/s/sources/requeue', { body: { kind: 'note', id: 'note-0', ...body } });

  async function stalled(times: number, wrapStore?: (store: Store, name: string) => Store) {
    let reads = false;
    const executor = scripted(async (tools) => {
      const { items } = await tools.searchEvidence({});
      if (reads && items.length > 0) await tools.reviewEvidence(items.map(({ source }) => ({ source })));
    });
    const deployment = deploy({ executor, ...(wrapStore && { wrapStore }) });
    await deployment.ingest('s', oneNote());
    for (let k = 0; k < times; k++) await look(deployment);
    return { deployment, read: () => void (reads = true) };
  }

  it.each([
    ['quarantined', 6],
    ['stalled', 3],
  ])('brings a %s source back without blame; its scope is due, its attention goes, it is read', async (was, times) => {
    const { deployment, read } = await stalled(times);
    expect(sourceOf(deployment)?.stalls).toBe(times);
    const answer = await requeue(deployment);
    expect(answer).toMatchObject({ status: 200, body: { was, state: 'waiting' } });
    expect(sourceOf(deployment)).toMatchObject({ state: 'pending', stalls: 0, rejections: 0, crashesAlone: 0 });
    expect(openOf(deployment)).toEqual([]);
    const { body } = await call(deployment, 'GET /v1/scopes/s/status');
    expect(body.quarantined).toEqual({ sources: 0, more: false });
    read();
    await look(deployment);
    expect(sourceOf(deployment)).toMatchObject({ state: 'settled' });
  });

  it('marks an idle scope due', async () => {
    const { deployment } = await stalled(6);
    const row = scopeRowOf(deployment);
    const { store } = deployment.tables;
    const item = { ...row, workPartition: 'idle#0', haltedAtMs: undefined };
    await store.write({ kind: 'put', table: 'control', input: { Item: item }, isMine: () => true } as Write);
    await requeue(deployment);
    expect(scopeRowOf(deployment)?.workPartition).toBe('due#0');
  });

  it.each<[string, object, number, string]>([
    ['what is not known', { id: 'nobody' }, 404, 'not_found'],
    ['a revision that is not known', { revision: '0123456789abcdef' }, 404, 'not_found'],
    ['what waits', {}, 409, 'not_requeueable'],
  ])('refuses %s', async (_, body, status, code) => {
    const { deployment } = await stalled(1);
    expect(await requeue(deployment, body)).toMatchObject({ status, body: { error: { code } } });
  });

  /** Between its look and its write the source is requeued by another, read, and settled. */
  async function raced(without?: string) {
    let armed = false;
    let settle: () => Promise<void> = async () => {};
    const { deployment, read } = await stalled(6, (store, name) => {
      if (name !== 'trigger') return store;
      const write = async (request: Write) => {
        const isReopening = JSON.stringify(request.input).includes('rejections');
        if (!isReopening || !armed) return store.write(request);
        armed = false;
        await store.write(request);
        await settle();
        const op = { ...request, isMine: () => false };
        return store.write(without ? withoutClause(op, without) : op);
      };
      return { ...store, write };
    });
    settle = async () => {
      read();
      await look(deployment);
    };
    armed = true;
    const { status } = await requeue(deployment);
    return { status, state: sourceOf(deployment)?.state };
  }

  it('does not take back what was read since it looked', async () => {
    expect(await raced()).toEqual({ status: 409, state: 'settled' });
  });

  it('twin: without the seq it would be read a second time', async () => {
    expect(await raced('#seq = :seq')).toEqual({ status: 200, state: 'pending' });
  });
});
