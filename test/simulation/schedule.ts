/** Runs one schedule: a storm of faults, then calm, then silence; invariants all the way. */
import type { EvidenceItem } from '../../schema/evidence.ts';
import { Dispute } from './people/dispute.ts';
import { Edges } from './engine/edges.ts';
import { Erasing } from './people/erase.ts';
import { EvidenceInvariants } from './invariants/evidence-invariants.ts';
import type { FaultName } from './engine/faults.ts';
import { checkByRow } from './invariants/by-row.ts';
import { checkGivenUp } from './invariants/given-up-invariants.ts';
import { turnKnobs } from './engine/knobs.ts';
import { Hostility } from './executors/hostile.ts';
import type { Violation } from './engine/kernel.ts';
import {
  drainBoundMs,
  findOwed,
  findRestless,
  idleBoundMs,
  isStalled,
  SILENCE_MS,
  stalledWaitMs,
} from './invariants/liveness.ts';
import { checkMemory } from './invariants/memory.ts';
import { Operator } from './people/operator.ts';
import { PassInvariants } from './invariants/pass-invariants.ts';
import { drawPlan, type Plan } from './plans/plan.ts';
import { PoolInvariants } from './invariants/pool-invariants.ts';
import { Scheduling } from './invariants/scheduling.ts';
import { Themes } from './themes.ts';
import { storedOf } from './plans/source-forms.ts';
import { UploadingClients } from './people/uploads.ts';
import { Visitor } from './people/visitor.ts';
import { Working } from './invariants/working.ts';
import { World, type WorldOptions } from './engine/world.ts';

const MINUTE_MS = 60_000;
/** How often calm looks whether all is drained. */
const LOOK_MS = 10_000;
const REAP_MS = 20_000;

export interface ScheduleResult {
  readonly seed: number;
  readonly violation: Violation | undefined;
  readonly traceHash: number;
  readonly steps: number;
  readonly crashes: number;
  readonly faults: Readonly<Partial<Record<FaultName, number>>>;
  readonly coverage: ReadonlyMap<string, number>;
  readonly leasesWon: number;
  readonly deliveries: number;
  readonly lateLeasePages: number;
  /** From the end of faults until everything was settled. */
  readonly drainedAfterMs: number | undefined;
  readonly trace: readonly string[] | undefined;
  readonly world: World;
}

class Schedule {
  readonly world: World;
  readonly clients: UploadingClients;
  readonly erasing: Erasing | undefined;
  readonly evidence: EvidenceInvariants;
  readonly passes: PassInvariants;
  readonly pools: PoolInvariants;
  readonly scheduling: Scheduling;
  readonly edges: Edges;
  readonly operator: Operator;
  readonly dispute: Dispute | undefined;
  readonly visitor: Visitor;
  readonly themes: Themes;
  readonly fail = (invariant: string, found: string): void => this.world.kernel.fail(invariant, found);
  writes = 0;
  #endMs = Number.POSITIVE_INFINITY;
  drainedAfterMs: number | undefined;

  constructor(plan: Plan, options: WorldOptions) {
    turnKnobs(plan);
    this.world = new World(plan, options);
    this.erasing = plan.erasing && new Erasing(this.world, plan.erasing);
    const erased = this.erasing?.watch;
    const hostility = plan.hostile && new Hostility(this.world, plan.hostile);
    this.evidence = new EvidenceInvariants(this.world, erased);
    const working = new Working(this.world);
    this.scheduling = new Scheduling(this.world, () => this.operator.setters);
    this.themes = new Themes(this.world, () => this.edges);
    this.edges = new Edges(this.world, {
      onPage: (actor, page) => {
        this.themes.onPage(actor, page, () => this.evidence.onPage(actor, page));
        hostility?.onPage(actor, page);
      },
      executorFor: (actor, tame) =>
        working.listen(actor, this.themes.listen(actor, hostility?.executorFor(actor, tame) ?? tame)),
      onReviewed: erased && ((actor) => erased.onReviewed(actor)),
      onTriggerSent: (actor, message) => {
        working.onTriggerSent(actor);
        this.passes.onTriggerSent(actor, message);
      },
      onScheduled: (actor, message) => this.scheduling.onScheduled(actor, message),
    });
    this.clients = new UploadingClients(this.world, this.edges, this.erasing);
    this.operator = new Operator(this.world, this.edges);
    this.dispute = plan.dispute && new Dispute(this.world, plan.dispute);
    this.visitor = new Visitor(this.world);
    const answers = {
      isAnswered: (scope: string, item: EvidenceItem) => this.#isAnswered(scope, item),
      isPaused: (scope: string) => this.operator.paused.has(scope),
      limitAnsweredAtMs: (scope: string) => this.operator.limitAnsweredAtMs.get(scope) ?? 0,
    };
    this.passes = new PassInvariants(this.world, this.evidence, answers, erased);
    this.pools = new PoolInvariants(this.world, this.fail, {
      isAllPaused: () => this.operator.isAllPaused,
      settingsAnsweredAtMs: () => this.operator.settingsAnsweredAtMs,
    });
    this.world.tables.onChange = (change, write) => {
      // A deletion by TTL is nobody's write, and an eraser owes no silence: it looks again for three quarters of an hour.
      if (write !== undefined && this.world.network.current?.role !== 'eraser') this.writes++;
      erased?.onChange(change, this.world.network.current);
      hostility?.onChange(change, this.world.network.current);
      this.themes.onChange(change, this.world.network.current);
      this.clients.onChange(change);
      this.clients.intake.onChange(change, this.world.network.current);
      checkByRow(this, change, this.world.network.current);
      this.scheduling.onChange(change, this.world.network.current);
      working.onChange(change, this.world.network.current);
      this.edges.follow(change, write === undefined);
    };
  }

