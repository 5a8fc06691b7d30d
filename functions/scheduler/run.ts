/**
 * The scheduler: weighs backlogs and admits passes. Three ways in: a trigger message, a tick of the schedule (sweep
 * first, then admission), and a worker invocation that failed. Each is a hint; the table decides.
 */
import { passIdOf, triggerIdOf } from '../../schema/ids.ts';
import type { LedgerItem } from '../../schema/ledger.ts';
import { TICK } from '../../schema/edges.ts';
import { failedInvocationSchema, type TickEvent, type TriggerMessage, workEventSchema } from '../../schema/messages.ts';
import { LIMITS } from '../../schema/limits.ts';
import { expireAttempt } from '../../schema/pass.ts';
import { allPools, type Pool, poolOf, shareOf } from '../../schema/pool.ts';
import type { Refusal } from '../../schema/refusal.ts';
import { deferScope, idleScope, isDue, noteEmptyProbe, type ScopeItem } from '../../schema/scope.ts';
import type { TriggerOutcome } from '../../schema/trigger.ts';
import { resolveSettings } from '../../schema/settings.ts';
import type { AdmissionPlan } from '../core/admission.ts';
import { refuseCapacity } from '../core/admission-filters.ts';
import type { Candidate } from '../core/admission-snapshot.ts';
import { loadPoolLedger } from '../io/ledger-row.ts';
import { admit, planFor } from './admit.ts';
import { loadTold, servedBefore, tellOutcome } from './answer.ts';
import type { SchedulerDeps } from './deps.ts';
import { findPlanned, loadDueScopes, loadJudged, loadPass, loadScope } from './load.ts';
import { sweepLedger } from './sweep.ts';

const MINUTE_MS = 60_000;

/** Looks at the scope of one trigger and records what came of it. A replay admits nothing more. */
export async function runTrigger(deps: SchedulerDeps, message: TriggerMessage): Promise<TriggerOutcome> {
  const outcome = await tellOutcome(deps, message, await planTrigger(deps, message));
  deps.log.count('admissionsRefused', outcome.refused.length);
  return outcome;
}

function refuseUnknown(message: TriggerMessage): TriggerOutcome {
  const refused = [
    { reason: 'nothing_to_do', message: `scope "${message.scope}" is not known: nothing was ingested into it` },
  ];
  return { passIds: [], alreadyRunning: [], requested: 1, effective: 0, refused };
}

async function planTrigger(deps: SchedulerDeps, message: TriggerMessage): Promise<TriggerOutcome> {
  const { triggerId, origin, kind, parallel } = message;
  let answered: TriggerOutcome | undefined;
  const waiting = new Map<string, Judged>();
  // Asked in every round: what made this one lose the ledger may be a doubled delivery of the same message.
  const pool = poolOf(message.scope, deps.pools);
  const plan = await admit(deps, pool, async (ledger) => {
    // After the ledger: who pauses a scope or changes its settings outdates the ledger last.
    const [scope, told] = await Promise.all([loadScope(deps, message.scope), loadTold(deps, message)]);
    answered = told ?? (scope ? await servedBefore(deps, scope, triggerId, ledger) : refuseUnknown(message));
    if (!scope || answered) return [];
    const own = await loadAsked(deps, { scope, ledger, request: { triggerId, origin, kind, parallel } });
    if (origin !== 'continuation') return [own];
    const others = await loadWaiting(deps, { ledger, scope: message.scope, judged: waiting });
    // Its scope has just been served: whoever waits longer comes first.
    return [...others, { ...own, dueAtMs: deps.clock.nowMs() }];
  });
  // As a tick does: whoever is passed over because it cannot be served must not be looked at again by the next.
  await Promise.all([...waiting.values()].map((it) => settleDueTime(deps, it, plan)));
  if (answered) return answered;
  const verdict = plan.verdicts.find((it) => it.candidate.request.triggerId === triggerId);
  if (!verdict) throw new Error(`no verdict on trigger ${triggerId}: the plan must answer every candidate`);
  return {
    passIds: verdict.admitted.map((pass) => pass.passId),
    alreadyRunning: [...verdict.alreadyRunning],
    requested: verdict.requested,
    effective: verdict.effective,
    ...(verdict.coerced.length > 0 && { coerced: [...verdict.coerced] }),
    refused: [...verdict.refused],
  };
}

/**
 * A person's request right after an ingest may come before the index shows what was ingested: it looks twice before it
 * says that there is nothing to do.
 */
