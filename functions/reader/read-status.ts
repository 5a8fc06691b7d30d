/** Reads status: of one scope, and of the whole deployment. */
import { queryAttention } from '../../schema/attention.ts';
import { findExecutor } from '../../schema/executor.ts';
import { LANES } from '../../schema/kind.ts';
import { LIMITS } from '../../schema/limits.ts';
import { poolOf, shareOf } from '../../schema/pool.ts';
import { queryLeased, queryQuarantined, timeOfQueueKey } from '../../schema/queue.ts';
import { isDue, isParked, type LastFailure, type ScopeItem } from '../../schema/scope.ts';
import { type EffectiveSetting, effectiveSettings, resolveSettings, type SettingName } from '../../schema/settings.ts';
import { backOffUntilMs } from '../core/back-off.ts';
import type { Backlog } from '../core/backlog.ts';
import { nextLookMs } from '../core/next-look.ts';
import { type PreviewLine, previewTick } from '../core/plan-preview.ts';
import type { ScopeSnapshot } from '../core/tick-snapshot.ts';
import { judgeProvider, type ProviderVerdict } from '../core/provider.ts';
import { loadLedger } from '../io/ledger-row.ts';
import { probeBacklog, readQueueRows } from '../io/probe.ts';
import { loadScope } from '../io/scope-row.ts';
import type { ReaderDeps } from './deps.ts';
import { isoOf } from './iso-time.ts';
import { providerOf, readPools } from './read-pools.ts';
import { readRunning, type RunningPassBody } from './read-running.ts';
import { snapshotOf } from './read-snapshot.ts';
import { findOver } from './over-attention.ts';

/** due: looked at from `dueAt` on. parked: paused or halted. idle: nothing waits. none: the scope is not known. */
export type WorkState = 'due' | 'parked' | 'idle' | 'none';

export interface ScopeStatus {
  readonly scope: string;
  readonly known: boolean;
  /** What waits; a capped count means "at least". `held`: passes hold evidence; `nextAtMs`: when waiting evidence is due. */
  readonly backlog: Omit<Backlog, 'continuations'>;
  /** Since when the oldest of it waits, where nothing was served since. */
  readonly waitingSince?: string;
  readonly running: readonly RunningPassBody[];
  /** What a tick would do with the scope now, by the scheduler's own decision, and why. */
  readonly now?: Pick<PreviewLine, 'verdict' | 'because'>;
  /** From then on the next tick looks, and may admit. Absent: nobody does, until a resume or a new source. */
  readonly nextLookAtMs?: number;
  /** What the budgets of this UTC day leave: passes that may still start, what leaves the least, and when all is there again. */
  readonly budget?: { readonly passesLeft: number; readonly tightest: string; readonly resetAt: string };
  /** Attentions that are open; `more`: at least so many. */
  readonly attention: { readonly open: number; readonly more: boolean };
  /** Sources that passes got nowhere with, until they are requeued; `more`: at least so many. */
  readonly quarantined: { readonly sources: number; readonly more: boolean };
  /** Failed passes in a row. */
  readonly failures: number;
  readonly lastFailure?: Omit<LastFailure, 'atMs'> & { readonly at: string };
  /** The schedule leaves the scope alone until then. */
  readonly backOffUntil?: string;
  readonly haltedAt?: string;
  readonly paused?: true;
  /** All scopes are. */
  readonly pausedAll?: true;
  readonly lastPassAt?: string;
  readonly workState: WorkState;
  readonly dueAt?: string;
  readonly settings: Readonly<Record<SettingName, EffectiveSetting>>;
  readonly executor: string;
}

const NO_BACKLOG = { sources: 0, tokens: 0, capped: false, held: false } as const;

/** The status of one scope: 17 reads at most beside one a running pass, whatever waits. */
export async function readScopeStatus(deps: ReaderDeps, scope: string): Promise<ScopeStatus> {
  const { clock, deploymentSettings, executor } = deps;
  const [row, ledger] = await Promise.all([loadScope(deps, scope), loadLedger(deps, scope)]);
  const settings = effectiveSettings(deploymentSettings, row?.settings ?? {}, ledger.settings);
  const running = await readRunning(deps, ledger, scope);
  const pausedAll = ledger.paused === true;
  if (!row) {
    const nothing = {
      backlog: NO_BACKLOG,
      attention: { open: 0, more: false },
      quarantined: { sources: 0, more: false },
      failures: 0,
      workState: 'none',
    } as const;
    return { scope, known: false, ...nothing, running, settings, executor };
  }
  const nowMs = clock.nowMs();
  const seen = await snapshotOf(deps, ledger, row);
  const [line] = previewTick({
    v: 1,
    takenAtMs: nowMs,
    ...shareOf(resolveSettings(deploymentSettings, {}, ledger.settings), poolOf(scope, deps.pools)),
    pausedAll,
    executor,
    provider: judgeProvider(ledger.provider, findExecutor(executor, deps.executors), nowMs),
    running: Object.entries(ledger.passes).map(([passId, entry]) => ({ passId, entry })),
    scopes: [seen],
    moreScopes: false,
  });
  const nextLookAtMs = nextLookMs(row, { line, pausedAll, nowMs });
  return {
    scope,
    known: true,
    backlog: await loadBacklog(deps, row, nowMs),
    ...(row.waitingSinceMs !== undefined && { waitingSince: isoOf(row.waitingSinceMs) }),
    running,
    ...(line && { now: { verdict: line.verdict, because: line.because } }),
    ...(nextLookAtMs !== undefined && { nextLookAtMs }),
    ...describeBudget(seen),
    attention: await countAttention(deps, row),
    quarantined: await countQuarantined(deps, row),
    failures: row.failures,
    ...describeScope(row, nowMs),
    ...(pausedAll && { pausedAll }),
    settings,
    executor,
  };
}

