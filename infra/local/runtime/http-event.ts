/** Payload format 2.0: a request as a function's event, and a function's answer as a response. */
import type { IncomingHttpHeaders } from 'node:http';
import { decode, type RouteMatch } from './http-routes.ts';
import { ACCOUNT } from './template.ts';

export interface HttpRequest {
  readonly method: string;
  /** Path and query as they came. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly sourceIp: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | Buffer;
}

export interface EventFrame {
  readonly requestId: string;
  readonly nowMs: number;
  /** `requestContext.authorizer`. */
  readonly authorizer: object | undefined;
}

const JSON_HEADERS = { 'content-type': 'application/json' };
/** What API Gateway passes on as text; everything else is base64. */
const TEXT_TYPE = /^(text\/|application\/(json|javascript|xml|([\w.-]+\+(json|xml)))\b)/i;

/** The event of a request. HTTP APIs hand on the path decoded, the query both raw and parsed, header names in lower case. */
export function describeRequest(
  request: HttpRequest,
  { route, pathParameters }: RouteMatch,
  frame: EventFrame,
): object {
  const [rawPath, rawQueryString] = splitUrl(request.url);
  const { cookie, ...headers } = request.headers;
  const path = decode(rawPath);
  const isText = isTextBody(request);
  return {
    version: '2.0',
    routeKey: route.routeKey,
    rawPath: path,
    rawQueryString,
    ...(cookie === undefined ? {} : { cookies: cookie.split(/; */) }),
    headers: joinValues(headers),
    ...(rawQueryString === '' ? {} : { queryStringParameters: parseQuery(rawQueryString) }),
    ...(Object.keys(pathParameters).length === 0 ? {} : { pathParameters }),
    requestContext: {
      accountId: ACCOUNT,
      apiId: 'local',
      ...(frame.authorizer === undefined ? {} : { authorizer: frame.authorizer }),
      domainName: request.headers.host ?? 'localhost',
      domainPrefix: 'local',
      http: {
        method: request.method,
        path,
        protocol: 'HTTP/1.1',
        sourceIp: request.sourceIp,
        userAgent: request.headers['user-agent'] ?? '',
      },
      requestId: frame.requestId,
      routeKey: route.routeKey,
      stage: '$default',
      timeEpoch: frame.nowMs,
    },
    ...(request.body.length === 0 ? {} : { body: request.body.toString(isText ? 'utf8' : 'base64') }),
    isBase64Encoded: request.body.length > 0 && !isText,
  };
}

/** A function's answer (JSON text): a structure with `statusCode`, or any other JSON, which becomes the body of a 200. */
export function readAnswer(payload: string): HttpAnswer {
  const answer = JSON.parse(payload) as {
    statusCode?: number;
    headers?: Record<string, string | number | boolean>;
    cookies?: string[];
    body?: string;
    isBase64Encoded?: boolean;
  } | null;
  if (answer === null || typeof answer !== 'object' || answer.statusCode === undefined) {
    return { status: 200, headers: JSON_HEADERS, body: payload };
  }
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(answer.headers ?? {})) headers[name.toLowerCase()] = String(value);
  headers['content-type'] ??= 'text/plain;charset=UTF-8';
  if (answer.cookies !== undefined) headers['set-cookie'] = answer.cookies;
  const body = answer.body ?? '';
  return {
    status: Number(answer.statusCode),
    headers,
    body: answer.isBase64Encoded === true ? Buffer.from(body, 'base64') : body,
  };
}

/** API Gateway's own answers. */
export function refuse(status: number, message: string): HttpAnswer {
  return { status, headers: JSON_HEADERS, body: JSON.stringify({ message }) };
}

/** The identity a local caller gets, in the form a real IAM caller has. */
export const LOCAL_IDENTITY = {
  iam: {
    accessKey: 'AKIDLOCAL',
    accountId: ACCOUNT,
    callerId: 'AIDLOCAL',
    cognitoIdentity: null,
    principalOrgId: null,
    userArn: `arn:aws:iam::${ACCOUNT}:user/local`,
    userId: 'AIDLOCAL',
  },
};

/** Path and query of a request target. */
export function splitUrl(url: string): [string, string] {
  const mark = url.indexOf('?');
  return mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}

function isTextBody({ headers }: HttpRequest): boolean {
  if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity') return false;
  const type = headers['content-type'];
  return type === undefined || TEXT_TYPE.test(type);
}

function joinValues(headers: IncomingHttpHeaders): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) joined[name] = Array.isArray(value) ? value.join(',') : value;
  }
  return joined;
}

/** Repeated parameters are joined with commas. */
function parseQuery(query: string): Record<string, string> {
  const parsed: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    parsed[name] = name in parsed ? `${parsed[name]},${value}` : value;
  }
  return parsed;
}
