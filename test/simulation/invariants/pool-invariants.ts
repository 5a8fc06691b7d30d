/**
 * What must hold of the pools, looked at after every write of a ledger or a scope row: a scope has one pool, each pool
 * keeps to its share, and all of them together to the whole.
 */
import type { LedgerItem } from '../../../schema/ledger.ts';
import { type Pool, shareOf } from '../../../schema/pool.ts';
import type { ScopeItem } from '../../../schema/scope.ts';
import { resolveSettings, type SettingOverrides, type Settings } from '../../../schema/settings.ts';
import type { Actor } from '../engine/actor.ts';
import { ledgerIn, poolNumberOf } from './pools.ts';
import type { Change } from '../engine/tables.ts';
import type { World } from '../engine/world.ts';

type Fail = (invariant: string, found: string) => void;

/** What the operator was answered of what holds of all scopes. */
export interface AnswersOfAll {
  /** Whether a pause of all was answered, and not taken back. */
  readonly isAllPaused: () => boolean;
  /** When the last change of live settings was answered. */
  readonly settingsAnsweredAtMs: () => number;
}

interface LiveSince {
  readonly atMs: number;
  readonly settings: SettingOverrides | undefined;
}

const numberOf = (pk: string): number => Number(pk.slice('POOL#'.length));

export class PoolInvariants {
  readonly #world: World;
  readonly #fail: Fail;
  readonly #answers: AnswersOfAll;
  readonly #live: LiveSince[] = [{ atMs: Number.NEGATIVE_INFINITY, settings: undefined }];
  /** Pool → how many passes all pools might have by what its last admission went by. */
  readonly #wholes = new Map<number, number>();

  constructor(world: World, fail: Fail, answers: AnswersOfAll) {
    this.#world = world;
    this.#fail = fail;
    this.#answers = answers;
  }

  onLedger({ pk, before, after }: Change, actor: Actor | undefined): void {
    const [old, next] = [before as LedgerItem | undefined, after as LedgerItem | undefined];
    if (!next) return;
    const { pools } = this.#world.plan.deployment;
    const number = numberOf(pk);
    if (number === 0 && next.settings !== old?.settings)
      this.#live.push({ atMs: this.#world.kernel.nowMs, settings: next.settings });
    if (pools > 1 && (actor?.pools !== pools || (next.pools ?? 1) !== pools)) this.#checkMaker(pk, old, next, actor);
    const added = Object.keys(next.passes).filter((passId) => !old?.passes[passId]);
    if (added.length > 0) this.#onAdmitted({ number, of: pools }, next, actor);
  }

  /** Who was started with another number of pools admits nothing, and makes no ledger. */
  #checkMaker(pk: string, old: LedgerItem | undefined, next: LedgerItem, actor: Actor | undefined): void {
    const { pools } = this.#world.plan.deployment;
    if ((next.pools ?? 1) !== pools)
      this.#fail('a scope has one pool', `the ledger ${pk} says ${next.pools ?? 1} pools, of ${pools}`);
    if (old && actor?.pools !== pools && Object.keys(next.passes).length > Object.keys(old.passes).length)
      this.#fail('a scope has one pool', `${actor?.label} admits to ${pk} and was told of ${actor?.pools} pools`);
  }

  #onAdmitted(pool: Pool, ledger: LedgerItem, actor: Actor | undefined): void {
    for (const [passId, { scope }] of Object.entries(ledger.passes)) {
      const own = poolNumberOf(scope, pool.of);
      if (own !== pool.number)
        this.#fail('a scope has one pool', `${passId} of ${scope} stands in pool ${pool.number}, not in ${own}`);
    }
    if (pool.number > 0 && this.#answers.isAllPaused())
      this.#fail('paused is paused', `a pass was admitted to pool ${pool.number} while all scopes are paused`);
    this.#checkCapacity(pool, ledger, actor);
  }

  /**
   * A pool keeps to its share of the limits that are in force; the whole is what the latest admissions of all pools went by,
   * since a limit that was lowered ends no pass.
   */
  #checkCapacity(pool: Pool, ledger: LedgerItem, actor: Actor | undefined): void {
    const inForce = this.#settingsInForce(pool, ledger, actor);
    const most = Math.max(...inForce.map((settings) => this.#mostOf(shareOf(settings, pool))));
    const own = Object.keys(ledger.passes).length;
    const where = pool.of > 1 ? ` in pool ${pool.number}` : '';
    if (own > most) this.#fail('I4 capacity', `${own} passes${where}, and ${most} are allowed`);
    if (pool.of === 1) return;
    this.#wholes.set(pool.number, Math.max(...inForce.map((settings) => this.#mostOf(settings))));
    const counts = Array.from({ length: pool.of }, (_, number) => ({
      running: Object.keys(ledgerIn(this.#world, number)?.passes ?? {}).length,
      whole: this.#wholes.get(number) ?? 0,
    })).filter(({ running }) => running > 0);
    const all = counts.reduce((sum, { running }) => sum + running, 0);
    const whole = Math.max(...counts.map((it) => it.whole));
    if (all > whole) this.#fail('I4 capacity', `${all} passes in all pools, and ${whole} are allowed`);
  }

  /** Of a model, at most what its provider is asked at once. */
  #mostOf({ maxConcurrentPasses, maxModelConcurrency }: ReturnType<typeof shareOf>): number {
    return this.#world.plan.model ? Math.min(maxConcurrentPasses, maxModelConcurrency) : maxConcurrentPasses;
  }

  /**
   * The first ledger carries what was changed at run time, and its version guards it. Who commits on another one read the
   * first after that: it may have read it before a change that is not answered yet.
   */
  #settingsInForce({ number }: Pool, ledger: LedgerItem, actor: Actor | undefined): Settings[] {
    const resolve = (live: SettingOverrides | undefined) => resolveSettings(actor?.settings ?? {}, {}, live);
    if (number === 0) return [resolve(ledger.settings)];
    const sinceMs = Math.max(actor?.startedAtMs ?? 0, this.#answers.settingsAnsweredAtMs());
    return this.#live
      .filter((_, k) => (this.#live[k + 1]?.atMs ?? Number.POSITIVE_INFINITY) >= sinceMs)
      .map(({ settings }) => resolve(settings));
  }

  onScope({ after }: Change): void {
    const row = after as ScopeItem | undefined;
    const { pools } = this.#world.plan.deployment;
    if (!row || pools === 1) return;
    const own = poolNumberOf(row.scope, pools);
    if (!row.workPartition.endsWith(`#${own}`))
      this.#fail('a scope has one pool', `${row.scope} stands in ${row.workPartition}, and its pool is ${own}`);
  }
}
