/**
 * The asynchronous edges: triggers queue, worker invocations, their failure queue, the table's stream, the schedule. Each
 * delivers at least once when all is well, and late, twice or never when a fault says so.
 */
import { finalize } from '../../../functions/finalizer/run.ts';
import type { TriggerQueue, WorkerInvoker } from '../../../functions/io/ports.ts';
import { runFailedInvocation, runTick, runTrigger } from '../../../functions/scheduler/run.ts';
import { runPass } from '../../../functions/worker/run.ts';
import type { EvidencePage, Executor } from '../../../functions/worker/executor/executor.ts';
import { FAILED_PASSES, STREAM, TICK, TRIGGERS, WORK } from '../../../schema/edges.ts';
import type { TriggerMessage, WorkEvent } from '../../../schema/messages.ts';
import { isTerminal, type PassStatus, passAddressOf } from '../../../schema/pass.ts';
import type { Actor } from './actor.ts';
import { createSimulatedExecutor } from '../executors/executor.ts';
import { askProvider, type PlannedModel } from '../executors/model.ts';
import { type FailedInvocation, watchFailed } from '../invariants/failed-invocations.ts';
import { hashText, Random } from './random.ts';
import type { Change } from './tables.ts';
import type { World } from './world.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const STREAM_SHARDS = 2;

export interface EdgeWatch {
  readonly onPage: (actor: Actor, page: EvidencePage) => void;
  readonly onReviewed?: ((actor: Actor) => void) | undefined;
  readonly onTriggerSent: (actor: Actor, message: TriggerMessage) => void;
  /** An execution of the scheduler is through with a message, or with a tick. */
  readonly onScheduled: (actor: Actor, message?: TriggerMessage) => void;
  /** The executor of an execution, in place of the tame one; absent: that. */
  readonly executorFor?: ((actor: Actor, tame: Executor) => Executor) | undefined;
}

interface Shard {
  readonly keys: { pk: string; sk: string }[];
  isBusy: boolean;
}

export class Edges {
  readonly #world: World;
  readonly #watch: EdgeWatch;
  readonly #shards: readonly Shard[] = Array.from({ length: STREAM_SHARDS }, () => ({ keys: [], isBusy: false }));
  readonly #random: Random;
  #requests = 0;
  /** Messages on a queue, not handled yet and not given up. */
  undelivered = 0;

  constructor(world: World, watch: EdgeWatch) {
    this.#world = world;
    this.#watch = watch;
    this.#random = new Random(world.plan.seed, 'edges');
    world.triggersOf = (actor) => this.triggersOf(actor);
  }

