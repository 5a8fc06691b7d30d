/** Loads ledgers, which every question of who may run begins with. */
import { EMPTY_LEDGER, getLedger, type LedgerItem, ledgerItemSchema } from '../../schema/ledger.ts';
import { FIRST_POOL, type Pool, poolOf, PoolsChangedError } from '../../schema/pool.ts';
import type { Store } from './ports.ts';

interface Loading {
  readonly store: Pick<Store, 'get'>;
  /** How many pools there are; absent: one. */
  readonly pools?: number | undefined;
}

/** An empty one when nothing was ever admitted or changed. Throws when there were as many pools no longer, or not yet. */
export async function loadStoredLedger({ store, pools = 1 }: Loading, pool: Pool): Promise<LedgerItem> {
  const item = await store.get(getLedger(pool));
  if (!item) return EMPTY_LEDGER;
  const ledger = ledgerItemSchema.parse(item);
  if ((ledger.pools ?? 1) !== pools) throw new PoolsChangedError(ledger.pools ?? 1, pools);
  return ledger;
}

/** What holds of all scopes: whether they are paused, and what was changed of their settings. */
export function loadFirstLedger(deps: Loading): Promise<LedgerItem> {
  return loadStoredLedger(deps, FIRST_POOL);
}

/**
 * The ledger of a pool, with what holds of all. The common one is read after it: who changes that outdates the plans of
 * every pool last, so that a plan made from what stood before loses its commit.
 */
export async function loadPoolLedger(deps: Loading, pool: Pool): Promise<LedgerItem> {
  const own = await loadStoredLedger(deps, pool);
  if (pool.number === FIRST_POOL.number) return own;
  const { paused, settings, settingsVersion, pools } = await loadFirstLedger(deps);
  return { ...own, paused, settings, settingsVersion, pools };
}

/** The ledger that lists the passes of a scope, with what holds of all. */
export function loadLedger(deps: Loading, scope: string): Promise<LedgerItem> {
  return loadPoolLedger(deps, poolOf(scope, deps.pools));
}
