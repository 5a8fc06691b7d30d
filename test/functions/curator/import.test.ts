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

  it('that is refused as a whole makes no scope', async () => {
    const { clock, ids, store } = { ...scene.deps(), store: scene.store };
    const app = createCuratorApp({
      store,
      clock: { ...clock, sleep: async () => undefined },
      ids,
      log: { info() {}, warn() {}, error() {}, count() {} },
    });
    const send = async (body: string) =>
      (await app.request('/v1/scopes/nobody/import', { method: 'POST', body })).status;
    const isKnown = () => scene.items('control').some(({ pk }) => pk === 'SCOPE#nobody');
    expect([await send('no export'), isKnown()]).toEqual([400, false]);
    expect([await send(MAYA), isKnown()]).toEqual([200, true]);
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
