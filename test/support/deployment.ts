/**
 * A whole deployment in one process under a virtual clock: the real runs over the embedded engine, with the messages
 * between them in the test's hands. Nothing waits in real time: when all is quiet, the clock jumps to the next timer.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { planAdmissions } from '../../functions/core/admission.ts';
import { judgeDue } from '../../functions/core/backlog.ts';
import { planReturn } from '../../functions/core/giving-back.ts';
import { planCount } from '../../functions/core/outcome.ts';
import { planDraft } from '../../functions/core/claim-plan.ts';
import { choosePage } from '../../functions/core/paging.ts';
import { planReview } from '../../functions/core/review-plan.ts';
import { planSettlement } from '../../functions/core/settling.ts';
import { judgeEntry } from '../../functions/core/sweeping.ts';
import { finalize } from '../../functions/finalizer/run.ts';
import { ingestSources } from '../../functions/ingest/run.ts';
import type { Ids, Log, Store } from '../../functions/io/ports.ts';
import type { SchedulerDeps } from '../../functions/scheduler/deps.ts';
import { runFailedInvocation, runTick, runTrigger } from '../../functions/scheduler/run.ts';
import { requestLook, type TriggerRequest } from '../../functions/trigger/run.ts';
import type { Executor } from '../../functions/worker/executor/executor.ts';
import { createStub, stubOptionsSchema } from '../../functions/worker/executor/stub.ts';
import { runPass } from '../../functions/worker/run.ts';
import { EXECUTORS, type ExecutorTraits } from '../../schema/executor.ts';
import type { TriggerMessage, WorkEvent } from '../../schema/messages.ts';
import { isTerminal, passAddressOf, type PassStatus } from '../../schema/pass.ts';
import type { Item } from '../../schema/request.ts';
import type { SettingOverrides } from '../../schema/settings.ts';
import type { TableName } from '../../schema/table.ts';
import { createTestStore, type TestStore } from './tables.ts';
import { START_MS, VirtualClock } from './virtual-clock.ts';

export interface DeploymentOptions {
  readonly settings?: SettingOverrides;
  /** Of the stub executor, or an executor of the test's own. */
  readonly stub?: Partial<Record<string, unknown>>;
  readonly executor?: Executor;
  /** What executors are like; the one that runs is called stub. */
  readonly executors?: readonly ExecutorTraits[];
  /** How many pools there are; one unless given. */
  readonly pools?: number;
  /** What the worker's function may take; 630 s as deployed. */
  readonly workerTimeoutMs?: number;
  /** Wraps the store a function sees: where a test counts, crashes or changes requests. */
  readonly wrapStore?: (store: Store, functionName: string) => Store;
  /** Decisions of the scheduler to take in place of the real ones. */
  readonly decide?: Partial<SchedulerDeps['decide']>;
  readonly choosePage?: typeof choosePage;
}

/** The edges between functions, each of which may lose what it carries. */
export const EDGES = ['triggers', 'work', 'stream', 'failures'] as const;
export type Edge = (typeof EDGES)[number];

const quietLog: Log = { info() {}, warn() {}, error() {}, count() {} };

export class Deployment {
  readonly clock = new VirtualClock();
  readonly tables: TestStore;
  readonly triggers: TriggerMessage[] = [];
  readonly work: WorkEvent[] = [];
  readonly failures: unknown[] = [];
  /** Worker invocations so far. */
  invocations = 0;
  /** Messages of these edges vanish instead of arriving. */
  readonly lost = new Set<Edge>();
  /** Errors that escaped a run: as a crash would, they are the platform's to handle. */
  readonly crashes: unknown[] = [];
  readonly #options: DeploymentOptions;
  #running = new Set<Promise<void>>();
  #stream = 0;
  #freshIds = 0;

  constructor(options: DeploymentOptions = {}) {
    this.#options = options;
    this.tables = createTestStore({ now: () => this.clock.nowMs() });
  }

  close(): void {
    this.tables.close();
  }

