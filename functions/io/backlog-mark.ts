/**
 * Marks a scope as having work, before evidence or an attention is written and again after. The first mark is for a call
 * that dies in between; the second for one so slow that two empty probes made the scope idle meanwhile.
 */
import { LIMITS } from '../../schema/limits.ts';
import { poolOf } from '../../schema/pool.ts';
import { isDue, isParked, markScopeDue, noteBacklog, type ScopeItem, scopeItemSchema } from '../../schema/scope.ts';
import { loadFirstLedger } from './ledger-row.ts';
import type { Clock, Ids, Store } from './ports.ts';

interface Marking {
  readonly store: Pick<Store, 'get' | 'write'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly ids: Ids;
  /** How many pools there are; absent: one. */
  readonly pools?: number | undefined;
}

/** Parked, or due by now: whatever was written before this row was read will be found. */
function isMarked(row: ScopeItem, nowMs: number): boolean {
  return isParked(row) || (isDue(row) && row.workDueAtMs <= nowMs);
}

/**
 * Marks the scope and answers its row. `known` is the row as last read: one that is due already only has its backlog
 * version counted, which spares a write that is bound to lose. If a probe deferred the scope or made it idle meanwhile, it
 * is marked after all: each round outdates what the probe judged. Who may make the row asks first how many pools there
 * are: one that is made in the wrong pool is found by nobody once the number is set back. What brings no evidence begins no
 * wait for a batch. Throws PoolsChangedError.
 */
export async function markBacklog(
  { store, clock, ids, pools }: Marking,
  scope: string,
  known: ScopeItem | undefined,
  { bringsNoEvidence = false }: { readonly bringsNoEvidence?: boolean } = {},
): Promise<ScopeItem> {
  if (!known) await loadFirstLedger({ store, pools });
  let row = known;
  for (let round = 0; round < LIMITS.commitRoundsMax; round++) {
    const nowMs = clock.nowMs();
    if (!row || !isMarked(row, nowMs)) {
      const mark = { scope, nowMs, op: ids.fresh(), pool: poolOf(scope, pools), bringsNoEvidence };
      const marked = await store.write(markScopeDue(mark));
      if (marked.kind === 'won') return scopeItemSchema.parse(marked.item);
    }
    const noted = await store.write(noteBacklog({ scope, nowMs, op: ids.fresh(), bringsNoEvidence }));
    row = noted.kind === 'won' ? scopeItemSchema.parse(noted.item) : undefined;
    if (row && isMarked(row, nowMs)) return row;
  }
  const { number, of } = poolOf(scope, pools);
  if (row && !row.workPartition.endsWith(`#${number}`)) {
    // The deployment was made with another number: it says which, and a pass that fails by it bears its name.
    await loadFirstLedger({ store, pools });
    throw new Error(
      `scope ${scope} stands in ${row.workPartition}, where nobody looks in a deployment of ${of} pools: set the parameter Pools back to what it was made with`,
    );
  }
  throw new Error(`scope ${scope} could not be marked as due in ${LIMITS.commitRoundsMax} rounds: send the call again`);
}
