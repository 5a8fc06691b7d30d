/**
 * What a probe of a scope's queue tells, and when a due scope may be served. A probe reads at most 51 rows, so a capped
 * count means "at least this much"; nothing here ever means "none" for what was not read.
 */
import { LIMITS } from '../../schema/limits.ts';
import { type QueueRow, STALLED_TIER, tierOf, timeOfQueueKey } from '../../schema/queue.ts';
import type { Settings } from '../../schema/settings.ts';

export interface Backlog {
  /** Sources that can be taken now; at most 50. */
  readonly sources: number;
  /** Their tokens that are not read yet. */
  readonly tokens: number;
  /** More stood behind the fiftieth. */
  readonly capped: boolean;
  /** Some are partly read: their pass ended in the middle. */
  readonly continuations: boolean;
  /** When something that cannot be taken now can be: a waiting time or a lease's expiry. Epoch milliseconds. */
  readonly nextAtMs?: number;
  /** Other passes hold evidence of this scope. */
  readonly held: boolean;
  /** Passes that read this scope are listed: what they hold may show in no answer of an index that lags. */
  readonly reading?: true;
  /** All that can be taken is stalled. */
  readonly stalledOnly?: true;
}

/** Tokens still unread of a row: in proportion to its unread characters. */
function unreadTokens(row: QueueRow): number {
  if (row.length === 0) return 0;
  return Math.ceil((row.tokens * (row.length - row.cursor)) / row.length);
}

interface Probe {
  /** Tiers 0 to 2, at most one row more than the cap. */
  readonly takeable: readonly QueueRow[];
  /** Tier 3 whose time has come. */
  readonly ripe: readonly QueueRow[];
  /** The head of tier 3 and of tier 4, where they were asked for. */
  readonly nextWaiting?: QueueRow;
  readonly firstLeased?: QueueRow;
  readonly nowMs: number;
}

/** Weighs a probe. Leases expired with their margin count as takeable: a pass takes them from the head of tier 4. */
export function weighBacklog({ takeable, ripe, nextWaiting, firstLeased, nowMs }: Probe): Backlog {
  const leasedUntilMs = firstLeased && timeOfQueueKey(firstLeased.queueKey) + LIMITS.leaseMarginMs;
  const expired = leasedUntilMs !== undefined && leasedUntilMs < nowMs ? firstLeased : undefined;
  const counted = [...takeable, ...ripe, ...(expired ? [expired] : [])];
  const rows = counted.slice(0, LIMITS.probeSourcesMax);
  const times = [nextWaiting && timeOfQueueKey(nextWaiting.queueKey), expired ? undefined : leasedUntilMs].filter(
    (timeMs) => timeMs !== undefined,
  );
  return {
    sources: rows.length,
    tokens: rows.reduce((sum, row) => sum + unreadTokens(row), 0),
    capped: counted.length > rows.length,
    continuations: rows.some((row) => tierOf(row.queueKey) === 0),
    ...(times.length > 0 && { nextAtMs: Math.min(...times) }),
    held: firstLeased !== undefined && !expired,
    ...(rows.length > 0 && rows.every((row) => tierOf(row.queueKey) === STALLED_TIER) && { stalledOnly: true }),
  };
}

/**
 * The backlog as the schedule sees it: stalled evidence alone is none of it until `maxIntervalMs` after the last pass. Who
 * asks by name may have it at once.
 */
export function restStalled(backlog: Backlog, lastPassAtMs: number | undefined, nowMs: number): Backlog {
  const restsUntilMs = (lastPassAtMs ?? 0) + LIMITS.maxIntervalMs;
  if (!backlog.stalledOnly || restsUntilMs <= nowMs) return backlog;
  const { held, nextAtMs = restsUntilMs } = backlog;
  return {
    sources: 0,
    tokens: 0,
    capped: false,
    continuations: false,
    held,
    nextAtMs: Math.min(nextAtMs, restsUntilMs),
  };
}

/** Deep enough for more than one pass: measured at the threshold, or more behind the cap than was read. */
export function isDeep(backlog: Backlog, settings: Settings): boolean {
  return backlog.capped || backlog.tokens >= settings.tokenThreshold;
}

export type DueVerdict =
  | { readonly kind: 'serve' }
  | { readonly kind: 'defer'; readonly untilMs: number }
  | { readonly kind: 'empty' };

/**
 * Whether a scope that is due by the clock is served by the schedule now. One model pass per new note would be the
 * dearest default there is, so the schedule waits for a batch, for at most `maxWaitMs`; half-read sources do not wait.
 * A scope whose waiting time is not known has waited long enough. One that passes are at is never found empty.
 */
export function judgeDue(
  backlog: Backlog,
  settings: Settings,
  waitingSinceMs: number | undefined,
  nowMs: number,
  attentionSinceMs?: number,
): DueVerdict {
  if (backlog.sources === 0) {
    // Attention alone is reason enough, and has nothing to wait for.
    if (attentionSinceMs !== undefined) return { kind: 'serve' };
    if (backlog.nextAtMs !== undefined) return { kind: 'defer', untilMs: backlog.nextAtMs };
    return backlog.reading ? { kind: 'defer', untilMs: nowMs + LIMITS.emptyProbeAgainMs } : { kind: 'empty' };
  }
  const batched = backlog.tokens >= settings.batchTokens || backlog.capped || backlog.continuations;
  if (batched || waitingSinceMs === undefined) return { kind: 'serve' };
  const untilMs = waitingSinceMs + settings.maxWaitMs;
  return untilMs <= nowMs ? { kind: 'serve' } : { kind: 'defer', untilMs };
}
