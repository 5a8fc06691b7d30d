/**
 * REVIEW: what a pass acknowledges to have read, one row a page. Counts for nothing until the pass's terminal write names
 * how many there are, and then only if the pass completed.
 *
 * Key: scope partition / `PASS#<passId>#REVIEW#<n 5>`. Written by the worker. Life: as its pass (TTL).
 * Stream reaction: none.
 */
import * as z from 'zod';
import { LIMITS } from './limits.ts';
import { type PassAddress, passKey } from './pass.ts';
import { type Item, type Key, put, query, type Query, type Write } from './request.ts';
import { ITEM_VERSION } from './table.ts';
import { ttlSeconds } from './time.ts';

export const reviewSchema = z.object({
  sourceKey: z.string(),
  /** The cursor this pass read from, in characters. */
  from: z.int(),
  /** Read up to here. */
  to: z.int(),
  /** Characters of the whole text. */
  length: z.int(),
  /** Claims that were written of it. */
  claims: z.int().optional(),
});
export type Review = z.infer<typeof reviewSchema>;

export const reviewPageSchema = z.object({
  v: z.literal(ITEM_VERSION),
  n: z.int(),
  reviews: z.array(reviewSchema),
  /** Sources that were cited with nothing but what they do not say, and not acknowledged. */
  rejected: z.array(z.string()).optional(),
});
export type ReviewPage = z.infer<typeof reviewPageSchema>;

const reviewPrefix = (passId: string) => `PASS#${passId}#REVIEW#`;

export function reviewPageKey(address: PassAddress, n: number): Key {
  return { pk: passKey(address).pk, sk: `${reviewPrefix(address.passId)}${String(n).padStart(5, '0')}` };
}

interface NewReviewPage extends Pick<ReviewPage, 'n' | 'reviews' | 'rejected'> {
  readonly nowMs: number;
  readonly op: string;
}

/**
 * Puts the n-th REVIEW row (n >= 1). Conditional on: the row does not exist. Loses never but to its own lost reply.
 */
export function putReviewPage(address: PassAddress, { n, reviews, rejected, nowMs, op }: NewReviewPage): Write {
  return put({
    op,
    item: {
      ...reviewPageKey(address, n),
      v: ITEM_VERSION,
      n,
      reviews,
      ...(rejected && { rejected }),
      ttl: ttlSeconds(nowMs + 2 * LIMITS.passKeepMs),
    },
    when: ['attribute_not_exists(#pk)'],
  });
}

/** The REVIEW rows of a pass, consistently; the caller pages until no key is left. */
export function queryReviewPages(address: PassAddress, startKey?: Item): Query {
  return query({ partition: passKey(address).pk, beginsWith: reviewPrefix(address.passId), limit: 200, startKey });
}
