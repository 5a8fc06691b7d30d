/** What a function's answer says about the records of a batch (traps S2 and Q4). */
import type { Outcome } from './environment.ts';

/** `all`: the whole batch failed; a set: only these ids did. */
export type FailedRecords = 'all' | ReadonlySet<string>;

const NONE: ReadonlySet<string> = new Set();

/**
 * Which records of a batch failed. With partial failures on, an empty or absent list is complete success, and an empty,
 * missing or unknown identifier is complete failure.
 */
export function readFailedRecords(outcome: Outcome, ids: ReadonlySet<string>, isPartial: boolean): FailedRecords {
  if (outcome.kind !== 'succeeded') return 'all';
  if (!isPartial) return NONE;
  const answer = JSON.parse(outcome.payload) as { batchItemFailures?: unknown } | null;
  const failures = answer?.batchItemFailures;
  if (failures === undefined || failures === null) return NONE;
  if (!Array.isArray(failures)) return 'all';
  const failed = new Set<string>();
  for (const failure of failures as ({ itemIdentifier?: unknown } | null)[]) {
    const id = failure?.itemIdentifier;
    if (typeof id !== 'string' || !ids.has(id)) return 'all';
    failed.add(id);
  }
  return failed;
}
