/** Gives back what is reserved for passes that nobody will ever settle. In a healthy system: none. */
import type { LedgerItem } from '../../schema/ledger.ts';
import { LIMITS } from '../../schema/limits.ts';
import { settleUsage, type UsageAddress, type UsageItem } from '../../schema/usage.ts';
import { findOrphans } from '../core/budget.ts';
import { loadUsage } from '../io/usage-row.ts';
import type { SchedulerDeps } from './deps.ts';

const NOTHING = { tokensIn: 0, tokensOut: 0, costMicroUsd: 0 } as const;

/** A scope's usage of a day, without orphaned reservations. */
export async function loadSoundUsage(
  deps: SchedulerDeps,
  address: UsageAddress,
  ledger: LedgerItem,
): Promise<UsageItem | undefined> {
  const usage = await loadUsage(deps, address);
  if (!usage) return undefined;
  const nowMs = deps.clock.nowMs();
  const orphans = findOrphans(usage, ledger, nowMs);
  if (orphans.length === 0) return usage;
  for (const passId of orphans) {
    const reserved = usage.reserved[passId];
    if (!reserved) continue;
    const expiresAtMs = nowMs + LIMITS.usageClosedKeepMs;
    const nothing = { passId, reserved, used: NOTHING, ran: false, expiresAtMs, drop: [] };
    await deps.store.write(settleUsage(address, { ...nothing, op: deps.ids.fresh() }));
  }
  deps.log.count('sweepRepairs', orphans.length);
  return loadUsage(deps, address);
}
