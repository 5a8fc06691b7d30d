/** People who have something erased or forgotten, ask again, and lift it; and the schedule that goes on with it. */
import { liftErasures } from '../../../functions/eraser/lift.ts';
import { type ErasedAnswer, eraseOneSource, eraseWholeScope, forgetClaim } from '../../../functions/eraser/order.ts';
import { runDueErasures } from '../../../functions/eraser/run.ts';
import type { EraserDeps } from '../../../functions/eraser/deps.ts';
import { SourceErasedError } from '../../../functions/ingest/erased.ts';
import { putPart } from '../../../functions/ingest/upload.ts';
import { HttpError } from '../../../functions/io/http.ts';
import { ERASE, HTTP } from '../../../schema/edges.ts';
import { evidenceStateKey, raiseEvidenceAttention } from '../../../schema/evidence-attention.ts';
import { revisionOf, sha256Of, sourceKeyOf } from '../../../schema/ids.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { Actor } from '../engine/actor.ts';
import type { Clients } from './clients.ts';
import { EraseAnswers } from '../invariants/erase-answers.ts';
import { EraseInvariants } from '../invariants/erase-invariants.ts';
import { isOfErased, turnEraseKnobs } from '../engine/erase-knobs.ts';
import { EraseMemory } from '../invariants/erase-memory.ts';
import type { Erased, PlannedErasing, PlannedErasure } from '../plans/erase-plan.ts';
import { Random } from '../engine/random.ts';
import { inShortPages } from '../engine/short-pages.ts';
import type { World } from '../engine/world.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const RATE_MS = ERASE.rateMinutes * MINUTE_MS;
const SLOW_LOOKS_MS = 24 * 60 * MINUTE_MS;
const BY = 'ann';
/** Before the first look whether all is drained. */
const SOON_MAX_MS = 9 * SECOND_MS;

/** What asks to be sent again, by its message. */
const SENT_AGAIN = /: send the call again$/;

function order(deps: EraserDeps, scope: string, what: Erased): Promise<ErasedAnswer> {
  if (what.kind === 'scope') return eraseWholeScope(deps, scope, BY);
  if (what.kind === 'claim') return forgetClaim(deps, scope, { ...what.claim, author: BY });
  return eraseOneSource(deps, scope, { kind: what.of ?? 'note', id: what.id }, BY);
}

export class Erasing {
  readonly watch: EraseInvariants;
  readonly memory: EraseMemory;
  readonly #answers: EraseAnswers;
  /** Orders and lifts that are not answered. */
  unanswered = 0;
  readonly #world: World;
  readonly #plan: PlannedErasing;
  readonly #random: Random;
  /** Sources whose erase was ever sent. */
  readonly #named = new Set<string>();
  #isHeld = false;

  constructor(world: World, plan: PlannedErasing) {
    this.#world = world;
    this.#plan = plan;
    this.#random = new Random(world.plan.seed, 'erasers');
    turnEraseKnobs(plan);
    this.watch = new EraseInvariants(world);
    this.memory = new EraseMemory(world, this.watch);
    this.#answers = new EraseAnswers(world, this.watch);
    world.onEraserWrite = (name, outcome, actor) => {
      if (name !== 'erasure:save' || outcome.kind !== 'held') return;
      this.watch.onTrouble(undefined);
      this.watch.onLostRecord(actor);
    };
  }

