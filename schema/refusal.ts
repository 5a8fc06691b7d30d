/**
 * Why an admission is refused: one ordered list. The order is precedence: the first reason that holds is the one given.
 * Each carries its HTTP code; documentation and answers are made from here (design section 7).
 */
export const REFUSALS = [
  { reason: 'unknown_kind', http: 400, says: 'no such kind of pass' },
  { reason: 'executor_not_configured', http: 503, says: 'the deployment names no executor that can read' },
  { reason: 'paused_all', http: 409, says: 'all scopes are paused' },
  { reason: 'paused', http: 409, says: 'this scope is paused' },
  { reason: 'halted', http: 409, says: 'this scope halted after repeated failures, until a success or a resume' },
  { reason: 'backing_off', http: 409, says: 'the last pass failed; the scope is tried again later' },
  { reason: 'provider_away', http: 503, says: 'the model provider is away' },
  { reason: 'nothing_to_do', http: 409, says: 'no evidence waits that another pass does not hold' },
  { reason: 'scope_closed', http: 409, says: 'a pass that shares its scope with nobody is running' },
  { reason: 'scope_full', http: 409, says: 'the scope runs as many passes as it may' },
  { reason: 'capacity', http: 409, says: 'the deployment runs as many passes as it may' },
  { reason: 'budget', http: 429, says: 'the budget of the day is spent' },
] as const;

export type RefusalReason = (typeof REFUSALS)[number]['reason'];

export interface Refusal {
  readonly reason: RefusalReason;
  readonly message: string;
  /** Epoch milliseconds from which asking again may help, where that is known. */
  readonly retryAtMs?: number;
}

/** Position in the list: lower goes first. */
export function precedenceOf(reason: RefusalReason): number {
  return REFUSALS.findIndex((refusal) => refusal.reason === reason);
}

export function httpCodeOf(reason: RefusalReason): number {
  const found = REFUSALS.find((refusal) => refusal.reason === reason);
  return found?.http ?? 500;
}

/** A refusal with the list's own sentence, and what was found behind a colon. */
export function refuse(reason: RefusalReason, found?: string, retryAtMs?: number): Refusal {
  const says = REFUSALS.find((refusal) => refusal.reason === reason)?.says ?? reason;
  return {
    reason,
    message: found === undefined ? says : `${says}: ${found}`,
    ...(retryAtMs !== undefined && { retryAtMs }),
  };
}
