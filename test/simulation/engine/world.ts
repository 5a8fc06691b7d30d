/** A simulated deployment: the tables, the network, and every execution of every function with the deps of its own. */
import { planAdmissions } from '../../../functions/core/admission.ts';
import { judgeDue } from '../../../functions/core/backlog.ts';
import { planDraft } from '../../../functions/core/claim-plan.ts';
import { planNextLook } from '../../../functions/core/erasing.ts';
import { planReturn } from '../../../functions/core/giving-back.ts';
import { planCount } from '../../../functions/core/outcome.ts';
import { choosePage } from '../../../functions/core/paging.ts';
import { planReview } from '../../../functions/core/review-plan.ts';
import { planSettlement } from '../../../functions/core/settling.ts';
import { judgeEntry } from '../../../functions/core/sweeping.ts';
import type { EraserDeps } from '../../../functions/eraser/deps.ts';
import type { CuratorDeps } from '../../../functions/curator/deps.ts';
import type { FinalizerDeps } from '../../../functions/finalizer/deps.ts';
import type { Log, Store, TriggerQueue, WorkerInvoker } from '../../../functions/io/ports.ts';
import { type DecidingIngestDeps, INGEST_DECISIONS } from '../../../functions/ingest/deps.ts';
import type { ReaderDeps } from '../../../functions/reader/deps.ts';
import type { SchedulerDeps } from '../../../functions/scheduler/deps.ts';
import type { TriggerDeps } from '../../../functions/trigger/deps.ts';
import type { WorkerDeps } from '../../../functions/worker/deps.ts';
import type { Executor } from '../../../functions/worker/executor/executor.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { Outcome } from '../../../schema/request.ts';
import { Actor, type FunctionRole } from './actor.ts';
import { Faults } from './faults.ts';
import { Kernel } from './kernel.ts';
import { watchStopped } from '../invariants/admission-invariants.ts';
import { LaggingIndex } from './lagging-index.ts';
import { MODEL_TRAITS } from '../executors/model.ts';
import type { Mutant } from '../mutants/mutant.ts';
import type { Plan } from '../plans/plan.ts';
import { listedPasses, poolNumberOf } from '../invariants/pools.ts';
import { watchPlans } from '../invariants/plan-invariants.ts';
import { Random } from './random.ts';
import { Releases } from './releases.ts';
import { watchLooks } from '../invariants/scope-moves.ts';
import { type Network, SimulatedStore } from './simulated-store.ts';
import { Tables } from './tables.ts';
import { isUnreadable } from '../unreadable.ts';

/** What an index lags in calm. */
const CALM_LAG_MAX_MS = 200;

export interface WorldOptions {
  readonly mutant?: Mutant | undefined;
  readonly keepTrace?: boolean;
}

export interface Execution {
  readonly role: FunctionRole;
  readonly scope?: string;
  readonly passId?: string;
  /** The function's own limit. */
  readonly timeoutMs: number;
  readonly onFailure?: (why: string) => void;
  readonly onSuccess?: () => void;
}

const DECISIONS = {
  planAdmissions,
  judgeEntry,
  judgeDue,
  choosePage,
  planReview,
  planDraft,
  planSettlement,
  planCount,
  planReturn,
  planNextLook,
  ...INGEST_DECISIONS,
};
export type Decisions = typeof DECISIONS;

export class World {
  readonly kernel: Kernel;
  readonly plan: Plan;
  readonly faults: Faults;
  readonly tables: Tables;
  readonly network: Network;
  readonly mutant: Mutant | undefined;
  readonly delays: Random;
  /** What the handlers did, by name: log lines, outcomes of writes, endings. */
  readonly coverage = new Map<string, number>();
  readonly running = new Set<Actor>();
  /** What new executions start with. */
  readonly #releases: Releases;
  /** Set by the edges: the triggers queue as an actor sees it. */
  triggersOf: (actor: Actor) => TriggerQueue = () => {
    throw new Error('the world has no edges yet');
  };
  /** Told of each write of an eraser. */
  onEraserWrite: (name: string, outcome: Outcome, actor: Actor) => void = () => undefined;
  crashes = 0;
  invocations = 0;
  readonly #skews: Random;
  readonly #kills: Random;
  readonly #decide: Decisions;
  #actors = 0;

