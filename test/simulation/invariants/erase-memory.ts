/**
 * What is left to say of a source when something was erased: what was sent before says nothing, what was sent after says
 * all, and of a call that was under way at that moment either may be.
 */
import type { EraseInvariants } from './erase-invariants.ts';
import type { PlannedIngest, PlannedSource } from '../plans/plan.ts';
import type { World } from '../engine/world.ts';

export type Fate = 'must' | 'may' | 'gone';

/** One execution of an ingest call. */
class Attempt {
  readonly #world: World;
  readonly beganAtMs: number;
  /** Undefined: it may still be at work. */
  endedAtMs: number | undefined;

  constructor(world: World) {
    this.#world = world;
    this.beganAtMs = world.kernel.nowMs;
  }

  end(): void {
    this.endedAtMs = this.#world.kernel.nowMs;
  }
}

export class EraseMemory {
  readonly #world: World;
  readonly #erased: EraseInvariants;
  readonly #attempts = new Map<PlannedIngest, Attempt[]>();
  /** By call, of each of its sources. */
  readonly #answers = new Map<PlannedIngest, { readonly beganAtMs: number; readonly codes: readonly string[] }>();

  /** Scope and id of a source → when its lift was answered, where nobody asked for its erase since. */
  readonly #liftedAtMs = new Map<string, number>();

  constructor(world: World, erased: EraseInvariants) {
    this.#world = world;
    this.#erased = erased;
  }

  begin(call: PlannedIngest): Attempt {
    const attempt = new Attempt(this.#world);
    this.#attempts.set(call, [...(this.#attempts.get(call) ?? []), attempt]);
    return attempt;
  }

  onOrdered(scope: string, id: string): void {
    this.#liftedAtMs.delete(`${scope} ${id}`);
  }

  /** Only when the storm is over: before that an order may be on its way for long. */
  onLifted(scope: string, id: string): void {
    const { kernel, plan } = this.#world;
    if (kernel.nowMs > plan.calmFromMs) this.#liftedAtMs.set(`${scope} ${id}`, kernel.nowMs);
  }

  /** The codes with which the sources of a call were answered, in order. */
  answer(call: PlannedIngest, { beganAtMs }: Attempt, codes: readonly string[]): void {
    this.#answers.set(call, { beganAtMs, codes });
    call.sources.forEach(({ id }, k) => {
      if (codes[k] === 'taken') this.#erased.onTaken(call.scope, id, beganAtMs);
      const liftedAtMs = this.#liftedAtMs.get(`${call.scope} ${id}`) ?? Number.POSITIVE_INFINITY;
      if (codes[k] !== 'source_erased' || beganAtMs <= liftedAtMs) return;
      this.#world.kernel.fail('lifted comes in again', `${call.scope}: ${id} is refused by a call that began after`);
    });
  }

  /** Since when what is sent of a source stays, in true time; undefined: from the beginning. */
  #since(scope: string, id: string): { readonly fromMs: number; readonly toMs: number } | undefined {
    const lifted = this.#erased.readmitted.get(`${this.#world.tables.partitionOf(scope)} ${id}`);
    const movedAtMs = this.#erased.movedAtMs.get(scope);
    return lifted ?? (movedAtMs === undefined ? undefined : { fromMs: movedAtMs, toMs: movedAtMs });
  }

  fateOf(call: PlannedIngest, { scope, id }: PlannedSource): Fate {
    if (this.#erased.isOut(scope, id)) return 'gone';
    const answer = this.#answers.get(call);
    const isTaken = answer?.codes[call.sources.findIndex((source) => source.id === id)] === 'taken';
    const since = this.#since(scope, id);
    if (!since) return isTaken ? 'must' : 'gone';
    if (isTaken && answer && answer.beganAtMs > since.toMs) return 'must';
    const attempts = this.#attempts.get(call) ?? [];
    return attempts.some(({ endedAtMs = Number.POSITIVE_INFINITY }) => endedAtMs > since.fromMs) ? 'may' : 'gone';
  }
}
