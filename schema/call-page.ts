/**
 * CALL: what a pass asked of its tools and what it was answered, a few calls a row: names, offsets and hashes, and nothing
 * that anybody wrote. For people who look back; nothing depends on it, and a worker that is killed takes the last calls with
 * it: at most 16 or those of ten seconds, or more where the service refused them that long.
 *
 * Key: scope partition / `PASS#<passId>#CALL#<seq 5>`, the number of its first call. Written by the worker. Life: 30 days
 * (TTL). Stream reaction: none.
 */
import * as z from 'zod';
import { LIMITS } from './limits.ts';
import { type PassAddress, passKey } from './pass.ts';
import { type Item, type Key, put, query, type Query, type Write } from './request.ts';
import { ITEM_VERSION } from './table.ts';
import { ttlSeconds } from './time.ts';

/** A piece of a source, by its name in key form; `hash` is of its text. */
const referenceSchema = z.object({
  source: z.string(),
  start: z.int().optional(),
  length: z.int().optional(),
  hash: z.string().optional(),
});
export type CallReference = z.infer<typeof referenceSchema>;

export const callSchema = z.object({
  /** From 1, in the order of the calls. */
  seq: z.int(),
  tool: z.string(),
  atMs: z.number(),
  /** Numbers, and what is named; of words how many they are. */
  arguments: z.record(z.string(), z.union([z.string(), z.number()])),
  /** What was asked about. */
  asked: z.array(referenceSchema).optional(),
  /** What was given. */
  given: z.array(referenceSchema).optional(),
  /** Codes of what was refused. */
  refused: z.array(z.string()).optional(),
  /** The call itself was refused, or threw. */
  error: z.string().optional(),
});
export type Call = z.infer<typeof callSchema>;

export const callPageSchema = z.object({
  v: z.literal(ITEM_VERSION),
  sk: z.string(),
  calls: z.array(callSchema),
});

export const callPrefix = (passId: string): string => `PASS#${passId}#CALL#`;

function callPageKey(address: PassAddress, seq: number): Key {
  return { pk: passKey(address).pk, sk: `${callPrefix(address.passId)}${String(seq).padStart(5, '0')}` };
}

interface NewCallPage {
  readonly calls: readonly [Call, ...Call[]];
  readonly nowMs: number;
  readonly op: string;
}

/**
 * Puts a row of calls. Conditional on: the row does not exist (calls are numbered by one attempt, and only one attempt of a
 * pass ever runs). Loses to itself alone: to a lost reply, or to the same row sent once more.
 */
export function putCallPage(address: PassAddress, { calls, nowMs, op }: NewCallPage): Write {
  return put({
    op,
    item: {
      ...callPageKey(address, calls[0].seq),
      v: ITEM_VERSION,
      calls,
      ttl: ttlSeconds(nowMs + LIMITS.passKeepMs),
    },
    when: ['attribute_not_exists(#pk)'],
  });
}

/** The calls of a pass in order, `limit` rows of them. */
export function queryCallPages(address: PassAddress, limit: number, startKey?: Item): Query {
  return query({ partition: passKey(address).pk, beginsWith: callPrefix(address.passId), limit, startKey });
}
