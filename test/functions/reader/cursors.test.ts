/**
 * Goal: a cursor that no page gave out is refused on every route that is read in pages, whether or not its scope is known;
 * who lost a letter of one must not take the answer for the end of the list.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCuratorApp } from '../../../functions/curator/routes.ts';
import { encodeCursor } from '../../../functions/io/page-cursor.ts';
import { ROUTES } from '../../../schema/edges.ts';
import { passIdAt } from '../../schema/samples.ts';
import { createMemory, type Memory, nextOp } from './memory.ts';

const PASS = passIdAt(0);
const PAGED = [
  'claims',
  'claims/history?entity=Maya&attribute=lives_in',
  'entities',
  'attention',
  'erasures',
  'export',
  'passes',
  `passes/${PASS}?calls=1`,
  `passes/${PASS}/changes`,
];
/** They answer the same whatever they are asked, or are not the reader's. */
const UNPAGED = [
  '/v1/settings',
  '/v1/scopes/{scope}/settings',
  '/v1/scopes/{scope}/status',
  '/v1/scopes/{scope}/dream/triggers/{triggerId}',
];
const SCOPES = ['maya', 'nobody'];

let memory: Memory;
beforeEach(async () => {
  memory = await createMemory();
});
afterEach(() => memory.close());

const ask = async (path: string, cursor: string) =>
  (await memory.app.request(`${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`)) as Response;

describe('a cursor that is none', () => {
  it.each(SCOPES.flatMap((scope) => PAGED.map((path) => [scope, path] as const)))(
    'is refused: scope %s, GET %s',
    async (scope, path) => {
      const response = await ask(`/v1/scopes/${scope}/${path}`, 'nonsense');
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { code: 'invalid_cursor' } });
    },
  );

  it('is refused, or unknown as a parameter, on every route that there is', async () => {
    const gets = ROUTES.filter(([method, path]) => method === 'GET' && !UNPAGED.includes(path));
    expect(gets.length).toBeGreaterThan(PAGED.length);
    for (const [, route] of gets) {
      const path = route
        .replace('{kind}', 'note')
        .replace('{passId}', PASS)
        .replace('{id+}', 'a')
        .replace('{scope}', 'nobody');
      expect([route, (await ask(path, 'nonsense')).status]).toEqual([route, 400]);
    }
  });

  it('is refused also when it is well formed: an unknown scope gave none out', async () => {
    for (const path of PAGED.filter((one) => !one.startsWith('passes/'))) {
      expect([path, (await ask(`/v1/scopes/nobody/${path}`, encodeCursor('CLAIM#maya'))).status]).toEqual([path, 400]);
    }
  });

  it.each(
    SCOPES.flatMap((scope) => ['claims/repair', 'claims/withdraw', `passes/${PASS}/undo`].map((path) => [scope, path])),
  )('is refused before anything is written: scope %s, POST %s', async (scope, path) => {
    const { clock, store } = memory;
    const silent = { info() {}, warn() {}, error() {}, count() {} };
    const app = createCuratorApp({ store, clock, ids: { fresh: nextOp }, log: silent });
    const body = { cursor: 'nonsense', ...(path === 'claims/withdraw' && { source: { kind: 'note', id: 'a' } }) };
    const response = await app.request(`/v1/scopes/${scope}/${path}`, { method: 'POST', body: JSON.stringify(body) });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_cursor' } });
  });
});
