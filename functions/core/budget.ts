/** What a scope's budgets of the day leave: a pure reading of its usage; the conditional reservation decides. */
import type { LedgerItem } from '../../schema/ledger.ts';
import { type Bound, boundsOf, dayEndMs, type UsageItem } from '../../schema/usage.ts';
import type { ExecutorTraits } from '../../schema/executor.ts';
import type { Settings } from '../../schema/settings.ts';

export interface BudgetLeft {
  /** Passes that may still start today. */
  readonly passes: number;
  /** What leaves the least, in words. */
  readonly tightest: string;
  /** When the day ends, and all is there again. */
  readonly resetAtMs: number;
}

const WORDS: Readonly<Record<Bound['counter'], string>> = {
  passes: 'passes',
  tokensIn: 'tokens read',
  tokensOut: 'tokens written',
  costMicroUsd: 'millionths of a dollar',
};

export function weighBudget(
  usage: UsageItem | undefined,
  settings: Settings,
  executor: ExecutorTraits,
  nowMs: number,
): BudgetLeft {
  const left = boundsOf(settings, executor).map((bound) => {
    const used = usage?.[bound.counter] ?? 0;
    const words = `${used} of ${bound.most} ${WORDS[bound.counter]} used or reserved today`;
    return { passes: Math.max(0, Math.floor((bound.most - used) / bound.takes)), words };
  });
  const tightest = left.reduce((least, it) => (it.passes < least.passes ? it : least));
  return { passes: tightest.passes, tightest: tightest.words, resetAtMs: dayEndMs(nowMs) };
}

/**
 * Reservations whose pass will never settle them: in no ledger, and older than any pass can get. An entry of the ledger
 * comes before its reservation and goes after it, so that a pass which lives is always listed.
 */
export function findOrphans(usage: UsageItem, ledger: LedgerItem, nowMs: number): string[] {
  return Object.entries(usage.reserved)
    .filter(([passId, { closed, expiresAtMs }]) => !closed && !ledger.passes[passId] && expiresAtMs < nowMs)
    .map(([passId]) => passId);
}