  constructor(plan: Plan, { mutant, keepTrace = false }: WorldOptions = {}) {
    const { seed, faults, lagsMaxMs, settings } = plan;
    this.plan = plan;
    this.mutant = mutant;
    this.kernel = new Kernel({ keepTrace });
    this.faults = new Faults(seed, faults);
    this.delays = new Random(seed, 'delays');
    this.#skews = new Random(seed, 'skews');
    this.#kills = new Random(seed, 'kills');
    this.tables = new Tables((shape) => new LaggingIndex(shape, new Random(seed, `index ${shape.name}`), lagsMaxMs));
    this.#releases = new Releases(plan);
    this.#decide = { ...DECISIONS, ...mutant?.decide };
    this.network = {
      kernel: this.kernel,
      tables: this.tables,
      faults: this.faults,
      delays: new Random(seed, 'network'),
      slowness: new Random(seed, 'slowness'),
      slow: plan.slow,
      calmFromMs: plan.calmFromMs,
      // What is on its way for longer than a closed entry of a day stands is no write of a scheduler that lived 30 s.
      pauseMaxMs: Math.min(3 * (settings.passTimeoutMs ?? 60_000), LIMITS.usageClosedKeepMs - 60_000),
      onWrite: (actor, _write, name, outcome) => {
        this.count(`${name} ${outcome.kind}`);
        if (actor.role === 'eraser') this.onEraserWrite(name, outcome, actor);
      },
      onRequest: (actor, partition) => this.#checkIsolation(actor, partition),
      isUnreadable: ({ role }, partition) => isUnreadable(plan, role, partition, this.kernel.nowMs),
      current: undefined,
    };
  }

  count(what: string, by = 1): void {
    this.coverage.set(what, (this.coverage.get(what) ?? 0) + by);
  }

