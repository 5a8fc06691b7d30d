/**
 * The scheduler: weighs backlogs and admits passes. Three ways in: a trigger message, a tick of the schedule (sweep
 * first, then admission), and a worker invocation that failed. Each is a hint; the table decides.
 */
import { passIdOf, triggerIdOf } from '../../schema/ids.ts';
import type { LedgerItem } from '../../schema/ledger.ts';
import { TICK } from '../../schema/edges.ts';
import { failedInvocationSchema, type TickEvent, type TriggerMessage, workEventSchema } from '../../schema/messages.ts';
import { expireAttempt } from '../../schema/pass.ts';
import { deferScope, idleScope, isDue, noteEmptyProbe, type ScopeItem } from '../../schema/scope.ts';
import { recordOutcome, type TriggerOutcome } from '../../schema/trigger.ts';
import type { AdmissionPlan, Candidate } from '../core/admission.ts';
import { admit } from './admit.ts';
import type { SchedulerDeps } from './deps.ts';
import { loadCandidate, loadDueScopes, loadLedger, loadPass, loadScope } from './load.ts';
import { sweepLedger } from './sweep.ts';

const MINUTE_MS = 60_000;

/** Looks at the scope of one trigger and records what came of it. A replay admits nothing more. */
export async function runTrigger(deps: SchedulerDeps, message: TriggerMessage): Promise<TriggerOutcome> {
  const scope = await loadScope(deps, message.scope);
  const outcome = scope ? await planTrigger(deps, message, scope) : refuseUnknown(message);
  await deps.store.write(recordOutcome(message.triggerId, outcome, deps.ids.fresh()));
  deps.log.count('admissionsRefused', outcome.refused.length);
  return outcome;
}

function refuseUnknown(message: TriggerMessage): TriggerOutcome {
  const refused = [
    { reason: 'nothing_to_do', message: `scope "${message.scope}" is not known: nothing was ingested into it` },
  ];
  return { passIds: [], alreadyRunning: [], requested: 1, effective: 0, refused };
}

/**
 * Ids are deterministic: if passes of the trigger stand in the ledger, or the first one as a row, it was planned before.
 * The row is read after the ledger: an entry that was not there is still to come, and then the commit on this ledger's
 * version loses; or it is gone already, and then the row stands.
 */
async function servedBefore(
  deps: SchedulerDeps,
  { scope, generation }: ScopeItem,
  triggerId: string,
  ledger: LedgerItem,
): Promise<TriggerOutcome | undefined> {
  const first = passIdOf(triggerId, 0);
  const mine = Object.keys(ledger.passes).filter((passId) => ledger.passes[passId]?.triggerId === triggerId);
  const past = mine.length > 0 ? undefined : await loadPass(deps, { scope, generation, passId: first });
  const passIds = past ? [first] : mine;
  if (passIds.length === 0) return undefined;
  return { passIds, alreadyRunning: [], requested: passIds.length, effective: passIds.length, refused: [] };
}

async function planTrigger(deps: SchedulerDeps, message: TriggerMessage, scope: ScopeItem): Promise<TriggerOutcome> {
  const { triggerId, origin, kind, parallel } = message;
  let served: TriggerOutcome | undefined;
  // Asked in every round: what made this one lose the ledger may be a doubled delivery of the same message.
  const plan = await admit(deps, async (ledger) => {
    served = await servedBefore(deps, scope, triggerId, ledger);
    return served ? [] : [await loadCandidate(deps, scope, { triggerId, origin, kind, parallel })];
  });
  if (served) return served;
  const [verdict] = plan.verdicts;
  if (!verdict) throw new Error(`no verdict on trigger ${triggerId}: the plan must answer every candidate`);
  return {
    passIds: verdict.admitted.map((pass) => pass.passId),
    alreadyRunning: [...verdict.alreadyRunning],
    requested: verdict.requested,
    effective: verdict.effective,
    refused: [...verdict.refused],
  };
}

/** One tick: sweep, then admission among the scopes that are due. A tick older than its period does nothing. */
export async function runTick(deps: SchedulerDeps, { tick }: TickEvent): Promise<void> {
  const tickAtMs = Date.parse(tick);
  if (deps.clock.nowMs() - tickAtMs > TICK.rateMinutes * MINUTE_MS) {
    deps.log.info('a stale tick is passed over', { tick });
    return;
  }
  await sweepLedger(deps, await loadLedger(deps));
  const due = await loadDueScopes(deps);
  if (due.length === 0) return;
  const judged = new Map<string, Judged>();
  const plan = await admit(deps, (ledger) => loadServable(deps, { due, ledger, tickAtMs, judged }));
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
}

async function loadServable(deps: SchedulerDeps, { due, ledger, tickAtMs, judged }: Servable): Promise<Candidate[]> {
  judged.clear();
  const servable: Candidate[] = [];
  for (const name of due) {
    const scope = await loadScope(deps, name);
    // The index may lag behind a doubled tick's own writes: a scope looked at a moment ago is not due, and a second look
    // at once would make it idle on the strength of one.
    if (!scope || !isDue(scope) || scope.workDueAtMs > deps.clock.nowMs()) continue;
    // A doubled tick of the same minute names the same pass, and finds it.
    const triggerId = triggerIdOf(tickAtMs - (tickAtMs % MINUTE_MS), `tick ${name}`);
    const passId = passIdOf(triggerId, 0);
    if (ledger.passes[passId] || (await loadPass(deps, { scope: name, generation: scope.generation, passId })))
      continue;
    const candidate = await loadCandidate(deps, scope, { triggerId, origin: 'schedule', kind: 'incremental' });
    judged.set(name, { scope, candidate });
    const verdict = deps.decide.judgeDue(
      candidate.backlog,
      candidate.settings,
      scope.waitingSinceMs,
      deps.clock.nowMs(),
    );
    if (verdict.kind === 'serve') servable.push(candidate);
  }
  return servable;
}

/** Moves the due time of a scope that was not served, so that the head of the index stays servable. */
async function settleDueTime(deps: SchedulerDeps, { scope, candidate }: Judged, plan: AdmissionPlan): Promise<void> {
  const nowMs = deps.clock.nowMs();
  const verdict = deps.decide.judgeDue(candidate.backlog, candidate.settings, scope.waitingSinceMs, nowMs);
  const { scope: name, backlogVersion } = scope;
  const seen = { scope: name, backlogVersion, op: deps.ids.fresh() };
  if (verdict.kind === 'defer') {
    await deps.store.write(deferScope({ ...seen, dueAtMs: verdict.untilMs }));
  } else if (verdict.kind === 'empty') {
    const second = scope.emptyAtVersion === backlogVersion;
    await deps.store.write(second ? idleScope(seen) : noteEmptyProbe({ ...seen, nowMs }));
  } else {
    const refusal = plan.verdicts.find((it) => it.candidate.scope === name && it.admitted.length === 0)?.refused[0];
    if (refusal?.retryAtMs !== undefined) await deps.store.write(deferScope({ ...seen, dueAtMs: refusal.retryAtMs }));
  }
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
