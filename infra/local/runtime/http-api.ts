/** The HTTP API: finds the route, asks the authorizer, invokes the function and gives its answer. */
import { randomUUID } from 'node:crypto';
import type { Invoker } from './function-pool.ts';
import {
  describeRequest,
  type HttpAnswer,
  type HttpRequest,
  LOCAL_IDENTITY,
  readAnswer,
  refuse,
  splitUrl,
} from './http-event.ts';
import { matchRoute, type Route } from './http-routes.ts';
import { HTTP_BODY_MAX_BYTES, LAMBDA_REQUEST_MAX_BYTES } from './limits.ts';

/** What an authorizer is asked about: the request and the route it found. */
export interface AuthorizationQuestion {
  readonly request: HttpRequest;
  readonly route: Route;
  readonly pathParameters: Readonly<Record<string, string>>;
}

/** Let through with this `requestContext.authorizer`, or refused: 401 without an identity, 403 without the right. */
export type Authorization =
  | { readonly kind: 'allowed'; readonly authorizer: object }
  | { readonly kind: 'refused'; readonly status: 401 | 403 };

export type Authorize = (question: AuthorizationQuestion) => Authorization | Promise<Authorization>;

export interface HttpApiOptions {
  readonly routes: readonly Route[];
  readonly pools: ReadonlyMap<string, Invoker>;
  readonly authorize: Authorize;
  readonly now: () => number;
}

/** Lets everybody through with the identity of a local IAM user; permissions are not checked on one machine. */
export const allowEveryone: Authorize = () => ({ kind: 'allowed', authorizer: LOCAL_IDENTITY });

/** Answers one request as API Gateway and the function behind it would. */
export async function answerHttp(options: HttpApiOptions, request: HttpRequest): Promise<HttpAnswer> {
  const { routes, pools, authorize, now } = options;
  const match = matchRoute(routes, request.method, splitUrl(request.url)[0]);
  const pool = match === undefined ? undefined : pools.get(match.route.functionName);
  if (match === undefined || pool === undefined) return refuse(404, 'Not Found');
  if (request.body.length > HTTP_BODY_MAX_BYTES) return refuse(413, 'Request Entity Too Large');
  const isOpen = match.route.authorizationType === 'NONE';
  const answer = isOpen
    ? undefined
    : await authorize({ request, route: match.route, pathParameters: match.pathParameters });
  if (answer?.kind === 'refused') return refuse(answer.status, answer.status === 401 ? 'Unauthorized' : 'Forbidden');
  const requestId = randomUUID();
  const event = JSON.stringify(
    describeRequest(request, match, { requestId, nowMs: now(), authorizer: answer?.authorizer }),
  );
  if (Buffer.byteLength(event) > LAMBDA_REQUEST_MAX_BYTES) return refuse(413, 'Request Entity Too Large');
  return await invokeWithin(pool, requestId, event, match.route.timeoutMs);
}

async function invokeWithin(pool: Invoker, requestId: string, event: string, timeoutMs: number): Promise<HttpAnswer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), timeoutMs);
  });
  const outcome = await Promise.race([pool.invoke({ requestId, event }), late]);
  clearTimeout(timer);
  if (outcome === 'late' || outcome.kind === 'abandoned') return refuse(503, 'Service Unavailable');
  return outcome.kind === 'failed' ? refuse(500, 'Internal Server Error') : readAnswer(outcome.payload);
}
