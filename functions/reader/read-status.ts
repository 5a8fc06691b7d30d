/** Reads status: of one scope, and of the whole deployment. */
import { LANES } from '../../schema/kind.ts';
import { EMPTY_LEDGER, getLedger, type LedgerItem, ledgerItemSchema } from '../../schema/ledger.ts';
import { LIMITS } from '../../schema/limits.ts';
import { queryLeased, timeOfQueueKey } from '../../schema/queue.ts';
import { isDue, isParked, type ScopeItem } from '../../schema/scope.ts';
import { type EffectiveSetting, effectiveSettings, type SettingName } from '../../schema/settings.ts';
import { backOffUntilMs } from '../core/back-off.ts';
import type { Backlog } from '../core/backlog.ts';
import { probeBacklog, readQueueRows } from '../io/probe.ts';
import type { ReaderDeps } from './deps.ts';
import { isoOf } from './iso-time.ts';
import { loadScope } from './scope-row.ts';

/** due: looked at from `dueAt` on. parked: paused or halted. idle: nothing waits. none: the scope is not known. */
export type WorkState = 'due' | 'parked' | 'idle' | 'none';

export interface ScopeStatus {
  readonly scope: string;
  readonly known: boolean;
  /** What waits; a capped count means "at least". `held`: passes hold evidence; `nextAtMs`: when waiting evidence is due. */
  readonly backlog: Omit<Backlog, 'continuations'>;
  readonly running: readonly {
    readonly passId: string;
    readonly kind: string;
    readonly slotNumber: number;
    readonly admittedAt: string;
  }[];
  /** Failed passes in a row. */
  readonly failures: number;
  /** The schedule leaves the scope alone until then. */
  readonly backOffUntil?: string;
  readonly haltedAt?: string;
  readonly paused?: true;
  readonly lastPassAt?: string;
  readonly workState: WorkState;
  readonly dueAt?: string;
  readonly settings: Readonly<Record<SettingName, EffectiveSetting>>;
  readonly executor: string;
}

const NO_BACKLOG = { sources: 0, tokens: 0, capped: false, held: false } as const;

/** The status of one scope: six reads at most, whatever waits. */
export async function readScopeStatus(deps: ReaderDeps, scope: string): Promise<ScopeStatus> {
  const { clock, deploymentSettings, executor } = deps;
  const [row, ledger] = await Promise.all([loadScope(deps, scope), loadLedger(deps)]);
  const settings = effectiveSettings(deploymentSettings, row?.settings ?? {});
  const running = runningIn(ledger, scope);
  if (!row) {
    return { scope, known: false, backlog: NO_BACKLOG, running, failures: 0, workState: 'none', settings, executor };
  }
  const nowMs = clock.nowMs();
  return {
    scope,
    known: true,
    backlog: await loadBacklog(deps, row, nowMs),
    running,
    failures: row.failures,
    ...describeScope(row, nowMs),
    settings,
    executor,
  };
}

async function loadLedger({ store }: Pick<ReaderDeps, 'store'>): Promise<LedgerItem> {
  return ledgerItemSchema.safeParse(await store.get(getLedger())).data ?? EMPTY_LEDGER;
}

function runningIn(ledger: LedgerItem, scope: string): ScopeStatus['running'] {
  return Object.entries(ledger.passes)
    .filter(([, entry]) => entry.scope === scope)
    .map(([passId, { kind, slotNumber, admittedAtMs }]) => ({
      passId,
      kind,
      slotNumber,
      admittedAt: isoOf(admittedAtMs),
    }))
    .sort((a, b) => a.slotNumber - b.slotNumber || (a.passId < b.passId ? -1 : 1));
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

function describeScope(
  row: ScopeItem,
  nowMs: number,
): Pick<ScopeStatus, 'backOffUntil' | 'haltedAt' | 'paused' | 'lastPassAt' | 'workState' | 'dueAt'> {
  const backOffMs = backOffUntilMs(row.failures, row.failureTimesMs);
  return {
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
  readonly passes: {
    readonly running: number;
    /** Passes of all scopes at once, at most. */
    readonly capacity: number;
    readonly byScope: readonly { readonly scope: string; readonly passes: number }[];
  };
  readonly settings: Readonly<Record<SettingName, EffectiveSetting>>;
}

/** The status of the deployment: one read. */
export async function readDeploymentStatus(deps: ReaderDeps): Promise<DeploymentStatus> {
  const { deploymentSettings, executor } = deps;
  const ledger = await loadLedger(deps);
  const settings = effectiveSettings(deploymentSettings, {});
  const entries = Object.values(ledger.passes);
  const byScope = [...Map.groupBy(entries, (entry) => entry.scope)]
    .map(([scope, own]) => ({ scope, passes: own.length }))
    .sort((a, b) => b.passes - a.passes || (a.scope < b.scope ? -1 : 1));
  return {
    paused: ledger.paused ?? false,
    executor,
    passes: { running: entries.length, capacity: settings.maxConcurrentPasses.value, byScope },
    settings,
  };
}
