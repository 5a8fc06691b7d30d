/**
 * Goal: a request is answered for the scope and the source that the gateway authorised, whatever an id holds.
 * Method: events as HTTP API sends them (payload 2.0, `rawPath` decoded), through the same adapter as in the cloud.
 */
import { handle } from 'hono/aws-lambda';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serveApp } from '../../../functions/io/http.ts';
import { withRoutedPath } from '../../../functions/io/routed-path.ts';
import { createMemory, type Memory } from '../reader/memory.ts';

const SOURCES = 'GET /v1/scopes/{scope}/sources/{kind}/{id+}';

function eventOf(routeKey: string, rawPath: string, pathParameters: Record<string, string>) {
  return {
    version: '2.0',
    routeKey,
    rawPath,
    rawQueryString: '',
    headers: {},
    pathParameters,
    isBase64Encoded: false,
    requestContext: { domainName: 'api.test', http: { method: 'GET', path: rawPath } },
  };
}

let memory: Memory;
beforeEach(async () => {
  memory = await createMemory();
});
afterEach(() => memory.close());

const log = { info() {}, warn() {}, error() {}, count() {}, flush() {} };

type Serve = (event: object, context: object) => Promise<unknown>;

async function answerTo(event: object, serve: Serve = serveApp(memory.app, log)) {
  const answer = (await serve(event, {})) as { statusCode: number; body: string };
  return { status: answer.statusCode, body: JSON.parse(answer.body) as Record<string, unknown> };
}

describe('an id arrives as it was authorised', () => {
  it.each([
    'notes/june.md',
    'a b',
    '日本',
    '100%',
    'a%2Fb',
    'what?#really',
    'a/../b',
    '../../../tom/status',
    'back\\slash',
    '..\\..\\..',
  ])('%s', async (id) => {
    const event = eventOf(SOURCES, `/v1/scopes/maya/sources/note/${id}`, { scope: 'maya', kind: 'note', id });
    expect(await answerTo(event)).toMatchObject({
      status: 200,
      body: { scope: 'maya', kind: 'note', id },
    });
  });

  it('without it a path of dots would be answered for another scope', async () => {
    const id = '../../../tom/status';
    const event = eventOf(SOURCES, `/v1/scopes/maya/sources/note/${id}`, { scope: 'maya', kind: 'note', id });
    const unprotected = handle(memory.app) as unknown as Serve;
    expect((await answerTo(event, unprotected)).body).toMatchObject({ scope: 'tom' });
  });

  it.each([
    ['a scope of dots', 'GET /v1/scopes/{scope}/status', { scope: '..' }],
    ['an id of dots', SOURCES, { scope: 'maya', kind: 'note', id: '..' }],
  ])('%s is no path', async (_, routeKey, parameters) => {
    expect((await answerTo(eventOf(routeKey, '/', parameters))).status).toBe(404);
  });

  it('routes without parameters, and events without a route key, stay as they are', () => {
    expect(withRoutedPath(eventOf('GET /v1/status', '/v1/status', {})).rawPath).toBe('/v1/status');
    expect(withRoutedPath({ rawPath: '/x' })).toEqual({ rawPath: '/x' });
    expect(withRoutedPath({ routeKey: '$default', rawPath: '/x' }).rawPath).toBe('/x');
  });
});
