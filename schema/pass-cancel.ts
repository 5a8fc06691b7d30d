/** The one move of a pass that a person makes; see `schema/pass.ts` for the states. */
import { type PassAddress, passKey } from './pass.ts';
import { update, type Write } from './request.ts';

/**
 * Cancels a pass, whether it runs or was only admitted. Whatever it acknowledged counts for nothing.
 * Conditional on: admitted or running. Loses when it ended before; the stored row tells how.
 */
export function cancelPass(address: PassAddress, nowMs: number, op: string): Write {
  return update({
    key: passKey(address),
    op,
    set: { status: 'cancelled', endedAtMs: nowMs },
    when: ['#status IN (:admitted, :running)'],
    values: { ':admitted': 'admitted', ':running': 'running' },
  });
}
