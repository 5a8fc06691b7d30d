/** Goal: who sends what is no export is told so, and nothing is made of it. Method: the route. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCuratorApp } from '../../../functions/curator/routes.ts';
import { nameKeyOf } from '../../../schema/entity.ts';
import { dayMs } from '../../core/citation-samples.ts';
import { type ClaimScene, createClaimScene } from '../claim-scene.ts';

const MAYA = JSON.stringify({ type: 'entity', slug: 'maya', name: 'Maya', nameKey: nameKeyOf('Maya') });

let scene: ClaimScene;
beforeEach(async () => {
  scene = await createClaimScene(dayMs('2025-01-01'));
});
afterEach(() => scene.close());

describe('an import', () => {
  it.each([
    ['prose', 'Dear memory,\nplease remember Maya.', 'line 1: it is not JSON'],
    ['JSON that is no export', '{"claims": []}', 'line 1: type: '],
    ['one JSON document over many lines', '{\n  "claims": []\n}', 'line 1: it is not JSON'],
  ])('of %s is refused as a whole, and says what an import takes', async (_, text, reason) => {
    const { status, body } = await scene.post('import', text);
    expect(status).toBe(400);
    const { code, message, details } = body['error'] as { code: string; message: string; details: object };
    expect(code).toBe('no_memory_lines');
    expect(message).toContain(reason);
    expect(message).toContain('GET …/export');
    expect(details).toMatchObject({ refused: expect.arrayContaining([expect.objectContaining({ line: 1 })]) });
  });

  /** Sends to a scope that nobody knows; answers the status, and the scope's row after it. */
  async function sendToNobody(body: string) {
    const { clock, ids, store } = { ...scene.deps(), store: scene.store };
    const app = createCuratorApp({
      store,
      clock: { ...clock, sleep: async () => undefined },
      ids,
      log: { info() {}, warn() {}, error() {}, count() {} },
    });
    const { status } = await app.request('/v1/scopes/nobody/import', { method: 'POST', body });
    return { status, row: scene.items('control').find(({ pk }) => pk === 'SCOPE#nobody') };
  }

  it('that is refused as a whole makes no scope', async () => {
    expect(await sendToNobody('no export')).toEqual({ status: 400, row: undefined });
    expect(await sendToNobody(MAYA)).toMatchObject({ status: 200, row: { scope: 'nobody' } });
  });

  it('makes a scope in which nothing waits: it brings no evidence', async () => {
    const { row } = await sendToNobody(MAYA);
    expect(row).toMatchObject({ workPartition: 'due#0', backlogVersion: 1 });
    expect(row).not.toHaveProperty('waitingSinceMs');
  });

  it('takes the lines it can read, and names the others as they are numbered in the body', async () => {
    const { status, body } = await scene.post('import', `\r\n${MAYA}\r\n\n{"type":"entity"}\n`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ written: 1, refused: [{ line: 4 }] });
  });

  it('of nothing is the import of an empty memory', async () => {
    expect(await scene.post('import', '')).toMatchObject({ status: 200, body: { written: 0, refused: [] } });
  });
});
