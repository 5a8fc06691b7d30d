/**
 * The last two moves of a pass, made by the finalizer and the sweep: marking it finalized, and waking the finalizer again.
 * Both concern a pass that is terminal and not finalized; see `schema/pass.ts` for the states.
 */
import { LIMITS } from './limits.ts';
import { type PassAddress, passKey, TERMINAL_STATUSES } from './pass.ts';
import { update, type Write } from './request.ts';
import { ttlSeconds } from './time.ts';

const TERMINAL = '#status IN (:completed, :failed, :cancelled, :expired)';
const TERMINAL_VALUES = Object.fromEntries(TERMINAL_STATUSES.map((status) => [`:${status}`, status]));
const NOT_FINALIZED = 'attribute_not_exists(#finalizedAtMs)';

/**
 * Marks a pass finalized: everything it owed is paid but its ledger entry, which goes after this.
 * Conditional on: terminal and not finalized. Loses when another run of the finalizer was faster.
 */
export function finalizePass(
  address: PassAddress,
  { nowMs, settled, released, op }: { nowMs: number; settled: number; released: number; op: string },
): Write {
  return update({
    key: passKey(address),
    op,
    set: { finalizedAtMs: nowMs, settled, released, ttl: ttlSeconds(nowMs + LIMITS.passKeepMs) },
    when: [TERMINAL, NOT_FINALIZED],
    values: TERMINAL_VALUES,
  });
}

/**
 * Wakes the finalizer again: changes the row, so that the stream carries it once more (a write that changes nothing
 * makes no record).
 * Conditional on: terminal and not finalized. Loses when it was finalized meanwhile.
 */
export function kickPass(address: PassAddress, op: string): Write {
  return update({
    key: passKey(address),
    op,
    add: { kicks: 1 },
    when: [TERMINAL, NOT_FINALIZED],
    values: TERMINAL_VALUES,
  });
}
