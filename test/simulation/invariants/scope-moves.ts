/**
 * The moves of a scope's row: who may make them, from what they saw, and which fields go with where it stands. Who waits
 * is known from the first mark until somebody serves it, and what comes after a look is not put off by it.
 */
import type { Store } from '../../../functions/io/ports.ts';
import { isDryRun } from '../../../schema/kind.ts';
import type { LedgerItem } from '../../../schema/ledger.ts';
import type { PassAddress } from '../../../schema/pass.ts';
import { isDue, isIdle, scopeKey, type ScopeItem } from '../../../schema/scope.ts';
import type { Actor, FunctionRole } from '../engine/actor.ts';
import { reservationFor } from './pass-moves.ts';
import { listedPasses } from './pools.ts';
import type { Change } from '../engine/tables.ts';
import type { World } from '../engine/world.ts';

/** Nothing else puts a scope off for so long. */
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** Who marks a scope for an attention, or for claims. */
const BRINGS_NO_EVIDENCE: ReadonlySet<FunctionRole> = new Set<FunctionRole>(['worker', 'curator']);

/** Execution → the row of each scope as it read it last. */
const looks = new WeakMap<Actor, Map<string, ScopeItem>>();

/** A scheduler's store: what it read of a scope is what it may act on. */
export function watchLooks(store: Store, actor: Actor): Store {
  if (actor.role !== 'scheduler') return store;
  const seen = new Map<string, ScopeItem>();
  looks.set(actor, seen);
  return {
    write: (write) => store.write(write),
    query: (read) => store.query(read),
    batchGet: (read) => store.batchGet(read),
    async get(read) {
      const item = await store.get(read);
      if (item?.sk === 'SCOPE') seen.set(String(item.scope), item as unknown as ScopeItem);
      return item;
    },
  };
}

interface Served {
  readonly admittedAtMs: number;
  readonly passes: readonly PassAddress[];
}

export class ScopeMoves {
  readonly #world: World;
  /** Execution → the scopes it admitted passes of. What it writes of them from then on is that they are served. */
  readonly #serving = new WeakMap<Actor, Map<string, Served>>();

