/** When a revision may be read whose source broke off its passes: decided before it is queued, counted in its hour. */
import { LIMITS } from '../../schema/limits.ts';
import { countRetry, hourStartMs } from '../../schema/retry-hour.ts';
import type { SourceItem } from '../../schema/source.ts';
import { judgeRetry } from '../core/retries.ts';
import type { IngestDeps } from './deps.ts';

/** Undefined for any other source, at no cost: what decides it stands in the SOURCE row, which was read. */
export async function findRetryTime(
  deps: IngestDeps,
  seen: SourceItem | undefined,
  nowMs: number,
): Promise<number | undefined> {
  const retry = judgeRetry(seen ?? {}, nowMs);
  if (retry.kind === 'free') return undefined;
  const atMs = retry.kind === 'counted' ? retry.atMs : await countIn(deps, retry.fromMs);
  deps.log.info('source waits after broken-off passes', { kind: seen?.kind, crashes: seen?.crashSeq, atMs });
  return atMs;
}

/** The first hour with room, from that time on. One write, where its own hour has room. */
async function countIn({ store, ids }: IngestDeps, fromMs: number): Promise<number> {
  for (let hours = 0; hours < LIMITS.retryHoursMax; hours++) {
    const atMs = hours === 0 ? fromMs : hourStartMs(fromMs, hours);
    if ((await store.write(countRetry(atMs, ids.fresh()))).kind === 'won') return atMs;
  }
  return hourStartMs(fromMs, LIMITS.retryHoursMax);
}
