/**
 * Who may run: snapshot in, plan out (design section 7). The plan is advice; the one conditional write on the ledger
 * decides. The same snapshot gives the same plan: candidates are sorted by a total order first.
 */
import { passIdOf } from '../../schema/ids.ts';
import { findKind, KINDS, type PassKind } from '../../schema/kind.ts';
import { LIMITS } from '../../schema/limits.ts';
import { type Refusal, refuse } from '../../schema/refusal.ts';
import { besideRequest, type Case, filterCandidate, hasOwner, isAttentionOnly, scopeMax } from './admission-filters.ts';
import type { AdmissionSnapshot, Candidate } from './admission-snapshot.ts';
import { isDeep } from './backlog.ts';

export interface AdmittedPass {
  readonly passId: string;
  readonly candidate: Candidate;
  readonly kind: PassKind;
  readonly slotNumber: number;
  /** It owns its scope's attention: nobody in the scope does. */
  readonly attention: boolean;
  /** Nothing but attention was there to do. */
  readonly attentionOnly: boolean;
  /** As many passes wait until it has proved the provider. */
  readonly heldBack: number;
}

export interface CandidateVerdict {
  readonly candidate: Candidate;
  readonly admitted: readonly AdmittedPass[];
  readonly alreadyRunning: readonly { passId: string; slotNumber: number }[];
  readonly requested: number;
  /** What was asked for after the caps of the settings. */
  readonly effective: number;
  /** What was lowered, each in a sentence. */
  readonly coerced: readonly string[];
  readonly refused: readonly Refusal[];
}

export interface AdmissionPlan {
  readonly admitted: readonly AdmittedPass[];
  readonly verdicts: readonly CandidateVerdict[];
}

/** How many passes a candidate asks for, and how many of them its settings leave. */
function askedFor(it: Case): { requested: number; effective: number } {
  const { settings, request, backlog } = it.candidate;
  const free = Math.max(0, scopeMax(it) - it.inScope.length);
  if (isAttentionOnly(it)) return { requested: 1, effective: Math.min(1, free) };
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
  /** As many of these as the budget leaves. */
  readonly affordable: number;
  readonly admitted: AdmittedPass[];
}

/** One pass each for the shares that still ask for it, in order, as far as capacity goes; answers what is left of it. */
function serveRound(shares: readonly Share[], round: number, free: number): number {
  const owed = shares.filter((share) => !share.refusal && share.admitted.length === round && share.affordable > round);
  for (const share of owed.slice(0, free)) share.admitted.push(admit(share));
  return free - Math.min(free, owed.length);
}

const byAttention = (a: Share, b: Share): number =>
  (a.it.candidate.attentionSinceMs ?? 0) - (b.it.candidate.attentionSinceMs ?? 0);

/**
 * Plans admissions: every scope with evidence gets one pass before any gets a second, oldest due first; then those where
 * only attention waits, oldest first; what capacity is left goes round among those that asked for more. One candidate
 * per scope.
 */
export function planAdmissions(
  snapshot: AdmissionSnapshot,
  limits: { readonly maxConcurrentPasses: number; readonly maxModelConcurrency?: number },
  nowMs: number,
  kinds: readonly PassKind[] = KINDS,
): AdmissionPlan {
  const shares = [...snapshot.candidates].sort(byDueTime).map((candidate): Share => {
    const kind = findKind(candidate.request.kind, kinds);
    const inScope = besideRequest(snapshot.running, candidate, kinds);
    const it = { candidate, kind, inScope, kinds, snapshot, nowMs };
    const asked = askedFor(it);
    const affordable = Math.min(asked.effective, candidate.budget?.passes ?? asked.effective);
    return { it, refusal: filterCandidate(it), ...asked, affordable, admitted: [] };
  });
  const passesMax = passesAtOnce(snapshot, limits);
  // What one commit can carry; the rest keeps its turn for the next.
  let free = Math.min(LIMITS.admittedPerCommitMax, Math.max(0, passesMax - snapshot.running.length));
  const attentionOnly = shares.filter(({ it }) => isAttentionOnly(it));
  const withEvidence = shares.filter(({ it }) => !isAttentionOnly(it));
  free = serveRound(withEvidence, 0, free);
  free = serveRound(attentionOnly.sort(byAttention), 0, free);
  for (let round = 1; round < LIMITS.passesPerScopeMax && free > 0; round++) {
    free = serveRound(withEvidence, round, free);
  }
  const verdicts = shares.map((share) => verdictOf(share, passesMax));
  return { admitted: verdicts.flatMap((verdict) => verdict.admitted), verdicts };
}

