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
import { planNextLook } from '../../../functions/core/erasing.ts';
import { runDueErasures } from '../../../functions/eraser/run.ts';
import { SlotBusyError } from '../../../functions/io/heads.ts';
import type { CitationItem } from '../../../schema/citation.ts';
import { slugOf } from '../../../schema/entity.ts';
import type { Executor } from '../../../functions/worker/executor/executor.ts';
import { erasureItemSchema } from '../../../schema/erasure.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { markScopeDue } from '../../../schema/scope.ts';
import type { Actor } from '../engine/actor.ts';
import { act, type ActDeps } from './claim-acts.ts';
import { ClaimAnswers } from './claim-answers.ts';
import { checkClaimChange, tellsForgotten } from './claim-changes.ts';
import { type Deed, isUnsaid, waitsFor } from './claim-deeds.ts';
import { checkEnded, checkForgotten, type Ended, forgottenBy } from './claim-invariants.ts';
import { liftedBefore, turnClaimKnobs } from './claim-knobs.ts';
import { drawThemed } from './claim-themes.ts';
import type { PlannedDeployment } from '../plans/deployment-plan.ts';
import type { Violation } from '../engine/kernel.ts';
import type { Mutant } from '../mutants/mutant.ts';
import { drawPlan } from '../plans/plan.ts';
import { Random } from '../engine/random.ts';
import { inShortPages } from '../engine/short-pages.ts';
import type { Change } from '../engine/tables.ts';
import { World } from '../engine/world.ts';

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
  /** No query answers more rows. */
  readonly rowsPerPage?: number;
  /** Values that were forgotten and lifted before; there is room for no more. */
  readonly lifted?: readonly string[];
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
  readonly #answers: ClaimAnswers;
  readonly #rowsPerPage: number | undefined;
  readonly #lifted: readonly string[];
  readonly #erasedAtMs = new Map<string, number>();
  /** Executions of imports. */
  readonly #imports = new Set<Actor>();

  constructor(seed: number, { mutant, scenario = mutant, keepTrace = false }: Options) {
    this.#isExact = seed % 2 === 0;
    const planned = drawPlan(seed);
    const drawn = { ...planned, model: undefined, deployment: PLAIN, slow: this.#isExact ? [] : planned.slow };
    const plan = scenario?.direct?.(drawn) ?? drawn;
    const { pauseWrite: _, ...quick } = plan.faults;
    this.world = new World({ ...plan, faults: this.#isExact ? quick : plan.faults }, { mutant, keepTrace });
    this.#random = new Random(seed, 'claim schedule');
    this.#spreadMs = this.#random.pick(SPREADS_MS);
    this.#isOnce = scenario?.isOnce === true;
    this.#deeds = scenario?.deeds?.(new Random(seed, 'directed deeds')) ?? drawThemed(seed);
    this.#forgotten = forgottenBy(this.#deeds);
    this.#answers = new ClaimAnswers(this.world.tables, PARTITION, {
      hasLostReplies: plan.faults.lostReply !== undefined,
    });
    this.#rowsPerPage = scenario ? scenario.rowsPerPage : drawRowsPerPage(seed);
    this.#lifted = scenario?.lifted ?? [];
    turnClaimKnobs({ isShort: this.#rowsPerPage !== undefined, forgottenMax: this.#lifted.length });
    this.#watch();
  }

  #watch(): void {
    const { kernel, tables, network } = this.world;
    tables.onChange = (change) => {
      if (change.sk.startsWith('ATTENTION#')) this.#noteLate(change.sk, network.current?.isAlive === false);
      this.#answers.onChange(change, network.current);
      this.#watchErased(change, network.current);
      checkClaimChange(change, (invariant, found) => kernel.fail(invariant, found));
      if ((network.current?.startedAtMs ?? 0) > this.#forgottenAtMs && tellsForgotten(change, this.#forgotten))
        kernel.fail('forgotten', `${change.sk} is written after it was forgotten`);
    };
  }

  /** An import keeps out what was erased before it began; what was lifted alone gives way to another order. */
  #watchErased({ sk, before, after }: Change, actor: Actor | undefined): void {
    const { kernel } = this.world;
    if (after?.erasedAtMs !== undefined && sk.startsWith('SOURCE#'))
      this.#erasedAtMs.set(String(after.id), kernel.nowMs);
    if (sk.startsWith('ERASURE#') && !after && before?.liftedAtMs === undefined)
      kernel.fail('forgotten', `${sk} goes, which nobody lifted`);
    if (!after || before || !actor || !this.#imports.has(actor) || !sk.startsWith('CLAIM#')) return;
    const { source } = after as unknown as CitationItem;
    if ((this.#erasedAtMs.get(source.id) ?? Number.POSITIVE_INFINITY) < actor.startedAtMs)
      kernel.fail('erased is kept out', `${source.id} was erased before an import of it began`);
  }

  #noteLate(sk: string, isLate: boolean): void {
    if (isLate) this.#late.add(sk);
    else this.#late.delete(sk);
  }

  async run(): Promise<void> {
    const { kernel, tables } = this.world;
    const startMs = kernel.nowMs;
    tables.apply(markScopeDue({ scope: SCOPE, nowMs: startMs, op: 'mark' }), startMs);
    for (const write of liftedBefore(ADDRESS, this.#lifted, startMs)) tables.apply(write, startMs);
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
    if (tables.list(PARTITION, 'ERASURE#').length > 0) await this.#erase();
    if (!kernel.violation) await this.#check(fail);
    if (!kernel.violation) this.#answers.check(fail);
    if (tables.list(PARTITION, 'ERASURE#CLAIM#').length > LIMITS.forgottenReadMax)
      fail('forgotten', 'more claims are forgotten than a writer looks at');
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
    // What is still on its way arrives first.
    await kernel.run(kernel.nowMs + this.world.network.pauseMaxMs);
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
    const deps = this.world.workerDeps(actor, NOBODY);
    const store = this.#rowsPerPage === undefined ? deps.store : inShortPages(deps.store, this.#rowsPerPage);
    const worker = { ...deps, store };
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
      this.#answers.begin(actor);
      if (deed.kind === 'import') this.#imports.add(actor);
      const { answer, refused } = await act(this.#depsOf(actor), ADDRESS, deed);
      this.#answers.end(actor, deed, answer);
      if (isUnsaid(deed) && !refused) this.world.kernel.fail('citations', `${deed.kind}: nobody ever said that`);
      if (deed.kind === 'forget') this.#forgottenAtMs = Math.min(this.#forgottenAtMs, this.world.kernel.nowMs);
      return refused?.status === 404 && isAwaited(deed, this.#deeds);
    } catch (error) {
      if (error instanceof SlotBusyError) return true;
      throw error;
    }
  }
}

/** In a quarter of the seeds, drawn from a stream of its own. */
function drawRowsPerPage(seed: number): number | undefined {
  const random = new Random(seed, 'rows a page');
  return random.chance(0.25) ? random.int(1, 3) : undefined;
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
