/**
 * One execution environment: a worker thread with one function's handler, seen from the runtime.
 *
 * It runs one invocation at a time. A function that runs past its timeout is ended with its thread, as AWS ends it: no
 * `finally`, no last write. The same happens to a thread that a test kills.
 */
import { devNull } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { EnvironmentData, FromThread, ToThread } from './environment-protocol.ts';
import { LAMBDA_RESPONSE_MAX_BYTES } from './limits.ts';
import { LineReader } from './line-reader.ts';
import { REGION } from './template.ts';

/** A function as the template defines it. */
export interface FunctionDefinition {
  readonly logicalId: string;
  readonly name: string;
  readonly arn: string;
  readonly entryUrl: string;
  readonly timeoutMs: number;
  readonly memoryMiB: number;
  /** Environments at most, by the template's reserved concurrency. */
  readonly concurrencyMax: number;
  readonly variables: Readonly<Record<string, string>>;
}

/** How an invocation ended; `payload` is JSON text. A failed one carries `{errorType, errorMessage, ...}`. */
export type Outcome =
  | { readonly kind: 'succeeded'; readonly payload: string }
  | { readonly kind: 'failed'; readonly payload: string }
  /** It was never started: withdrawn, refused by its caller, or the runtime stopped. */
  | { readonly kind: 'abandoned' };

/** An invocation that an environment is running. */
export interface RunningInvocation {
  readonly requestId: string;
  /** JSON text. */
  readonly event: string;
  readonly environment: number;
  readonly startedAtMs: number;
}

export interface EnvironmentOptions {
  readonly definition: FunctionDefinition;
  readonly number: number;
  readonly endpointUrl: string;
  readonly onLog: (line: string) => void;
  /** The handler is imported, or an invocation has ended: the environment is free. */
  readonly onFree: () => void;
  /** The thread is gone. `startFailure` is the error's JSON when the handler could not be loaded. */
  readonly onGone: (startFailure: string | undefined) => void;
}

interface Current extends RunningInvocation {
  readonly resolve: (outcome: Outcome) => void;
  readonly timer: NodeJS.Timeout;
}

/** Loading a handler takes 0.2 s on an idle machine; sixteen at once on two cores take seconds. A loop at import ends here. */
const START_TIMEOUT_MS = 60_000;

/** The access key names the function and the environment, so that a request can be attributed to them. */
export const ACCESS_KEY_PREFIX = 'AKIDLOCAL';

export class ExecutionEnvironment {
  readonly number: number;
  readonly #options: EnvironmentOptions;
  readonly #worker: Worker;
  readonly #startTimer: NodeJS.Timeout;
  #current: Current | undefined;
  #isReady = false;
  #startFailure: string | undefined;
  /** Why the thread is being ended, as an error's JSON text. */
  #endReason: string | undefined;
  #isKilled = false;