  /** A late message comes within the storm or a moment after it: what is later still is dropped. */
  #lateMs(fault: 'triggerLate' | 'invokeLate' | 'streamLate' | 'tickLate', mostMs: number): number {
    const { faults, kernel, plan } = this.#world;
    if (!faults.hit(fault)) return 0;
    return Math.min(faults.of(fault).int(0, mostMs), Math.max(0, plan.calmFromMs - kernel.nowMs) + 5 * SECOND_MS);
  }

  triggersOf(actor: Actor): TriggerQueue {
    return {
      send: async (message) => {
        if (!actor.isAlive) return new Promise(() => undefined);
        this.#watch.onTriggerSent(actor, message);
        const { faults, kernel } = this.#world;
        kernel.note(`${actor.label} sends trigger ${message.triggerId}`);
        if (!faults.hit('triggerDrop')) this.#queueTrigger(message);
        if (faults.hit('triggerDouble')) this.#queueTrigger(message);
      },
    };
  }

  #queueTrigger(message: TriggerMessage): void {
    const delayMs = this.#random.int(5, 60) + this.#lateMs('triggerLate', 5 * MINUTE_MS);
    this.#receive(delayMs, TRIGGERS, async (actor) => {
      // A continuation also looks at who else waits for the slot that was freed.
      if (message.origin !== 'continuation') actor.scope = message.scope;
      await runTrigger(this.#world.schedulerDeps(actor, this.invokerOf(actor)), message);
      this.#watch.onScheduled(actor, message);
    });
  }

  /** An SQS message: received again after its visibility until it is handled, at most so often. */
  #receive(
    delayMs: number,
    queue: { readonly visibilityS: number; readonly maxReceiveCount: number },
    handle: (actor: Actor) => Promise<unknown>,
    message = { receives: 0, isGone: false },
  ): void {
    const { kernel } = this.#world;
    if (message.receives++ === 0) this.undelivered++;
    const remove = (): void => {
      if (!message.isGone) this.undelivered--;
      message.isGone = true;
    };
    kernel.after(delayMs, () => {
      const onSuccess = remove;
      const timeoutMs = TRIGGERS.functionTimeoutS * SECOND_MS;
      this.#world.spawn({ role: 'scheduler', timeoutMs, onSuccess }, handle);
      const visibleAgainMs = queue.visibilityS * SECOND_MS;
      kernel.after(visibleAgainMs, () => {
        if (message.isGone) return;
        if (message.receives < queue.maxReceiveCount) this.#receive(0, queue, handle, message);
        else remove();
      });
    });
  }

  invokerOf(actor: Actor): WorkerInvoker {
    return {
      invoke: async (event) => {
        if (!actor.isAlive) return new Promise(() => undefined);
        const { faults, kernel } = this.#world;
        kernel.note(`${actor.label} invokes ${event.passId}`);
        const requestId = `request-${++this.#requests}`;
        if (!faults.hit('invokeDrop')) this.#deliverWork(event, requestId);
        if (faults.hit('invokeDouble')) this.#deliverWork(event, requestId);
      },
    };
  }

  #deliverWork(event: WorkEvent, requestId: string): void {
    const lateMs = this.#lateMs('invokeLate', 2 * WORK.maxEventAgeS * SECOND_MS);
    if (lateMs > WORK.maxEventAgeS * SECOND_MS) return this.#failWork(event, requestId, 'EventAgeExceeded');
    this.#world.kernel.after(this.#random.int(10, 80) + lateMs, () => this.#startWorker(event, requestId));
  }

  #startWorker(event: WorkEvent, requestId: string): void {
    const world = this.#world;
    const { kernel, faults, plan } = world;
    world.invocations++;
    const timeoutMs = WORK.functionTimeoutS * SECOND_MS;
    const limitMs = kernel.nowMs + timeoutMs;
    const onFailure = (): void => this.#failWork(event, requestId, 'RetriesExhausted');
    const { scope, passId } = event;
    world.spawn({ role: 'worker', scope, passId, timeoutMs, onFailure }, async (actor) => {
      actor.generation = event.generation;
      const tame = createSimulatedExecutor({
        faults,
        random: new Random(plan.seed, `executor ${actor.label}`),
        delayMs: faults.areActive ? plan.executorDelayMs : Math.min(plan.executorDelayMs, 500),
        limit: plan.executorLimit,
        onPage: (page) => this.#watch.onPage(actor, page),
        onReviewed: () => this.#watch.onReviewed?.(actor),
        ...(plan.model && { ask: () => askProvider(plan.model as PlannedModel, kernel.nowMs) }),
        costMicroUsd: plan.model?.costMicroUsd,
      });
      const executor = this.#watch.executorFor?.(actor, tame) ?? tame;
      const invocation = { requestId, remainingMs: () => limitMs - kernel.nowMs };
      const outcome = await runPass(world.workerDeps(actor, executor), event, invocation);
      world.count(`worker ${outcome.kind}${outcome.kind === 'ended' ? ` ${outcome.status}` : ''}`);
    });
  }

  #failWork(event: WorkEvent, requestId: string, condition: FailedInvocation['condition']): void {
    if (this.#world.faults.hit('failureDrop')) return;
    const record = { requestContext: { requestId, condition }, requestPayload: event };
    this.#receive(this.#random.int(100, 3000), FAILED_PASSES, (actor) => {
      actor.scope = event.scope;
      actor.passId = event.passId;
      actor.failedRequestId = requestId;
      return watchFailed(this.#world, { event, requestId, condition }, this.invokerOf(actor), (invoker) =>
        runFailedInvocation(this.#world.schedulerDeps(actor, invoker), record),
      );
    });
  }

  /** What the stream's filter lets through (`STREAM_FILTERS`): a terminal pass not finalized, a row TTL removed. */
  follow({ table, pk, sk, after }: Change, byTtl: boolean): void {
    if (table !== 'control' || !sk.startsWith('PASS#')) return;
    const wakes = after ? isTerminal(after.status as PassStatus) && after.finalizedAtMs === undefined : byTtl;
    if (!wakes) return;
    const { faults, kernel } = this.#world;
    const shard = this.#shards[hashText(sk) % STREAM_SHARDS] as Shard;
    if (faults.hit('streamDrop')) return;
    kernel.after(this.#random.int(20, 400) + this.#lateMs('streamLate', 3 * MINUTE_MS), () => {
      shard.keys.push({ pk, sk });
      if (faults.hit('streamDouble')) shard.keys.push({ pk, sk });
      this.#poll(shard, 0);
    });
  }

  #poll(shard: Shard, attempt: number): void {
    if (shard.isBusy || shard.keys.length === 0) return;
    shard.isBusy = true;
    const batch = shard.keys.slice(0, STREAM.batchSize);
    let done = 0;
    const settle = (isSuccess: boolean): void => {
      shard.isBusy = false;
      // The batch is tried again from its first failed record; after the last retry that record is given up.
      const giveUp = !isSuccess && attempt >= STREAM.retries;
      shard.keys.splice(0, giveUp ? done + 1 : done);
      const retry = isSuccess || giveUp ? 0 : attempt + 1;
      this.#world.kernel.after(retry === 0 ? 1 : SECOND_MS, () => this.#poll(shard, retry));
    };
    const timeoutMs = STREAM.functionTimeoutS * SECOND_MS;
    const onFailure = (): void => settle(false);
    const onSuccess = (): void => settle(true);
    this.#world.spawn({ role: 'finalizer', timeoutMs, onFailure, onSuccess }, async (actor) => {
      const deps = this.#world.finalizerDeps(actor, this.triggersOf(actor));
      for (const { pk, sk } of batch) {
        const address = passAddressOf(pk, sk);
        actor.scope = address?.scope;
        actor.passId = address?.passId;
        if (address) await finalize(deps, address);
        done++;
      }
    });
  }

  /** One tick at every minute until `untilMs`. */
  startSchedule(untilMs: () => number): void {
    const { kernel } = this.#world;
    const beat = (): void => {
      const tick = new Date(kernel.nowMs).toISOString();
      const { faults } = this.#world;
      if (!faults.hit('tickDrop')) this.#tick(tick, this.#lateMs('tickLate', 90 * SECOND_MS));
      if (faults.hit('tickDouble')) this.#tick(tick, this.#random.int(0, 500));
      if (kernel.nowMs + MINUTE_MS <= untilMs()) kernel.after(TICK.rateMinutes * MINUTE_MS, beat);
    };
    kernel.after(this.#random.int(0, MINUTE_MS), beat);
  }

  #tick(tick: string, lateMs: number): void {
    const world = this.#world;
    world.kernel.after(lateMs + this.#random.int(5, 100), () => {
      world.spawn({ role: 'scheduler', timeoutMs: TRIGGERS.functionTimeoutS * SECOND_MS }, async (actor) => {
        await runTick(world.schedulerDeps(actor, this.invokerOf(actor)), { tick });
        this.#watch.onScheduled(actor);
      });
    });
  }
}
