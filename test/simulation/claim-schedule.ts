/**
 * Runs one schedule of deeds on claims: every deed by executions of its own, under the faults that its seed draws, each
 * sent again until it is answered; a write also once more after all, as a late copy of a pass does. When all are
 * answered, the head and the attentions must be what the citations say, and the citations what the deeds say.
 *
 * One thing a head cannot know: a raise that is on its way while its process dies may arrive after a rebuild, and nobody
 * is left to look again. Then it names a citation that does not count, which readers see, and a repair mends it. So every
 * other seed draws no writes that are on their way for long, and has to end with heads that are right; the others have to
 * end with heads whose errors show, and with right ones after a repair. So it is with an attention that a dead process
 * raised.
 */
import { planNextLook } from '../../functions/core/erasing.ts';
import { runDueErasures } from '../../functions/eraser/run.ts';
import { SlotBusyError } from '../../functions/io/heads.ts';
import { slugOf } from '../../schema/entity.ts';
import type { Executor } from '../../functions/worker/executor/executor.ts';
import { erasureItemSchema } from '../../schema/erasure.ts';
import { markScopeDue } from '../../schema/scope.ts';
import type { Actor } from './actor.ts';
import { act, type ActDeps } from './claim-acts.ts';
import { checkClaimChange, tellsForgotten } from './claim-changes.ts';
import { type Deed, waitsFor } from './claim-deeds.ts';
import { checkEnded, checkForgotten, type Ended, forgottenBy } from './claim-invariants.ts';
import { drawThemed } from './claim-themes.ts';
import type { PlannedDeployment } from './deployment-plan.ts';
import type { Violation } from './kernel.ts';
import type { Mutant } from './mutant.ts';
import { drawPlan } from './plan.ts';
import { Random } from './random.ts';
import { World } from './world.ts';

const SCOPE = 'a';
const ADDRESS = { scope: SCOPE, generation: 1 };
const PARTITION = `SCOPE#${SCOPE}#1`;
const SECOND_MS = 1_000;
/** Deeds begin within so long: requests take milliseconds, so they meet. */
const SPREADS_MS = [4, 12, 40];
const STORM_MS = 60 * SECOND_MS;
const END_MS = 10 * STORM_MS;
/** As its schedule has it; an erasure is through within its last look, 45 minutes after what it found. */
const ERASE_EVERY_MS = 5 * STORM_MS;
const ERASE_RUNS_MAX = 24;

export interface ClaimScheduleResult {
  readonly violation: Violation | undefined;
  readonly crashes: number;
  readonly trace: readonly string[] | undefined;
}

/** What makes a scenario of one kind: its plan, and its deeds in place of those that the seed draws. */
export interface Scenario extends Pick<Mutant, 'direct'> {
  readonly deeds?: (random: Random) => readonly Deed[];
  /** Nothing comes once more when all is answered: a late copy mends much. */
  readonly isOnce?: true;
}
export type ClaimMutant = Mutant & Scenario;

interface Options {
  readonly mutant?: ClaimMutant | undefined;
  /** The mutant's own unless given. */
  readonly scenario?: Scenario | undefined;
  readonly keepTrace?: boolean;
}

/** Claims know of no pool and no setting. */
const PLAIN: PlannedDeployment = { pools: 1, skewMaxMs: undefined, release: undefined, mistake: undefined };
/** No pass reads here: what passes write is drawn. */
const NOBODY: Executor = { name: 'nobody', run: async () => undefined };
/** What may come once more when all is answered. */
const LATE: ReadonlySet<Deed['kind']> = new Set(['write', 'say', 'tell', 'correct', 'import']);

class ClaimSchedule {
  readonly world: World;
  readonly #deeds: readonly Deed[];
  readonly #answered = new Set<number>();
  readonly #random: Random;
  readonly #isExact: boolean;
  readonly #spreadMs: number;
  readonly #isOnce: boolean;
  readonly #forgotten: ReadonlySet<string>;
  readonly #late = new Set<string>();
  #forgottenAtMs = Number.POSITIVE_INFINITY;
  /** Executions that ended without an answer. */
  #failures = 0;

