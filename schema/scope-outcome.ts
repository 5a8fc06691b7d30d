/**
 * What the end of a pass writes on the row of its scope (`scope.ts`): the record of failures, and where the scope stands
 * after it. Written by the finalizer.
 */
import { FIRST_POOL, type Pool } from './pool.ts';
import { update, type Write } from './request.ts';
import { IN_POOL, type LastFailure, poolValuesOf, scopeKey, workPartitionsOf } from './scope.ts';

/** What counting an outcome does to the scope's place in the index `work`. */
export type WorkMove =
  | { readonly kind: 'stay' }
  | { readonly kind: 'due'; readonly atMs: number }
  | { readonly kind: 'halt'; readonly atMs: number };

export interface OutcomeCount {
  readonly scope: string;
  readonly op: string;
  readonly pool?: Pool;
  readonly passId: string;
  /** The row's `statsVersion` that the new values were computed from. */
  readonly statsVersion: number;
  readonly failures: number;
  readonly failureTimesMs: readonly number[];
  readonly counted: Readonly<Record<string, number>>;
  readonly lastPassAtMs: number;
  /** Of this pass, when it is counted as a failure. */
  readonly lastFailure?: LastFailure | undefined;
  readonly move: WorkMove;
}

/**
 * Counts a pass's success or failure for its scope, moves `lastPassAtMs`, and parks, defers or brings back the scope. It
 * takes the first phase of clearing back: what the pass gave back may not stand in the queue's index yet.
 * Conditional on: this pass is not counted yet, and the row is at the `statsVersion` the values came from; moved inside its
 * pool alone.
 * Loses when: counted already (then done), or another pass was counted meanwhile (then load and count again).
 */
export function countOutcome(outcome: OutcomeCount): Write {
  const { move, pool = FIRST_POOL } = outcome;
  const { due, parked } = workPartitionsOf(pool);
  const place =
    move.kind === 'stay'
      ? {}
      : move.kind === 'halt'
        ? { workPartition: parked, haltedAtMs: move.atMs }
        : { workPartition: due, workDueAtMs: move.atMs };
  return update({
    key: scopeKey(outcome.scope),
    op: outcome.op,
    set: {
      failures: outcome.failures,
      failureTimesMs: outcome.failureTimesMs,
      counted: outcome.counted,
      lastPassAtMs: outcome.lastPassAtMs,
      statsVersion: outcome.statsVersion + 1,
      ...(outcome.lastFailure && { lastFailure: outcome.lastFailure }),
      ...place,
    },
    remove: [
      'emptyAtVersion',
      ...(move.kind === 'due' ? ['haltedAtMs'] : []),
      ...(outcome.failures === 0 ? ['lastFailure'] : []),
    ],
    when: [
      'attribute_exists(#pk)',
      'attribute_not_exists(#counted.#pass)',
      'attribute_not_exists(#statsVersion) OR #statsVersion = :statsVersion',
      ...(move.kind === 'stay' ? [] : [IN_POOL]),
    ],
    values: { ':statsVersion': outcome.statsVersion, ...(move.kind !== 'stay' && poolValuesOf(pool)) },
    names: { '#pass': outcome.passId },
  });
}
