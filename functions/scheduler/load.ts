/** The scheduler's reads: bounded, and each a value that the decisions take. */
import type { LedgerItem } from '../../schema/ledger.ts';
import { LIMITS } from '../../schema/limits.ts';
import { getPass, type PassAddress, type PassItem, passItemSchema } from '../../schema/pass.ts';
import type { Pool } from '../../schema/pool.ts';
import { getScope, queryDueScopes, type ScopeItem, scopeItemSchema } from '../../schema/scope.ts';
import { dayOf } from '../../schema/usage.ts';
import type { Candidate } from '../core/admission-snapshot.ts';
import { loadCandidate } from '../io/candidate.ts';
import { loadUsage } from '../io/usage-row.ts';
import type { SchedulerDeps } from './deps.ts';
import { loadSoundUsage } from './orphans.ts';

export async function loadPass(
  { store }: Pick<SchedulerDeps, 'store'>,
  address: PassAddress,
): Promise<PassItem | undefined> {
  const item = await store.get(getPass(address));
  return item && passItemSchema.parse(item);
}

export async function loadScope(
  { store }: Pick<SchedulerDeps, 'store'>,
  scope: string,
): Promise<ScopeItem | undefined> {
  const item = await store.get(getScope(scope));
  return item && scopeItemSchema.parse(item);
}

/**
 * Whether a pass was planned before. Ids are deterministic, so it is if its entry or its row stands, or if the budget of
 * its day refused it for good: then it never had a row, and its trigger may be delivered again all the same.
 * All three are read after the ledger. An entry that was not there is still to come, and then the commit on this ledger's
 * version loses; or it is gone already, and then the row stands or the refusal does, which comes before the entry goes.
 */
export async function findPlanned(
  deps: Pick<SchedulerDeps, 'store' | 'clock'>,
  { passId, ...address }: PassAddress,
  ledger: LedgerItem,
): Promise<'admitted' | 'refused' | undefined> {
  if (ledger.passes[passId] || (await loadPass(deps, { ...address, passId }))) return 'admitted';
  const nowMs = deps.clock.nowMs();
  // The refusal stands on the day of the admission, which may be yesterday.
  const days = new Set([dayOf(nowMs - LIMITS.usageRefusedKeepMs), dayOf(nowMs)]);
  for (const day of days) {
    const usage = await loadUsage(deps, { ...address, day });
    if (usage?.reserved[passId]?.closed === 'refused') return 'refused';
  }
  return undefined;
}

/** Names of the scopes of a pool due now, oldest first. A nomination: each scope's own row decides. */
export async function loadDueScopes(
  { store, clock }: Pick<SchedulerDeps, 'store' | 'clock'>,
  pool: Pool,
): Promise<string[]> {
  const { items } = await store.query(queryDueScopes(clock.nowMs(), pool));
  return items.flatMap((item) => {
    const scope = typeof item.pk === 'string' ? item.pk.slice('SCOPE#'.length) : '';
    return scope === '' ? [] : [scope];
  });
}

interface Asked {
  readonly scope: ScopeItem;
  readonly ledger: LedgerItem;
  readonly request: Candidate['request'];
}

/** Everything admission asks about one scope: its usage of the day, without orphans, and one probe of its queue. */
export async function loadJudged(deps: SchedulerDeps, { scope, ledger, request }: Asked): Promise<Candidate> {
  const day = dayOf(deps.clock.nowMs());
  const usage = await loadSoundUsage(deps, { scope: scope.scope, generation: scope.generation, day }, ledger);
  return loadCandidate(deps, { scope, ledger, request, usage });
}