function admit({ it, admitted, affordable }: Share): AdmittedPass {
  const { candidate, inScope } = it;
  const kind = it.kind as PassKind;
  const sameKind = inScope.filter(({ entry }) => entry.kind === kind.name).map(({ entry }) => entry.slotNumber);
  const taken = new Set([...sameKind, ...admitted.map((pass) => pass.slotNumber)]);
  return {
    passId: passIdOf(candidate.request.triggerId, admitted.length, candidate.generation),
    candidate,
    kind,
    slotNumber: lowestFree(taken),
    attention: kind.dryRun !== true && !hasOwner(inScope) && admitted.length === 0,
    attentionOnly: isAttentionOnly(it),
    heldBack: it.snapshot.provider?.kind === 'canary' ? affordable - 1 : 0,
  };
}

function describeLowered(it: Case, requested: number, effective: number): string {
  const most = scopeMax(it);
  const { maxPassesPerScope } = it.candidate.settings;
  const cap = most < maxPassesPerScope ? `${it.kind?.name} allows ${most}` : `maxPassesPerScope is ${most}`;
  return `${requested} passes lowered to ${effective}: ${cap} and ${it.inScope.length} run`;
}

/** As many passes as may run at once: a model's are bound by their own number, and by one while nothing is proven. */
function passesAtOnce(
  { provider = { kind: 'none' } }: AdmissionSnapshot,
  limits: { readonly maxConcurrentPasses: number; readonly maxModelConcurrency?: number },
): number {
  const most = Math.min(limits.maxConcurrentPasses, LIMITS.ledgerEntriesMax);
  if (provider.kind === 'none') return most;
  return Math.min(most, provider.kind === 'canary' ? 1 : (limits.maxModelConcurrency ?? most));
}

/** Why fewer were admitted than asked for. */
function shortfallsOf({ it, requested, effective, affordable, admitted }: Share, passesMax: number): Refusal[] {
  const refused: Refusal[] = [];
  if (admitted.length < affordable) {
    const isCanary = it.snapshot.provider?.kind === 'canary';
    refused.push(refuse('capacity', isCanary ? 'one pass proves the provider first' : `${passesMax} passes in all`));
  }
  if (effective < requested)
    refused.push(refuse('scope_full', `${scopeMax(it)} passes in one scope; ${requested} asked for`));
  const { budget } = it.candidate;
  if (budget && affordable < effective) refused.push(refuse('budget', budget.tightest, budget.resetAtMs));
  return refused;
}

/**
 * A plan without the passes that were given up after it was made, each with the refusal that its scope is told instead.
 * The plan weighed what was true when it was loaded; the reservation of a budget decides.
 */
export function withdrawPasses(plan: AdmissionPlan, passIds: ReadonlySet<string>, refusal: Refusal): AdmissionPlan {
  if (passIds.size === 0) return plan;
  const isKept = (pass: AdmittedPass): boolean => !passIds.has(pass.passId);
  const verdicts = plan.verdicts.map((verdict) =>
    verdict.admitted.every(isKept)
      ? verdict
      : { ...verdict, admitted: verdict.admitted.filter(isKept), refused: [...verdict.refused, refusal] },
  );
  return { admitted: plan.admitted.filter(isKept), verdicts };
}

function verdictOf(share: Share, passesMax: number): CandidateVerdict {
  const { it, refusal, requested, effective, admitted } = share;
  const refused = refusal ? [refusal] : shortfallsOf(share, passesMax);
  return {
    candidate: it.candidate,
    admitted,
    alreadyRunning: it.inScope.map(({ passId, entry }) => ({ passId, slotNumber: entry.slotNumber })),
    requested,
    effective: refusal ? 0 : effective,
    coerced: refusal || effective >= requested ? [] : [describeLowered(it, requested, effective)],
    refused,
  };
}
