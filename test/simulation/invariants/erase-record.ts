/** How the record of an erasure may move, and what a scope's row keeps when it moves on to the next generation. */
import type { ErasureItem } from '../../../schema/erasure.ts';
import type { Item } from '../../../schema/request.ts';
import type { ScopeItem } from '../../../schema/scope.ts';

const COUNTS = ['citations', 'textRows', 'evidence', 'others'] as const;

/** What is wrong with a record as it stands. */
function judgeState({ finishedAtMs, liftedAtMs, workDueAtMs, ...row }: ErasureItem & Item): string | undefined {
  if (row.v === undefined) return 'is no whole row';
  const isDue = workDueAtMs !== undefined;
  if (isDue !== (row.workPartition !== undefined)) return 'stands in the index by half';
  if (isDue === (finishedAtMs !== undefined)) return isDue ? 'is finished and due' : 'is neither finished nor due';
  return liftedAtMs !== undefined && finishedAtMs === undefined ? 'is lifted, and was not finished' : undefined;
}

/** What is wrong with a move of a record; undefined: nothing. Ordered anew after a lift, it begins anew. */
export function judgeRecord(before: Item | undefined, after: Item): string | undefined {
  const [old, next] = [before as (ErasureItem & Item) | undefined, after as ErasureItem & Item];
  const wrong = judgeState(next);
  if (wrong || !old || (old.liftedAtMs !== undefined && next.requestedAtMs !== old.requestedAtMs)) return wrong;
  if (old.requestedAtMs !== next.requestedAtMs) return 'is ordered anew while it stands';
  if (next.version !== old.version + 1) return `goes from version ${old.version} to ${next.version}`;
  if (old.liftedAtMs !== undefined) return 'was lifted, and moves';
  // A run that begins or tells changes one of these: what it erases was written, and has it looked for from the beginning.
  const isLift = next.liftedAtMs !== undefined;
  const isHastened = !isLift && old.isUnderWay === next.isUnderWay && old.found === next.found;
  if (isHastened && (next.position !== undefined || next.workDueAtMs !== next.quietSinceMs))
    return 'is hastened, and does not begin anew';
  if (next.looks < old.looks || COUNTS.some((name) => next.removed[name] < old.removed[name]))
    return 'forgets what it did';
  return undefined;
}

/** What of a scope's row tells of passes, and goes with the generation that they ran in. */
const OF_PASSES = ['lastFailure', 'lastPassAtMs', 'haltedAtMs', 'waitingSinceMs', 'emptyAtVersion'] as const;

/** What is wrong with a scope's row that moves on to another generation. */
export function judgeMove(before: Item, after: Item): string | undefined {
  const [old, next] = [before as ScopeItem & Item, after as ScopeItem & Item];
  if (next.generation !== (old.generation ?? 1) + 1) return `from ${old.generation} to ${next.generation}`;
  const kept = OF_PASSES.find((name) => next[name] !== undefined);
  if (kept) return `it keeps ${kept}`;
  if (next.failures !== 0 || Object.keys(next.counted ?? {}).length > 0) return 'it counts passes of the one before';
  if (!(Number(next.statsVersion) > Number(old.statsVersion ?? 0))) return 'plans made before are as good as ever';
  if (!(Number(next.backlogVersion) > Number(old.backlogVersion ?? 0))) return 'it may be cleared by an old probe';
  const isStopped = next.workPartition === undefined && next.paused !== true;
  return old.haltedAtMs !== undefined && isStopped
    ? 'it stood halted for what is gone, and is not looked at'
    : undefined;
}
