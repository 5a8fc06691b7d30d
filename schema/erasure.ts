/**
 * ERASURE: that a person had something erased, who and when, and how far it got: the order and its record in one row, so
 * that whatever dies next is taken up again. It holds counts and hashes, never what was erased. Written by the eraser;
 * worker and curator hasten one when they meet what it erases.
 *
 * Keys: of a scope `SCOPE#<scope>` / `ERASURE#SCOPE#<generation 10>`, outside the generation that goes; of a source scope
 * partition / `ERASURE#SOURCE#<kind>#<id>`; of a claim scope partition / `ERASURE#CLAIM#<hash>`, which also is the tombstone
 * that keeps the claim out. Life: for ever, or until its scope is erased; of a claim that was lifted, until its place is
 * needed. Stream reaction: none.
 *
 *   open ──look──► open, due again ──a look that finds nothing, long after one that did──► finished ──lift──► lifted
 *     ▲───────────────────────────hasten (something came back)───────────────────────────────┘ │
 *     ▲────────────────────────────────────────open──────────────────────────────────────────────┘
 *
 * Which ones are due stands in the index `work`, under a partition of its own.
 */
import * as z from 'zod';
import { keyPart, sourceKindSchema } from './ids.ts';
import { LIMITS } from './limits.ts';
import {
  get,
  type Get,
  type Item,
  type Key,
  put,
  query,
  type Query,
  removeWhen,
  update,
  type Write,
} from './request.ts';
import { scopeKey, scopePartition } from './scope.ts';
import { ITEM_VERSION } from './table.ts';

export const erasedCountsSchema = z.object({
  citations: z.int().default(0),
  /** Rows of texts: parts, uploads, ids of turns. */
  textRows: z.int().default(0),
  evidence: z.int().default(0),
  /** Everything else: heads, entities, attentions; of a scope all its rows. */
  others: z.int().default(0),
});
export type ErasedCounts = z.infer<typeof erasedCountsSchema>;

export const erasureItemSchema = z.object({
  v: z.literal(ITEM_VERSION),
  pk: z.string(),
  sk: z.string(),
  kind: z.enum(['scope', 'source', 'claim']),
  scope: z.string(),
  /** What is erased is of this generation. */
  generation: z.int(),
  source: z.object({ kind: sourceKindSchema, id: z.string() }).optional(),
  /** Of a source: whether one of that name stood when it was ordered. Absent: an older release did not ask. */
  wasKnown: z.boolean().optional(),
  /** Of a claim: its claim slot and value, hashed. */
  hash: z.string().optional(),
  by: z.string(),
  requestedAtMs: z.number(),
  /** Since when no look has found anything. */
  quietSinceMs: z.number(),
  lookBeganAtMs: z.number(),
  /** What the look under way has found so far. */
  found: z.int(),
  /** Where the look under way goes on; absent: the next begins at the beginning. */
  position: z.string().optional(),
  /** A run acts and has not told what came of it: when the next finds this, it died, or is still at it. */
  isUnderWay: z.boolean(),
  /** Looks that went through everything. */
  looks: z.int(),
  removed: erasedCountsSchema,
  version: z.int(),
  workDueAtMs: z.number().optional(),
  finishedAtMs: z.number().optional(),
  liftedAtMs: z.number().optional(),
});
export type ErasureItem = z.infer<typeof erasureItemSchema>;

/** Partition of the index `work`: the erasures that are due. */
export const ERASING = 'erase';

interface Generation {
  readonly scope: string;
  readonly generation: number;
}

export function scopeErasureKey({ scope, generation }: Generation): Key {
  return { pk: scopeKey(scope).pk, sk: `ERASURE#SCOPE#${String(generation).padStart(10, '0')}` };
}
export function sourceErasureKey({ scope, generation }: Generation, source: { kind: string; id: string }): Key {
  return { pk: scopePartition(scope, generation), sk: `ERASURE#SOURCE#${source.kind}#${keyPart(source.id)}` };
}
export function claimErasureKey({ scope, generation }: Generation, hash: string): Key {
  return { pk: scopePartition(scope, generation), sk: `ERASURE#CLAIM#${hash}` };
}

export type NewErasure = Pick<
  ErasureItem,
  'kind' | 'scope' | 'generation' | 'source' | 'wasKnown' | 'hash' | 'by' | 'requestedAtMs'
>;

/**
 * Orders an erasure, due at once. Conditional on: there is none of this, or it was lifted.
 * Loses when it was ordered before, finished or not: that one stands.
 */
