/**
 * What must hold of every plan of admissions, whoever made it: the reasons that are told are true, no place stays free
 * while somebody asks for it, and who waits longest goes first.
 */
import type { planAdmissions } from '../../../functions/core/admission.ts';
import { besideRequest, isAttentionOnly, scopeMax } from '../../../functions/core/admission-filters.ts';
import { findKind, KINDS } from '../../../schema/kind.ts';
import { LIMITS } from '../../../schema/limits.ts';

type Plan = typeof planAdmissions;
type Verdict = ReturnType<Plan>['verdicts'][number];
type Fail = (invariant: string, found: string) => void;

/** Reasons why some of what was asked for is not admitted. All others keep a scope from being asked at all. */
const SHORTFALLS: ReadonlySet<string> = new Set(['capacity', 'scope_full', 'budget']);

interface Weighed {
  readonly verdict: Verdict;
  readonly admitted: number;
  /** What it asks for, its scope has room for, and its budget leaves. */
  readonly owed: number;
  readonly hasEvidence: boolean;
}

export function watchPlans(plan: Plan, fail: Fail): Plan {
  return (snapshot, limits, nowMs, kinds) => {
    const found = plan(snapshot, limits, nowMs, kinds);
    const weighed = found.verdicts.flatMap((verdict) => weigh(verdict, snapshot, nowMs, fail) ?? []);
    const { provider = { kind: 'none' } } = snapshot;
    const most = Math.min(limits.maxConcurrentPasses, LIMITS.ledgerEntriesMax);
    const ofModel = provider.kind === 'canary' ? 1 : Math.min(most, limits.maxModelConcurrency ?? most);
    const passesMax = provider.kind === 'none' ? most : ofModel;
    const taken = snapshot.running.length + found.admitted.length;
    const isFull = taken >= passesMax || found.admitted.length >= LIMITS.admittedPerCommitMax;
    for (const it of weighed) checkCapacity(it, isFull, `${taken} of ${passesMax} places are taken`, fail);
    checkTurns(weighed, fail);
    return found;
  };
}

/** What is owed to who is not kept out altogether; undefined for who is. */
function weigh(verdict: Verdict, snapshot: Parameters<Plan>[0], nowMs: number, fail: Fail): Weighed | undefined {
  const { candidate, admitted, requested, effective, refused } = verdict;
  const { request, scope, settings, budget } = candidate;
  const told = refused.map(({ reason }) => reason);
  const wrong = (what: string): void =>
    fail('a refusal is true', `${scope} by ${request.origin}: ${what}; told: ${told.join(', ') || 'nothing'}`);
  if (admitted.length < requested && refused.length === 0) wrong(`${admitted.length} of ${requested} admitted`);
  if (effective > requested) wrong(`${effective} of ${requested} asked for`);
  if (told.some((reason) => !SHORTFALLS.has(reason))) return undefined;
  const inScope = besideRequest(snapshot.running, candidate, KINDS);
  const it = { candidate, kind: findKind(request.kind), inScope, kinds: KINDS, snapshot, nowMs };
  const room = scopeMax(it) - inScope.length;
  if (told.includes('scope_full') !== room < requested) wrong(`${room} places left in its scope for ${requested}`);
  if (room <= 0) return undefined;
  const drain = request.parallel ?? settings.drainParallel;
  const isDrain = request.origin === 'drain' && !isAttentionOnly(it);
  if (isDrain && requested !== drain) wrong(`${drain} asked for, ${requested} understood`);
  const wanted = Math.min(requested, room);
  const affordable = budget?.passes ?? wanted;
  if (told.includes('budget') !== affordable < wanted) wrong(`its budget leaves ${affordable} of ${wanted}`);
  const hasEvidence = candidate.backlog.sources > 0;
  return { verdict, admitted: admitted.length, owed: Math.min(wanted, affordable), hasEvidence };
}

function checkCapacity({ verdict, admitted, owed }: Weighed, isFull: boolean, taken: string, fail: Fail): void {
  const { candidate, refused } = verdict;
  const isTold = refused.some(({ reason }) => reason === 'capacity');
  const of = `${candidate.scope}: ${admitted} of ${owed} admitted, ${taken}`;
  if (isTold !== admitted < owed) fail('a refusal is true', `${of}; it is ${isTold ? '' : 'not '}told of capacity`);
  if (admitted < owed && !isFull) fail('no place stays free', of);
}

/** One each before any has two; the oldest due first. Where only attention waits it comes behind all evidence. */
function checkTurns(weighed: readonly Weighed[], fail: Fail): void {
  for (const passed of weighed) {
    if (passed.admitted > 0 || passed.owed === 0 || !passed.hasEvidence) continue;
    const { scope, dueAtMs } = passed.verdict.candidate;
    const before = weighed.find(
      ({ admitted, verdict, hasEvidence }) =>
        admitted > 1 || (admitted > 0 && (!hasEvidence || verdict.candidate.dueAtMs > dueAtMs)),
    );
    if (before)
      fail('who waits longest goes first', `${scope} has none, ${before.verdict.candidate.scope} ${before.admitted}`);
  }
}
