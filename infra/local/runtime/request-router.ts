/** Tells the services of the one port apart, counts what they are asked, and shows it to whoever observes. */
import type { ConsumedCapacity } from '../dynamodb/capacity.ts';
import type { DynamoDb } from '../dynamodb/engine.ts';
import type { SqsEngine } from '../sqs/engine.ts';
import type { Input } from '../sqs/sending.ts';
import { askDynamoDb, DYNAMODB_TARGET } from './dynamodb-door.ts';
import { ACCESS_KEY_PREFIX } from './environment.ts';
import type { Faults } from './faults.ts';
import { describeFault } from './faulty-answer.ts';
import { answerHttp, type HttpApiOptions } from './http-api.ts';
import { type HttpAnswer, splitUrl } from './http-event.ts';
import type { RequestHandler, ServerRequest } from './http-server.ts';
import { answerInvoke, type LambdaApiOptions, readInvokePath } from './lambda-api.ts';
import type { Observation, RequestCounter, Service } from './request-counts.ts';

export interface RouterOptions {
  readonly dynamodb: DynamoDb;
  readonly sqs: SqsEngine;
  readonly lambda: LambdaApiOptions;
  readonly http: HttpApiOptions;
  readonly counter: RequestCounter;
  readonly faults: Pick<Faults, 'drawRequestFault'>;
  readonly onRequest: ((observation: Observation) => void) | undefined;
}

const SQS_TARGET = 'AmazonSQS.';
const JSON_1_0 = { 'content-type': 'application/x-amz-json-1.0' };
const CREDENTIAL = new RegExp(`Credential=${ACCESS_KEY_PREFIX}-([^/]+)-(\\d+)/`);

/** A request to one of the services. */
interface Call {
  readonly service: Service;
  readonly operation: string;
  readonly answer: () => HttpAnswer | Promise<HttpAnswer>;
}

/** The handler of the runtime's port. */
export function routeRequests(options: RouterOptions): RequestHandler {
  return async (request) => {
    const call = readCall(options, request);
    return call === undefined ? await answerHttp(options.http, request) : await answerCall(options, request, call);
  };
}

function readCall(options: RouterOptions, request: ServerRequest): Call | undefined {
  const target = request.headers['x-amz-target'];
  if (typeof target === 'string' && target.startsWith(DYNAMODB_TARGET)) {
    const operation = target.slice(DYNAMODB_TARGET.length);
    return { service: 'dynamodb', operation, answer: () => answerDynamoDb(options, request, target) };
  }
  if (typeof target === 'string' && target.startsWith(SQS_TARGET)) {
    const operation = target.slice(SQS_TARGET.length);
    return { service: 'sqs', operation, answer: () => answerSqs(options, request, operation) };
  }
  const functionReference = readInvokePath(splitUrl(request.url)[0]);
  if (functionReference === undefined || request.method !== 'POST') return undefined;
  return { service: 'lambda', operation: 'Invoke', answer: () => answerLambda(options, request, functionReference) };
}

/** Carries a request out, or not, as the faults will have it. What was not carried out is neither counted nor shown. */
async function answerCall(options: RouterOptions, request: ServerRequest, call: Call): Promise<HttpAnswer> {
  const { service, operation, answer } = call;
  const [functionName] = readCaller(request);
  const fault = options.faults.drawRequestFault({ service, operation, functionName });
  if (fault === undefined) return await answer();
  if (fault === 'throttled' || fault === 'failed') return describeFault(service, fault === 'throttled');
  const given = await answer();
  if (fault === 'replyLost') request.hangUp();
  return fault === 'failedAfter' ? describeFault(service, false) : given;
}

function answerDynamoDb(options: RouterOptions, request: ServerRequest, target: string): HttpAnswer {
  const body = request.body.toString();
  const { status, text, output, consumed } = askDynamoDb(options.dynamodb, options.counter, target, body);
  if (options.onRequest !== undefined) {
    const operation = target.slice(DYNAMODB_TARGET.length);
    observe(options, request, 'dynamodb', { operation, input: parseText(body), status, output, consumed });
  }
  return { status, headers: JSON_1_0, body: text };
}

async function answerSqs(options: RouterOptions, request: ServerRequest, operation: string): Promise<HttpAnswer> {
  const input = parseText(request.body.toString());
  const gone = new AbortController();
  if (operation === 'ReceiveMessage') request.onGone(() => gone.abort());
  options.counter.count('sqs', operation);
  const { status, output } = await options.sqs.call(operation, (input ?? {}) as Input, gone.signal);
  observe(options, request, 'sqs', { operation, input, status, output });
  return { status, headers: JSON_1_0, body: JSON.stringify(output) };
}

async function answerLambda(
  options: RouterOptions,
  request: ServerRequest,
  functionReference: string,
): Promise<HttpAnswer> {
  const invocationType = String(request.headers['x-amz-invocation-type'] ?? 'RequestResponse');
  const qualifier = new URLSearchParams(splitUrl(request.url)[1]).get('Qualifier') ?? undefined;
  options.counter.count('lambda', 'Invoke');
  const answer = await answerInvoke(options.lambda, {
    functionReference,
    qualifier,
    invocationType,
    payload: request.body,
  });
  if (options.onRequest !== undefined) {
    const input = {
      FunctionName: functionReference,
      InvocationType: invocationType,
      Payload: parseText(request.body.toString()),
    };
    observe(options, request, 'lambda', {
      operation: 'Invoke',
      input,
      status: answer.status,
      output: parseText(answer.body),
    });
  }
  return answer;
}

interface Observed {
  readonly operation: string;
  readonly input: unknown;
  readonly status: number;
  readonly output: unknown;
  readonly consumed?: readonly ConsumedCapacity[];
}

function observe(options: RouterOptions, request: ServerRequest, service: Service, observed: Observed): void {
  if (options.onRequest === undefined) return;
  const [functionName, environment] = readCaller(request);
  options.onRequest({ service, consumed: [], ...observed, functionName, environment });
}

/** The function that asks and its environment, by the access key it signs with; undefined for a client outside. */
function readCaller(request: ServerRequest): [functionName: string | undefined, environment: number | undefined] {
  const [, functionName, environment] = CREDENTIAL.exec(request.headers.authorization ?? '') ?? [];
  return [functionName, environment === undefined ? undefined : Number(environment)];
}

/** Undefined for text that is not JSON: what to answer to that is the service's own matter. */
function parseText(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
