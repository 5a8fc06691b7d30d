/**
 * One execution of one function: a process with a clock of its own, which can die, freeze and thaw. A dead one's promises
 * never resolve; nothing tells it so.
 */
import type { Clock, Ids } from '../../../functions/io/ports.ts';
import type { Kernel, Timer } from './kernel.ts';
import type { StartedWith } from './releases.ts';

export type FunctionRole =
  | 'ingest'
  | 'trigger'
  | 'scheduler'
  | 'worker'
  | 'finalizer'
  | 'operator'
  | 'eraser'
  | 'reader'
  | 'curator';

export interface ActorParts {
  readonly kernel: Kernel;
  readonly role: FunctionRole;
  readonly number: number;
  readonly skewMs: number;
  readonly startedWith: StartedWith;
}

export class Actor {
  readonly role: FunctionRole;
  readonly label: string;
  readonly startedAtMs: number;
  /** Settings of the deployment as this execution was started with them. */
  readonly settings: StartedWith['settings'];
  /** How many pools there are, as it was told. */
  readonly pools: number;
  /** Its clock is so much ahead of true time. */
  readonly skewMs: number;
  /** The one scope it may touch; undefined for a tick, which serves all. */
  scope: string | undefined;
  /** The pass it works for. */
  passId: string | undefined;
  /** The invocation of a worker that failed, and that it is told of. */
  failedRequestId: string | undefined;
  /** The generation of its scope that it was told of. */
  generation = 1;
  isAlive = true;
  hasEnded = false;
  #frozenUntilMs = 0;
  /** What comes back to it while it stands still. */
  #waiting: (() => void)[] = [];
  /** Called once when it dies. */
  onCrash: () => void = () => undefined;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly #kernel: Kernel;
  #idsDrawn = 0;

  constructor({ kernel, role, number, skewMs, startedWith }: ActorParts) {
    this.#kernel = kernel;
    this.role = role;
    this.label = `${role}-${number}`;
    this.startedAtMs = kernel.nowMs;
    this.settings = startedWith.settings;
    this.pools = startedWith.pools;
    this.skewMs = skewMs;
    this.clock = {
      nowMs: () => kernel.nowMs + skewMs,
      sleep: (ms, signal) => this.#sleep(ms, signal),
    };
    this.ids = { fresh: () => `${this.label}.${++this.#idsDrawn}` };
  }

  get isRunning(): boolean {
    return this.isAlive && !this.hasEnded;
  }

  crash(why: string): void {
    if (!this.isRunning) return;
    this.isAlive = false;
    this.#kernel.note(`${this.label} dies: ${why}`);
    this.onCrash();
  }

  /** Runs `go` at that time in this process: never when it is dead by then, later when it is frozen. */
  resumeAt(atMs: number, go: () => void): Timer {
    return this.#kernel.at(atMs, () => {
      if (!this.isAlive) return;
      if (this.isFrozen) this.#waiting.push(go);
      else go();
    });
  }

  get isFrozen(): boolean {
    return this.#frozenUntilMs > this.#kernel.nowMs;
  }

  freeze(ms: number): void {
    this.#kernel.note(`${this.label} freezes for ${ms} ms`);
    this.#frozenUntilMs = this.#kernel.nowMs + ms;
    this.#kernel.at(this.#frozenUntilMs, () => {
      if (!this.isFrozen) this.thaw();
    });
  }

  /** Goes on with all that came meanwhile, in the order it came; one thing a step, as it would have been. */
  thaw(): void {
    if (this.isFrozen) this.#frozenUntilMs = this.#kernel.nowMs;
    for (const go of this.#waiting.splice(0)) this.resumeAt(this.#kernel.nowMs, go);
  }

  #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const timer = this.resumeAt(this.#kernel.nowMs + ms, resolve);
      signal?.addEventListener('abort', () => {
        timer.run = undefined;
        resolve();
      });
    });
  }
}
