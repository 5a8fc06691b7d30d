/**
 * Failure back-off and halt of a scope (design section 7): 5 min × 2^min(n, 6) after the n-th failure in a row, halted
 * after 5 failures within 24 hours. Explicit triggers pass both.
 */
import { LIMITS } from '../../schema/limits.ts';

/** Until when the schedule leaves the scope alone; undefined when its last pass succeeded. */
export function backOffUntilMs(failures: number, failureTimesMs: readonly number[]): number | undefined {
  const lastMs = failureTimesMs.at(-1);
  if (failures === 0 || lastMs === undefined) return undefined;
  return lastMs + LIMITS.backOffBaseMs * 2 ** Math.min(failures, LIMITS.backOffExponentMax);
}

/** Whether these failures, newest last, halt their scope. */
export function mustHalt(failureTimesMs: readonly number[], nowMs: number): boolean {
  const recent = failureTimesMs.filter((timeMs) => timeMs > nowMs - LIMITS.haltWindowMs);
  return recent.length >= LIMITS.haltFailures;
}
