/**
 * The execution environments of one function: reused when idle, started when all are busy, at most so many. What finds
 * none free waits in order; AWS would throttle a synchronous caller there, which one machine need not.
 */
import { ExecutionEnvironment, type FunctionDefinition, type Outcome, type RunningInvocation } from './environment.ts';
import type { Faults } from './faults.ts';

export interface FunctionPoolOptions {
  readonly definition: FunctionDefinition;
  readonly environmentsMax: number;
  readonly endpointUrl: string;
  readonly faults: Pick<Faults, 'clockSkewMs' | 'drawKill' | 'noteKill'>;
  readonly onLog: (functionName: string, line: string) => void;
  /** Something ended: whoever waits for quiet may look again. */
  readonly onSettled: () => void;
}

export interface InvokeOptions {
  readonly requestId: string;
  /** JSON text. */
  readonly event: string;
  /** Asked when an environment is free; false abandons the invocation before it starts. */
  readonly admit?: () => boolean;
}

/** What the edges need of a function. */
export type Invoker = Pick<FunctionPool, 'definition' | 'invoke' | 'withdraw'>;

interface Waiting extends InvokeOptions {
  readonly resolve: (outcome: Outcome) => void;
}

export class FunctionPool {
  readonly definition: FunctionDefinition;
  readonly #options: FunctionPoolOptions;
  readonly #environments = new Set<ExecutionEnvironment>();
  /** Free environments, the latest used last: it is used again first, as AWS does, and the others stay warm spares. */
  readonly #free: ExecutionEnvironment[] = [];
  readonly #waiting: Waiting[] = [];
  #startedCount = 0;
  #startingCount = 0;
  #runningCount = 0;
  #isClosed = false;
  readonly #readyListeners = new Set<() => void>();

  constructor(options: FunctionPoolOptions) {
    this.definition = options.definition;
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#runningCount === 0 && this.#waiting.length === 0;
  }

  /** Runs an invocation as soon as an environment is free. Resolves always; a failure is an outcome. */
  invoke(options: InvokeOptions): Promise<Outcome> {
    if (this.#isClosed) return Promise.resolve({ kind: 'abandoned' });
    return new Promise((resolve) => {
      this.#waiting.push({ ...options, resolve });
      this.#dispatch();
    });
  }

  /** Takes back an invocation that still waits; false when it has started or ended. */
  withdraw(requestId: string): boolean {
    const position = this.#waiting.findIndex((waiting) => waiting.requestId === requestId);
    if (position < 0) return false;
    const [withdrawn] = this.#waiting.splice(position, 1);
    withdrawn?.resolve({ kind: 'abandoned' });
    this.#options.onSettled();
    return true;
  }

  /** Starts environments until `count` exist, and resolves when none is starting any more. */
  async warm(count: number): Promise<void> {
    while (this.#environments.size < Math.min(count, this.#options.environmentsMax) && !this.#isClosed) this.#start();
    while (this.#startingCount > 0 && !this.#isClosed) {
      await new Promise<void>((resolve) => this.#readyListeners.add(resolve));
    }
  }

  /** Kills environments in mid-invocation; see `Runtime.terminate`. */
  terminate(match?: (invocation: RunningInvocation) => boolean): number {
    let killedCount = 0;
    for (const environment of this.#environments) {
      const { running } = environment;
      if (match !== undefined && (running === undefined || !match(running))) continue;
      if (running !== undefined) killedCount += 1;
      kill(environment);
    }
    return killedCount;
  }

  /** Ends every thread and abandons what waits. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const waiting of this.#waiting.splice(0)) waiting.resolve({ kind: 'abandoned' });
    this.#announceReady();
    await Promise.all([...this.#environments].map((environment) => environment.close()));
  }

  #dispatch(): void {
    while (this.#waiting.length > 0) {
      const environment = this.#takeFree();
      if (environment === undefined) break;
      const next = this.#waiting.shift();
      if (next === undefined) break;
      if (next.admit?.() === false) {
        this.#free.push(environment);
        next.resolve({ kind: 'abandoned' });
        this.#options.onSettled();
        continue;
      }
      void this.#run(environment, next);
    }
    while (this.#waiting.length > this.#startingCount && this.#environments.size < this.#options.environmentsMax)
      this.#start();
  }

  async #run(environment: ExecutionEnvironment, { requestId, event, resolve }: Waiting): Promise<void> {
    const { definition, faults } = this.#options;
    this.#runningCount += 1;
    const killAfterMs = faults.drawKill(definition.name);
    const killer = killAfterMs === undefined ? undefined : setTimeout(() => this.#strike(environment), killAfterMs);
    const outcome = await environment.invoke(requestId, event, faults.clockSkewMs(definition.name));
    clearTimeout(killer);
    this.#runningCount -= 1;
    resolve(this.#isClosed && outcome.kind === 'failed' ? { kind: 'abandoned' } : outcome);
    this.#options.onSettled();
  }

  #strike(environment: ExecutionEnvironment): void {
    this.#options.faults.noteKill();
    kill(environment);
  }

  #takeFree(): ExecutionEnvironment | undefined {
    for (;;) {
      const environment = this.#free.pop();
      if (environment === undefined || environment.isFree) return environment;
    }
  }

  #start(): void {
    this.#startedCount += 1;
    this.#startingCount += 1;
    let isStarting = true;
    const noteStarted = () => {
      if (!isStarting) return;
      isStarting = false;
      this.#startingCount -= 1;
      this.#announceReady();
    };
    const { definition, endpointUrl, onLog } = this.#options;
    const environment = new ExecutionEnvironment({
      definition,
      number: this.#startedCount,
      endpointUrl,
      onLog: (line) => onLog(definition.name, line),
      onFree: () => {
        noteStarted();
        this.#free.push(environment);
        this.#dispatch();
      },
      onGone: (startFailure) => {
        noteStarted();
        this.#environments.delete(environment);
        if (startFailure !== undefined) this.#failFirst(startFailure);
        if (!this.#isClosed) this.#dispatch();
        this.#options.onSettled();
      },
    });
    this.#environments.add(environment);
  }

  /** A handler that cannot be loaded fails the invocation it was started for, which counts as an attempt. */
  #failFirst(payload: string): void {
    const first = this.#waiting.shift();
    first?.resolve(first.admit?.() === false ? { kind: 'abandoned' } : { kind: 'failed', payload });
  }

  #announceReady(): void {
    for (const listener of this.#readyListeners) listener();
    this.#readyListeners.clear();
  }
}

function kill(environment: ExecutionEnvironment): void {
  const requestId = environment.running?.requestId;
  environment.end('Runtime.ExitError', `RequestId: ${requestId} Error: Runtime exited with error: signal: killed`);
}
