/**
 * Drains the scope, as a user would: POST drain, GET status until nothing waits, is held or runs. What is told meanwhile comes from watching, and decides nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ScopeStatus } from '../../functions/reader/read-status.ts';
import { LIMITS } from '../../schema/limits.ts';
import { TICK } from '../../schema/edges.ts';
import type { ObservedFigures, PassObserver } from './observer.ts';
import type { ScopeClient } from './scope-client.ts';

export type Say = (line: string) => void;

/** What waiting needs; a test brings its own. */
export interface WaitClock {
  readonly nowMs: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

const MACHINE_CLOCK: WaitClock = { nowMs: Date.now, sleep };

export interface DrainOptions {
  readonly client: Pick<ScopeClient, 'status' | 'drain' | 'passes'>;
  readonly observer: Pick<PassObserver, 'figures' | 'hasStarted'>;
  readonly passes: number;
  /** Sources to be settled, for the progress. */
  readonly owed: number;
  readonly say: Say;
  readonly clock?: WaitClock;
}

export type DrainEnd =
  | { readonly kind: 'drained' }
  /** It does not get on: `reason` is a sentence. */
  | { readonly kind: 'stuck'; readonly reason: string };

/** Between two looks at the status: passes take seconds, and each look costs six reads. */
const LOOK_EVERY_MS = 1_000;
/** When nothing is seen to run, the end or the next pass is near. */
const LOOK_SOON_MS = 100;
/** A continuation is on its way for some hundred milliseconds; only then is it worth asking again. */
const QUIET_BEFORE_ASKING_MS = 1_500;
/** Drains in a row after which nothing more was settled: passes fail, or get nowhere. */
const FRUITLESS_DRAINS_MAX = 3;

/** Drains the scope. Resolves when nothing is left, or nothing moves any more. */
export async function drainScope(options: DrainOptions): Promise<DrainEnd> {
  const drain = new Drain(options);
  for (;;) {
    const end = await drain.step();
    if (end !== undefined) return end;
  }
}

class Drain {
  readonly #options: DrainOptions;
  readonly #clock: WaitClock;
  readonly #progress: Progress;
  /** Settled when the latest drain was asked for; undefined: none was yet. */
  #settledBefore: number | undefined;
  #fruitless = 0;
  #quietSinceMs: number | undefined;

  constructor(options: DrainOptions) {
    this.#options = options;
    this.#clock = options.clock ?? MACHINE_CLOCK;
    this.#progress = new Progress(options, this.#clock);
  }

  /** Looks once, asks for passes where that helps, and waits until it is worth looking again. */
  async step(): Promise<DrainEnd | undefined> {
    const status = await this.#options.client.status();
    const { backlog, running } = status;
    if (backlog.sources === 0 && !backlog.held && running.length === 0) return { kind: 'drained' };
    if (backlog.sources > 0 && this.#shouldAsk(status)) {
      const stuck = await this.#ask();
      if (stuck !== undefined) return stuck;
    }
    this.#progress.tell(status);
    await this.#rest();
    return undefined;
  }

  #shouldAsk({ running }: ScopeStatus): boolean {
    if (this.#settledBefore === undefined) return true;
    if (running.length > 0) {
      this.#quietSinceMs = undefined;
      return false;
    }
    this.#quietSinceMs ??= this.#clock.nowMs();
    return this.#clock.nowMs() - this.#quietSinceMs > QUIET_BEFORE_ASKING_MS;
  }

  async #ask(): Promise<DrainEnd | undefined> {
    const { client, observer, passes } = this.#options;
    const { settled } = observer.figures;
    this.#fruitless = settled === this.#settledBefore ? this.#fruitless + 1 : 0;
    if (this.#fruitless >= FRUITLESS_DRAINS_MAX) return { kind: 'stuck', reason: await this.#explain() };
    this.#settledBefore = settled;
    this.#quietSinceMs = undefined;
    // Refused: somebody else's passes fill the scope, or took the rest meanwhile. The next look tells.
    await client.drain(passes);
    return undefined;
  }

  /** Why nothing moves: the newest failure that passes left. */
  async #explain(): Promise<string> {
    const { passes } = await this.#options.client.passes(20);
    const failure = passes.map((pass) => pass.failure as { code: string; message: string } | undefined).find(Boolean);
    const because = failure === undefined ? '' : `; the latest failure says: ${failure.message} (${failure.code})`;
    return `${FRUITLESS_DRAINS_MAX} drains in a row settled nothing more${because}`;
  }

  async #rest(): Promise<void> {
    const untilMs = this.#clock.nowMs() + LOOK_EVERY_MS;
    const isBusy = (): boolean => this.#progress.isWaiting || this.#options.observer.figures.running > 0;
    do await this.#clock.sleep(LOOK_SOON_MS);
    while (isBusy() && this.#clock.nowMs() < untilMs);
  }
}

/** A line a second at most. */
const PROGRESS_EVERY_MS = 1_000;

/** Says how far it is, when that changed. */
class Progress {
  readonly #options: DrainOptions;
  readonly #clock: WaitClock;
  #said = '';
  #saidAtMs = Number.NEGATIVE_INFINITY;
  #isWaiting = false;
  #saidWaiting = false;

  constructor(options: DrainOptions, clock: WaitClock) {
    this.#options = options;
    this.#clock = clock;
  }

  /** Nothing happens until a dead pass is given up. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  tell(status: ScopeStatus): void {
    const { observer, say, owed } = this.#options;
    const { figures } = observer;
    const line = describeProgress(figures, owed);
    if (line !== this.#said && this.#clock.nowMs() - this.#saidAtMs >= PROGRESS_EVERY_MS) {
      say(line);
      this.#said = line;
      this.#saidAtMs = this.#clock.nowMs();
    }
    const strangers = status.running.filter(({ passId }) => !observer.hasStarted(passId));
    // Somebody's that were admitted just now are on their way.
    const isOld = strangers.some(
      ({ admittedAt }) => this.#clock.nowMs() - Date.parse(admittedAt) >= LIMITS.passRowGraceMs,
    );
    this.#isWaiting = isOld && figures.running === 0;
    if (this.#isWaiting && !this.#saidWaiting) say(describeWait(strangers.length));
    this.#saidWaiting ||= this.#isWaiting;
  }
}

function describeProgress({ delivered, settled, running }: ObservedFigures, owed: number): string {
  // An earlier run may have left sources of other folders.
  const total = Math.max(owed, settled);
  return `  ${settled} of ${total} settled, ${delivered} given to a pass; ${running} ${running === 1 ? 'pass' : 'passes'} running`;
}

function describeWait(count: number): string {
  const who = count === 1 ? 'A pass' : `${count} passes`;
  const silenceS = LIMITS.heartbeatSilenceMs / 1000;
  const longestS = silenceS + TICK.rateMinutes * 60;
  return `  ${who} of a run that was ended still ${count === 1 ? 'holds its' : 'hold their'} sources: given up after ${silenceS} s of silence, at the next minute's tick; at most ${longestS} s from now.`;
}
