import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { passIdOf, triggerIdOf } from '../../../schema/ids.ts';
import { putLeasePage } from '../../../schema/lease-page.ts';
import { endPass, NO_COUNTERS, putPass, startPass } from '../../../schema/pass.ts';
import { finalizePass } from '../../../schema/pass-finalization.ts';
import { putReviewPage } from '../../../schema/review-page.ts';
import { ADDRESS, type Body, createMemory, type Memory, nextOp, NOW_MS } from './memory.ts';

const PATH = '/v1/scopes/maya/passes';
const idOf = (k: number): string => passIdOf(triggerIdOf(NOW_MS + k * 1000, 'a'), 0);
const addressOf = (k: number) => ({ ...ADDRESS, passId: idOf(k) });

let memory: Memory;
beforeEach(async () => {
  memory = await createMemory();
});
afterEach(() => memory.close());

const admit = (k: number) =>
  memory.write(
    putPass(
      {
        ...addressOf(k),
        kind: 'incremental',
        lane: 'incremental',
        slotNumber: 0,
        triggerId: triggerIdOf(NOW_MS + k * 1000, 'a'),
        origin: 'drain',
        pageSources: 20,
        pageCharacters: 32_000,
        passTimeoutMs: 300_000,
        executor: 'rules',
        admittedAtMs: NOW_MS + k * 1000,
      },
      nextOp(),
    ),
  );

const idsOf = (body: Body): unknown[] => (body.passes as { id: string }[]).map(({ id }) => id);

describe('passes', () => {
  it('newest first, their LEASE and REVIEW rows passed over, in pages', async () => {
    for (const k of [0, 1, 2, 3, 4]) {
      await admit(k);
      await memory.write(
        putLeasePage(addressOf(k), { page: 1, sourceKeys: ['a'], expiresAtMs: NOW_MS, op: nextOp() }),
        putReviewPage(addressOf(k), { n: 1, reviews: [], nowMs: NOW_MS, op: nextOp() }),
      );
    }
    const seen: unknown[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const { body } = await memory.get(`${PATH}?limit=2${cursor === undefined ? '' : `&cursor=${cursor}`}`);
      expect(body).toMatchObject({ scope: 'maya', known: true });
      seen.push(...idsOf(body));
      cursor = body.cursor;
      pages++;
    } while (cursor !== undefined && pages < 10);
    expect(seen).toEqual([4, 3, 2, 1, 0].map(idOf));
    expect(pages).toBe(3);
  });

  it('a full last page has no cursor', async () => {
    for (const k of [0, 1]) await admit(k);
    expect((await memory.get(`${PATH}?limit=2`)).body.cursor).toBeUndefined();
  });

  it('one pass, with what it came to', async () => {
    await admit(0);
    const attempt = 'attempt-1';
    await memory.write(
      startPass(addressOf(0), { attempt, requestId: 'r', nowMs: NOW_MS, deadlineAtMs: NOW_MS + 300_000, op: nextOp() }),
      endPass(addressOf(0), {
        attempt,
        nowMs: NOW_MS + 5000,
        status: 'failed',
        counters: { ...NO_COUNTERS, delivered: 3 },
        reviewRows: 0,
        sawEmptyQueue: false,
        failure: { code: 'executor', message: 'the executor threw' },
        op: nextOp(),
      }),
      finalizePass(addressOf(0), { nowMs: NOW_MS + 6000, settled: 0, released: 3, op: nextOp() }),
    );
    expect((await memory.get(`${PATH}/${idOf(0)}`)).body).toMatchObject({
      scope: 'maya',
      id: idOf(0),
      status: 'failed',
      origin: 'drain',
      slotNumber: 0,
      admittedAt: '2025-01-01T00:00:00.000Z',
      endedAt: '2025-01-01T00:00:05.000Z',
      finalizedAt: '2025-01-01T00:00:06.000Z',
      counters: { delivered: 3 },
      settled: 0,
      released: 3,
      failure: { code: 'executor', message: 'the executor threw' },
    });
  });

  it('an admitted pass has no other times yet', async () => {
    await admit(0);
    const { body } = await memory.get(`${PATH}/${idOf(0)}`);
    expect(Object.keys(body).filter((name) => name.endsWith('At'))).toEqual(['admittedAt']);
  });

  it.each([
    ['of another time', idOf(7)],
    ['that is no id', 'nope'],
  ])('a pass %s: 404 in the one error shape', async (_, id) => {
    const { status, body } = await memory.get(`${PATH}/${id}`);
    expect(status).toBe(404);
    expect(body).toEqual({
      error: { code: 'not_found', message: expect.stringContaining(`scope maya has no pass "${id}"`) },
    });
  });
  it("another scope's pass: 404", async () => {
    await admit(0);
    expect((await memory.get(`/v1/scopes/tom/passes/${idOf(0)}`)).status).toBe(404);
  });

  it('an unknown scope reads as empty', async () => {
    expect(await memory.get('/v1/scopes/nobody/passes')).toEqual({
      status: 200,
      body: { scope: 'nobody', known: false, passes: [] },
    });
  });
  it.each([['limit=0'], ['limit=101'], ['cursor=abc'], ['before=1']])('%s is refused', async (query) => {
    expect((await memory.get(`${PATH}?${query}`)).status).toBe(400);
  });

  it.each([
    ['longer than any key', `PASS#${idOf(1)}#${'x'.repeat(1_024)}`],
    ['no ASCII', 'PASS#é'],
  ])('a cursor that names a key no table has is refused: %s', async (_, key) => {
    await admit(1);
    const cursor = Buffer.from(key, 'utf8').toString('base64url');
    expect((await memory.get(`${PATH}?cursor=${cursor}`)).status).toBe(400);
  });
});