async function loadAsked(deps: SchedulerDeps, asked: Parameters<typeof loadJudged>[1]): Promise<Candidate> {
  const candidate = await loadJudged(deps, asked);
  const { waitingSinceMs } = asked.scope;
  const isExplicit = asked.request.origin === 'trigger' || asked.request.origin === 'drain';
  const isFresh = waitingSinceMs !== undefined && deps.clock.nowMs() - waitingSinceMs < LIMITS.indexLagMs;
  if (!isExplicit || !isFresh || candidate.backlog.sources > 0) return candidate;
  await deps.clock.sleep(LIMITS.indexLagRetryMs);
  return loadJudged(deps, asked);
}

interface Waiting {
  readonly ledger: LedgerItem;
  /** The one that goes on. */
  readonly scope: string;
  /** Filled with every scope that was looked at. */
  readonly judged: Map<string, Judged>;
}

/**
 * Scopes of its pool that wait for their turn while another goes on by itself: without them a deep backlog would take each freed slot
 * within milliseconds, before any tick looks. As many as a plan has places for, and whoever it would refuse besides: one that
 * waits for its batch, backs off, or runs all it may, must not stand before who can be served.
 */
async function loadWaiting(deps: SchedulerDeps, { ledger, scope, judged }: Waiting): Promise<Candidate[]> {
  judged.clear();
  const pool = poolOf(scope, deps.pools);
  const limits = shareOf(resolveSettings(deps.deploymentSettings, {}, ledger.settings), pool);
  if (ledger.paused || refuseCapacity(Object.keys(ledger.passes).length, limits)) return [];
  const due = (await loadDueScopes(deps, pool)).filter((name) => name !== scope);
  const isEnough = (candidates: readonly Candidate[]): boolean =>
    planFor(deps, pool, { ledger, candidates }).verdicts.some(
      ({ admitted, refused }) => admitted.length === 0 && refused[0]?.reason === 'capacity',
    );
  return loadServable(deps, { due, ledger, tickAtMs: deps.clock.nowMs(), judged, isEnough });
}

/** One tick: in each pool a sweep, then admission among the scopes that are due. A tick older than its period does nothing. */
export async function runTick(deps: SchedulerDeps, { tick }: TickEvent): Promise<void> {
  const tickAtMs = Date.parse(tick);
  if (deps.clock.nowMs() - tickAtMs > TICK.rateMinutes * MINUTE_MS) {
    deps.log.info('a stale tick is passed over', { tick });
    return;
  }
  const looks = await Promise.allSettled(allPools(deps.pools).map((pool) => lookAt(deps, pool, tickAtMs)));
  const errors = looks.flatMap((look) => (look.status === 'rejected' ? [look.reason] : look.value));
  // Only now, so that the tick counts as failed without having kept anybody from being served.
  for (const error of errors) deps.log.error('a part of the tick failed', error);
  if (errors.length > 0) throw errors[0];
}

/** Sweeps the ledger of a pool, then admits among its scopes. Answers what could not be swept. */
async function lookAt(deps: SchedulerDeps, pool: Pool, tickAtMs: number): Promise<readonly unknown[]> {
  const ledger = await loadPoolLedger(deps, pool);
  const errors = await sweepLedger(deps, ledger);
  await admitDue(deps, pool, { ledger, tickAtMs });
  return errors;
}

async function admitDue(
  deps: SchedulerDeps,
  pool: Pool,
  { ledger, tickAtMs }: { readonly ledger: LedgerItem; readonly tickAtMs: number },
): Promise<void> {
  // Scopes keep their place, and none is looked at in vain: what is due stays due until the resume, or until a pass ends.
  const limits = shareOf(resolveSettings(deps.deploymentSettings, {}, ledger.settings), pool);
  if (ledger.paused || refuseCapacity(Object.keys(ledger.passes).length, limits)) return;
  const due = await loadDueScopes(deps, pool);
  if (due.length === 0) return;
  const judged = new Map<string, Judged>();
  const plan = await admit(deps, pool, (seen) => loadServable(deps, { due, ledger: seen, tickAtMs, judged }));
  await Promise.all([...judged.values()].map((it) => settleDueTime(deps, it, plan)));
}

interface Judged {
  readonly scope: ScopeItem;
  readonly candidate: Candidate;
}

interface Servable {
  readonly due: readonly string[];
  readonly ledger: LedgerItem;
  readonly tickAtMs: number;
  /** Filled with every scope that was looked at. */
  readonly judged: Map<string, Judged>;
  /** Whether no more need be looked at; absent: all are. */
  readonly isEnough?: (servable: readonly Candidate[]) => boolean;
}

