/**
 * What follows a ledger entry, in this order: the reservation of its budget, the PASS row, the invocation. Each is safe to
 * do again, and the sweep does so from the entry when a scheduler died in between.
 */
import { findExecutor } from '../../schema/executor.ts';
import { removeFromLedger } from '../../schema/ledger.ts';
import { LIMITS } from '../../schema/limits.ts';
import { type NewPass, putPass } from '../../schema/pass.ts';
import { poolOf } from '../../schema/pool.ts';
import type { Settings } from '../../schema/settings.ts';
import { boundsOf, dayOf, refuseUsage, reservationOf, reserveUsage } from '../../schema/usage.ts';
import type { SchedulerDeps } from './deps.ts';

/** Begins an admitted pass; false when the budget of its day leaves none: then its entry is off the ledger again. */
export async function beginPass(deps: SchedulerDeps, pass: NewPass, settings: Settings): Promise<boolean> {
  if (!(await reserveBudget(deps, pass, settings))) {
    await deps.store.write(removeFromLedger(pass.passId, deps.ids.fresh(), poolOf(pass.scope, deps.pools)));
    return false;
  }
  await deps.store.write(putPass(pass, deps.ids.fresh()));
  const { scope, generation, passId } = pass;
  await deps.invoker.invoke({ v: 1, scope, generation, passId });
  return true;
}

/**
 * Reserves once, however often it is asked for; by the day of the admission, so that a repair after midnight meets it.
 * The scheduler and the sweep may do so for one pass at once: whichever is refused first closes the pass for both.
 */
async function reserveBudget(deps: SchedulerDeps, pass: NewPass, settings: Settings): Promise<boolean> {
  const executor = findExecutor(pass.executor, deps.executors);
  if (!executor) return true;
  const { scope, generation, passId, admittedAtMs } = pass;
  const address = { scope, generation, day: dayOf(admittedAtMs) };
  const expiresAtMs = admittedAtMs + LIMITS.reservationKeepMs;
  const reservation = { passId, amounts: reservationOf(executor), bounds: boundsOf(settings, executor), expiresAtMs };
  let isFirst = false;
  for (let round = 0; round < LIMITS.commitRoundsMax; round++) {
    const op = deps.ids.fresh();
    const outcome = await deps.store.write(reserveUsage(address, { ...reservation, isFirst, op }));
    if (outcome.kind === 'won') return true;
    if (!isFirst && outcome.stored) {
      const closed = { passId, expiresAtMs: deps.clock.nowMs() + LIMITS.usageRefusedKeepMs, op: deps.ids.fresh() };
      const refusal = await deps.store.write(refuseUsage(address, closed));
      return refusal.kind === 'held';
    }
    // The row of the day is made by whoever comes first.
    isFirst = !isFirst;
  }
  throw new Error(
    `the budget of pass ${passId} could not be reserved in ${LIMITS.commitRoundsMax} rounds; the sweep tries again`,
  );
}
