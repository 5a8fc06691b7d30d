/** A snapshot of what the next tick plans from, for `npm run plan`: names of scopes, numbers and times; no text. */
import { findExecutor } from '../../schema/executor.ts';
import { LIMITS } from '../../schema/limits.ts';
import { getScope, queryDueScopes, queryParkedScopes, type ScopeItem, scopeItemSchema } from '../../schema/scope.ts';
import { resolveSettings } from '../../schema/settings.ts';
import { dayOf } from '../../schema/usage.ts';
import type { ScopeSnapshot, TickSnapshot } from '../core/plan-preview.ts';
import { judgeProvider } from '../core/provider.ts';
import { loadCandidate } from '../io/candidate.ts';
import { loadLedger } from '../io/ledger-row.ts';
import { loadUsage } from '../io/usage-row.ts';
import type { ReaderDeps } from './deps.ts';

/** The most it looks at: 25 due and 25 parked scopes, two to seven reads each. */
export async function readSnapshot(deps: ReaderDeps): Promise<TickSnapshot> {
  const { store, clock, deploymentSettings, executor } = deps;
  const takenAtMs = clock.nowMs();
  const ledger = await loadLedger(deps);
  const [due, parked] = await Promise.all([store.query(queryDueScopes(takenAtMs)), store.query(queryParkedScopes())]);
  const rows = await Promise.all([...due.items, ...parked.items].map(({ pk }) => loadNamed(deps, pk)));
  const scopes = await Promise.all(rows.filter((row) => row !== undefined).map((row) => snapshotOf(deps, ledger, row)));
  const isCut = (count: number) => count >= LIMITS.dueScopesPerTickMax;
  return {
    v: 1,
    takenAtMs,
    maxConcurrentPasses: resolveSettings(deploymentSettings, {}, ledger.settings).maxConcurrentPasses,
    pausedAll: ledger.paused === true,
    executor,
    provider: judgeProvider(ledger.provider, findExecutor(executor, deps.executors), takenAtMs),
    running: Object.entries(ledger.passes).map(([passId, entry]) => ({ passId, entry })),
    scopes,
    moreScopes: isCut(due.items.length) || isCut(parked.items.length),
  };
}

async function loadNamed({ store }: ReaderDeps, pk: unknown): Promise<ScopeItem | undefined> {
  const scope = String(pk).slice('SCOPE#'.length);
  return scopeItemSchema.safeParse(await store.get(getScope(scope))).data;
}

/** One scope as the next tick sees it. */
export async function snapshotOf(
  deps: ReaderDeps,
  ledger: Parameters<typeof loadCandidate>[1]['ledger'],
  row: ScopeItem,
): Promise<ScopeSnapshot> {
  const request = { triggerId: '', origin: 'schedule', kind: 'incremental' } as const;
  const day = dayOf(deps.clock.nowMs());
  const usage = await loadUsage(deps, { scope: row.scope, generation: row.generation, day });
  const { request: _, ...candidate } = await loadCandidate(deps, { scope: row, ledger, request, usage });
  return { ...candidate, ...(row.waitingSinceMs !== undefined && { waitingSinceMs: row.waitingSinceMs }) };
}
