/** The operator: cancels passes, pauses and resumes, changes limits, through the same runs as the API. */
import { HttpError } from '../../../functions/io/http.ts';
import { cancel } from '../../../functions/trigger/cancel.ts';
import type { TriggerDeps } from '../../../functions/trigger/deps.ts';
import {
  changeLiveSettings,
  changeScopeSettings,
  pauseOne,
  resumeOne,
  switchAll,
} from '../../../functions/trigger/switches.ts';
import { HTTP } from '../../../schema/edges.ts';
import { scopeKey } from '../../../schema/scope.ts';
import type { Edges } from '../engine/edges.ts';
import { ledgerIn, listedPasses } from '../invariants/pools.ts';
import { Random } from '../engine/random.ts';
import { Setters } from './setters.ts';
import type { World } from '../engine/world.ts';

const SECOND_MS = 1000;
/** Stands for all scopes where one is named. */
const ALL = '*';

export class Operator {
  readonly #world: World;
  readonly #edges: Edges;
  readonly #random: Random;
  /** Given where people change settings at the same moment. */
  readonly setters: Setters | undefined;
  /** Scope → resumes sent. */
  readonly #resumes = new Map<string, number>();
  /** Scope → resumes that are not answered. */
  readonly #resuming = new Map<string, number>();
  /** Scopes whose pause was answered and not taken back since: nothing may be admitted in them. */
  readonly paused = new Set<string>();
  /** Scope → when the last change of its limit was answered: by what stood before, nothing may be admitted. */
  readonly limitAnsweredAtMs = new Map<string, number>();
  /** When the last change of what holds of all scopes was answered. */
  settingsAnsweredAtMs = 0;

  constructor(world: World, edges: Edges) {
    this.#world = world;
    this.#edges = edges;
    this.#random = new Random(world.plan.seed, 'operator');
    if (world.plan.setters.length > 0) this.setters = new Setters(world, () => edges);
  }

  start(): void {
    this.setters?.start();
    const { faults, kernel, plan } = this.#world;
    const sometime = (): number => kernel.nowMs + this.#random.int(0, plan.calmFromMs - kernel.nowMs);
    for (let k = 0; k < 3; k++) {
      if (faults.hit('cancelPass')) kernel.at(sometime(), () => this.#cancelSome());
      if (faults.hit('changeLimits')) kernel.at(sometime(), () => this.#changeLimits());
      if (faults.hit('pauseScope')) this.#pauseForAWhile(sometime());
    }
    if (faults.hit('pauseAll')) {
      const atMs = sometime();
      kernel.at(atMs, () => this.#pause(ALL));
      const untilMs = Math.min(atMs + this.#random.int(10, 90) * SECOND_MS, plan.calmFromMs);
      kernel.at(untilMs, () => this.#resume(ALL));
    }
  }

  get isAllPaused(): boolean {
    return this.paused.has(ALL);
  }

  #call(scope: string | undefined, run: (deps: TriggerDeps) => Promise<unknown>, onSuccess?: () => void): void {
    const timeoutMs = HTTP.timeoutS * SECOND_MS;
    const execution = {
      role: 'operator',
      timeoutMs,
      ...(scope && { scope }),
      ...(onSuccess && { onSuccess }),
    } as const;
    this.#world.spawn(execution, async (actor) => {
      try {
        await run(this.#world.triggerDeps(actor, this.#edges.triggersOf(actor)));
      } catch (error) {
        if (!(error instanceof HttpError) || error.status >= 500) throw error;
        this.#world.count(`operator answered ${error.code}`);
      }
    });
  }

  #cancelSome(): void {
    const entries = listedPasses(this.#world);
    if (entries.length === 0) return;
    const [passId, { scope }] = this.#random.pick(entries);
    this.#call(scope, (deps) => cancel(deps, scope, passId));
  }

  #changeLimits(): void {
    if (this.#random.chance(0.5)) {
      const maxConcurrentPasses = this.#random.int(1, 4);
      return this.#call(
        undefined,
        (deps) => changeLiveSettings(deps, { maxConcurrentPasses }),
        () => void (this.settingsAnsweredAtMs = this.#world.kernel.nowMs),
      );
    }
    const scope = this.#random.pick(this.#world.plan.scopes);
    const maxPassesPerScope = this.#random.int(1, 3);
    this.#call(
      scope,
      (deps) => changeScopeSettings(deps, scope, { maxPassesPerScope }),
      () => void this.limitAnsweredAtMs.set(scope, this.#world.kernel.nowMs),
    );
  }

  #pauseForAWhile(atMs: number): void {
    const { kernel, plan } = this.#world;
    const scope = this.#random.pick(plan.scopes);
    kernel.at(atMs, () => this.#pause(scope));
    const untilMs = atMs + this.#random.int(10, 150) * SECOND_MS;
    kernel.at(Math.min(untilMs, plan.calmFromMs), () => this.#resume(scope));
  }

  #pause(scope: string): void {
    const resumedBefore = this.#resumes.get(scope) ?? 0;
    this.#call(
      scope === ALL ? undefined : scope,
      (deps) => (scope === ALL ? switchAll(deps, true) : pauseOne(deps, scope)),
      () => {
        // A resume that was sent meanwhile, or is not answered, may take effect after it.
        const isLast = !this.#resuming.has(scope) && (this.#resumes.get(scope) ?? 0) === resumedBefore;
        if (isLast) this.paused.add(scope);
      },
    );
  }

  #resume(scope: string): void {
    this.#resumes.set(scope, (this.#resumes.get(scope) ?? 0) + 1);
    this.#resuming.set(scope, (this.#resuming.get(scope) ?? 0) + 1);
    this.paused.delete(scope);
    this.#call(
      scope === ALL ? undefined : scope,
      (deps) => (scope === ALL ? switchAll(deps, false) : resumeOne(deps, scope)),
      () => {
        const open = (this.#resuming.get(scope) ?? 1) - 1;
        if (open === 0) this.#resuming.delete(scope);
        else this.#resuming.set(scope, open);
      },
    );
  }

  /** Whatever is paused goes on. */
  resumeAll(): void {
    const { tables, plan } = this.#world;
    for (const scope of plan.scopes) {
      const { pk, sk } = scopeKey(scope);
      if (tables.peek(pk, sk)?.paused === true) this.#resume(scope);
    }
    if (ledgerIn(this.#world, 0)?.paused) this.#resume(ALL);
  }
}