  constructor(options: EnvironmentOptions) {
    this.number = options.number;
    this.#options = options;
    this.#worker = startThread(options);
    this.#startTimer = setTimeout(
      () => this.#failStart('Runtime.InitTimeout', 'The handler was not loaded in time'),
      START_TIMEOUT_MS,
    );
    const stdout = new LineReader(options.onLog);
    const stderr = new LineReader(options.onLog);
    this.#worker.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    this.#worker.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    this.#worker.on('message', (message: FromThread) => this.#receive(message));
    this.#worker.on('error', (error) => this.#noteError(error));
    this.#worker.on('exit', () => {
      stdout.flush();
      stderr.flush();
      this.#leave();
    });
  }

  get isFree(): boolean {
    return this.#isReady && this.#current === undefined && this.#endReason === undefined;
  }

  get running(): RunningInvocation | undefined {
    return this.#current;
  }

  /**
   * Runs one invocation; the environment must be free. Resolves always, also when the thread dies. The handler's clock
   * is `clockSkewMs` ahead of the machine's.
   */
  invoke(requestId: string, event: string, clockSkewMs: number): Promise<Outcome> {
    const { timeoutMs } = this.#options.definition;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        const seconds = (timeoutMs / 1000).toFixed(2);
        this.end('Sandbox.Timedout', `RequestId: ${requestId} Error: Task timed out after ${seconds} seconds`);
      }, timeoutMs);
      this.#current = { requestId, event, environment: this.number, startedAtMs: Date.now(), resolve, timer };
      const message: ToThread = { requestId, event, timeoutMs, clockSkewMs };
      this.#worker.postMessage(message);
    });
  }

  /** Ends the thread, whatever it is doing; a running invocation fails with this error once the thread is gone. */
  end(errorType: string, errorMessage: string): void {
    if (this.#endReason !== undefined) return;
    this.#endReason = JSON.stringify({ errorType, errorMessage });
    this.#isKilled = true;
    this.#options.onLog(errorMessage);
    void this.#worker.terminate();
  }

  /** Resolves when the thread is gone. */
  async close(): Promise<void> {
    this.#endReason ??= JSON.stringify({ errorType: 'Runtime.ExitError', errorMessage: 'The runtime was stopped.' });
    await this.#worker.terminate();
  }

  #receive(message: FromThread): void {
    if (this.#endReason !== undefined) return;
    if (message.kind === 'ready') {
      clearTimeout(this.#startTimer);
      this.#isReady = true;
      this.#options.onFree();
    } else if (message.kind === 'unready') {
      this.#startFailure = message.payload;
      this.#options.onLog(message.payload);
      void this.#worker.terminate();
    } else if (message.requestId === this.#current?.requestId) {
      if (message.kind === 'failed') this.#options.onLog(message.payload);
      this.#conclude(message.kind === 'failed' ? message : limitResponse(message.payload));
    }
  }

  #conclude(outcome: Outcome): void {
    const current = this.#current;
    if (current === undefined) return;
    clearTimeout(current.timer);
    this.#current = undefined;
    current.resolve(outcome);
    if (this.isFree) this.#options.onFree();
  }

  #failStart(errorType: string, errorMessage: string): void {
    this.#startFailure = JSON.stringify({ errorType, errorMessage });
    void this.#worker.terminate();
  }

  #noteError(error: unknown): void {
    const errorMessage = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#endReason ??= JSON.stringify({ errorType: 'Runtime.UnhandledError', errorMessage });
    this.#options.onLog(errorMessage);
  }

  #leave(): void {
    clearTimeout(this.#startTimer);
    const requestId = this.#current?.requestId;
    this.#endReason ??= JSON.stringify({
      errorType: 'Runtime.ExitError',
      errorMessage: `RequestId: ${requestId} Error: Runtime exited without providing a reason`,
    });
    this.#conclude({ kind: 'failed', payload: this.#endReason });
    const isStartFailure = !this.#isReady && !this.#isKilled;
    this.#options.onGone(isStartFailure ? (this.#startFailure ?? this.#endReason) : undefined);
  }
}

function limitResponse(payload: string): Outcome {
  // Text of a third of the limit cannot exceed it in bytes; only longer text is measured.
  if (payload.length * 3 <= LAMBDA_RESPONSE_MAX_BYTES || Buffer.byteLength(payload) <= LAMBDA_RESPONSE_MAX_BYTES) {
    return { kind: 'succeeded', payload };
  }
  const errorMessage = `Response payload size exceeded maximum allowed payload size (${LAMBDA_RESPONSE_MAX_BYTES} bytes).`;
  return { kind: 'failed', payload: JSON.stringify({ errorType: 'Function.ResponseSizeTooLarge', errorMessage }) };
}

function startThread({ definition, number, endpointUrl }: EnvironmentOptions): Worker {
  const data: EnvironmentData = {
    entryUrl: definition.entryUrl,
    functionName: definition.name,
    functionArn: definition.arn,
    environmentName: `${definition.name}-${number}`,
    memoryMiB: definition.memoryMiB,
  };
  return new Worker(new URL('./environment-thread.ts', import.meta.url), {
    name: data.environmentName,
    workerData: data,
    env: listVariables(definition, number, endpointUrl),
    // What the parent was started with (a test runner's hooks, for one) is none of the handler's business.
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: definition.memoryMiB },
  });
}

function listVariables(definition: FunctionDefinition, number: number, endpointUrl: string): Record<string, string> {
  return {
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: definition.name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(definition.memoryMiB),
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_ACCESS_KEY_ID: `${ACCESS_KEY_PREFIX}-${definition.name}-${number}`,
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: endpointUrl,
    AWS_ENDPOINT_URL_SQS: endpointUrl,
    AWS_ENDPOINT_URL_LAMBDA: endpointUrl,
    // A developer's own profiles must not reach a handler, nor a handler a real account.
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_EC2_METADATA_DISABLED: 'true',
    ...definition.variables,
  };
}
