/**
 * The filters in front of the partition of capacity, each a refusal or none, in the order of `schema/refusal.ts`: the
 * first that holds is the one that is told.
 */
import { findKind, isDryRun, type PassKind } from '../../schema/kind.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Origin } from '../../schema/origin.ts';
import { type Refusal, refuse } from '../../schema/refusal.ts';
import type { AdmissionSnapshot, Candidate, RunningPass } from './admission-snapshot.ts';

/**
 * The running passes that a request has to fit in with. A dry run holds nothing: it and the passes that write do not see
 * each other, and share no more than the deployment's capacity.
 */
export function besideRequest(
  running: readonly RunningPass[],
  { scope, request }: Pick<Candidate, 'scope' | 'request'>,
  kinds: readonly PassKind[],
): readonly RunningPass[] {
  const isDry = isDryRun(request.kind, kinds);
  return running.filter(({ entry }) => entry.scope === scope && isDryRun(entry.kind, kinds) === isDry);
}

/** A candidate with what is judged beside it. */
export interface Case {
  readonly candidate: Candidate;
  readonly kind: PassKind | undefined;
  readonly inScope: readonly RunningPass[];
  readonly kinds: readonly PassKind[];
  readonly snapshot: AdmissionSnapshot;
  readonly nowMs: number;
}

/** Whether only attention is there to do, and nobody owns it. */
export function isAttentionOnly({ candidate, inScope }: Pick<Case, 'candidate' | 'inScope'>): boolean {
  return candidate.backlog.sources === 0 && candidate.attentionSinceMs !== undefined && !hasOwner(inScope);
}

export const hasOwner = (inScope: readonly RunningPass[]): boolean =>
  inScope.some(({ entry }) => entry.attention === true);

const isExplicit = (origin: Origin): boolean => origin === 'trigger' || origin === 'drain';
const iso = (timeMs: number): string => new Date(timeMs).toISOString();

/** The most passes of this kind its scope may run. */
export function scopeMax({ candidate, kind }: Case): number {
  return Math.min(candidate.settings.maxPassesPerScope, kind?.parallelMax ?? 0);
}

/** A filter in front of the partition of capacity: a refusal, or none. Their order is the precedence of refusals. */
type Filter = (it: Case) => Refusal | undefined;

const filters: readonly Filter[] = [
  ({ candidate, kind, kinds }) =>
    kind
      ? undefined
      : refuse('unknown_kind', `"${candidate.request.kind}"; kinds: ${kinds.map((k) => k.name).join(', ')}`),
  ({ snapshot }) => (snapshot.executor === undefined ? refuse('executor_not_configured') : undefined),
  ({ snapshot }) => (snapshot.pausedAll ? refuse('paused_all') : undefined),
  ({ candidate }) => (candidate.paused ? refuse('paused') : undefined),
  ({ candidate }) =>
    candidate.haltedAtMs !== undefined && !isExplicit(candidate.request.origin)
      ? refuse('halted', `since ${iso(candidate.haltedAtMs)}`)
      : undefined,
  ({ candidate, nowMs }) => {
    const untilMs = candidate.backOffUntilMs;
    const backingOff = untilMs !== undefined && untilMs > nowMs && !isExplicit(candidate.request.origin);
    return backingOff ? refuse('backing_off', `until ${iso(untilMs)}`, untilMs) : undefined;
  },
  ({ snapshot: { provider } }) =>
    provider?.kind === 'away' ? refuse('provider_away', `until ${iso(provider.untilMs)}`, provider.untilMs) : undefined,
  ({ candidate, inScope }) => {
    const { backlog } = candidate;
    if (backlog.sources > 0 || isAttentionOnly({ candidate, inScope })) return undefined;
    const { held, nextAtMs } = backlog;
    const waits = nextAtMs === undefined ? 'the queue is empty' : `what is left waits until ${iso(nextAtMs)}`;
    return refuse('nothing_to_do', held ? 'others hold all that is left' : waits, nextAtMs);
  },
  ({ kind, inScope, kinds }) => {
    const closed =
      inScope.some(({ entry }) => findKind(entry.kind, kinds)?.shares !== true) ||
      (kind?.shares === false && inScope.length > 0);
    return closed ? refuse('scope_closed') : undefined;
  },
  (it) =>
    it.inScope.length >= scopeMax(it) ? refuse('scope_full', `${it.inScope.length} of ${scopeMax(it)} run`) : undefined,
];

/** The first refusal that holds, or none. */
export function filterCandidate(it: Case): Refusal | undefined {
  for (const filter of filters) {
    const refusal = filter(it);
    if (refusal) return refusal;
  }
  return undefined;
}

/** The refusal that holds of every scope while as many passes run as may, or none. */
export function refuseCapacity(running: number, limits: { readonly maxConcurrentPasses: number }): Refusal | undefined {
  const passesMax = Math.min(limits.maxConcurrentPasses, LIMITS.ledgerEntriesMax);
  return running >= passesMax ? refuse('capacity', `${passesMax} passes in all`) : undefined;
}
