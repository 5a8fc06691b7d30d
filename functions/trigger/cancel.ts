/**
 * Cancels a pass, admitted or running: its worker finds out at its next beat and writes nothing more, what it held goes
 * back, nothing it acknowledged counts. Claims it wrote stay: they are true of their quotes.
 */
import { passIdSchema } from '../../schema/ids.ts';
import { passItemSchema, type PassStatus } from '../../schema/pass.ts';
import { cancelPass } from '../../schema/pass-cancel.ts';
import { HttpError } from '../io/http.ts';
import { loadScope } from '../io/scope-row.ts';
import type { TriggerDeps } from './deps.ts';

export interface CancelAnswer {
  readonly scope: string;
  readonly id: string;
  readonly status: PassStatus;
  /** It had ended before, in this status: nothing was changed. */
  readonly endedBefore?: true;
}

/** Cancels, or answers how the pass had ended. Throws a 404 when the scope has none of that id. */
export async function cancel(deps: TriggerDeps, scope: string, id: string): Promise<CancelAnswer> {
  const { store, clock, ids } = deps;
  const row = await loadScope(deps, scope);
  const passId = passIdSchema.safeParse(id);
  if (!row || !passId.success) throw refuseUnknown(scope, id);
  const address = { scope, generation: row.generation, passId: id };
  const outcome = await store.write(cancelPass(address, clock.nowMs(), ids.fresh()));
  if (outcome.kind === 'won') return { scope, id, status: 'cancelled' };
  if (!outcome.stored) throw refuseUnknown(scope, id);
  return { scope, id, status: passItemSchema.parse(outcome.stored).status, endedBefore: true };
}

function refuseUnknown(scope: string, id: string): HttpError {
  const rule = passIdSchema.safeParse(id).success ? '' : '; a pass id is 15 digits, a hyphen and 22 characters';
  return new HttpError(404, 'not_found', `scope ${scope} has no pass ${JSON.stringify(id)}${rule}`);
}