export function openErasure(key: Key, erasure: NewErasure, op: string): Write {
  const { requestedAtMs: atMs } = erasure;
  return put({
    op,
    item: {
      ...key,
      v: ITEM_VERSION,
      ...erasure,
      quietSinceMs: atMs,
      lookBeganAtMs: atMs,
      found: 0,
      isUnderWay: false,
      looks: 0,
      removed: erasedCountsSchema.parse({}),
      version: 1,
      workPartition: ERASING,
      workDueAtMs: atMs,
    },
    when: ['attribute_not_exists(#pk) OR attribute_exists(#liftedAtMs)'],
  });
}

type Progress = Pick<
  ErasureItem,
  'quietSinceMs' | 'lookBeganAtMs' | 'found' | 'position' | 'isUnderWay' | 'looks' | 'removed' | 'finishedAtMs'
> & { readonly dueAtMs: number };

/**
 * Tells how far an erasure got, and when it is looked at next; a finished one leaves the index. Answers the row.
 * Conditional on: it is at the version that was read. Loses when another run got further, or it was hastened or lifted.
 */
export function saveErasure(key: Key, seenVersion: number, progress: Progress, op: string): Write {
  const { position, finishedAtMs, dueAtMs, ...always } = progress;
  const isFinished = finishedAtMs !== undefined;
  return update({
    key,
    op,
    set: {
      ...always,
      version: seenVersion + 1,
      ...(position !== undefined && { position }),
      ...(isFinished ? { finishedAtMs } : { workDueAtMs: dueAtMs }),
    },
    remove: [...(position === undefined ? ['position'] : []), ...(isFinished ? ['workPartition', 'workDueAtMs'] : [])],
    when: ['#version = :seen'],
    values: { ':seen': seenVersion },
    returns: 'ALL_NEW',
  });
}

/**
 * Has an erasure looked at again now: something it erases was written meanwhile, and may have left rows.
 * Conditional on: it stands. Loses when it was lifted: then what was written may stay.
 */
export function hastenErasure(key: Key, nowMs: number, op: string): Write {
  return update({
    key,
    op,
    set: { workPartition: ERASING, workDueAtMs: nowMs, quietSinceMs: nowMs },
    add: { version: 1 },
    remove: ['finishedAtMs', 'position'],
    when: ['attribute_exists(#pk)', 'attribute_not_exists(#liftedAtMs)'],
  });
}

/**
 * Lifts an erasure: what it kept out may come in again. What was erased is not brought back. Answers the row.
 * Conditional on: it is finished, and not lifted. Loses while it runs: its next looks would erase what comes in.
 */
export function liftErasure(key: Key, nowMs: number, op: string): Write {
  return update({
    key,
    op,
    set: { liftedAtMs: nowMs },
    add: { version: 1 },
    when: ['attribute_exists(#finishedAtMs)', 'attribute_not_exists(#liftedAtMs)'],
    returns: 'ALL_NEW',
  });
}

/**
 * Drops the record of a lifted claim, which keeps nothing out, to make room for another. Conditional on: it is lifted, as
 * it was read. Loses when the claim was forgotten anew meanwhile.
 */
export function dropLiftedErasure(key: Key, liftedAtMs: number): Write {
  return removeWhen(key, { when: ['#liftedAtMs = :at'], values: { ':at': liftedAtMs } });
}

export function getErasure(key: Key): Get {
  return get(key);
}

/** The erasures of a generation: of its sources and claims. */
export function queryErasures({ scope, generation }: Generation, limit: number, startKey?: Item): Query {
  return query({ partition: scopePartition(scope, generation), beginsWith: 'ERASURE#', limit, startKey });
}

/** The claims of a scope that were forgotten, lifted or not. */
export function queryForgotten({ scope, generation }: Generation, limit: number, startKey?: Item): Query {
  return query({ partition: scopePartition(scope, generation), beginsWith: 'ERASURE#CLAIM#', limit, startKey });
}

/** The erasures of a scope as a whole, latest first. */
export function queryScopeErasures(scope: string, limit: number): Query {
  return query({ partition: scopeKey(scope).pk, beginsWith: 'ERASURE#SCOPE#', limit, newestFirst: true });
}

/** Erasures that are due, longest due first. Index read: names candidates, decides nothing. */
export function queryDueErasures(nowMs: number): Query {
  return query({ partition: ERASING, index: 'work', between: [0, nowMs], limit: LIMITS.erasuresPerRunMax });
}

/** The rows of a generation of a scope, whatever they are. */
export function queryGeneration({ scope, generation }: Generation, limit: number, startKey?: Item): Query {
  return query({ partition: scopePartition(scope, generation), limit, startKey });
}

/** The rows of the passes of a generation, and of what belongs to them. */
export function queryPassRows({ scope, generation }: Generation, limit: number, startKey?: Item): Query {
  return query({ partition: scopePartition(scope, generation), beginsWith: 'PASS#', limit, startKey });
}
