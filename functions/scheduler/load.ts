/** The scheduler's reads: bounded, and each a value that the decisions take. */
import { EMPTY_LEDGER, getLedger, type LedgerItem, ledgerItemSchema } from '../../schema/ledger.ts';
import { findKind, type Lane } from '../../schema/kind.ts';
import { getPass, type PassAddress, type PassItem, passItemSchema } from '../../schema/pass.ts';
import { getScope, queryDueScopes, type ScopeItem, scopeItemSchema } from '../../schema/scope.ts';
import { resolveSettings } from '../../schema/settings.ts';
import type { Candidate } from '../core/admission.ts';
import { backOffUntilMs } from '../core/back-off.ts';
import { probeBacklog } from '../io/probe.ts';
import type { SchedulerDeps } from './deps.ts';

export async function loadLedger({ store }: Pick<SchedulerDeps, 'store'>): Promise<LedgerItem> {
  const item = await store.get(getLedger());
  return item ? ledgerItemSchema.parse(item) : EMPTY_LEDGER;
}

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

/** Names of the scopes due now, oldest first. A nomination: each scope's own row decides. */
export async function loadDueScopes({ store, clock }: Pick<SchedulerDeps, 'store' | 'clock'>): Promise<string[]> {
  const { items } = await store.query(queryDueScopes(clock.nowMs()));
  return items.flatMap((item) => {
    const scope = typeof item.pk === 'string' ? item.pk.slice('SCOPE#'.length) : '';
    return scope === '' ? [] : [scope];
  });
}

/** Everything admission asks about one scope; one probe of its queue. */
export async function loadCandidate(
  deps: Pick<SchedulerDeps, 'store' | 'clock' | 'deploymentSettings'>,
  scope: ScopeItem,
  request: Candidate['request'],
): Promise<Candidate> {
  const lane: Lane = findKind(request.kind)?.lane ?? 'incremental';
  const { generation } = scope;
  const nowMs = deps.clock.nowMs();
  return {
    scope: scope.scope,
    generation,
    settings: resolveSettings(deps.deploymentSettings, scope.settings ?? {}),
    dueAtMs: scope.workDueAtMs,
    paused: scope.paused === true,
    haltedAtMs: scope.haltedAtMs,
    backOffUntilMs: backOffUntilMs(scope.failures, scope.failureTimesMs),
    backlog: await probeBacklog(deps.store, { scope: scope.scope, generation, lane }, nowMs),
    request,
  };
}
