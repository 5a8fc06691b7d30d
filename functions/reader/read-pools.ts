/** Reads what status and snapshot tell of each pool: its ledger, and the scopes of it that are due or parked. */
import { findExecutor } from '../../schema/executor.ts';
import type { LedgerItem } from '../../schema/ledger.ts';
import { allPools } from '../../schema/pool.ts';
import type { Item } from '../../schema/request.ts';
import { queryDueScopes, queryParkedScopes } from '../../schema/scope.ts';
import { judgeProvider, type ProviderVerdict } from '../core/provider.ts';
import { loadPoolLedger } from '../io/ledger-row.ts';
import type { ReaderDeps } from './deps.ts';

export interface PoolView {
  readonly ledger: LedgerItem;
  /** The first 25 of each, by the index. */
  readonly due: readonly Item[];
  readonly parked: readonly Item[];
}

/** Every pool: two reads and its ledger. */
export async function readPools(deps: ReaderDeps): Promise<readonly PoolView[]> {
  const nowMs = deps.clock.nowMs();
  return Promise.all(
    allPools(deps.pools).map(async (pool) => {
      const [ledger, due, parked] = await Promise.all([
        loadPoolLedger(deps, pool),
        deps.store.query(queryDueScopes(nowMs, pool)),
        deps.store.query(queryParkedScopes(pool)),
      ]);
      return { ledger, due: due.items, parked: parked.items };
    }),
  );
}

const WORST_FIRST: readonly ProviderVerdict['kind'][] = ['away', 'canary', 'proven', 'none'];

/** What the pools know of the provider, the worst first: each finds out for itself. */
export function providerOf({ clock, executor, executors }: ReaderDeps, pools: readonly PoolView[]): ProviderVerdict {
  const traits = findExecutor(executor, executors);
  const found = pools.map(({ ledger }) => judgeProvider(ledger.provider, traits, clock.nowMs()));
  return found.sort((a, b) => WORST_FIRST.indexOf(a.kind) - WORST_FIRST.indexOf(b.kind))[0] ?? { kind: 'none' };
}
