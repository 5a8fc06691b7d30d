/** Lambda's Invoke operation: `POST /2015-03-31/functions/{name}/invocations`, synchronous or asynchronous. */
import { randomUUID } from 'node:crypto';
import type { AsyncInvocations } from './async-invocations.ts';
import type { Invoker } from './function-pool.ts';
import { ASYNC_EVENT_MAX_BYTES, LAMBDA_REQUEST_MAX_BYTES } from './limits.ts';
import { parseFunctionReference } from './template.ts';

export interface InvokeRequest {
  /** Name, partial ARN or ARN, decoded. */
  readonly functionReference: string;
  /** The query parameter Qualifier. */
  readonly qualifier: string | undefined;
  /** X-Amz-Invocation-Type; RequestResponse when absent. */
  readonly invocationType: string;
  readonly payload: Buffer;
}

export interface InvokeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text, or nothing. */
  readonly body: string;
}

export interface LambdaApiOptions {
  readonly pools: ReadonlyMap<string, Invoker>;
  readonly asyncInvocations: AsyncInvocations;
}

const INVOKE_PATH = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/;

/** The function an Invoke path names, or undefined for any other path. */
export function readInvokePath(path: string): string | undefined {
  const encoded = INVOKE_PATH.exec(path)?.[1];
  return encoded === undefined ? undefined : decodeURIComponent(encoded);
}

/** Answers one Invoke. A synchronous one waits for a free environment instead of being throttled. */
export async function answerInvoke(
  { pools, asyncInvocations }: LambdaApiOptions,
  request: InvokeRequest,
): Promise<InvokeAnswer> {
  const { functionReference, invocationType, payload } = request;
  const reference = parseFunctionReference(functionReference);
  const pool = pools.get(reference.name);
  if (pool === undefined) {
    return refuseInvoke(404, 'ResourceNotFoundException', `Function not found: ${functionReference}`);
  }
  const isAsync = invocationType === 'Event';
  const maxBytes = isAsync ? ASYNC_EVENT_MAX_BYTES : LAMBDA_REQUEST_MAX_BYTES;
  if (payload.length > maxBytes) {
    const message = `Request must be smaller than ${maxBytes} bytes for the InvokeFunction operation`;
    return refuseInvoke(413, 'RequestTooLargeException', message);
  }
  const event = payload.length === 0 ? '{}' : payload.toString();
  if (!isJson(event)) {
    return refuseInvoke(400, 'InvalidRequestContentException', 'Could not parse request body into json.');
  }
  if (isAsync) {
    const { requestId } = asyncInvocations.accept(reference.name, request.qualifier ?? reference.qualifier, event);
    return { status: 202, headers: { 'x-amzn-requestid': requestId }, body: '' };
  }
  if (invocationType === 'DryRun') return { status: 204, headers: {}, body: '' };
  return await invokeNow(pool, event);
}

async function invokeNow(pool: Invoker, event: string): Promise<InvokeAnswer> {
  const requestId = randomUUID();
  const outcome = await pool.invoke({ requestId, event });
  if (outcome.kind === 'abandoned') return refuseInvoke(500, 'ServiceException', 'The runtime is stopping.');
  return {
    status: 200,
    headers: {
      'content-type': 'application/json',
      'x-amz-executed-version': '$LATEST',
      'x-amzn-requestid': requestId,
      ...(outcome.kind === 'failed' ? { 'x-amz-function-error': 'Unhandled' } : {}),
    },
    body: outcome.payload,
  };
}

function refuseInvoke(status: number, name: string, message: string): InvokeAnswer {
  const body = JSON.stringify({ Type: status < 500 ? 'User' : 'Service', Message: message, message });
  return { status, headers: { 'content-type': 'application/json', 'x-amzn-errortype': name }, body };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
