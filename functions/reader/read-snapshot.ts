/** A snapshot of what the next tick plans from, for `npm run plan`: names of scopes, numbers and times; no text. */
import type { LedgerItem } from '../../schema/ledger.ts';
import { LIMITS } from '../../schema/limits.ts';
import { getScope, type ScopeItem, scopeItemSchema } from '../../schema/scope.ts';
import { resolveSettings } from '../../schema/settings.ts';
import { dayOf } from '../../schema/usage.ts';
import type { ScopeSnapshot, TickSnapshot } from '../core/tick-snapshot.ts';
import { loadCandidate } from '../io/candidate.ts';
import { loadUsage } from '../io/usage-row.ts';
import type { ReaderDeps } from './deps.ts';
import { providerOf, readPools } from './read-pools.ts';

/** The most it looks at: 25 due and 25 parked scopes of each pool, two to seven reads each. */
export async function readSnapshot(deps: ReaderDeps): Promise<TickSnapshot> {
  const { clock, deploymentSettings, executor } = deps;
  const takenAtMs = clock.nowMs();
  const pools = await readPools(deps);
  const [first] = pools;
  const limits = resolveSettings(deploymentSettings, {}, first?.ledger.settings);
  const scopes = await Promise.all(
    pools.flatMap(({ ledger, due, parked }) => [...due, ...parked].map(({ pk }) => snapshotNamed(deps, ledger, pk))),
  );
  const isCut = (items: readonly unknown[]) => items.length >= LIMITS.dueScopesPerTickMax;
  return {
    v: 1,
    takenAtMs,
    maxConcurrentPasses: limits.maxConcurrentPasses,
    maxModelConcurrency: limits.maxModelConcurrency,
    pausedAll: first?.ledger.paused === true,
    executor,
    provider: providerOf(deps, pools),
    running: pools.flatMap(({ ledger }) => Object.entries(ledger.passes).map(([passId, entry]) => ({ passId, entry }))),
    scopes: scopes.filter((scope) => scope !== undefined),
    moreScopes: pools.some(({ due, parked }) => isCut(due) || isCut(parked)),
  };
}

async function snapshotNamed(deps: ReaderDeps, ledger: LedgerItem, pk: unknown): Promise<ScopeSnapshot | undefined> {
  const row = await loadNamed(deps, pk);
  return row && snapshotOf(deps, ledger, row);
}

async function loadNamed({ store }: ReaderDeps, pk: unknown): Promise<ScopeItem | undefined> {
  const scope = String(pk).slice('SCOPE#'.length);
  return scopeItemSchema.safeParse(await store.get(getScope(scope))).data;
}

/** One scope as the next tick sees it. */
export async function snapshotOf(deps: ReaderDeps, ledger: LedgerItem, row: ScopeItem): Promise<ScopeSnapshot> {
  const request = { triggerId: '', origin: 'schedule', kind: 'incremental' } as const;
  const day = dayOf(deps.clock.nowMs());
  const usage = await loadUsage(deps, { scope: row.scope, generation: row.generation, day });
  const { request: _, ...candidate } = await loadCandidate(deps, { scope: row, ledger, request, usage });
  return { ...candidate, ...(row.waitingSinceMs !== undefined && { waitingSinceMs: row.waitingSinceMs }) };
}