  #isAnswered(scope: string, { kind, id, revision }: EvidenceItem): boolean {
    if (kind === 'transcript') return this.themes.isAnswered(scope, id);
    const { seed } = this.world.plan;
    return ![...this.clients.unanswered].some(
      (call) =>
        call.scope === scope && call.sources.some((it) => it.id === id && storedOf(seed, it).revision === revision),
    );
  }

  async run(): Promise<void> {
    const { world, clients, edges } = this;
    const { kernel, plan } = world;
    edges.startSchedule(() => this.#endMs);
    clients.start();
    this.erasing?.start();
    this.operator.start();
    this.dispute?.start();
    this.visitor.start();
    this.themes.start();
    if (plan.ttlDelayMs !== undefined) this.#reap(plan.ttlDelayMs);
    await kernel.run(plan.calmFromMs);
    if (kernel.violation) return;
    world.calmDown();
    this.operator.resumeAll();
    await this.#comeToRest(plan.calmFromMs);
    if (this.erasing && !kernel.violation) await this.#endErasing(this.erasing);
    await this.themes.undoing?.finish();
    // What stands no more leaves others contested, which wakes their scope.
    if (this.themes.undoing && findRestless(world).length > 0 && !kernel.violation) await this.#wake();
    if (!kernel.violation) this.themes.checkEnd();
    if (!kernel.violation) this.scheduling.checkEnd();
    if (!kernel.violation) this.clients.checkUploads();
    if (!kernel.violation) checkGivenUp(world);
    if (!kernel.violation) checkMemory(world, this.erasing, this.themes);
    if (!kernel.violation) this.dispute?.check();
    if (!kernel.violation) await this.visitor.checkPages();
  }

  #reap(delayMs: number): void {
    const { kernel, tables } = this.world;
    const reap = (): void => {
      for (const { sk } of tables.reap(kernel.nowMs, delayMs)) kernel.note(`TTL deletes ${sk}`);
      if (kernel.nowMs < this.#endMs) kernel.after(REAP_MS, reap);
    };
    kernel.after(REAP_MS, reap);
  }

  async #comeToRest(fromMs: number): Promise<void> {
    await this.#drain(fromMs);
    if (!this.world.kernel.violation) await this.#fallSilent();
  }

  /** The schedule begins anew, until all is at rest once more. */
  async #wake(): Promise<void> {
    const { kernel, plan } = this.world;
    this.#endMs = Number.POSITIVE_INFINITY;
    this.edges.startSchedule(() => this.#endMs);
    if (plan.ttlDelayMs !== undefined) this.#reap(plan.ttlDelayMs);
    await this.#comeToRest(kernel.nowMs);
  }

  /** Until every erasure is finished nobody but the eraser does anything; then people go on, and all comes to rest again. */
  async #endErasing(erasing: Erasing): Promise<void> {
    const { kernel } = this.world;
    await erasing.finish();
    if (kernel.violation) return;
    const isSent = await erasing.goOn(this.clients);
    if (kernel.violation) return;
    if (isSent || findRestless(this.world).length > 0) {
      await this.#wake();
      if (!kernel.violation) await erasing.finish();
    }
    if (!kernel.violation && erasing.eraseAgain()) await erasing.finish();
    if (!kernel.violation) erasing.watch.lookAtTheEnd();
  }

  async #drain(fromMs: number): Promise<void> {
    const { world, clients, evidence } = this;
    const { kernel } = world;
    let boundMs = fromMs + drainBoundMs(world) + this.themes.moreMs;
    let wokenAtMs = kernel.nowMs;
    let hasWaited = false;
    for (;;) {
      const unanswered = clients.unanswered.size + (this.dispute?.unanswered ?? 0) + this.themes.unanswered;
      const owed = [...findOwed(world, unanswered, evidence.lateLeasePages), ...this.themes.findOwed()];
      // Before anybody mends and requeues what was given up.
      if (owed.length === 0) checkGivenUp(world);
      if (kernel.violation) return;
      if (owed.length === 0 && !this.themes.mend()) break;
      if (owed.length === 0) boundMs = kernel.nowMs + drainBoundMs(world);
      if (kernel.nowMs >= boundMs && !hasWaited && owed.some(isStalled)) {
        hasWaited = true;
        boundMs += stalledWaitMs();
      }
      if (kernel.nowMs >= boundMs) {
        const [first = ''] = owed;
        const after = (kernel.nowMs - fromMs) / 1000;
        return kernel.fail(`${first.slice(0, 2)} liveness`, `${after} s after the faults: ${owed.join('; ')}`);
      }
      if (kernel.nowMs - wokenAtMs >= MINUTE_MS) {
        wokenAtMs = kernel.nowMs;
        clients.wakeHalted();
        this.themes.lookAfter();
        this.operator.resumeAll();
      }
      await kernel.run(kernel.nowMs + LOOK_MS);
      if (kernel.violation) return;
    }
    this.drainedAfterMs ??= kernel.nowMs - fromMs;
  }

  async #fallSilent(): Promise<void> {
    const { world } = this;
    const { kernel } = world;
    const boundMs = kernel.nowMs + idleBoundMs(world);
    // A resume that is still on its way writes where all is idle already.
    const isSwitching = (): boolean => [...world.running].some(({ role }) => role === 'operator');
    while (findRestless(world).length > 0 || this.edges.undelivered > 0 || (isSwitching() && kernel.nowMs < boundMs)) {
      // A pause that was on its way when faults ended may have come after the resume.
      this.operator.resumeAll();
      if (kernel.nowMs >= boundMs && this.edges.undelivered === 0)
        return kernel.fail('V4 silence', findRestless(world).join('; '));
      await kernel.run(kernel.nowMs + LOOK_MS);
      if (kernel.violation) return;
    }
    // What was on its way when the last scope went idle. An eraser would only look again, and might wake a scope.
    this.erasing?.hold(true);
    await kernel.run(kernel.nowMs + LOOK_MS);
    const before = { writes: this.writes, invocations: world.invocations };
    this.#endMs = kernel.nowMs + SILENCE_MS;
    await kernel.run(this.#endMs);
    this.erasing?.hold(false);
    if (this.writes > before.writes || world.invocations > before.invocations) {
      const [writes, invocations] = [this.writes - before.writes, world.invocations - before.invocations];
      kernel.fail('V4 silence', `${writes} writes and ${invocations} invocations after everything was idle`);
    }
  }
}

/** Runs a plan, or the one its seed draws. */
export async function runSchedule(planned: number | Plan, options: WorldOptions = {}): Promise<ScheduleResult> {
  // The kernel never leaves the microtask queue: between schedules the event loop gets its turn.
  await new Promise((resolve) => setImmediate(resolve));
  const plan = typeof planned === 'number' ? drawPlan(planned) : planned;
  const schedule = new Schedule(plan, options);
  await schedule.run();
  const { world, evidence, drainedAfterMs } = schedule;
  const { kernel, faults } = world;
  return {
    seed: plan.seed,
    violation: kernel.violation,
    traceHash: kernel.traceHash,
    steps: kernel.steps,
    crashes: world.crashes,
    faults: faults.counts,
    coverage: world.coverage,
    leasesWon: evidence.leasesWon,
    deliveries: evidence.deliveries,
    lateLeasePages: evidence.lateLeasePages.size,
    drainedAfterMs,
    trace: kernel.trace,
    world,
  };
}