/** A scope whose rows cannot be read, such as one that another release wrote, is passed over: it must not stop the rest. */
async function loadServable(
  deps: SchedulerDeps,
  { due, ledger, tickAtMs, judged, isEnough = () => false }: Servable,
): Promise<Candidate[]> {
  judged.clear();
  const servable: Candidate[] = [];
  for (const name of due) {
    try {
      const it = await judgeScope(deps, { name, ledger, tickAtMs });
      if (!it) continue;
      judged.set(name, it);
      const { backlog, settings, attentionSinceMs } = it.candidate;
      const { waitingSinceMs } = it.scope;
      const verdict = deps.decide.judgeDue(backlog, settings, waitingSinceMs, deps.clock.nowMs(), attentionSinceMs);
      if (verdict.kind !== 'serve') continue;
      servable.push(it.candidate);
      if (isEnough(servable)) break;
    } catch (error) {
      deps.log.error('a scope that is due could not be judged', error);
    }
  }
  return servable;
}

interface DueScope {
  readonly name: string;
  readonly ledger: LedgerItem;
  readonly tickAtMs: number;
}

async function judgeScope(deps: SchedulerDeps, { name, ledger, tickAtMs }: DueScope): Promise<Judged | undefined> {
  const scope = await loadScope(deps, name);
  // The index may lag behind a doubled tick's own writes: a scope looked at a moment ago is not due, and a second look
  // at once would make it idle on the strength of one.
  if (!scope || !isDue(scope) || scope.workDueAtMs > deps.clock.nowMs()) return undefined;
  // A doubled tick of the same minute names the same pass, and finds it.
  const triggerId = triggerIdOf(tickAtMs - (tickAtMs % MINUTE_MS), `tick ${name}`);
  const passId = passIdOf(triggerId, 0, scope.generation);
  if (await findPlanned(deps, { scope: name, generation: scope.generation, passId }, ledger)) return undefined;
  const request = { triggerId, origin: 'schedule', kind: 'incremental' } as const;
  return { scope, candidate: await loadJudged(deps, { scope, ledger, request }) };
}

/** Moves the due time of a scope that was not served, so that the head of the index stays servable. */
async function settleDueTime(deps: SchedulerDeps, { scope, candidate }: Judged, plan: AdmissionPlan): Promise<void> {
  const nowMs = deps.clock.nowMs();
  const { backlog, settings, attentionSinceMs } = candidate;
  const verdict = deps.decide.judgeDue(backlog, settings, scope.waitingSinceMs, nowMs, attentionSinceMs);
  const { scope: name, backlogVersion } = scope;
  const seen = { scope: name, backlogVersion, op: deps.ids.fresh(), pool: poolOf(name, deps.pools) };
  const defer = (dueAtMs: number) => deferScope({ ...seen, seenDueAtMs: scope.workDueAtMs, dueAtMs });
  if (verdict.kind === 'defer') {
    await deps.store.write(defer(verdict.untilMs));
  } else if (verdict.kind === 'empty') {
    const second = scope.emptyAtVersion === backlogVersion;
    await deps.store.write(second ? idleScope(seen) : noteEmptyProbe({ ...seen, nowMs }));
  } else {
    const refusal = plan.verdicts.find((it) => it.candidate.scope === name && it.admitted.length === 0)?.refused[0];
    const retryAtMs = refusal && retryOf(refusal, candidate, nowMs);
    if (retryAtMs !== undefined) await deps.store.write(defer(retryAtMs));
  }
}

/**
 * When a refused scope is looked at again. One that runs all it may comes back by the end of a pass, which makes it due
 * again, or when the longest of them is over: until then it must not stand before scopes that can be served.
 */
function retryOf({ reason, retryAtMs }: Refusal, { settings }: Candidate, nowMs: number): number | undefined {
  const isFull = reason === 'scope_full' || reason === 'scope_closed';
  return isFull ? nowMs + settings.passTimeoutMs : retryAtMs;
}

/**
 * A worker invocation that failed or aged out: expires that attempt, or invokes again what never reached a worker.
 * The request id ties the record to the attempt: a doubled invocation that failed must not end the one that runs.
 */
export async function runFailedInvocation(deps: SchedulerDeps, record: unknown): Promise<void> {
  const { requestContext, requestPayload } = failedInvocationSchema.parse(record);
  const event = workEventSchema.parse(requestPayload);
  const { scope, generation, passId } = event;
  const pass = await loadPass(deps, { scope, generation, passId });
  if (!pass) return;
  if (pass.status === 'admitted') {
    // Aged out: ask again. Crashed before its first write: the sweep asks again, once a minute and not for ever.
    if (requestContext.condition === 'EventAgeExceeded') await deps.invoker.invoke(event);
    return;
  }
  if (pass.status !== 'running' || pass.attempt === undefined || pass.requestId !== requestContext.requestId) return;
  const failure = { code: 'worker_failed', message: `its invocation failed: ${requestContext.condition}` };
  const expiry = { attempt: pass.attempt, nowMs: deps.clock.nowMs(), failure, op: deps.ids.fresh() };
  await deps.store.write(expireAttempt(pass, expiry));
  deps.log.count('passesExpired', 1);
}
