/**
 * Plan, commit, begin. The commit is one conditional write on the ledger; the loser loads and plans again. What follows
 * it is `begin.ts`; a crash after any of that is repaired by the sweep from the ledger entry.
 */
import type { LedgerEntry, LedgerItem } from '../../schema/ledger.ts';
import { admitPasses } from '../../schema/ledger.ts';
import { outdatePlans } from '../../schema/ledger-switches.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { NewPass } from '../../schema/pass.ts';
import { FIRST_POOL, type Pool, shareOf } from '../../schema/pool.ts';
import { findExecutor } from '../../schema/executor.ts';
import { refuse } from '../../schema/refusal.ts';
import { serveScope } from '../../schema/scope.ts';
import { resolveSettings } from '../../schema/settings.ts';
import { dayEndMs } from '../../schema/usage.ts';
import { type AdmissionPlan, type AdmittedPass, withdrawPasses } from '../core/admission.ts';
import type { Candidate } from '../core/admission-snapshot.ts';
import { judgeProvider } from '../core/provider.ts';
import { loadPoolLedger } from '../io/ledger-row.ts';
import { beginPass } from './begin.ts';
import type { SchedulerDeps } from './deps.ts';

/** Thrown when a ledger stays contended: the message is delivered again, or the next tick comes. */
export class ContendedLedgerError extends Error {
  constructor() {
    super(`the ledger was written by others ${LIMITS.commitRoundsMax} times in a row; the trigger is delivered again`);
    this.name = 'ContendedLedgerError';
  }
}

/** What a ledger and candidates as they are now leave room for in a pool. */
export function planFor(
  deps: SchedulerDeps,
  pool: Pool,
  { ledger, candidates }: { readonly ledger: LedgerItem; readonly candidates: readonly Candidate[] },
): AdmissionPlan {
  const nowMs = deps.clock.nowMs();
  const limits = shareOf(resolveSettings(deps.deploymentSettings, {}, ledger.settings), pool);
  const running = Object.entries(ledger.passes).map(([passId, entry]) => ({ passId, entry }));
  const provider = judgeProvider(ledger.provider, findExecutor(deps.executor, deps.executors), nowMs);
  const snapshot = { pausedAll: ledger.paused === true, running, candidates, executor: deps.executor, provider };
  return deps.decide.planAdmissions(snapshot, limits, nowMs);
}

/**
 * Admits in one pool what its candidates and its share of the limits allow. `load` is asked anew in every round, so that a plan made again is made
 * from what is true now. A candidate whose trigger is served already must not be among what `load` gives.
 */
export async function admit(
  deps: SchedulerDeps,
  pool: Pool,
  load: (ledger: LedgerItem) => Promise<readonly Candidate[]>,
): Promise<AdmissionPlan> {
  for (let round = 0; round < LIMITS.commitRoundsMax; round++) {
    const ledger = await loadPoolLedger(deps, pool);
    const candidates = await load(ledger);
    const nowMs = deps.clock.nowMs();
    const plan = planFor(deps, pool, { ledger, candidates });
    if (plan.admitted.length === 0) return plan;
    const op = deps.ids.fresh();
    const entries = Object.fromEntries(plan.admitted.map((pass) => [pass.passId, entryOf(pass, nowMs, op)]));
    await noteHowMany(deps, pool, ledger);
    const outcome = await deps.store.write(admitPasses({ seenVersion: ledger.version, entries, op, pool }));
    if (outcome.kind === 'held') continue;
    const begun = await beginAll(deps, plan, nowMs);
    await Promise.all(
      [...new Set(begun.admitted.filter(isServing).map((pass) => pass.candidate.scope))].map((scope) =>
        deps.store.write(serveScope({ scope, nowMs, op: deps.ids.fresh(), pool })),
      ),
    );
    deps.log.count('passesAdmitted', begun.admitted.length);
    return begun;
  }
  throw new ContendedLedgerError();
}

/** The first ledger is the one that everybody reads: before any other holds a pass, it says how many there are. */
async function noteHowMany({ store, ids }: SchedulerDeps, { number, of }: Pool, ledger: LedgerItem): Promise<void> {
  if (number === FIRST_POOL.number || ledger.pools === of) return;
  await store.write(outdatePlans(ids.fresh(), { ...FIRST_POOL, of }));
}

/** A dry run takes nothing out of the queue: its scope waits as it did. */
const isServing = ({ kind }: AdmittedPass): boolean => kind.dryRun !== true;

/** Begins what was admitted; answers the plan without what the budgets had no room for after all. */
async function beginAll(deps: SchedulerDeps, plan: AdmissionPlan, nowMs: number): Promise<AdmissionPlan> {
  const unaffordable = new Set<string>();
  await Promise.all(
    plan.admitted.map(async (pass) => {
      const hasBegun = await beginPass(deps, newPassOf(deps, pass, nowMs), pass.candidate.settings);
      if (!hasBegun) unaffordable.add(pass.passId);
    }),
  );
  return withdrawPasses(plan, unaffordable, refuse('budget', 'others were faster', dayEndMs(nowMs)));
}

function entryOf(
  { candidate, kind, slotNumber, attention, heldBack }: AdmittedPass,
  admittedAtMs: number,
  op: string,
): LedgerEntry {
  const { scope, generation, request } = candidate;
  const { triggerId, origin } = request;
  const also = { ...(attention && { attention }), ...(heldBack > 0 && { heldBack }) };
  return { scope, generation, kind: kind.name, slotNumber, triggerId, origin, ...also, admittedAtMs, op };
}

function newPassOf(
  deps: SchedulerDeps,
  { passId, candidate, kind, slotNumber, heldBack, attention, attentionOnly }: AdmittedPass,
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
    ...(heldBack > 0 && { heldBack }),
    ...(attention && { attention: attentionOnly ? 'only' : 'owned' }),
    admittedAtMs,
  };
}
