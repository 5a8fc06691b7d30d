/**
 * Who may run: snapshot in, plan out (design section 7). The plan is advice; the one conditional write on the ledger
 * decides. The same snapshot gives the same plan: candidates are sorted by a total order first.
 */
import { passIdOf } from '../../schema/ids.ts';
import { findKind, KINDS, type PassKind } from '../../schema/kind.ts';
import type { LedgerEntry } from '../../schema/ledger.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Origin } from '../../schema/origin.ts';
import { type Refusal, refuse } from '../../schema/refusal.ts';
import type { Settings } from '../../schema/settings.ts';
import { type Backlog, isDeep } from './backlog.ts';

export interface RunningPass {
  readonly passId: string;
  readonly entry: LedgerEntry;
}

export interface Candidate {
  readonly scope: string;
  readonly generation: number;
  readonly settings: Settings;
  readonly dueAtMs: number;
  readonly paused: boolean;
  readonly haltedAtMs: number | undefined;
  readonly backOffUntilMs: number | undefined;
  readonly backlog: Backlog;
  readonly request: {
    readonly triggerId: string;
    readonly origin: Origin;
    readonly kind: string;
    /** Passes a drain asks for. */
    readonly parallel?: number | undefined;
  };
}

export interface AdmissionSnapshot {
  readonly pausedAll: boolean;
  readonly running: readonly RunningPass[];
  readonly candidates: readonly Candidate[];
  /** Name of the executor the deployment is configured with; undefined: none that is known. */
  readonly executor: string | undefined;
}

export interface AdmittedPass {
  readonly passId: string;
  readonly candidate: Candidate;
  readonly kind: PassKind;
  readonly slotNumber: number;
}

export interface CandidateVerdict {
  readonly candidate: Candidate;
  readonly admitted: readonly AdmittedPass[];
  readonly alreadyRunning: readonly { passId: string; slotNumber: number }[];
  readonly requested: number;
  /** What was asked for after the caps of the settings. */
  readonly effective: number;
  readonly refused: readonly Refusal[];
}

export interface AdmissionPlan {
  readonly admitted: readonly AdmittedPass[];
  readonly verdicts: readonly CandidateVerdict[];
}

interface Case {
  readonly candidate: Candidate;
  readonly kind: PassKind | undefined;
  readonly inScope: readonly RunningPass[];
  readonly kinds: readonly PassKind[];
  readonly snapshot: AdmissionSnapshot;
  readonly nowMs: number;
}

const isExplicit = (origin: Origin): boolean => origin === 'trigger' || origin === 'drain';
const iso = (timeMs: number): string => new Date(timeMs).toISOString();

/** The most passes of this kind its scope may run. */
function scopeMax({ candidate, kind }: Case): number {
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
  ({ candidate: { backlog } }) => {
    if (backlog.sources > 0) return undefined;
    return refuse(
      'nothing_to_do',
      backlog.held ? 'others hold all that is left' : 'the queue is empty',
      backlog.nextAtMs,
    );
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

/** How many passes a candidate asks for, and how many of them its settings leave. */
function askedFor(it: Case): { requested: number; effective: number } {
  const { settings, request, backlog } = it.candidate;
  const free = Math.max(0, scopeMax(it) - it.inScope.length);
  if (request.origin === 'drain') {
    const requested = request.parallel ?? settings.drainParallel;
    return { requested, effective: Math.min(requested, free) };
  }
  const requested = isDeep(backlog, settings) ? Math.max(1, free) : 1;
  return { requested, effective: Math.min(requested, free) };
}

function lowestFree(taken: ReadonlySet<number>): number {
  let slotNumber = 0;
  while (taken.has(slotNumber)) slotNumber++;
  return slotNumber;
}

/** Oldest due first; equal times by scope, then by trigger, so that the order is total. */
function byDueTime(a: Candidate, b: Candidate): number {
  if (a.dueAtMs !== b.dueAtMs) return a.dueAtMs - b.dueAtMs;
  const [left, right] = [`${a.scope} ${a.request.triggerId}`, `${b.scope} ${b.request.triggerId}`];
  return left < right ? -1 : left > right ? 1 : 0;
}

interface Share {
  readonly it: Case;
  readonly refusal: Refusal | undefined;
  readonly requested: number;
  readonly effective: number;
  readonly admitted: AdmittedPass[];
}

/**
 * Plans admissions: every scope gets one pass before any gets a second, oldest due first; what capacity is left goes
 * round among those that asked for more. One candidate per scope.
 */
export function planAdmissions(
  snapshot: AdmissionSnapshot,
  limits: { readonly maxConcurrentPasses: number },
  nowMs: number,
  kinds: readonly PassKind[] = KINDS,
): AdmissionPlan {
  const shares = [...snapshot.candidates].sort(byDueTime).map((candidate): Share => {
    const kind = findKind(candidate.request.kind, kinds);
    const inScope = snapshot.running.filter(({ entry }) => entry.scope === candidate.scope);
    const it = { candidate, kind, inScope, kinds, snapshot, nowMs };
    return { it, refusal: filterCandidate(it), ...askedFor(it), admitted: [] };
  });
  const passesMax = Math.min(limits.maxConcurrentPasses, LIMITS.ledgerEntriesMax);
  let free = Math.max(0, passesMax - snapshot.running.length);
  for (let round = 0; free > 0; round++) {
    const owed = shares.filter((share) => !share.refusal && share.admitted.length === round && share.effective > round);
    if (owed.length === 0) break;
    for (const share of owed.slice(0, free)) share.admitted.push(admit(share));
    free -= Math.min(free, owed.length);
  }
  const verdicts = shares.map((share) => verdictOf(share, passesMax));
  return { admitted: verdicts.flatMap((verdict) => verdict.admitted), verdicts };
}

function admit({ it, admitted }: Share): AdmittedPass {
  const { candidate, inScope } = it;
  const kind = it.kind as PassKind;
  const sameKind = inScope.filter(({ entry }) => entry.kind === kind.name).map(({ entry }) => entry.slotNumber);
  const taken = new Set([...sameKind, ...admitted.map((pass) => pass.slotNumber)]);
  return {
    passId: passIdOf(candidate.request.triggerId, admitted.length),
    candidate,
    kind,
    slotNumber: lowestFree(taken),
  };
}

function verdictOf({ it, refusal, requested, effective, admitted }: Share, passesMax: number): CandidateVerdict {
  const refused: Refusal[] = [];
  if (refusal) refused.push(refusal);
  else {
    if (admitted.length < effective) refused.push(refuse('capacity', `${passesMax} passes in all`));
    if (effective < requested)
      refused.push(refuse('scope_full', `${scopeMax(it)} passes in one scope; ${requested} asked for`));
  }
  return {
    candidate: it.candidate,
    admitted,
    alreadyRunning: it.inScope.map(({ passId, entry }) => ({ passId, slotNumber: entry.slotNumber })),
    requested,
    effective: refusal ? 0 : effective,
    refused,
  };
}
