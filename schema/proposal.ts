/**
 * PROPOSAL: the citations that a dry run would have written, as they would stand. Written by the worker, read by the
 * reader beside what stands when it is asked.
 *
 * Key: scope partition / `PASS#<passId>#PROPOSAL#<n 5>`. Life: a day (TTL): it quotes sources, and an answer of yesterday
 * says little. Stream reaction: none.
 */
import * as z from 'zod';
import { citationItemSchema } from './citation.ts';
import { LIMITS } from './limits.ts';
import { type PassAddress, passKey } from './pass.ts';
import { type Item, type Key, put, query, type Query, type Write } from './request.ts';
import { ITEM_VERSION } from './table.ts';
import { ttlSeconds } from './time.ts';

/** A citation before anything became of it. */
export const proposedSchema = citationItemSchema.omit({
  v: true,
  passes: true,
  passCount: true,
  undone: true,
  withdrawnAtMs: true,
  withdrawnFor: true,
  protectionLiftedAtMs: true,
});
export type Proposed = z.infer<typeof proposedSchema>;

export const proposalPageSchema = z.object({
  v: z.literal(ITEM_VERSION),
  n: z.int(),
  citations: z.array(proposedSchema),
});

const proposalPrefix = (passId: string) => `PASS#${passId}#PROPOSAL#`;

export function proposalPageKey(address: PassAddress, n: number): Key {
  return { pk: passKey(address).pk, sk: `${proposalPrefix(address.passId)}${String(n).padStart(5, '0')}` };
}

/**
 * Puts the n-th PROPOSAL row (n >= 1). Conditional on: the row does not exist. Loses never but to its own lost reply: one
 * execution runs a pass, and numbers its rows.
 */
export function putProposalPage(
  address: PassAddress,
  { n, citations, nowMs, op }: { n: number; citations: readonly Proposed[]; nowMs: number; op: string },
): Write {
  return put({
    op,
    item: {
      ...proposalPageKey(address, n),
      v: ITEM_VERSION,
      n,
      citations,
      ttl: ttlSeconds(nowMs + LIMITS.proposalKeepMs),
    },
    when: ['attribute_not_exists(#pk)'],
  });
}

/** The PROPOSAL rows of a pass, consistently; the caller pages until no key is left. */
export function queryProposalPages(address: PassAddress, startKey?: Item): Query {
  const limit = LIMITS.proposalRowsMax;
  return query({ partition: passKey(address).pk, beginsWith: proposalPrefix(address.passId), limit, startKey });
}
