/** What is due, and outcomes counted, which is also the only way there is yet to park a scope. */
import type { Write } from '../../schema/request.ts';
import { queryDueScopes } from '../../schema/scope.ts';
import { countOutcome, type OutcomeCount } from '../../schema/scope-outcome.ts';
import type { TestTables } from '../support/tables.ts';
import { freshOp, ME, NOW_MS } from './samples.ts';

export function countOf(scope: string, change: Partial<OutcomeCount> = {}): Write {
  const passId = change.passId ?? ME;
  return countOutcome({
    scope,
    op: freshOp(),
    passId,
    statsVersion: 0,
    failures: 1,
    failureTimesMs: [NOW_MS],
    counted: { [passId]: NOW_MS },
    lastPassAtMs: NOW_MS,
    move: { kind: 'stay' },
    ...change,
  });
}

export function haltScope(scope: string): Write {
  return countOf(scope, { failures: 5, move: { kind: 'halt', atMs: NOW_MS } });
}

/** Keys of all scopes due at `nowMs`, in order: the scopes of one file's tests are more than a tick looks at. */
export async function dueKeys({ store }: TestTables, nowMs: number): Promise<unknown[]> {
  const read = queryDueScopes(nowMs);
  const { items } = await store.query({ ...read, input: { ...read.input, Limit: 1000 } });
  return items.map((row) => row['pk']);
}