  #storeFor(functionName: string): Store {
    const { store } = this.tables;
    return this.#options.wrapStore?.(store, functionName) ?? store;
  }
  get #ids(): Ids {
    return { fresh: () => `id-${++this.#freshIds}` };
  }
  get #common() {
    return {
      clock: this.clock,
      ids: this.#ids,
      log: quietLog,
      deploymentSettings: this.#options.settings ?? {},
      pools: this.#options.pools,
      executor: 'stub',
      executors: this.#options.executors ?? EXECUTORS,
    };
  }

  schedulerDeps(): SchedulerDeps {
    return {
      ...this.#common,
      store: this.#storeFor('scheduler'),
      invoker: {
        invoke: async (event) => {
          this.work.push(event);
        },
      },
      decide: { planAdmissions, judgeEntry, judgeDue, ...this.#options.decide },
    };
  }

  get #queue() {
    return {
      send: async (message: TriggerMessage) => {
        this.triggers.push(message);
      },
    };
  }

  async ingest(scope: string, sources: readonly unknown[]) {
    return ingestSources(
      { ...this.#common, store: this.#storeFor('ingest') },
      { scope, body: { sources: [...sources] } },
    );
  }

  triggerDeps() {
    return { ...this.#common, store: this.#storeFor('trigger'), queue: this.#queue };
  }
  readerDeps() {
    return { ...this.#common, store: this.#storeFor('reader') };
  }

  /** Asks as the HTTP function does, and moves time until it answers. */
  async ask(request: TriggerRequest) {
    const answer = requestLook(this.triggerDeps(), request);
    this.#track(answer.then(() => undefined));
    await this.quiesce({ untilMs: this.clock.nowMs() + 4000, stopWhen: answer });
    return answer;
  }

  async tick(): Promise<void> {
    await this.tickAt(this.clock.nowMs());
  }
  /** A tick whose scheduled time was another than now. */
  async tickAt(timeMs: number): Promise<void> {
    await this.#run(runTick(this.schedulerDeps(), { tick: new Date(timeMs).toISOString() }));
  }

  /** Keys of the terminal passes that the stream carried since the last look. */
  streamBacklog(): { pk: string; sk: string }[] {
    const page = this.tables.engine.readStream('control', this.#stream, 1000);
    this.#stream = page.nextIndex;
    return page.records.flatMap(({ dynamodb: { Keys, NewImage } }) => {
      const image = unmarshall((NewImage ?? {}) as Parameters<typeof unmarshall>[0]);
      const wakes = isTerminal(image.status as PassStatus) && image.finalizedAtMs === undefined;
      const { pk, sk } = unmarshall(Keys as Parameters<typeof unmarshall>[0]);
      return wakes ? [{ pk: String(pk), sk: String(sk) }] : [];
    });
  }

  async finalizeKey({ pk, sk }: { pk: string; sk: string }): Promise<void> {
    const address = passAddressOf(pk, sk);
    const deps = {
      ...this.#common,
      store: this.#storeFor('finalizer'),
      queue: this.#queue,
      decide: { planSettlement, planCount, planReturn },
    };
    if (address) await finalize(deps, address);
  }

  async runWorker(event: WorkEvent): Promise<void> {
    this.invocations++;
    const executor = this.#options.executor ?? createStub(stubOptionsSchema.parse(this.#options.stub ?? {}));
    const deps = {
      ...this.#common,
      store: this.#storeFor('worker'),
      queue: this.#queue,
      loadExecutor: async () => executor,
      decide: { choosePage: this.#options.choosePage ?? choosePage, planReview, planDraft },
    };
    const untilMs = this.clock.nowMs() + (this.#options.workerTimeoutMs ?? 630_000);
    const requestId = `request-${this.invocations}`;
    await runPass(deps, event, { requestId, remainingMs: () => untilMs - this.clock.nowMs() }).catch(
      (error: unknown) => {
        this.failures.push({ requestContext: { requestId, condition: 'RetriesExhausted' }, requestPayload: event });
        throw error;
      },
    );
  }

  #track(promise: Promise<void>): void {
    const tracked: Promise<void> = promise
      .catch((error: unknown) => void this.crashes.push(error))
      .finally(() => this.#running.delete(tracked));
    this.#running.add(tracked);
  }
  async #run(promise: Promise<void>): Promise<void> {
    this.#track(promise);
    await this.quiesce({ untilMs: this.clock.nowMs() });
  }

  /** Hands out every message that waits. */
  #deliver(): boolean {
    const arriving = <T>(edge: Edge, messages: readonly T[]): readonly T[] => (this.lost.has(edge) ? [] : messages);
    const triggers = arriving('triggers', this.triggers.splice(0));
    const work = arriving('work', this.work.splice(0));
    const failures = arriving('failures', this.failures.splice(0));
    const stream = arriving('stream', this.streamBacklog());
    for (const message of triggers) this.#track(runTrigger(this.schedulerDeps(), message).then(() => undefined));
    for (const event of work) this.#track(this.runWorker(event));
    for (const failure of failures) this.#track(runFailedInvocation(this.schedulerDeps(), failure));
    for (const key of stream) this.#track(this.finalizeKey(key));
    return triggers.length + work.length + failures.length + stream.length > 0;
  }

  /** Delivers and advances until nothing runs or waits any more, or the time is reached. */
  async quiesce({ untilMs, stopWhen }: { untilMs: number; stopWhen?: Promise<unknown> }): Promise<void> {
    let stopped = false;
    stopWhen
      ?.then(
        () => (stopped = true),
        () => (stopped = true),
      )
      .catch(() => undefined);
    for (let calm = 0; ; ) {
      if (this.#deliver()) calm = 0;
      await turn();
      if (stopped) return;
      // A request to the engine takes a few turns of the event loop; only then is nothing left but timers.
      if (++calm < 12) continue;
      calm = 0;
      const next = this.clock.nextTimerMs();
      if (next === undefined || next > untilMs) break;
      this.clock.advanceTo(next);
    }
    if (this.#running.size === 0 || this.clock.nowMs() < untilMs) this.clock.advanceTo(untilMs);
  }

  /** Lets time pass, with a tick at every minute. */
  async passTime(durationMs: number): Promise<void> {
    const endMs = this.clock.nowMs() + durationMs;
    while (this.clock.nowMs() < endMs) {
      await this.quiesce({ untilMs: Math.min(endMs, this.clock.nowMs() + 60_000) });
      await this.tick();
    }
  }

  items(table: TableName = 'control'): Item[] {
    return this.tables.items(table);
  }
  rows(prefix: string): Item[] {
    return this.items().filter((item) => String(item.sk).startsWith(prefix));
  }
  passes(): Item[] {
    return this.rows('PASS#').filter((item) => item.status !== undefined);
  }
  evidence(): Item[] {
    return this.rows('EVIDENCE#');
  }
  leasesLeft(): number {
    return (
      this.evidence().filter((item) => item.leasePass !== undefined).length +
      this.rows('PASS#').filter((item) => String(item.sk).includes('#LEASE#')).length
    );
  }
}

/** Short notes, one source each. */
export function notes(count: number, text = (k: number) => `Note ${k}: nothing much happened.`): unknown[] {
  return Array.from({ length: count }, (_, k) => ({
    kind: 'note',
    id: `note-${k}`,
    format: 'text',
    text: text(k),
    capturedAt: new Date(START_MS - (k + 1) * 60_000).toISOString(),
  }));
}
