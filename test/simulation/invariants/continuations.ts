/**
 * What must hold of a scope that goes on by itself: it takes no place before who waits for one. Looked at where nothing but
 * the row of a scope, its queue and the ledger decide: no model, and every read is answered.
 */
import { type EvidenceItem } from '../../../schema/evidence.ts';
import type { LedgerItem } from '../../../schema/ledger.ts';
import { STALLED_TIER, tierOf } from '../../../schema/queue.ts';
import { isDue, scopeKey, type ScopeItem } from '../../../schema/scope.ts';
import { resolveSettings } from '../../../schema/settings.ts';
import type { Actor } from '../engine/actor.ts';
import type { Change } from '../engine/tables.ts';
import type { World } from '../engine/world.ts';
import { poolNumberOf } from './pools.ts';

const SECOND_MS = 1000;
/** A tick of the same minute may have served it: then it is not served twice. */
const SERVED_MS = 120 * SECOND_MS;

export class Continuations {
  readonly #world: World;
  readonly #isWatched: boolean;
  /** Row of a scope or of evidence, and scope → when it changed, or left a ledger, last. */
  readonly #changedAtMs = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
    const { model, faults, unreadable, deployment } = world.plan;
    this.#isWatched = !model && !unreadable && !deployment.mistake && faults.throttleRead === undefined;
  }

  onChange({ pk, sk, before, after }: Change, actor: Actor | undefined): void {
    if (!this.#isWatched) return;
    const { nowMs } = this.#world.kernel;
    if (sk === 'SCOPE' || sk.startsWith('EVIDENCE#')) this.#changedAtMs.set(`${pk} ${sk}`, nowMs);
    if (sk !== 'LEDGER') return;
    const [old, next] = [before as LedgerItem | undefined, after as LedgerItem | undefined];
    for (const [passId, { scope }] of Object.entries(old?.passes ?? {}))
      if (!next?.passes[passId]) this.#changedAtMs.set(scope, nowMs);
    if (actor?.role !== 'scheduler' || !next) return;
    const added = Object.entries(next.passes).filter(([passId]) => !old?.passes[passId]);
    const own = added.find(([, { origin }]) => origin === 'continuation')?.[1].scope;
    if (own === undefined) return;
    const listed = new Set(Object.values(next.passes).map(({ scope }) => scope));
    const passed = this.#world.plan.scopes.find((scope) => !listed.has(scope) && this.#waits(scope, next, actor, pk));
    if (passed !== undefined)
      this.#world.kernel.fail('who goes on passes over nobody', `${own} goes on, and ${passed} waits for a place`);
  }

  /** It could have been served for so long that every index shows it. */
  #waits(scope: string, ledger: LedgerItem, actor: Actor, pool: string): boolean {
    const { plan, tables, kernel } = this.#world;
    if (pool !== `POOL#${poolNumberOf(scope, plan.deployment.pools)}`) return false;
    const key = scopeKey(scope);
    const row = tables.peek(key.pk, key.sk) as ScopeItem | undefined;
    const knownMs = actor.startedAtMs - Math.max(...plan.lagsMaxMs) - 2 * plan.skewMaxMs - SECOND_MS;
    const stands = (name: string): boolean => (this.#changedAtMs.get(name) ?? 0) < knownMs;
    if (!row || !isDue(row) || row.workDueAtMs > knownMs || (row.failures ?? 0) > 0) return false;
    if (!stands(`${key.pk} ${key.sk}`) || !stands(scope)) return false;
    if (kernel.nowMs - (row.lastPassAtMs ?? 0) < SERVED_MS) return false;
    const { batchTokens, maxWaitMs } = resolveSettings(actor.settings, row.settings ?? {}, ledger.settings);
    if (batchTokens > 0 && (row.waitingSinceMs ?? 0) + maxWaitMs > knownMs) return false;
    const pk = `SCOPE#${scope}#${row.generation}`;
    return (tables.list(pk, 'EVIDENCE#') as unknown as EvidenceItem[]).some(
      ({ sk, state, leasePass, homeKey }) =>
        state === 'pending' && leasePass === undefined && tierOf(homeKey) < STALLED_TIER && stands(`${pk} ${sk}`),
    );
  }
}