  /** Pass → when it came onto a ledger. */
  readonly #listedAtMs = new Map<string, number>();
  /** Scope → when somebody moved it last. */
  readonly #movedAtMs = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
  }

  #fail(invariant: string, found: string): void {
    this.#world.kernel.fail(invariant, found);
  }

  onLedger({ before, after }: Change, actor: Actor | undefined): void {
    if (actor?.role !== 'scheduler') return;
    const was = (before as LedgerItem | undefined)?.passes ?? {};
    for (const passId of Object.keys((after as LedgerItem | undefined)?.passes ?? {}))
      if (!was[passId]) this.#listedAtMs.set(passId, this.#world.kernel.nowMs);
    const serving = this.#serving.get(actor) ?? new Map<string, Served>();
    const admittedAtMs = this.#world.kernel.nowMs;
    for (const [passId, { scope, generation, kind }] of Object.entries((after as LedgerItem | undefined)?.passes ?? {}))
      if (!was[passId] && !isDryRun(kind)) {
        const passes = [...(serving.get(scope)?.passes ?? []), { passId, scope, generation }];
        serving.set(scope, { admittedAtMs, passes });
      }
    this.#serving.set(actor, serving);
  }

  /** Told by the edges, when an execution of the scheduler is through: whom it served it put behind all who wait. */
  onServed(actor: Actor): void {
    for (const [scope, { admittedAtMs, passes }] of this.#serving.get(actor) ?? []) {
      if (this.#isRefused(passes)) continue;
      const { pk, sk } = scopeKey(scope);
      const row = this.#world.tables.peek(pk, sk) as ScopeItem | undefined;
      if (row && isDue(row) && (this.#movedAtMs.get(scope) ?? 0) < admittedAtMs)
        this.#fail('who was served goes behind', `${scope} was served at ${admittedAtMs}, due at ${row.workDueAtMs}`);
    }
  }

  /** Where the budget refused all of them after all, nobody was served. */
  #isRefused(passes: readonly PassAddress[]): boolean {
    return passes.every((pass) => reservationFor(this.#world, pass) === 'refused');
  }

  onScope({ before, after }: Change, actor: Actor | undefined): void {
    const [old, next] = [before as ScopeItem | undefined, after as ScopeItem | undefined];
    if (!next) return;
    // Also to where it stood: by clocks that differ, two may take it to the same millisecond.
    const isServed = actor !== undefined && this.#serving.get(actor)?.has(next.scope);
    if (isServed || next.workDueAtMs !== old?.workDueAtMs || next.workPartition !== old.workPartition)
      this.#movedAtMs.set(next.scope, this.#world.kernel.nowMs);
    if (
      isIdle(next) &&
      !(old && isIdle(old)) &&
      (next.emptyAtVersion !== undefined || next.waitingSinceMs !== undefined)
    )
      this.#fail('a row says where it stands', `${next.scope} is idle, and said to wait or to be empty`);
    if (old && next.generation !== old.generation) return this.#onNewGeneration(old, next);
    // Who erases moves a scope on, and brings it nothing.
    if (actor?.role !== 'eraser') this.#checkWaiting(old, next, actor);
    if (!old || !actor) return;
    if (actor.role === 'scheduler') this.#onScheduled(old, next, actor);
    if (actor.role === 'operator' && next.backlogVersion === old.backlogVersion) this.#onSwitched(old, next);
    if (next.counted !== old.counted) this.#onCounted(old, next);
  }

  /** Settings and a pause stay; what the row tells of passes goes. */
  #onNewGeneration(old: ScopeItem, next: ScopeItem): void {
    const told = ['lastFailure', 'lastPassAtMs', 'haltedAtMs', 'waitingSinceMs', 'emptyAtVersion'] as const;
    const left = told.filter((name) => next[name] !== undefined);
    const isClean = left.length === 0 && next.failures === 0 && Object.keys(next.counted).length === 0;
    if (!isClean) this.#fail('nothing is told of who was erased', `${next.scope} keeps ${left.join(', ')}`);
    if (next.generation !== old.generation + 1 || next.statsVersion !== (old.statsVersion ?? 0) + 1)
      this.#fail('I5 monotone', `${next.scope} moved on to ${next.generation} at statsVersion ${next.statsVersion}`);
  }

  /** From the first mark on, until somebody serves it or finds nothing. */
  #checkWaiting(old: ScopeItem | undefined, next: ScopeItem, actor: Actor | undefined): void {
    const [was, is] = [old?.waitingSinceMs, next.waitingSinceMs];
    const isMarked = (next.backlogVersion ?? 0) > (old?.backlogVersion ?? 0);
    const found = `${next.scope}: ${was} → ${is}, marked: ${isMarked}, by ${actor?.label}`;
    // Who contests or imports a claim: what is left there waits for no batch because of it.
    const bringsNoEvidence = isMarked && actor !== undefined && BRINGS_NO_EVIDENCE.has(actor.role);
    if (isMarked && is === undefined && !bringsNoEvidence) this.#fail('who waits is known', found);
    if (bringsNoEvidence && is !== was) this.#fail('who brings no evidence begins no wait', found);
    if (was !== undefined && is !== was && (is !== undefined || actor?.role !== 'scheduler'))
      this.#fail('who waits is known', found);
    if (was === undefined && is !== undefined && !isMarked) this.#fail('who waits is known', found);
  }

  #onScheduled(old: ScopeItem, next: ScopeItem, actor: Actor): void {
    const { scope } = next;
    if (!isDue(old))
      return this.#fail('who is not due is let be', `${actor.label} moved ${scope} in ${old.workPartition}`);
    const served = this.#serving.get(actor)?.get(scope);
    if (served && !this.#isRefused(served.passes)) {
      if (next.waitingSinceMs !== undefined || next.emptyAtVersion !== undefined)
        this.#fail('a row says where it stands', `${scope} was served, and is said to wait or to be empty`);
      return;
    }
    const seen = looks.get(actor)?.get(scope);
    const isLater = old.backlogVersion !== seen?.backlogVersion;
    const isDeferred = isDue(next) && next.emptyAtVersion === undefined;
    if (isLater || (isDeferred && old.workDueAtMs !== seen.workDueAtMs))
      this.#fail('what comes after a look is not put off', `${actor.label} put ${scope} off to ${next.workDueAtMs}`);
    if (isDeferred && old.waitingSinceMs !== undefined && next.waitingSinceMs === undefined)
      this.#fail('who waits is known', `${actor.label} served ${scope}, and admitted nothing that reads what waits`);
    const { nowMs } = this.#world.kernel;
    const dayEndMs = (Math.floor((nowMs + actor.skewMs) / DAY_MS) + 1) * DAY_MS;
    if (isDeferred && next.workDueAtMs - nowMs > HOUR_MS && next.workDueAtMs > dayEndMs)
      this.#fail('who waits for a budget waits for a day', `${scope} is put off to ${next.workDueAtMs}`);
    const isFoundEmpty = isIdle(next) || next.emptyAtVersion !== undefined;
    if (isFoundEmpty && !this.#world.plan.deployment.mistake) this.#checkUnread(next, actor);
    if (isIdle(next) && old.emptyAtVersion !== old.backlogVersion)
      this.#fail('found empty twice', `${scope} went idle at ${old.backlogVersion}, empty at ${old.emptyAtVersion}`);
  }

  /** Of a pass that was listed when this execution began, and is listed yet, it knew when it looked. */
  #checkUnread({ scope, generation }: ScopeItem, { startedAtMs, label }: Actor): void {
    const reading = listedPasses(this.#world).find(
      ([passId, entry]) =>
        entry.scope === scope &&
        entry.generation === generation &&
        !isDryRun(entry.kind) &&
        (this.#listedAtMs.get(passId) ?? 0) < startedAtMs,
    );
    if (reading) this.#fail('who is read is not empty', `${label} found ${scope} empty, which ${reading[0]} reads`);
  }

  /** A switch that finds it so already changes nothing; one that moves the scope outdates what is being counted. */
  #onSwitched(old: ScopeItem, next: ScopeItem): void {
    if (next.settings !== old.settings) return;
    const moves = next.workPartition !== old.workPartition;
    if (moves && next.statsVersion !== (old.statsVersion ?? 0) + 1)
      this.#fail(
        'a switch outdates counts',
        `${next.scope} at statsVersion ${old.statsVersion} → ${next.statsVersion}`,
      );
    const changes = moves || next.paused !== old.paused || (old.failures ?? 0) > 0;
    if (!changes) this.#fail('a switch changes what it must', `${next.scope} stood so already`);
    const held = [next.haltedAtMs, next.emptyAtVersion, next.failures || undefined];
    if (next.paused !== true && held.some((it) => it !== undefined))
      this.#fail('a row says where it stands', `${next.scope} was resumed, and is said to be held back, or empty`);
  }

  #onCounted(old: ScopeItem, next: ScopeItem): void {
    const { lastFailure, failures, scope } = next;
    if (next.emptyAtVersion !== undefined)
      this.#fail('a count takes the first look back', `${scope} is empty yet at ${next.emptyAtVersion}`);
    if (failures === 0 && lastFailure)
      this.#fail('a row says where it stands', `${scope} is well again, and told of ${lastFailure.passId}`);
    const isCounted = lastFailure && next.counted[lastFailure.passId] !== undefined;
    if (failures > (old.failures ?? 0) && (!isCounted || lastFailure.passId === old.lastFailure?.passId))
      this.#fail('a row says where it stands', `${scope} failed, and is told of ${lastFailure?.passId ?? 'nothing'}`);
  }
}
