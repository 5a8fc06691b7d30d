/**
 * Asynchronous invocations: an accepted event is kept, started when its function has room, tried again after a failure
 * and, when Lambda would give it up, handed to the failure destination.
 *
 * An event that had started when the process was killed counts as a failed attempt: with no retries left it goes to the
 * failure destination at the next start. That is how a dead worker is found early.
 */
import { randomUUID } from 'node:crypto';
import type { Delivery } from './delivery.ts';
import {
  type AsyncFailureCondition,
  describeAsyncFailure,
  readFailureDestination,
  type SendToDestination,
} from './destination.ts';
import type { Outcome } from './environment.ts';
import type { AsyncEvent, EventLog } from './event-log.ts';
import type { Invoker } from './function-pool.ts';
import { readNumber, readText } from './properties.ts';
import { parseFunctionReference, type Resource } from './template.ts';

/** How events of one function and qualifier are treated; the defaults are AWS's. */
interface InvokeConfig {
  readonly retriesMax: number;
  readonly eventAgeMaxMs: number;
  readonly destinationArn: string | undefined;
}

export interface AsyncInvocationsOptions {
  readonly pools: ReadonlyMap<string, Invoker>;
  /** The template's AWS::Lambda::EventInvokeConfig resources. */
  readonly configs: readonly Resource[];
  readonly log: EventLog;
  readonly delivery: Delivery;
  readonly now: () => number;
  readonly sendToDestination: SendToDestination;
  /** How long to wait before attempt n + 1, counted from 1. */
  readonly retryDelayMs: (attempt: number) => number;
  readonly onSettled: () => void;
}

/** An event in memory: its log entry, and who waits for its end. */
interface Pending {
  event: AsyncEvent;
  timer: NodeJS.Timeout | undefined;
  readonly done: PromiseWithResolvers<void>;
}

const DEFAULT_CONFIG: InvokeConfig = { retriesMax: 2, eventAgeMaxMs: 6 * 60 * 60 * 1000, destinationArn: undefined };
const LATEST = '$LATEST';
const CRASH = { errorType: 'Runtime.ExitError', errorMessage: 'The process ended while the function ran.' };

export class AsyncInvocations {
  readonly #options: AsyncInvocationsOptions;
  readonly #configs = new Map<string, InvokeConfig>();
  readonly #pending = new Map<string, Pending>();
  #repeatCount = 0;
  #isStopped = false;

