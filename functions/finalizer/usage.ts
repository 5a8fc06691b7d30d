/** Settles what a terminal pass had reserved: what it did not use is free again, what it used is counted, once. */
import type { PassItem } from '../../schema/pass.ts';
import { dayOf, getUsage, settleUsage, usageItemSchema } from '../../schema/usage.ts';
import type { FinalizerDeps } from './deps.ts';

/** Failed and killed passes are charged too: by their last beat. */
export async function settleBudget({ store, ids }: FinalizerDeps, pass: PassItem): Promise<void> {
  const { scope, generation, passId, admittedAtMs, counters, startedAtMs } = pass;
  const address = { scope, generation, day: dayOf(admittedAtMs) };
  const usage = usageItemSchema.safeParse(await store.get(getUsage(address))).data;
  const reserved = usage?.reserved[passId];
  if (!reserved) return;
  const ran = startedAtMs !== undefined;
  await store.write(settleUsage(address, { passId, reserved, used: counters, ran, op: ids.fresh() }));
}
