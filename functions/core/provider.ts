/** What a provider's health allows: nothing while it is away, one canary while it is unproven or just back, else all. */
import type { ExecutorTraits } from '../../schema/executor.ts';
import type { LedgerItem } from '../../schema/ledger.ts';

export type ProviderVerdict =
  /** No provider is needed. */
  | { readonly kind: 'none' }
  | { readonly kind: 'proven' }
  /** One pass at once, until its first tool call. */
  | { readonly kind: 'canary' }
  | { readonly kind: 'away'; readonly untilMs: number };

export function judgeProvider(
  health: LedgerItem['provider'],
  executor: ExecutorTraits | undefined,
  nowMs: number,
): ProviderVerdict {
  if (!executor?.needsProvider) return { kind: 'none' };
  // What another executor found says nothing of this one's provider.
  if (health?.executor !== executor.name) return { kind: 'canary' };
  if (health.state === 'proven') return { kind: 'proven' };
  const untilMs = health.untilMs ?? health.atMs;
  return untilMs > nowMs ? { kind: 'away', untilMs } : { kind: 'canary' };
}
