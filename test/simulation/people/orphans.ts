/**
 * Reservations that nobody will settle, as a pass leaves them that is on no ledger any more: they stand on the day's row
 * from the beginning in one seed of thirty-three. Whoever weighs the scope's budget gives them back.
 */
import type { LedgerItem } from '../../../schema/ledger.ts';
import { put } from '../../../schema/request.ts';
import { FIRST_GENERATION } from '../../../schema/scope.ts';
import { dayOf, usageKey, type UsageItem } from '../../../schema/usage.ts';
import { START_MS } from '../engine/kernel.ts';
import { Random } from '../engine/random.ts';
import type { Change } from '../engine/tables.ts';
import type { World } from '../engine/world.ts';

const SHARE = 0.03;
const HOUR_MS = 60 * 60 * 1000;
const NAMES = ['nobody-0', 'nobody-1'];
const ASIDE = { tokensIn: 24_000, tokensOut: 6000, costMicroUsd: 0 };

export const drawOrphans = (seed: number): boolean => new Random(seed, 'orphans').chance(SHARE);

export class Orphans {
  readonly #world: World;
  /** Scopes that had a pass admitted: their budget was weighed. */
  readonly #weighed = new Set<string>();

  constructor(world: World) {
    this.#world = world;
  }

  start(): void {
    const { plan, tables, kernel } = this.#world;
    for (const scope of plan.scopes) {
      const entries = NAMES.map((name) => [name, { ...ASIDE, expiresAtMs: START_MS - HOUR_MS, op: name }]);
      const counted = { passes: NAMES.length, tokensIn: 2 * ASIDE.tokensIn, tokensOut: 2 * ASIDE.tokensOut };
      const row = { v: 1, day: dayOf(START_MS), reserved: Object.fromEntries(entries), ...counted, costMicroUsd: 0 };
      tables.apply(put({ op: 'orphans', item: { ...this.#keyOf(scope), ...row }, when: [] }), kernel.nowMs);
    }
  }

  #keyOf(scope: string) {
    return usageKey({ scope, generation: FIRST_GENERATION, day: dayOf(START_MS) });
  }

  onChange({ sk, before, after }: Change): void {
    if (sk !== 'LEDGER') return;
    const was = (before as LedgerItem | undefined)?.passes ?? {};
    for (const [passId, { scope }] of Object.entries((after as LedgerItem | undefined)?.passes ?? {}))
      if (!was[passId]) this.#weighed.add(scope);
  }

  checkEnd(): void {
    const { kernel, plan, tables } = this.#world;
    for (const scope of plan.scopes) {
      const { pk, sk } = this.#keyOf(scope);
      const row = tables.peek(pk, sk) as UsageItem | undefined;
      if (!row || !this.#weighed.has(scope)) continue;
      const left = NAMES.filter((name) => row.reserved[name] && !row.reserved[name].closed);
      if (left.length > 0) kernel.fail('what nobody settles is given back', `${pk} keeps ${left.join(', ')}`);
    }
  }
}
