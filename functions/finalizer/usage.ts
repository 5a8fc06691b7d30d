/** Settles what a terminal pass had reserved: what it did not use is free again, what it used is counted, once. */
import { getPass, type PassItem, passItemSchema } from '../../schema/pass.ts';
import { dayOf, getUsage, settleUsage, usageItemSchema } from '../../schema/usage.ts';
import type { FinalizerDeps } from './deps.ts';

const NOTHING = { tokensIn: 0, tokensOut: 0, costMicroUsd: 0 } as const;

/**
 * Failed and killed passes are charged too: by their last beat. A reservation found of a pass that is finalized was made
 * again by a scheduler that had stood still: the pass is counted already, so all of it is given back. That is asked of the
 * row as it stands now, since this run may have stood still as well.
 */
export async function settleBudget({ store, ids }: FinalizerDeps, pass: PassItem): Promise<void> {
  const { scope, generation, passId, admittedAtMs, counters, startedAtMs } = pass;
  const address = { scope, generation, day: dayOf(admittedAtMs) };
  const usage = usageItemSchema.safeParse(await store.get(getUsage(address))).data;
  const reserved = usage?.reserved[passId];
  if (!reserved) return;
  const isCounted = passItemSchema.safeParse(await store.get(getPass(pass))).data?.finalizedAtMs !== undefined;
  const ran = startedAtMs !== undefined && !isCounted;
  const used = isCounted ? NOTHING : counters;
  await store.write(settleUsage(address, { passId, reserved, used, ran, op: ids.fresh() }));
}
