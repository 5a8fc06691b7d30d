import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createIngestApp } from '../../../functions/ingest/routes.ts';
import { HTTP } from '../../../schema/edges.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { createIngestBench, type IngestBench } from './bench.ts';

let bench: IngestBench;
beforeEach(() => {
  bench = createIngestBench();
});
afterEach(() => bench.close());

async function post(body: string, path = '/v1/scopes/alice/sources') {
  const response = await createIngestApp(bench.deps).request(path, { method: 'POST', body });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
const source = { kind: 'note', id: 'a', text: 'one' };

describe('POST /v1/scopes/{scope}/sources', () => {
  it('answers one result for each source', async () => {
    const { status, body } = await post(JSON.stringify({ sources: [source, { id: 'b' }] }));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      results: [
        { kind: 'note', id: 'a', outcome: 'created' },
        {
          id: 'b',
          outcome: 'refused',
          error: { code: 'invalid_source', message: 'a source carries either text or turns' },
        },
      ],
    });
  });

  it.each([
    ['no JSON', '{', 400, 'invalid_json'],
    ['no sources', '{}', 400, 'invalid_request'],
    ['an empty list', '{"sources": []}', 400, 'invalid_request'],
    ['too many', JSON.stringify({ sources: Array(LIMITS.ingestSourcesMax + 1).fill(source) }), 400, 'invalid_request'],
    ['a field nobody knows', JSON.stringify({ sources: [source], scope: 'bob' }), 400, 'invalid_request'],
    [
      'too much',
      JSON.stringify({ sources: [{ ...source, text: 'x'.repeat(HTTP.bodyMaxBytes) }] }),
      413,
      'body_too_large',
    ],
  ])('refuses a body of %s as a whole, in the one error shape', async (_, text, status, code) => {
    const answer = await post(text);
    expect(answer).toMatchObject({ status, body: { error: { code, message: expect.any(String) } } });
    expect(bench.writes).toEqual([]);
  });

  it('answers far less than it was sent, whatever was wrong with it', async () => {
    const bad = (k: number) => ({ id: `x${k}`, turns: Array.from({ length: 10_000 }, () => 1) });
    const sent = JSON.stringify({ sources: Array.from({ length: LIMITS.ingestSourcesMax }, (_, k) => bad(k)) });
    const { status, body } = await post(sent);
    expect(status).toBe(200);
    expect(JSON.stringify(body).length).toBeLessThan(100_000);
    const fields = Object.fromEntries(Array.from({ length: 50_000 }, (_, k) => [`field ${k}`, 1]));
    const refused = await post(JSON.stringify({ sources: [], ...fields }));
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body).length).toBeLessThan(2_000);
  });

  it('refuses a scope that no key may hold', async () => {
    expect(await post(JSON.stringify({ sources: [source] }), '/v1/scopes/a%23b/sources')).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request' } },
    });
  });
});
