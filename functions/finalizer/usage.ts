/** Settles what a terminal pass had reserved: what it did not use is free again, what it used is counted, once. */
import { LIMITS } from '../../schema/limits.ts';
import type { PassItem } from '../../schema/pass.ts';
import { dayOf, expiredEntries, getUsage, settleUsage, usageItemSchema } from '../../schema/usage.ts';
import type { FinalizerDeps } from './deps.ts';

/** Failed and killed passes are charged too: by their last beat. */
export async function settleBudget({ store, ids, clock }: FinalizerDeps, pass: PassItem): Promise<void> {
  const { scope, generation, passId, admittedAtMs, counters, startedAtMs } = pass;
  const address = { scope, generation, day: dayOf(admittedAtMs) };
  const usage = usageItemSchema.safeParse(await store.get(getUsage(address))).data;
  const reserved = usage?.reserved[passId];
  if (!usage || !reserved || reserved.closed) return;
  const nowMs = clock.nowMs();
  const settlement = {
    passId,
    reserved,
    used: counters,
    ran: startedAtMs !== undefined,
    expiresAtMs: nowMs + LIMITS.usageClosedKeepMs,
    drop: expiredEntries(usage, nowMs),
  };
  await store.write(settleUsage(address, { ...settlement, op: ids.fresh() }));
}
