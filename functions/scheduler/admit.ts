/**
 * Plan, commit, start. The commit is one conditional write on the ledger; the loser loads and plans again. After it, in
 * this order: PASS row, invoke. A crash after any of them is repaired by the sweep from the ledger entry.
 */
import type { LedgerEntry, LedgerItem } from '../../schema/ledger.ts';
import { admitPasses } from '../../schema/ledger.ts';
import { LIMITS } from '../../schema/limits.ts';
import { type NewPass, putPass } from '../../schema/pass.ts';
import { serveScope } from '../../schema/scope.ts';
import { resolveSettings } from '../../schema/settings.ts';
import type { AdmissionPlan, AdmittedPass, Candidate } from '../core/admission.ts';
import type { SchedulerDeps } from './deps.ts';
import { loadLedger } from './load.ts';

/** Thrown when a ledger stays contended: the message is delivered again, or the next tick comes. */
export class ContendedLedgerError extends Error {
  constructor() {
    super(`the ledger was written by others ${LIMITS.commitRoundsMax} times in a row; the trigger is delivered again`);
    this.name = 'ContendedLedgerError';
  }
}

/**
 * Admits what the candidates and the limits allow. `load` is asked anew in every round, so that a plan made again is made
 * from what is true now. A candidate whose trigger is served already must not be among what `load` gives.
 */
export async function admit(
  deps: SchedulerDeps,
  load: (ledger: LedgerItem) => Promise<readonly Candidate[]>,
): Promise<AdmissionPlan> {
  const limits = resolveSettings(deps.deploymentSettings, {});
  for (let round = 0; round < LIMITS.commitRoundsMax; round++) {
    const ledger = await loadLedger(deps);
    const candidates = await load(ledger);
    const nowMs = deps.clock.nowMs();
    const running = Object.entries(ledger.passes).map(([passId, entry]) => ({ passId, entry }));
    const snapshot = { pausedAll: ledger.paused === true, running, candidates, executor: deps.executor };
    const plan = deps.decide.planAdmissions(snapshot, limits, nowMs);
    if (plan.admitted.length === 0) return plan;
    const op = deps.ids.fresh();
    const entries = Object.fromEntries(plan.admitted.map((pass) => [pass.passId, entryOf(pass, nowMs, op)]));
    const outcome = await deps.store.write(admitPasses({ seenVersion: ledger.version, entries, op }));
    if (outcome.kind === 'held') continue;
    await Promise.all(plan.admitted.map((pass) => startAdmitted(deps, newPassOf(deps, pass, nowMs))));
    await Promise.all(
      [...new Set(plan.admitted.map((pass) => pass.candidate.scope))].map((scope) =>
        deps.store.write(serveScope({ scope, nowMs, op: deps.ids.fresh() })),
      ),
    );
    deps.log.count('passesAdmitted', plan.admitted.length);
    return plan;
  }
  throw new ContendedLedgerError();
}

function entryOf({ candidate, kind, slotNumber }: AdmittedPass, admittedAtMs: number, op: string): LedgerEntry {
  const { scope, generation, request } = candidate;
  const { triggerId, origin } = request;
  return { scope, generation, kind: kind.name, slotNumber, triggerId, origin, admittedAtMs, op };
}

function newPassOf(
  deps: SchedulerDeps,
  { passId, candidate, kind, slotNumber }: AdmittedPass,
  admittedAtMs: number,
): NewPass {
  const { scope, generation, request, settings } = candidate;
  const { pageSources, pageCharacters, passTimeoutMs } = settings;
  return {
    passId,
    scope,
    generation,
    kind: kind.name,
    lane: kind.lane,
    slotNumber,
    triggerId: request.triggerId,
    origin: request.origin,
    pageSources,
    pageCharacters,
    passTimeoutMs,
    executor: deps.executor ?? 'none',
    admittedAtMs,
  };
}

/** Puts the PASS row if it is not there, then invokes: each is safe to do again. */
export async function startAdmitted(deps: SchedulerDeps, pass: NewPass): Promise<void> {
  await deps.store.write(putPass(pass, deps.ids.fresh()));
  const { scope, generation, passId } = pass;
  await deps.invoker.invoke({ v: 1, scope, generation, passId });
}
