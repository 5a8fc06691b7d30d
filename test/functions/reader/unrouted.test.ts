/**
 * Goal: what no route is gets an error of our shape, and reaches nobody's memory. Method: events of the catch-all route as
 * HTTP API sends them (payload 2.0, `rawPath` decoded), through the handler as in the cloud.
 */
import { handle } from 'hono/aws-lambda';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serveReader } from '../../../functions/reader/unrouted.ts';
import { createMemory, type Memory } from './memory.ts';

let memory: Memory;
beforeEach(async () => {
  memory = await createMemory();
});
afterEach(() => memory.close());

const log = { info() {}, warn() {}, error() {}, count() {}, flush() {} };

type Serve = (event: object, context: object) => Promise<unknown>;

async function answerTo(event: object, serve: Serve = serveReader(memory.app, log)) {
  const answer = (await serve(event, {})) as { statusCode: number; body: string };
  return { status: answer.statusCode, body: JSON.parse(answer.body) as Record<string, unknown> };
}

describe('what no route is', () => {
  const unrouted = (method: string, rawPath: string) => ({
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString: '',
    headers: {},
    isBase64Encoded: false,
    requestContext: { domainName: 'api.test', http: { method, path: rawPath } },
  });

  it.each([
    ['GET', '/v1/nothing', 404, 'not_found', 'no such route: GET /v1/nothing'],
    ['GET', '/', 404, 'not_found', 'no such route: GET /'],
    ['GET', '/v1/scopes//claims', 404, 'not_found', 'no such route'],
    ['POST', '/v1/status', 405, 'method_not_allowed', '/v1/status does not take POST; it takes GET'],
    ['PUT', '/v1/scopes/maya', 405, 'method_not_allowed', 'it takes DELETE'],
    ['DELETE', '/v1/scopes/maya/claims', 405, 'method_not_allowed', 'it takes GET'],
    ['PATCH', '/v1/scopes/maya/sources/note/a/b', 405, 'method_not_allowed', 'it takes PUT, POST, GET, DELETE'],
  ])('%s %s is answered in the shape of all errors', async (method, path, status, code, says) => {
    expect(await answerTo(unrouted(method, path))).toEqual({
      status,
      body: { error: { code, message: expect.stringContaining(says) } },
    });
  });

  it('is never answered by an app, though its decoded path be that of a route', async () => {
    // Sent as /v1/scopes%2Ftom%2Fstatus, which is no route: who may call that need have no right on the scope.
    const event = unrouted('GET', '/v1/scopes/tom/status');
    const unprotected = handle(memory.app) as unknown as Serve;
    expect((await answerTo(event, unprotected)).body).toMatchObject({ scope: 'tom' });
    const { status, body } = await answerTo(event);
    expect([status, body]).toMatchObject([404, { error: { code: 'not_found' } }]);
  });
});
