/**
 * The inside of one execution environment: a thread that imports a handler once and runs one invocation at a time.
 * Events and answers cross as JSON text, as they do on AWS.
 */
import { enableCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { EnvironmentData, FromThread, ToThread } from './environment-protocol.ts';
import { skewClock } from './skewed-clock.ts';

type Handler = (event: unknown, context: object) => unknown;

// Compiled code of the SDK is kept on disk: measured, it takes a fifth off the start of an environment.
enableCompileCache();

const data = workerData as EnvironmentData;
const port = parentPort;
if (port === null) throw new Error('environment-thread.ts runs in a worker thread only.');
const post = (message: FromThread): void => port.postMessage(message);

async function loadHandler(): Promise<Handler> {
  const loaded = (await import(data.entryUrl)) as Record<string, unknown>;
  if (typeof loaded.handler === 'function') return loaded.handler as Handler;
  throw new TypeError(
    `${data.entryUrl} exports no function named handler. It exports: ${Object.keys(loaded).join(', ') || 'nothing'}.`,
  );
}

async function runInvocation(handler: Handler, message: ToThread): Promise<void> {
  const { requestId, event, timeoutMs, clockSkewMs } = message;
  skewClock(clockSkewMs);
  const deadlineMs = performance.now() + timeoutMs;
  const context = {
    awsRequestId: requestId,
    functionName: data.functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: data.functionArn,
    memoryLimitInMB: String(data.memoryMiB),
    logGroupName: `/aws/lambda/${data.functionName}`,
    logStreamName: data.environmentName,
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, Math.round(deadlineMs - performance.now())),
  };
  try {
    const result = await handler(JSON.parse(event), context);
    post({ kind: 'succeeded', requestId, payload: JSON.stringify(result) ?? 'null' });
  } catch (error) {
    post({ kind: 'failed', requestId, payload: describeError(error) });
  }
}

function describeError(error: unknown): string {
  if (!(error instanceof Error))
    return JSON.stringify({ errorType: typeof error, errorMessage: String(error), trace: [] });
  return JSON.stringify({ errorType: error.name, errorMessage: error.message, trace: (error.stack ?? '').split('\n') });
}

try {
  const handler = await loadHandler();
  port.on('message', (message: ToThread) => void runInvocation(handler, message));
  post({ kind: 'ready' });
} catch (error) {
  post({ kind: 'unready', payload: describeError(error) });
}
