/** Runs one schedule: a storm of faults, then calm, then silence; invariants all the way. */
import type { EvidenceItem } from '../../schema/evidence.ts';
import { Clients } from './clients.ts';
import { Edges } from './edges.ts';
import { EvidenceInvariants } from './evidence-invariants.ts';
import type { FaultName } from './faults.ts';
import { turnKnobs } from './knobs.ts';
import type { Violation } from './kernel.ts';
import { drainBoundMs, findOwed, findRestless, idleBoundMs, SILENCE_MS } from './liveness.ts';
import { checkCitation, checkMemory } from './memory.ts';
import { Operator } from './operator.ts';
import { PassInvariants } from './pass-invariants.ts';
import { drawPlan, type Plan } from './plan.ts';
import type { Change } from './tables.ts';
import { AdmissionInvariants } from './admission-invariants.ts';
import { storedOf } from './source-forms.ts';
import { UsageInvariants } from './usage-invariants.ts';
import { World, type WorldOptions } from './world.ts';

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
  readonly clients: Clients;
  readonly evidence: EvidenceInvariants;
  readonly passes: PassInvariants;
  readonly usage: UsageInvariants;
  readonly admission: AdmissionInvariants;
  readonly edges: Edges;
  readonly operator: Operator;
  writes = 0;
  #endMs = Number.POSITIVE_INFINITY;
  drainedAfterMs: number | undefined;

  constructor(plan: Plan, options: WorldOptions) {
    turnKnobs(plan);
    this.world = new World(plan, options);
    this.evidence = new EvidenceInvariants(this.world);
    const fail = (invariant: string, found: string) => this.world.kernel.fail(invariant, found);
    this.usage = new UsageInvariants(fail);
    this.admission = new AdmissionInvariants(this.world, fail);
    this.edges = new Edges(this.world, {
      onPage: (actor, page) => this.evidence.onPage(actor, page),
      onTriggerSent: (actor, message) => this.passes.onTriggerSent(actor, message),
    });
    this.clients = new Clients(this.world, this.edges);
    this.operator = new Operator(this.world, this.edges);
    this.passes = new PassInvariants(this.world, this.evidence, {
      isAnswered: (scope, item) => this.#isAnswered(scope, item),
      isPaused: (scope) => this.operator.paused.has(scope),
      limitAnsweredAtMs: (scope) => this.operator.limitAnsweredAtMs.get(scope) ?? 0,
    });
    this.world.tables.onChange = (change, write) => {
      // A deletion by TTL is nobody's write.
      if (write !== undefined) this.writes++;
      this.#check(change);
      this.edges.follow(change, write === undefined);
    };
  }

  #isAnswered(scope: string, { id, revision }: EvidenceItem): boolean {
    const { seed } = this.world.plan;
    return ![...this.clients.unanswered].some(
      (call) =>
        call.scope === scope && call.sources.some((it) => it.id === id && storedOf(seed, it).revision === revision),
    );
  }

  #check(change: Change): void {
    const { sk, table } = change;
    if (table !== 'control') return;
    const actor = this.world.network.current;
    if (sk.startsWith('EVIDENCE#')) this.evidence.onEvidence(change, actor);
    else if (sk.includes('#LEASE#')) this.evidence.onLeasePage(change);
    else if (sk.startsWith('PASS#') && !/#(?:REVIEW|CALL)#/.test(sk)) this.passes.onPass(change);
    else if (sk.startsWith('CLAIM#'))
      checkCitation(change, (found) => this.world.kernel.fail('citations stand', found));
    else if (sk === 'LEDGER') {
      this.passes.onLedger(change, actor);
      this.admission.onLedger(change, actor);
    } else if (sk === 'SCOPE') {
      this.passes.onScope(change);
      this.admission.onScope(change);
    } else if (sk.startsWith('USAGE#')) {
      this.usage.onUsage(change);
      this.admission.onUsage(change, actor);
    }
  }

  async run(): Promise<void> {
    const { world, clients, edges } = this;
    const { kernel, plan } = world;
    edges.startSchedule(() => this.#endMs);
    clients.start();
    this.operator.start();
    if (plan.ttlDelayMs !== undefined) this.#reap(plan.ttlDelayMs);
    await kernel.run(plan.calmFromMs);
    if (kernel.violation) return;
    world.calmDown();
    this.operator.resumeAll();
    await this.#drain();
    if (!kernel.violation) await this.#fallSilent();
    if (!kernel.violation) checkMemory(world);
  }

  #reap(delayMs: number): void {
    const { kernel, tables } = this.world;
    const reap = (): void => {
      for (const { sk } of tables.reap(kernel.nowMs, delayMs)) kernel.note(`TTL deletes ${sk}`);
      if (kernel.nowMs < this.#endMs) kernel.after(REAP_MS, reap);
    };
    kernel.after(REAP_MS, reap);
  }

  async #drain(): Promise<void> {
    const { world, clients, evidence } = this;
    const { kernel, plan } = world;
    const boundMs = plan.calmFromMs + drainBoundMs(world);
    let wokenAtMs = kernel.nowMs;
    for (;;) {
      const owed = findOwed(world, clients.unanswered.size, evidence.lateLeasePages);
      if (owed.length === 0) break;
      if (kernel.nowMs >= boundMs) {
        const [first = ''] = owed;
        const after = (kernel.nowMs - plan.calmFromMs) / 1000;
        return kernel.fail(`${first.slice(0, 2)} liveness`, `${after} s after the faults: ${owed.join('; ')}`);
      }
      if (kernel.nowMs - wokenAtMs >= MINUTE_MS) {
        wokenAtMs = kernel.nowMs;
        clients.wakeHalted();
        this.operator.resumeAll();
      }
      await kernel.run(kernel.nowMs + LOOK_MS);
      if (kernel.violation) return;
    }
    this.drainedAfterMs = kernel.nowMs - plan.calmFromMs;
  }

  async #fallSilent(): Promise<void> {
    const { world } = this;
    const { kernel } = world;
    const boundMs = kernel.nowMs + idleBoundMs(world);
    while (findRestless(world).length > 0 || this.edges.undelivered > 0) {
      // A pause that was on its way when faults ended may have come after the resume.
      this.operator.resumeAll();
      if (kernel.nowMs >= boundMs && this.edges.undelivered === 0)
        return kernel.fail('V4 silence', findRestless(world).join('; '));
      await kernel.run(kernel.nowMs + LOOK_MS);
      if (kernel.violation) return;
    }
    // What was on its way when the last scope went idle.
    await kernel.run(kernel.nowMs + LOOK_MS);
    const before = { writes: this.writes, invocations: world.invocations };
    this.#endMs = kernel.nowMs + SILENCE_MS;
    await kernel.run(this.#endMs);
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
