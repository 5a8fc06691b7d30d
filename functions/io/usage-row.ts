/** Loads what a scope's passes used on one day. */
import { getUsage, type UsageAddress, type UsageItem, usageItemSchema } from '../../schema/usage.ts';
import type { Store } from './ports.ts';

/** Undefined: nothing was admitted on that day. */
export async function loadUsage(
  { store }: { readonly store: Pick<Store, 'get'> },
  address: UsageAddress,
): Promise<UsageItem | undefined> {
  return usageItemSchema.safeParse(await store.get(getUsage(address))).data;
}
