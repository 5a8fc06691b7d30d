/** When somebody looks at a scope next: the answer to "why is nothing running?" that a clock can check. */
import { isDue, type ScopeItem } from '../../schema/scope.ts';
import type { PreviewLine } from './plan-preview.ts';

/**
 * From when on a tick looks at the scope and may admit: at most a minute passes after it. Undefined: nobody looks by
 * himself, until a resume of what is paused or halted, or a source of what is idle.
 */
export function nextLookMs(
  row: ScopeItem,
  { line, pausedAll, nowMs }: { line: PreviewLine | undefined; pausedAll: boolean; nowMs: number },
): number | undefined {
  if (pausedAll || !isDue(row)) return undefined;
  return Math.max(nowMs, row.workDueAtMs, line?.againAtMs ?? 0);
}