  constructor(options: AsyncInvocationsOptions) {
    this.#options = options;
    for (const resource of options.configs) {
      const { name, qualifier } = parseFunctionReference(readText(resource, 'FunctionName'));
      this.#configs.set(configKey(name, qualifier ?? readText(resource, 'Qualifier', LATEST)), {
        retriesMax: readNumber(resource, 'MaximumRetryAttempts', DEFAULT_CONFIG.retriesMax),
        eventAgeMaxMs: readNumber(resource, 'MaximumEventAgeInSeconds', DEFAULT_CONFIG.eventAgeMaxMs / 1000) * 1000,
        destinationArn: readFailureDestination(resource),
      });
    }
  }

  get pendingCount(): number {
    return this.#pending.size + this.#repeatCount;
  }

  /** Takes up what an earlier process left behind. */
  resume(): void {
    for (const event of this.#options.log.leftovers) {
      const pending = this.#remember(event);
      if (event.invokeCount === 0) this.#offer(pending);
      else this.#fail(pending, JSON.stringify(CRASH));
    }
  }

  /**
   * Accepts an event (JSON text) for a function. `done` resolves when the event was handled or given up.
   * The function must exist: `functionName` is a key of the pools.
   */
  accept(
    functionName: string,
    qualifier: string | undefined,
    payload: string,
  ): { requestId: string; done: Promise<void> } {
    const requestId = randomUUID();
    const { delivery, log } = this.#options;
    if (delivery.isLost()) return { requestId, done: Promise.resolve() };
    const event: AsyncEvent = {
      requestId,
      functionName,
      qualifier,
      payload,
      acceptedAtMs: this.#options.now(),
      invokeCount: 0,
    };
    log.accepted(event);
    const pending = this.#remember(event);
    void this.#deliver(pending);
    if (delivery.times() > 1) void this.#repeat(event);
    return { requestId, done: pending.done.promise };
  }

  /** Starts nothing any more; what is pending stays in the log. */
  stop(): void {
    this.#isStopped = true;
    for (const { timer, done } of this.#pending.values()) {
      clearTimeout(timer);
      done.resolve();
    }
  }

  #remember(event: AsyncEvent): Pending {
    const pending: Pending = { event, timer: undefined, done: Promise.withResolvers<void>() };
    this.#pending.set(event.requestId, pending);
    return pending;
  }

  /** Offers a fresh event, late when it is late. */
  async #deliver(pending: Pending): Promise<void> {
    const late = this.#options.delivery.wait();
    if (late !== undefined) await late;
    if (!this.#isStopped) this.#offer(pending);
  }

  /** A second delivery of an event, under the same request id as on AWS; what becomes of it is nobody's concern. */
  async #repeat({ requestId, functionName, payload }: AsyncEvent): Promise<void> {
    this.#repeatCount += 1;
    await this.#options.delivery.wait();
    if (!this.#isStopped) await this.#options.pools.get(functionName)?.invoke({ requestId, event: payload });
    this.#repeatCount -= 1;
    this.#options.onSettled();
  }

  #offer(pending: Pending): void {
    const { event } = pending;
    const pool = this.#options.pools.get(event.functionName);
    if (pool === undefined) {
      // The template changed between two runs over one data folder.
      this.#forget(pending);
      return;
    }
    const waitMs = Math.max(0, event.acceptedAtMs + this.#configOf(event).eventAgeMaxMs - this.#options.now());
    pending.timer = setTimeout(() => {
      if (this.#isAged(pending.event)) pool.withdraw(event.requestId);
    }, waitMs);
    pending.timer.unref();
    const invocation = pool.invoke({
      requestId: event.requestId,
      event: event.payload,
      admit: () => this.#admit(pending),
    });
    void invocation.then((outcome) => this.#conclude(pending, outcome));
  }

  #admit(pending: Pending): boolean {
    clearTimeout(pending.timer);
    if (this.#isStopped || this.#isAged(pending.event)) return false;
    this.#options.log.started(pending.event);
    pending.event = { ...pending.event, invokeCount: pending.event.invokeCount + 1 };
    return true;
  }

  #conclude(pending: Pending, outcome: Outcome): void {
    if (this.#isStopped) return;
    if (outcome.kind === 'succeeded') this.#forget(pending);
    else if (outcome.kind === 'failed') this.#fail(pending, outcome.payload);
    else this.#giveUp(pending, 'EventAgeExceeded', undefined);
  }

  #fail(pending: Pending, responsePayload: string): void {
    const { event } = pending;
    const config = this.#configOf(event);
    if (event.invokeCount > config.retriesMax) {
      this.#giveUp(pending, 'RetriesExhausted', responsePayload);
      return;
    }
    const delayMs = this.#options.retryDelayMs(event.invokeCount);
    if (this.#options.now() + delayMs - event.acceptedAtMs > config.eventAgeMaxMs) {
      this.#giveUp(pending, 'EventAgeExceeded', responsePayload);
      return;
    }
    pending.timer = setTimeout(() => this.#offer(pending), delayMs);
    pending.timer.unref();
  }

  #giveUp(pending: Pending, condition: AsyncFailureCondition, responsePayload: string | undefined): void {
    const { event } = pending;
    const { destinationArn } = this.#configOf(event);
    const pool = this.#options.pools.get(event.functionName);
    if (destinationArn !== undefined && pool !== undefined) {
      this.#options.sendToDestination(
        destinationArn,
        describeAsyncFailure({
          requestId: event.requestId,
          functionArn: `${pool.definition.arn}:${event.qualifier ?? LATEST}`,
          condition,
          invokeCount: event.invokeCount,
          requestPayload: JSON.parse(event.payload),
          responsePayload: responsePayload === undefined ? undefined : JSON.parse(responsePayload),
          nowMs: this.#options.now(),
        }),
      );
    }
    this.#forget(pending);
  }

  #forget(pending: Pending): void {
    clearTimeout(pending.timer);
    this.#options.log.done(pending.event);
    this.#pending.delete(pending.event.requestId);
    pending.done.resolve();
    this.#options.onSettled();
  }

  #isAged(event: AsyncEvent): boolean {
    return this.#options.now() - event.acceptedAtMs >= this.#configOf(event).eventAgeMaxMs;
  }

  #configOf(event: AsyncEvent): InvokeConfig {
    return this.#configs.get(configKey(event.functionName, event.qualifier ?? LATEST)) ?? DEFAULT_CONFIG;
  }
}

function configKey(functionName: string, qualifier: string): string {
  return `${functionName}:${qualifier}`;
}
