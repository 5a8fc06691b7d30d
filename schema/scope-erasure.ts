/** The one move of a scope's row that erases the scope; see `schema/scope.ts` for the row. */
import { FIRST_POOL, type Pool } from './pool.ts';
import { update, type Write } from './request.ts';
import { IN_POOL, poolValuesOf, scopeKey, workPartitionsOf } from './scope.ts';

interface GenerationMove {
  readonly scope: string;
  /** The generation that goes. */
  readonly generation: number;
  /** The row's `statsVersion` by which it was judged whether the scope wakes. */
  readonly statsVersion: number;
  /** It stood halted: that was about what is erased, so the scope is looked at again. */
  readonly wakes: boolean;
  readonly nowMs: number;
  readonly op: string;
  readonly pool?: Pool;
}

/**
 * Moves a scope on to its next generation: from here on everybody who reads the row writes there, and what stands in the
 * old one is seen by nobody. Settings and a pause stay; what the row tells of passes goes.
 * Conditional on: the scope is at that generation, and neither halted nor paused nor resumed since it was read; one that
 * wakes also stands in this pool. Loses when it was moved on before: then nothing is owed; else it is read again.
 */
export function moveGeneration(move: GenerationMove): Write {
  const { scope, generation, statsVersion, wakes, nowMs, op, pool = FIRST_POOL } = move;
  return update({
    key: scopeKey(scope),
    op,
    set: {
      generation: generation + 1,
      failures: 0,
      failureTimesMs: [],
      counted: {},
      ...(wakes && { workPartition: workPartitionsOf(pool).due, workDueAtMs: nowMs }),
    },
    // A plan or a count made from what the row said before must lose.
    setClauses: ['#statsVersion = if_not_exists(#statsVersion, :zero) + :one'],
    add: { backlogVersion: 1 },
    remove: ['lastFailure', 'lastPassAtMs', 'haltedAtMs', 'waitingSinceMs', 'emptyAtVersion'],
    when: [
      '#generation = :generation',
      'attribute_not_exists(#statsVersion) OR #statsVersion = :statsVersion',
      ...(wakes ? [IN_POOL] : []),
    ],
    values: {
      ':generation': generation,
      ':statsVersion': statsVersion,
      ':zero': 0,
      ':one': 1,
      ...(wakes && poolValuesOf(pool)),
    },
  });
}
