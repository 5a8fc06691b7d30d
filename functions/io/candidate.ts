/** Loads what admission asks about one scope: for the scheduler, which admits, and for status, which tells what it would. */
import { attentionItemSchema, queryAttention } from '../../schema/attention.ts';
import { type ExecutorTraits, findExecutor } from '../../schema/executor.ts';
import { findKind, isDryRun, type Lane } from '../../schema/kind.ts';
import type { LedgerItem } from '../../schema/ledger.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { ScopeItem } from '../../schema/scope.ts';
import { resolveSettings, type SettingOverrides } from '../../schema/settings.ts';
import type { UsageItem } from '../../schema/usage.ts';
import type { Candidate } from '../core/admission-snapshot.ts';
import { backOffUntilMs } from '../core/back-off.ts';
import { restStalled } from '../core/backlog.ts';
import { weighBudget } from '../core/budget.ts';
import type { Store } from './ports.ts';
import { probeBacklog } from './probe.ts';

interface Loading {
  readonly store: Pick<Store, 'get' | 'query'>;
  readonly clock: { nowMs(): number };
  readonly deploymentSettings: SettingOverrides;
  readonly executor: string | undefined;
  readonly executors?: readonly ExecutorTraits[];
}

interface Asked {
  readonly scope: ScopeItem;
  readonly ledger: LedgerItem;
  readonly request: Candidate['request'];
  /** Of the scope and this day. */
  readonly usage: UsageItem | undefined;
}

/** One probe of the scope's queue: one to four reads. */
export async function loadCandidate(
  { store, clock, deploymentSettings, executor, executors }: Loading,
  { scope, ledger, request, usage }: Asked,
): Promise<Candidate> {
  const kind = findKind(request.kind);
  const lane: Lane = kind?.lane ?? 'incremental';
  const { generation } = scope;
  const probed = await probeBacklog(store, { scope: scope.scope, generation, lane }, clock.nowMs());
  // What a pass takes moves in the index: of two answers each may be right for another moment, and neither shows it.
  const isRead = Object.values(ledger.passes).some(
    (entry) => entry.scope === scope.scope && entry.generation === generation && !isDryRun(entry.kind),
  );
  const backlog = isRead ? { ...probed, reading: true as const } : probed;
  const isAsked = request.origin === 'trigger' || request.origin === 'drain';
  const settings = resolveSettings(deploymentSettings, scope.settings ?? {}, ledger.settings);
  const traits = findExecutor(executor, executors);
  return {
    scope: scope.scope,
    generation,
    settings,
    dueAtMs: scope.workDueAtMs,
    paused: scope.paused === true,
    haltedAtMs: scope.haltedAtMs,
    backOffUntilMs: backOffUntilMs(scope.failures, scope.failureTimesMs),
    backlog: isAsked ? backlog : restStalled(backlog, scope.lastPassAtMs, clock.nowMs()),
    ...(traits?.decidesAttention &&
      kind?.dryRun !== true && { attentionSinceMs: await loadAttentionSince(store, scope) }),
    ...(traits && { budget: weighBudget(usage, settings, traits, clock.nowMs()) }),
    request,
  };
}

/** When the oldest attention that is still open was raised: of the first 500 of the scope, one read. */
async function loadAttentionSince(
  store: Pick<Store, 'query'>,
  address: Pick<ScopeItem, 'scope' | 'generation'>,
): Promise<number | undefined> {
  const { items } = await store.query(queryAttention(address, LIMITS.memoryRowsPerPageMax));
  const open = items
    .flatMap((item) => attentionItemSchema.safeParse(item).data ?? [])
    .filter(({ resolvedAtMs }) => resolvedAtMs === undefined);
  return open.length === 0 ? undefined : Math.min(...open.map(({ raisedAtMs }) => raisedAtMs));
}
