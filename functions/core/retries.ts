/**
 * A source whose revisions break off pass after pass: each revision begins without blame, so one that is edited every minute
 * would break off a pass a minute. After three within an hour the next revision waits, longer with each further one.
 */
import { LIMITS } from '../../schema/limits.ts';
import type { SourceCrash, SourceItem } from '../../schema/source.ts';

/** What the source remembers with this crash; undefined when it was noted before. The last ones are kept. */
export function addCrash(known: readonly SourceCrash[], crash: SourceCrash): readonly SourceCrash[] | undefined {
  if (known.some(({ passId }) => passId === crash.passId)) return undefined;
  return [...known, crash].slice(-LIMITS.sourceCrashesMax);
}

/** free: it is read at once. counted: it waits for the time that was counted for it. count: from then on, once counted. */
export type Retry =
  | { readonly kind: 'free' }
  | { readonly kind: 'counted'; readonly atMs: number }
  | { readonly kind: 'count'; readonly fromMs: number };

type Remembered = Pick<SourceItem, 'crashes' | 'retryAtMs'>;

/**
 * How a revision stands that takes the place of `source`. The wait runs from the last crash, not from the revision: a
 * source that is edited faster than it waits would else never be read. For the same reason a revision takes over the time
 * that was counted for the one it replaces: it is one retry, whatever its text is by then.
 */
export function judgeRetry({ crashes = [], retryAtMs }: Remembered, nowMs: number): Retry {
  const recent = crashes.filter(({ atMs }) => atMs > nowMs - LIMITS.retryWindowMs);
  if (recent.length < LIMITS.retryCrashes) return { kind: 'free' };
  const lastMs = Math.max(...recent.map(({ atMs }) => atMs));
  const doublings = Math.min(recent.length - LIMITS.retryCrashes, LIMITS.retryExponentMax);
  const fromMs = Math.max(nowMs, lastMs + LIMITS.retryBaseMs * 2 ** doublings);
  const isCounted = retryAtMs !== undefined && retryAtMs > nowMs && retryAtMs >= fromMs;
  return isCounted ? { kind: 'counted', atMs: retryAtMs } : { kind: 'count', fromMs };
}