  start(): void {
    const { kernel } = this.#world;
    for (const erasure of this.#plan.erasures) {
      for (const atMs of [erasure.atMs, ...erasure.againAtMs]) kernel.at(atMs, () => this.#order(erasure));
      if (this.#plan.isGivenUp) kernel.at(erasure.atMs - SECOND_MS, () => this.#giveUp(erasure));
      const { partsBeforeMs: beforeMs } = this.#plan;
      if (beforeMs !== undefined) this.#sendParts(erasure, [erasure.atMs - beforeMs, erasure.atMs - 2 * beforeMs]);
      if (erasure.liftAtMs !== undefined) kernel.at(erasure.liftAtMs, () => this.#lift(erasure));
    }
    kernel.after(this.#random.int(0, RATE_MS), () => this.#beat());
  }

  /** What owners sent when all was over. */
  get sentAfterwards(): PlannedErasing['afterwards'] {
    return this.#plan.afterwards;
  }

  /** Whether a refusal as erased is true of a source. */
  mayRefuse(scope: string, id: string): boolean {
    return this.#named.has(`${scope} ${id}`);
  }

  /** No tick comes while it is held. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
  }

  #depsOf(actor: Actor): EraserDeps {
    const deps = this.#world.eraserDeps(actor);
    const { rowsPerPage } = this.#plan;
    return rowsPerPage === undefined ? deps : { ...deps, store: inShortPages(deps.store, rowsPerPage, isOfErased) };
  }

  /** As a finalizer does that gives up a source. */
  #giveUp({ scope, what }: PlannedErasure): void {
    if (what.kind !== 'source') return;
    const sourceKey = sourceKeyOf({ kind: what.of ?? 'note', id: what.id, revision: revisionOf(what.id) });
    const source = `note:${what.id}@${revisionOf(what.id)}`;
    const details = { source, state: 'quarantined', cursor: 0, length: 1, stalls: 3 } as const;
    const { tables, kernel } = this.#world;
    const [, , generation] = tables.partitionOf(scope).split('#');
    const timeoutMs = HTTP.timeoutS * SECOND_MS;
    this.#world.spawn({ role: 'finalizer', scope, timeoutMs }, (actor) =>
      this.#world
        .eraserDeps(actor)
        .store.write(
          raiseEvidenceAttention(
            { scope, generation: Number(generation) },
            { sourceKey, stateKey: evidenceStateKey(1), details, nowMs: kernel.nowMs, op: actor.ids.fresh() },
          ),
        ),
    );
  }

  /** Somebody who uploads what is to be erased, and never completes it. */
  #sendParts({ scope, what }: PlannedErasure, atMs: readonly number[]): void {
    const { kernel } = this.#world;
    if (what.kind !== 'source') return;
    for (const [part, sentAtMs] of atMs.entries()) {
      kernel.at(Math.max(kernel.nowMs, sentAtMs), () => {
        const bytes = Buffer.from(`part ${part} of ${what.id}`);
        const upload = { scope, kind: what.of ?? 'note', id: what.id, sha256: sha256Of([bytes]), part, bytes } as const;
        const timeoutMs = HTTP.timeoutS * SECOND_MS;
        this.#world.spawn({ role: 'ingest', scope, timeoutMs }, (actor) =>
          putPart(this.#world.ingestDeps(actor), upload).catch((error: unknown) => {
            if (!(error instanceof SourceErasedError)) throw error;
          }),
        );
      });
    }
  }

  /** Sent until it is answered, with a refusal too. */
  #send(
    scope: string,
    run: (deps: EraserDeps) => Promise<ErasedAnswer>,
    onAnswer: (answer: ErasedAnswer) => void,
  ): void {
    const { kernel } = this.#world;
    this.unanswered++;
    const again = (): void => {
      this.watch.onTrouble(scope);
      this.unanswered--;
      kernel.after(this.#random.int(1, 20) * SECOND_MS, () => this.#send(scope, run, onAnswer));
    };
    let isAnswered = true;
    const onSuccess = (): void => {
      if (isAnswered) this.unanswered--;
      else again();
    };
    const timeoutMs = HTTP.timeoutS * SECOND_MS;
    this.#world.spawn({ role: 'eraser', scope, timeoutMs, onFailure: again, onSuccess }, async (actor) => {
      try {
        onAnswer(await run(this.#depsOf(actor)));
      } catch (error) {
        isAnswered = error instanceof HttpError && error.status < 500;
        if (isAnswered) this.#world.count(`eraser answered ${(error as HttpError).code}`);
        else if (!SENT_AGAIN.test((error as Error).message)) throw error;
      }
    });
  }

  #order({ scope, what }: PlannedErasure): void {
    if (what.kind === 'source') this.#named.add(`${scope} ${what.id}`);
    this.#send(
      scope,
      async (deps) => {
        const began = this.#answers.begin(scope);
        if (what.kind === 'source') this.memory.onOrdered(scope, what.id);
        const answer = await order(deps, scope, what);
        this.#answers.onAnswered(scope, began, answer.erasures);
        return answer;
      },
      ({ erasures }) => {
        this.#world.count(`eraser answered ${what.kind} ${erasures.map(({ state }) => state).join()}`);
        for (const body of erasures) this.watch.onAnswered(scope, body);
      },
    );
  }

  #lift({ scope, what }: PlannedErasure): void {
    if (what.kind === 'scope') return;
    const body =
      what.kind === 'source' ? { source: { kind: what.of ?? 'note', id: what.id } as const } : { claim: what.claim };
    this.#send(
      scope,
      (deps) => liftErasures(deps, scope, body),
      ({ erasures }) => {
        this.#world.count(`eraser lifted a ${what.kind}`);
        const standing = erasures.find(({ state }) => state !== 'lifted');
        if (standing && this.watch.liftedAtMs.size === 0)
          this.#world.kernel.fail('lifted comes in again', `a lift is answered, and it is ${standing.state}`);
        if (what.kind === 'source') this.memory.onLifted(scope, what.id);
      },
    );
  }

  /** One tick in five minutes, like those of the scheduler: dropped, doubled, late. */
  #beat(): void {
    const { kernel, faults } = this.#world;
    if (!this.#isHeld && !faults.hit('tickDrop')) {
      this.#tick(faults.hit('tickLate') ? this.#random.int(0, 90) * SECOND_MS : 0);
      if (faults.hit('tickDouble')) this.#tick(this.#random.int(0, 500));
    }
    kernel.after(RATE_MS, () => this.#beat());
  }

  #tick(lateMs: number): void {
    const { kernel } = this.#world;
    const onFailure = (): void => this.watch.onTrouble(undefined);
    const timeoutMs = ERASE.functionTimeoutS * SECOND_MS;
    kernel.after(lateMs + this.#random.int(5, 100), () => {
      this.#world.spawn({ role: 'eraser', timeoutMs, onFailure }, (actor) => runDueErasures(this.#depsOf(actor)));
    });
  }

  /**
   * Goes on until every erasure is finished, when nobody else writes any more. The next look of each may come as late as the
   * last does, and find what was written just before; then it looks again so long after.
   */
  async finish(): Promise<void> {
    const { kernel } = this.#world;
    // A look takes a run of the schedule for every row or two where a run has no time for more.
    const slowlyMs = this.#plan.byScheduleMs === undefined ? 0 : SLOW_LOOKS_MS;
    const boundMs = kernel.nowMs + 2 * LIMITS.erasureLookLastMs + 3 * RATE_MS + slowlyMs;
    for (;;) {
      const owed = this.watch.unfinished();
      if (this.unanswered === 0 && owed.length === 0) return this.#answers.check();
      if (kernel.nowMs >= boundMs)
        return kernel.fail('an erasure ends', [...owed, `${this.unanswered} calls`].join('; '));
      await kernel.run(kernel.nowMs + MINUTE_MS);
      if (kernel.violation) return;
    }
  }

  /** When all is over, people lift some of it, and owners send again. True when anything was sent. */
  async goOn(clients: Clients): Promise<boolean> {
    const { kernel } = this.#world;
    for (const erasure of this.#plan.erasures) if (erasure.isLifted) this.#lift(erasure);
    await kernel.run(kernel.nowMs + MINUTE_MS, () => this.unanswered === 0);
    if (kernel.violation) return false;
    for (const erasure of this.#plan.partsBeforeMs === undefined ? [] : this.#plan.erasures) {
      if (!erasure.isLifted) this.#sendParts(erasure, [kernel.nowMs]);
    }
    await kernel.run(kernel.nowMs + MINUTE_MS);
    for (const call of this.#plan.afterwards) clients.ingest(call);
    for (const erasure of this.#again('soon')) {
      kernel.after(this.#random.int(0, SOON_MAX_MS), () => this.#orderAgain(erasure));
    }
    return this.#plan.afterwards.length > 0;
  }

  #orderAgain(erasure: PlannedErasure): void {
    this.#world.count(`what was lifted is ordered erased once more, ${erasure.erasedAgain}`);
    this.#order(erasure);
  }

  #again(when: PlannedErasure['erasedAgain']): PlannedErasure[] {
    return this.#plan.erasures.filter(({ erasedAgain }) => erasedAgain === when);
  }

  /** What was sent again and read is ordered erased once more. True when anything is. */
  eraseAgain(): boolean {
    const again = this.#again('at rest');
    for (const erasure of again) this.#orderAgain(erasure);
    return again.length > 0;
  }
}