  constructor(seed: number, { mutant, scenario = mutant, keepTrace = false }: Options) {
    const drawn = { ...drawPlan(seed), model: undefined, deployment: PLAIN };
    const plan = scenario?.direct?.(drawn) ?? drawn;
    const { pauseWrite: _, ...quick } = plan.faults;
    this.#isExact = seed % 2 === 0;
    this.world = new World({ ...plan, faults: this.#isExact ? quick : plan.faults }, { mutant, keepTrace });
    this.#random = new Random(seed, 'claim schedule');
    this.#spreadMs = this.#random.pick(SPREADS_MS);
    this.#isOnce = scenario?.isOnce === true;
    this.#deeds = scenario?.deeds?.(new Random(seed, 'directed deeds')) ?? drawThemed(seed);
    this.#forgotten = forgottenBy(this.#deeds);
    this.#watch();
  }

  #watch(): void {
    const { kernel, tables, network } = this.world;
    tables.onChange = (change) => {
      if (change.sk.startsWith('ATTENTION#')) this.#noteLate(change.sk, network.current?.isAlive === false);
      checkClaimChange(change, (invariant, found) => kernel.fail(invariant, found));
      if ((network.current?.startedAtMs ?? 0) > this.#forgottenAtMs && tellsForgotten(change, this.#forgotten))
        kernel.fail('forgotten', `${change.sk} is written after it was forgotten`);
    };
  }

  #noteLate(sk: string, isLate: boolean): void {
    if (isLate) this.#late.add(sk);
    else this.#late.delete(sk);
  }

  async run(): Promise<void> {
    const { kernel, tables } = this.world;
    const startMs = kernel.nowMs;
    tables.apply(markScopeDue({ scope: SCOPE, nowMs: startMs, op: 'mark' }), startMs);
    for (const position of this.#deeds.keys()) this.#begin(position);
    await kernel.run(startMs + STORM_MS);
    this.world.calmDown();
    await kernel.run(startMs + END_MS, () => this.#answered.size === this.#deeds.length);
    if (kernel.violation) return;
    if (this.#answered.size < this.#deeds.length) return kernel.fail('claims liveness', 'a deed was never answered');
    const fail = (invariant: string, found: string): void => kernel.fail(invariant, found);
    // Both sides have looked by now. Who died between its row and its look leaves that to the later looks of the erasure,
    // and so does a call that forgets and had no time for the first.
    const isLookedThrough = tables.list(PARTITION, 'ERASURE#').every((row) => erasureItemSchema.parse(row).looks > 0);
    if (this.#failures === 0 && isLookedThrough) checkForgotten(this.#ended(), fail);
    // Late copies of what passes and people sent, all at once.
    const copies = this.#deeds.filter(({ kind }) => LATE.has(kind) && !this.#isOnce && this.#random.chance(0.3));
    for (const deed of copies) this.#send(deed, () => undefined);
    await kernel.run(kernel.nowMs + STORM_MS);
    if (this.#forgotten.size > 0) await this.#erase();
    if (!kernel.violation) await this.#check(fail);
  }

  /** Where a write came late, what is not right has to show, and a repair mends it: after it everything is right. */
  async #check(fail: (invariant: string, found: string) => void): Promise<void> {
    const { kernel } = this.world;
    const exact = (): Ended => ({ ...this.#ended(), isExact: true, late: new Set() });
    const wrong: [string, string][] = [];
    checkEnded(exact(), (invariant, found) => wrong.push([invariant, found]));
    if (this.#isExact) for (const [invariant, found] of wrong) fail(invariant, found);
    if (this.#isExact || wrong.length === 0) return;
    checkEnded(this.#ended(), fail);
    this.#send({ kind: 'repair' }, () => undefined);
    await kernel.run(kernel.nowMs + STORM_MS);
    if (!kernel.violation) checkEnded(exact(), fail);
  }

  #ended(): Ended {
    const { tables } = this.world;
    return { tables, partition: PARTITION, deeds: this.#deeds, isExact: this.#isExact, late: this.#late };
  }

  /** The looks of the erasures, until all are finished. */
  async #erase(): Promise<void> {
    const { kernel, tables } = this.world;
    const isDone = (): boolean =>
      tables.list(PARTITION, 'ERASURE#').every((row) => erasureItemSchema.parse(row).finishedAtMs !== undefined);
    for (let runs = 0; runs < ERASE_RUNS_MAX && !isDone(); runs++) {
      this.world.spawn({ role: 'worker', timeoutMs: STORM_MS }, (actor) => runDueErasures(this.#depsOf(actor)));
      await kernel.run(kernel.nowMs + ERASE_EVERY_MS);
    }
    if (!isDone()) kernel.fail('forgotten', 'an erasure does not end');
  }

  #depsOf(actor: Actor): ActDeps {
    const worker = this.world.workerDeps(actor, NOBODY);
    return { ...worker, decide: { ...worker.decide, planNextLook } };
  }

  /** Starts a deed when all it waits for was answered; looks again until then. */
  #begin(position: number): void {
    const { kernel } = this.world;
    const deed = this.#deeds[position] as Deed;
    const awaited = this.#deeds.flatMap((other, k) => (k !== position && waitsFor(deed, other) ? [k] : []));
    const isReady = (): boolean => awaited.every((k) => this.#answered.has(k));
    const look = (): void => {
      if (!isReady()) return void kernel.after(this.#random.int(1, 6), look);
      this.#send(deed, () => this.#answered.add(position));
    };
    kernel.after((deed.delayMs ?? 0) + this.#random.int(0, this.#spreadMs), look);
  }

  #send(deed: Deed, onSuccess: () => void): void {
    let isOwed = true;
    const again = (): void => void this.world.kernel.after(this.#random.int(50, 2 * SECOND_MS), attempt);
    const attempt = (): void => {
      const execution = {
        role: 'worker',
        scope: SCOPE,
        timeoutMs: 10 * SECOND_MS,
        onSuccess: () => (isOwed ? again() : onSuccess()),
        onFailure: () => {
          this.#failures++;
          again();
        },
      } as const;
      this.world.spawn(execution, async (actor) => {
        isOwed = await this.#isOwedAfter(actor, deed);
      });
    };
    attempt();
  }

  /** Whether it has to be sent again: its claim slot was busy, or it speaks of an entity that others make known. */
  async #isOwedAfter(actor: Actor, deed: Deed): Promise<boolean> {
    try {
      const refused = await act(this.#depsOf(actor), ADDRESS, deed);
      if (deed.kind === 'forget') this.#forgottenAtMs = Math.min(this.#forgottenAtMs, this.world.kernel.nowMs);
      return refused?.status === 404 && isAwaited(deed, this.#deeds);
    } catch (error) {
      if (error instanceof SlotBusyError) return true;
      throw error;
    }
  }
}

/** Whether a word on an entity waits for who makes it known. */
function isAwaited(deed: Deed, deeds: readonly Deed[]): boolean {
  if (deed.kind !== 'type') return false;
  return deeds.some((other) => other.kind === 'tell' && other.citation.slot.entity === slugOf(deed.name));
}

export async function runClaimSchedule(seed: number, options: Options = {}): Promise<ClaimScheduleResult> {
  await new Promise((resolve) => setImmediate(resolve));
  const schedule = new ClaimSchedule(seed, options);
  await schedule.run();
  const { kernel, crashes } = schedule.world;
  return { violation: kernel.violation, crashes, trace: kernel.trace };
}
