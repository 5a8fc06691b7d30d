/**
 * LEASE: the sources a pass is about to lease, put before it leases any of them: a superset of what the pass may hold,
 * whatever dies next. It is the finalizer's list, not a lock: the lease itself is on the evidence.
 *
 * Key: scope partition / `PASS#<passId>#LEASE#<page 5>`. Written by the worker, deleted by the finalizer.
 * Life: until finalized; TTL after a day cleans what a late writer left. Stream reaction: a TTL removal wakes the finalizer.
 * The removal releases nothing by itself, and takes away the names of what it might have released: that a source comes back
 * is the expiry of its lease, a comparison in the condition of the next one, long before.
 */
import * as z from 'zod';
import { LIMITS } from './limits.ts';
import { type PassAddress, passKey } from './pass.ts';
import { type Item, type Key, put, query, type Query, type Write } from './request.ts';
import { ITEM_VERSION } from './table.ts';
import { ttlSeconds } from './time.ts';

export const leasePageSchema = z.object({
  v: z.literal(ITEM_VERSION),
  pk: z.string(),
  sk: z.string(),
  /** `<kind>#<id>#<revision>` in key form, at most one page of them. */
  sourceKeys: z.array(z.string()),
  expiresAtMs: z.number(),
});
export type LeasePage = z.infer<typeof leasePageSchema>;

const pagePrefix = (passId: string) => `PASS#${passId}#LEASE#`;

export function leasePageKey(address: PassAddress, page: number): Key {
  return { pk: passKey(address).pk, sk: `${pagePrefix(address.passId)}${String(page).padStart(5, '0')}` };
}

/**
 * Puts the page. Conditional on: the row does not exist (page numbers belong to one attempt, and only one attempt of a
 * pass ever runs). Loses never but to its own lost reply.
 */
export function putLeasePage(
  address: PassAddress,
  {
    page,
    sourceKeys,
    expiresAtMs,
    op,
  }: { page: number; sourceKeys: readonly string[]; expiresAtMs: number; op: string },
): Write {
  return put({
    op,
    item: {
      ...leasePageKey(address, page),
      v: ITEM_VERSION,
      sourceKeys,
      expiresAtMs,
      ttl: ttlSeconds(expiresAtMs + LIMITS.leasePageKeepMs),
    },
    when: ['attribute_not_exists(#pk)'],
  });
}

/** The LEASE rows of a pass, consistently; the caller pages until no key is left. */
export function queryLeasePages(address: PassAddress, startKey?: Item): Query {
  return query({ partition: passKey(address).pk, beginsWith: pagePrefix(address.passId), limit: 200, startKey });
}
