/** Loads the ledger, which every question of who may run begins with. */
import { EMPTY_LEDGER, getLedger, type LedgerItem, ledgerItemSchema } from '../../schema/ledger.ts';
import type { Store } from './ports.ts';

/** An empty one when nothing was ever admitted or changed. */
export async function loadLedger({ store }: { readonly store: Pick<Store, 'get'> }): Promise<LedgerItem> {
  const item = await store.get(getLedger());
  return item ? ledgerItemSchema.parse(item) : EMPTY_LEDGER;
}
