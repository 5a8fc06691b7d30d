/** Routes, events and answers of the HTTP API, without threads: the function is a fake. */
import { describe, expect, it } from 'vitest';
import type { FunctionDefinition, Outcome } from '../../../../infra/local/runtime/environment.ts';
import type { InvokeOptions, Invoker } from '../../../../infra/local/runtime/function-pool.ts';
import { allowEveryone, answerHttp, type Authorize } from '../../../../infra/local/runtime/http-api.ts';
import type { HttpRequest } from '../../../../infra/local/runtime/http-event.ts';
import { matchRoute, readRoutes } from '../../../../infra/local/runtime/http-routes.ts';
import type { Resource } from '../../../../infra/local/runtime/template.ts';

const KEYS = [
  'GET /v1/status',
  'GET /v1/{scope}',
  'ANY /v1/{scope}/passes',
  'GET /v1/{scope}/passes',
  'GET /v1/{scope}/sources/{kind}/{id+}',
  'GET /v1/{scope}/sources/{kind}/latest',
];

function makeRoutes(keys: readonly string[], authorizationType = 'AWS_IAM') {
  const resource = (ref: string, properties: object): Resource => ({
    logicalId: ref,
    type: '',
    ref,
    name: ref,
    entry: undefined,
    properties: properties as Record<string, unknown>,
  });
  const integration = resource('I', {
    IntegrationUri: 'arn:aws:lambda:us-east-1:0:function:door',
    PayloadFormatVersion: '2.0',
    TimeoutInMillis: 50,
  });
  return readRoutes(
    keys.map((RouteKey) =>
      resource(RouteKey, { RouteKey, Target: 'integrations/I', AuthorizationType: authorizationType }),
    ),
    [integration],
  );
}

describe('the route', () => {
  it.each([
    ['GET', '/v1/status', 'GET /v1/status', {}],
    ['GET', '/v1/a%2Fb', 'GET /v1/{scope}', { scope: 'a/b' }],
    ['GET', '/v1/a/passes', 'GET /v1/{scope}/passes', { scope: 'a' }],
    ['POST', '/v1/a/passes', 'ANY /v1/{scope}/passes', { scope: 'a' }],
    [
      'GET',
      '/v1/a/sources/note/x/y%20z',
      'GET /v1/{scope}/sources/{kind}/{id+}',
      { scope: 'a', kind: 'note', id: 'x/y z' },
    ],
    ['GET', '/v1/a/sources/note/latest', 'GET /v1/{scope}/sources/{kind}/latest', { scope: 'a', kind: 'note' }],
    ['GET', '/v1/%zz', 'GET /v1/{scope}', { scope: '%zz' }],
    ['POST', '/v1/status', undefined, undefined],
    ['GET', '/v1/', undefined, undefined],
    ['GET', '/v1/a/passes/', undefined, undefined],
    ['GET', '/v1/a/sources/note', undefined, undefined],
  ])('of %s %s is %s', (method, path, routeKey, parameters) => {
    for (const keys of [KEYS, KEYS.toReversed()]) {
      const match = matchRoute(makeRoutes(keys), method, path);
      expect(match?.route.routeKey).toBe(routeKey);
      expect(match?.pathParameters).toEqual(parameters);
    }
  });

  it('falls back to $default, however deep the path', () => {
    const routes = makeRoutes(['$default', ...KEYS]);
    expect(matchRoute(routes, 'GET', '/v1/status')?.route.routeKey).toBe('GET /v1/status');
    expect(matchRoute(routes, 'DELETE', '/a/b/c')).toMatchObject({
      route: { routeKey: '$default' },
      pathParameters: {},
    });
    expect(matchRoute(routes, 'POST', '/v1/status')?.route.routeKey).toBe('$default');
  });
});

async function ask(
  request: Partial<HttpRequest>,
  outcome: Outcome | 'never',
  authorize: Authorize = allowEveryone,
  authorizationType?: string,
) {
  const invocations: InvokeOptions[] = [];
  const door: Invoker = {
    definition: { name: 'door' } as FunctionDefinition,
    withdraw: () => false,
    invoke: (options) => {
      invocations.push(options);
      return outcome === 'never' ? new Promise(() => {}) : Promise.resolve(outcome);
    },
  };
  const options = {
    routes: makeRoutes(KEYS, authorizationType),
    pools: new Map([['door', door]]),
    authorize,
    now: () => 1_767_225_600_000,
  };
  const whole: HttpRequest = {
    method: 'GET',
    url: '/v1/a',
    headers: {},
    body: Buffer.alloc(0),
    sourceIp: '127.0.0.1',
    ...request,
  };
  const answer = await answerHttp(options, whole);
  const [invocation] = invocations;
  return { answer, event: invocation === undefined ? undefined : JSON.parse(invocation.event) };
}

const succeed = (value: unknown): Outcome => ({ kind: 'succeeded', payload: JSON.stringify(value) });