/** The probe looks at leases only when nothing else is there to take; status tells of them always. */
async function loadBacklog(
  { store }: ReaderDeps,
  { scope, generation }: ScopeItem,
  nowMs: number,
): Promise<ScopeStatus['backlog']> {
  const queue = { scope, generation, lane: LANES[0] };
  const [{ sources, tokens, capped, nextAtMs, held }, [leased]] = await Promise.all([
    probeBacklog(store, queue, nowMs),
    readQueueRows(store, queryLeased(queue, 1)),
  ]);
  const isHeld = leased !== undefined && timeOfQueueKey(leased.queueKey) + LIMITS.leaseMarginMs >= nowMs;
  return { sources, tokens, capped, held: held || isHeld, ...(nextAtMs !== undefined && { nextAtMs }) };
}

/** One read of 101 rows at most: exact up to 100. */
async function countQuarantined({ store }: ReaderDeps, row: ScopeItem): Promise<ScopeStatus['quarantined']> {
  const queue = { scope: row.scope, generation: row.generation, lane: LANES[0] };
  const rows = await readQueueRows(store, queryQuarantined(queue, LIMITS.quarantinedCountMax + 1));
  const sources = Math.min(rows.length, LIMITS.quarantinedCountMax);
  return { sources, more: rows.length > sources };
}

/** One read of 500 rows at most, closed ones among them, and one of each source that an open one is of. */
async function countAttention(deps: ReaderDeps, row: ScopeItem): Promise<ScopeStatus['attention']> {
  const { items, lastKey } = await deps.store.query(queryAttention(row, LIMITS.memoryRowsPerPageMax));
  const over = await findOver(deps, row, items);
  const open = items.filter((item) => item.resolvedAtMs === undefined && !over.has(item));
  return { open: open.length, more: lastKey !== undefined };
}

function describeBudget({ budget }: ScopeSnapshot): Pick<ScopeStatus, 'budget'> {
  if (!budget) return {};
  const { passes, tightest, resetAtMs } = budget;
  return { budget: { passesLeft: passes, tightest, resetAt: isoOf(resetAtMs) } };
}

function describeScope(
  row: ScopeItem,
  nowMs: number,
): Pick<ScopeStatus, 'lastFailure' | 'backOffUntil' | 'haltedAt' | 'paused' | 'lastPassAt' | 'workState' | 'dueAt'> {
  const backOffMs = backOffUntilMs(row.failures, row.failureTimesMs);
  const { atMs, ...failure } = row.lastFailure ?? {};
  return {
    ...(row.lastFailure && { lastFailure: { ...(failure as Omit<LastFailure, 'atMs'>), at: isoOf(atMs ?? 0) } }),
    ...(backOffMs !== undefined && backOffMs > nowMs && { backOffUntil: isoOf(backOffMs) }),
    ...(row.haltedAtMs !== undefined && { haltedAt: isoOf(row.haltedAtMs) }),
    ...(row.paused && { paused: true as const }),
    ...(row.lastPassAtMs !== undefined && { lastPassAt: isoOf(row.lastPassAtMs) }),
    workState: isDue(row) ? 'due' : isParked(row) ? 'parked' : 'idle',
    ...(isDue(row) && { dueAt: isoOf(row.workDueAtMs) }),
  };
}

export interface DeploymentStatus {
  readonly paused: boolean;
  readonly executor: string;
  /** none: it needs none. canary: one pass proves it first. */
  readonly provider: ProviderVerdict;
  readonly passes: {
    readonly running: number;
    /** Passes of all scopes at once, at most. */
    readonly capacity: number;
    readonly byScope: readonly { readonly scope: string; readonly passes: number }[];
  };
  /** Scopes that wait for the next tick, and those that wait for a resume; `more`: at least so many. */
  readonly scopes: {
    readonly due: number;
    readonly parked: number;
    readonly more: boolean;
  };
  readonly settings: Readonly<Record<SettingName, EffectiveSetting>>;
}

/** The status of the deployment, over all pools: three reads of each, of 25 rows at most. */
export async function readDeploymentStatus(deps: ReaderDeps): Promise<DeploymentStatus> {
  const { deploymentSettings, executor } = deps;
  const pools = await readPools(deps);
  const [first] = pools;
  const settings = effectiveSettings(deploymentSettings, {}, first?.ledger.settings);
  const entries = pools.flatMap(({ ledger }) => Object.values(ledger.passes));
  const countOf = (of: 'due' | 'parked'): number => pools.reduce((sum, pool) => sum + pool[of].length, 0);
  const byScope = [...Map.groupBy(entries, (entry) => entry.scope)]
    .map(([scope, own]) => ({ scope, passes: own.length }))
    .sort((a, b) => b.passes - a.passes || (a.scope < b.scope ? -1 : 1));
  return {
    paused: first?.ledger.paused ?? false,
    executor,
    provider: providerOf(deps, pools),
    passes: { running: entries.length, capacity: settings.maxConcurrentPasses.value, byScope },
    scopes: {
      due: countOf('due'),
      parked: countOf('parked'),
      more: pools.some(({ due, parked }) => Math.max(due.length, parked.length) >= LIMITS.dueScopesPerTickMax),
    },
    settings,
  };
}
