/**
 * RETRIES: how many revisions are let through in one hour whose source broke off its passes again and again. One row an
 * hour for the whole deployment, so that the bound and its count stand in one item and one conditional write decides; only
 * ingest writes it, and only for such a source. It stands beside the first pool's ledger, which carries what holds of all
 * pools, but apart from it: a full hour must not contend with admissions.
 *
 * Key: `POOL#0` / `RETRIES#<yyyy-mm-ddThh>`, an hour of UTC. Life: a day after its hour (TTL): nobody counts in the past.
 * Stream reaction: none.
 */
import * as z from 'zod';
import { LIMITS } from './limits.ts';
import { update, type Write } from './request.ts';
import { ITEM_VERSION } from './table.ts';
import { ttlSeconds } from './time.ts';

const HOUR_MS = 60 * 60 * 1000;
const KEEP_MS = 24 * HOUR_MS;

export const retryHourItemSchema = z.object({
  v: z.literal(ITEM_VERSION),
  /** Revisions let through in this hour. */
  retries: z.int(),
});

/** The first moment of the hour, so many hours on. */
export function hourStartMs(timeMs: number, hoursOn = 0): number {
  return (Math.floor(timeMs / HOUR_MS) + hoursOn) * HOUR_MS;
}

/**
 * Counts one revision that is let through in the hour of `timeMs`.
 * Conditional on: there is room in that hour. Loses when it is full. Counted twice after a lost reply the hour is stricter
 * by one.
 */
export function countRetry(timeMs: number, op: string): Write {
  const startMs = hourStartMs(timeMs);
  return update({
    key: { pk: 'POOL#0', sk: `RETRIES#${new Date(startMs).toISOString().slice(0, 13)}` },
    op,
    set: { v: ITEM_VERSION, ttl: ttlSeconds(startMs + HOUR_MS + KEEP_MS) },
    add: { retries: 1 },
    when: ['attribute_not_exists(#retries) OR #retries < :most'],
    values: { ':most': LIMITS.retriesPerHourMax },
  });
}