describe('the event', () => {
  it('has the shape of payload format 2.0', async () => {
    const headers = {
      host: 'h',
      cookie: 'a=1; b=2',
      'x-many': ['1', '2'],
      'user-agent': 'u',
      'content-type': 'application/json; charset=utf-8',
    };
    const { event } = await ask({ url: '/v1/a%20b?x=1&x=2&y=%2F', headers, body: Buffer.from('{"é":1}') }, succeed({}));
    expect(event).toMatchObject({
      version: '2.0',
      routeKey: 'GET /v1/{scope}',
      rawPath: '/v1/a b',
      rawQueryString: 'x=1&x=2&y=%2F',
      cookies: ['a=1', 'b=2'],
      headers: { host: 'h', 'x-many': '1,2' },
      queryStringParameters: { x: '1,2', y: '/' },
      pathParameters: { scope: 'a b' },
      body: '{"é":1}',
      isBase64Encoded: false,
      requestContext: {
        http: { method: 'GET', path: '/v1/a b', sourceIp: '127.0.0.1', userAgent: 'u' },
        authorizer: { iam: { accountId: '000000000000' } },
        timeEpoch: 1_767_225_600_000,
        stage: '$default',
      },
    });
    expect(event.headers).not.toHaveProperty('cookie');
  });

  it.each([
    ['text/plain', 'text'],
    ['application/ld+json', 'text'],
    [undefined, 'text'],
    ['application/octet-stream', 'base64'],
    ['application/x-www-form-urlencoded', 'base64'],
  ])('carries a body of type %s as %s', async (type, form) => {
    const { event } = await ask(
      { headers: type === undefined ? {} : { 'content-type': type }, body: Buffer.from('a=b') },
      succeed({}),
    );
    expect(event).toMatchObject(
      form === 'text' ? { body: 'a=b', isBase64Encoded: false } : { body: 'YT1i', isBase64Encoded: true },
    );
  });

  it('leaves out what the request does not have', async () => {
    const { event } = await ask({ url: '/v1/status' }, succeed({}));
    for (const name of ['body', 'cookies', 'queryStringParameters', 'pathParameters'])
      expect(event).not.toHaveProperty(name);
  });
});

describe('the answer', () => {
  it('is what a structured answer says', async () => {
    const body = Buffer.from('hi').toString('base64');
    const { answer } = await ask(
      {},
      succeed({ statusCode: 201, headers: { 'X-A': 1 }, cookies: ['c=1'], body, isBase64Encoded: true }),
    );
    expect(answer).toMatchObject({
      status: 201,
      headers: { 'x-a': '1', 'set-cookie': ['c=1'] },
      body: Buffer.from('hi'),
    });
  });

  it.each<[string, Outcome | 'never', number, string]>([
    ['any other JSON', succeed({ a: 1 }), 200, '{"a":1}'],
    ['a string', succeed('hi'), 200, '"hi"'],
    ['nothing', succeed(null), 200, 'null'],
    ['an error', { kind: 'failed', payload: '{}' }, 500, '{"message":"Internal Server Error"}'],
    ['an answer after the integration timeout', 'never', 503, '{"message":"Service Unavailable"}'],
  ])('to %s', async (_, outcome, status, body) => {
    expect((await ask({}, outcome)).answer).toMatchObject({ status, body });
  });

  it('to an unknown route is 404, to a body over 10 MiB 413, and no function is invoked', async () => {
    const missing = await ask({ url: '/none' }, succeed({}));
    expect([missing.answer.status, missing.answer.body, missing.event]).toEqual([
      404,
      '{"message":"Not Found"}',
      undefined,
    ]);
    const large = await ask({ body: Buffer.alloc(10 * 1024 * 1024 + 1) }, succeed({}));
    expect([large.answer.status, large.event]).toEqual([413, undefined]);
    // API Gateway takes it, Lambda does not: 5 MiB of bytes are 6.7 MiB of base64.
    const bytes = { headers: { 'content-type': 'application/octet-stream' }, body: Buffer.alloc(5 * 1024 * 1024) };
    expect((await ask(bytes, succeed({}))).answer.status).toBe(413);
  });
});

describe('the authorizer', () => {
  it('may refuse, or name the caller', async () => {
    const byScope: Authorize = ({ pathParameters }) =>
      pathParameters.scope === 'mine'
        ? { kind: 'allowed', authorizer: { jwt: { claims: { sub: 'me' } } } }
        : { kind: 'refused', status: 403 };
    const mine = await ask({ url: '/v1/mine' }, succeed({}), byScope);
    expect(mine.event.requestContext.authorizer).toEqual({ jwt: { claims: { sub: 'me' } } });
    const other = await ask({ url: '/v1/other' }, succeed({}), byScope);
    expect([other.answer.status, other.answer.body, other.event]).toEqual([403, '{"message":"Forbidden"}', undefined]);
  });

  it('is not asked about a route without authorization', async () => {
    const { event } = await ask({}, succeed({}), () => ({ kind: 'refused', status: 401 }), 'NONE');
    expect(event.requestContext).not.toHaveProperty('authorizer');
  });
});
