/** What must hold of who is admitted, and of who was told to stop; looked at after every write. */
import { backOffUntilMs } from '../../../functions/core/back-off.ts';
import type { Store } from '../../../functions/io/ports.ts';
import type { LedgerEntry, LedgerItem } from '../../../schema/ledger.ts';
import type { ScopeItem } from '../../../schema/scope.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { resolveSettings } from '../../../schema/settings.ts';
import type { UsageItem } from '../../../schema/usage.ts';
import type { Actor } from '../engine/actor.ts';
import { ScopeInvariants } from './scope-invariants.ts';
import type { Change } from '../engine/tables.ts';
import type { World } from '../engine/world.ts';
import { nameOfWrite } from '../engine/write-name.ts';

const CENT_MICRO_USD = 10_000;

type Fail = (invariant: string, found: string) => void;

interface Rest {
  /** When the failure that began it was counted. */
  readonly sinceMs: number;
  /** Undefined: until a success or a person ends it. */
  readonly untilMs: number | undefined;
}

export class AdmissionInvariants {
  readonly #world: World;
  readonly #fail: Fail;
  readonly #scopes: ScopeInvariants;
  /** Scope → until when the schedule leaves it alone. */
  readonly #rests = new Map<string, Rest>();

  constructor(world: World, fail: Fail) {
    this.#world = world;
    this.#fail = fail;
    this.#scopes = new ScopeInvariants(world, fail);
  }

  onLedger({ before, after }: Change, actor: Actor | undefined): void {
    const [old, next] = [before as LedgerItem | undefined, after as LedgerItem | undefined];
    if (!next) return;
    if (old && next.settings !== old.settings && next.settingsVersion !== (old.settingsVersion ?? 0) + 1)
      this.#fail('I5 monotone', `settingsVersion of all ${old.settingsVersion} → ${next.settingsVersion}`);
    const added = Object.entries(next.passes).filter(([passId]) => !old?.passes[passId]);
    if (added.length === 0) return;
    if (this.#world.plan.model) this.#checkProvider(next, actor);
    for (const [passId, entry] of added) this.#checkRest(passId, entry, actor);
  }

  /** Of each pool by itself: one canary a pool asks a provider that nothing proves. */
  #checkProvider({ provider, passes }: LedgerItem, actor: Actor | undefined): void {
    if (provider?.state === 'proven') return;
    const owing = Object.keys(passes).length;
    if (owing > 1) this.#fail('a canary goes alone', `${owing} passes run while nothing proves the provider`);
    const untilMs = provider?.untilMs ?? 0;
    if (untilMs > this.#clockOf(actor))
      this.#fail('a canary goes alone', `a pass was admitted while the provider is away until ${untilMs}`);
  }

  /** What who admits takes for now: it compared with no later time. */
  #clockOf(actor: Actor | undefined): number {
    return this.#world.kernel.nowMs + (actor?.skewMs ?? 0);
  }

  /** An execution that had begun before the failure was counted may have read the scope before. */
  #checkRest(passId: string, { scope, origin }: LedgerEntry, actor: Actor | undefined): void {
    const rest = this.#rests.get(scope);
    if (!rest || origin === 'trigger' || origin === 'drain' || (actor?.startedAtMs ?? 0) <= rest.sinceMs) return;
    if (rest.untilMs === undefined || rest.untilMs > this.#clockOf(actor))
      this.#fail('who failed rests', `${passId} was admitted in ${scope} by ${origin}, which rests`);
  }

  onScope(change: Change): void {
    this.#scopes.onScope(change);
    const { after } = change;
    const row = after as ScopeItem | undefined;
    if (!row) return;
    const untilMs =
      row.haltedAtMs === undefined ? backOffUntilMs(row.failures ?? 0, row.failureTimesMs ?? []) : undefined;
    if (row.haltedAtMs === undefined && untilMs === undefined) this.#rests.delete(row.scope);
    else this.#rests.set(row.scope, { sinceMs: this.#world.kernel.nowMs, untilMs });
  }

  /** Several passes at once could spend a day's tokens, each by itself within its budget. */
  #checkAside(row: string, { reserved, tokensIn, tokensOut }: UsageItem): void {
    const open = Object.values(reserved).filter(({ closed }) => closed === undefined).length;
    if (tokensIn < open * LIMITS.reservedTokensIn || tokensOut < open * LIMITS.reservedTokensOut)
      this.#fail(
        'what is set aside is counted',
        `${row} counts ${tokensIn} and ${tokensOut} tokens for ${open} passes`,
      );
  }

  onUsage({ pk, sk, before, after }: Change, actor: Actor | undefined): void {
    const [old, next] = [before as UsageItem | undefined, after as UsageItem | undefined];
    if (!next || next.passes <= (old?.passes ?? 0)) return;
    if (this.#world.plan.model) this.#checkAside(`${pk} ${sk}`, next);
    const { budgetPasses, budgetTokensIn, budgetTokensOut, budgetCents } = resolveSettings(actor?.settings ?? {}, {});
    const kept = (most: number, counted: number, of: string): void => {
      if (counted > most) this.#fail('a budget is kept', `${pk} ${sk} counts ${counted} ${of} of ${most}`);
    };
    kept(budgetPasses, next.passes, 'passes');
    if (!this.#world.plan.model) return;
    kept(budgetTokensIn, next.tokensIn, 'tokens read');
    kept(budgetTokensOut, next.tokensOut, 'tokens written');
    // What a pass will cost nobody knows before: it begins while anything of a budget in money is left.
    if (budgetCents > 0) kept(budgetCents * CENT_MICRO_USD - 1, next.costMicroUsd, 'millionths of a dollar');
  }
}

const TELLS = /^(citation|entity|head|review-page):/;

/** A worker's store: once it has the answer that its pass is over, it sends no claim and no acknowledgement any more. */
export function watchStopped(store: Store, { role, label }: Actor, fail: Fail): Store {
  if (role !== 'worker') return store;
  let isTold = false;
  return {
    get: (read) => store.get(read),
    query: (read) => store.query(read),
    batchGet: (read) => store.batchGet(read),
    async write(write) {
      const name = nameOfWrite(write);
      if (isTold && TELLS.test(name)) fail('told to stop, it stops', `${label} sends ${name} after its pass was over`);
      const outcome = await store.write(write);
      if (name === 'pass:beat' && outcome.kind === 'held') isTold = true;
      return outcome;
    },
  };
}