  #checkIsolation({ scope, label, pools }: Actor, partition: string): void {
    if (scope === undefined || partition === 'POOL#0' || partition.startsWith('TRIGGER#')) return;
    if (partition === `POOL#${poolNumberOf(scope, pools)}`) return;
    const own = partition.startsWith('SCOPE#') ? partition.slice('SCOPE#'.length) : partition;
    if (own === scope || own.startsWith(`${scope}#`)) return;
    this.kernel.fail('I12 isolation', `${label} works for ${scope} and asked for ${partition}`);
  }

  /** Something says how many pools there are, or a pass was admitted, before which it has to be said. */
  #hasBegun(): boolean {
    return this.tables.peek('POOL#0', 'LEDGER') !== undefined || listedPasses(this).length > 0;
  }

  /** Starts an execution; it ends by itself, by its timeout, by a fault, or never. */
  spawn(execution: Execution, run: (actor: Actor) => Promise<unknown>): Actor {
    const { role, scope, passId, timeoutMs } = execution;
    const { kernel, faults } = this;
    const skewMs = this.plan.skewMaxMs === 0 ? 0 : this.#skews.int(-this.plan.skewMaxMs, this.plan.skewMaxMs);
    const startedWith = this.#releases.begin(kernel.nowMs, () => this.#hasBegun());
    const actor = new Actor({ kernel, role, number: ++this.#actors, skewMs, startedWith });
    actor.scope = scope;
    actor.passId = passId;
    this.running.add(actor);
    actor.onCrash = () => {
      this.crashes++;
      this.running.delete(actor);
      execution.onFailure?.('crash');
    };
    if (faults.hit('killAtRandom')) {
      kernel.after(this.#kills.int(1, Math.min(timeoutMs, 90_000)), () => actor.crash('killed'));
    }
    const timeout = kernel.after(timeoutMs, () => {
      if (!faults.hit('outliveTimeout')) actor.crash('its function timed out');
    });
    const finish = (): void => {
      timeout.run = undefined;
      actor.hasEnded = true;
      this.running.delete(actor);
    };
    run(actor).then(
      () => {
        finish();
        execution.onSuccess?.();
      },
      (error: unknown) => {
        const { name, message } = error as Error;
        kernel.note(`${actor.label} fails: ${name}: ${message}`);
        this.count(`${role} threw ${name}`);
        if (name !== 'ServiceError' && name !== 'ContendedLedgerError' && !this.#isToldOfPools(actor, message))
          kernel.fail('no surprise', `${actor.label}: ${(error as Error).stack}`);
        finish();
        execution.onFailure?.(name);
      },
    );
    return actor;
  }

  /** An execution that was started with another number of pools is told so, and nobody else is. */
  #isToldOfPools({ pools, role }: Actor, message: string): boolean {
    if (pools === this.plan.deployment.pools) return false;
    return (
      message.includes('set the parameter Pools back') || (role === 'finalizer' && /could not be counted/.test(message))
    );
  }

  #storeOf(actor: Actor): Store {
    const simulated = new SimulatedStore(this.network, actor);
    const store = watchStopped(simulated, actor, (invariant, found) => this.kernel.fail(invariant, found));
    return watchLooks(this.mutant?.wrapStore?.(store, actor, this) ?? store, actor);
  }

  #logOf({ role }: Actor): Log {
    const line = (message: string, fields?: object): void => {
      const repair = (fields as { repair?: string } | undefined)?.repair;
      this.count(`${role} says: ${message}${repair ? ` (${repair})` : ''}`);
    };
    return { info: line, warn: line, error: (message) => line(message), count: () => undefined };
  }

  #shared(actor: Actor) {
    const { clock, ids, settings, pools } = actor;
    return {
      clock,
      ids,
      store: this.#storeOf(actor),
      log: this.#logOf(actor),
      pools,
      deploymentSettings: this.mutant?.startWith?.(settings, this) ?? settings,
      executor: 'stub',
      ...(this.plan.model && { executors: MODEL_TRAITS }),
    };
  }

  readerDeps(actor: Actor): ReaderDeps {
    return this.#shared(actor);
  }
  ingestDeps(actor: Actor): DecidingIngestDeps {
    return { ...this.#shared(actor), decide: this.#decide };
  }
  curatorDeps(actor: Actor): CuratorDeps {
    return this.#shared(actor);
  }
  triggerDeps(actor: Actor, queue: TriggerQueue): TriggerDeps {
    return { ...this.#shared(actor), queue };
  }
  schedulerDeps(actor: Actor, invoker: WorkerInvoker): SchedulerDeps {
    const plan = watchPlans(this.#decide.planAdmissions, (invariant, found) => this.kernel.fail(invariant, found));
    return { ...this.#shared(actor), invoker, decide: { ...this.#decide, planAdmissions: plan } };
  }
  workerDeps(actor: Actor, executor: Executor): WorkerDeps {
    // Only a pass whose executor needs a provider sends.
    const none: TriggerQueue = { send: async () => this.kernel.fail('no trigger of a worker', actor.label) };
    const queue = this.plan.model ? this.triggersOf(actor) : none;
    return { ...this.#shared(actor), queue, loadExecutor: async () => executor, decide: this.#decide };
  }
  finalizerDeps(actor: Actor, queue: TriggerQueue): FinalizerDeps {
    return { ...this.#shared(actor), queue, decide: this.#decide };
  }

  eraserDeps(actor: Actor): EraserDeps {
    return { ...this.#shared(actor), decide: this.#decide };
  }

  /** Faults end: what stands still goes on, what is under way arrives, and nothing new breaks. */
  calmDown(): void {
    this.faults.stop();
    this.#releases.calmDown();
    this.tables.calmDown(CALM_LAG_MAX_MS);
    for (const actor of this.running) actor.thaw();
  }
}
