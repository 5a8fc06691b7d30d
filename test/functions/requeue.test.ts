/** Goal: a person who has a source read again is told what became of it. Method: the route, under a virtual clock. */
import { describe, expect, it } from 'vitest';
import { encodeCursor } from '../../functions/io/page-cursor.ts';
import { eraseSource } from '../../schema/source-erasure.ts';
import { call } from '../support/api.ts';
import { type Deployment, notes } from '../support/deployment.ts';
import { scopeRowOf, settledOf, useDeployments } from '../support/deployments.ts';
import { look, scripted } from '../support/scripted.ts';

const deploy = useDeployments();
const ROUTE = 'POST /v1/scopes/s/sources/requeue';

describe('requeue', () => {
  it('of a source that was erased says so, and not that there never was one', async () => {
    const deployment = deploy();
    await deployment.ingest('s', notes(1));
    const address = { scope: 's', generation: 1, kind: 'note', id: 'note-0' } as const;
    await deployment.tables.store.write(eraseSource(address, deployment.clock.nowMs(), 'op-erase'));
    const [evidence] = deployment.evidence();
    for (const revision of [undefined, String(evidence?.revision)]) {
      const body = { kind: 'note', id: 'note-0', ...(revision && { revision }) };
      expect(await call(deployment, ROUTE, { body })).toMatchObject({
        status: 409,
        body: { error: { code: 'source_erased', message: expect.stringContaining('erasures/lift') } },
      });
    }
    expect((await call(deployment, ROUTE, { body: { kind: 'note', id: 'note-1' } })).status).toBe(404);
  });
});

describe('requeue of a class', () => {
  /** Sources that an executor ignored until each was given up; `mended`, it reads what it is given. */
  async function givenUp(count: number): Promise<{ deployment: Deployment; mend: () => void }> {
    let mended = false;
    const executor = scripted(async (tools) => {
      const { items } = await tools.searchEvidence({});
      if (mended && items.length > 0) await tools.reviewEvidence(items.map(({ source }) => ({ source })));
    });
    const deployment = deploy({ executor });
    await deployment.ingest('s', notes(count));
    for (let k = 0; k < 6; k++) await look(deployment);
    expect(statesOf(deployment)).toEqual(Array(count).fill('quarantined'));
    return { deployment, mend: () => void (mended = true) };
  }
  const statesOf = (deployment: Deployment) => deployment.evidence().map(({ state }) => String(state));
  const ask = (deployment: Deployment, body: object, scope = 's') =>
    call(deployment, `POST /v1/scopes/${scope}/sources/requeue`, { body });

  it('brings all of it back in pages, and a mended executor reads it', async () => {
    const { deployment, mend } = await givenUp(5);
    const requeued: string[] = [];
    let cursor: string | undefined;
    let calls = 0;
    do {
      const { status, body } = await ask(deployment, { class: 'stalled', limit: 2, ...(cursor && { cursor }) });
      expect([status, body.class]).toEqual([200, 'stalled']);
      requeued.push(...(body.requeued as { id: string }[]).map(({ id }) => id));
      cursor = body.cursor;
      calls++;
    } while (cursor !== undefined && calls < 9);
    expect([requeued.toSorted(), calls]).toEqual([[0, 1, 2, 3, 4].map((k) => `note-${k}`), 3]);
    expect(deployment.evidence()[0]).toMatchObject({ state: 'pending', stalls: 0, attempts: 0 });
    const { body } = await call(deployment, 'GET /v1/scopes/s/status');
    expect([body.quarantined.sources, body.attention.open]).toEqual([0, 0]);
    mend();
    for (let k = 0; k < 3; k++) await look(deployment);
    expect(settledOf(deployment)).toBe(5);
  });

  it('leaves what is of another class, was replaced, or was erased', async () => {
    const { deployment } = await givenUp(3);
    expect((await ask(deployment, { class: 'broke_off' })).body).toMatchObject({ requeued: [], left: 3 });
    const { store } = deployment.tables;
    const address = { scope: 's', generation: 1, kind: 'note', id: 'note-0' } as const;
    await store.write(eraseSource(address, deployment.clock.nowMs(), 'op-erase'));
    const source = deployment.rows('SOURCE#').find(({ id, sk }) => id === 'note-1' || String(sk).endsWith('note-1'));
    const item = { ...source, revision: '0123456789abcdef' };
    await store.write({ kind: 'put', table: 'control', input: { Item: item }, isMine: () => true });
    const { body } = await ask(deployment, { class: 'stalled' });
    expect(body).toMatchObject({ requeued: [{ kind: 'note', id: 'note-2' }], left: 2 });
    expect(body).not.toHaveProperty('cursor');
    expect(statesOf(deployment).toSorted()).toEqual(['pending', 'quarantined', 'quarantined']);
  });

  it('marks an idle scope due, and one in which there is nothing of it not', async () => {
    const { deployment } = await givenUp(1);
    const { store } = deployment.tables;
    const item = { ...scopeRowOf(deployment), workPartition: 'idle#0', haltedAtMs: undefined };
    await store.write({ kind: 'put', table: 'control', input: { Item: item }, isMine: () => true });
    await ask(deployment, { class: 'broke_off' });
    expect(scopeRowOf(deployment)?.workPartition).toBe('idle#0');
    await ask(deployment, { class: 'stalled' });
    expect(scopeRowOf(deployment)?.workPartition).toBe('due#0');
  });

  it.each<[string, object, string, number, string]>([
    ['an unknown class', { class: 'sad' }, 's', 400, '"sad" is not one of "broke_off", "quote_mismatch", "stalled"'],
    ['a cursor that is none', { class: 'stalled', cursor: 'nonsense' }, 'nobody', 400, 'cursor'],
    ['a cursor behind all', { class: 'stalled', cursor: encodeCursor('5~~') }, 's', 400, 'cursor'],
    ['too many at once', { class: 'stalled', limit: 101 }, 's', 400, 'at most 100'],
    ['a scope that holds nothing', { class: 'stalled' }, 'nobody', 404, 'nothing to requeue'],
  ])('refuses %s', async (_, body, scope, status, says) => {
    const deployment = deploy();
    await deployment.ingest('s', notes(1));
    const answer = await ask(deployment, body, scope);
    expect([answer.status, answer.body.error.message]).toEqual([status, expect.stringContaining(says)]);
  });
});
