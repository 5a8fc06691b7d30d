/**
 * CLAIM rows: the citations. A claim is (claim slot, value); each of its citations is one row, and these rows are the
 * truth of the memory: heads are a cache of them. Written by the worker.
 *
 * Key: scope partition / `CLAIM#<entity>#<attribute>[#<key>]#<claimId>#<citationId>`. The citation's id is derived from
 * all it says and where it stands, so that writing it again changes nothing. Life: until erased. Stream reaction: none.
 */
import * as z from 'zod';
import { hash22, keyPart, revisionSchema, sourceKindSchema } from './ids.ts';
import { LIMITS } from './limits.ts';
import { type Item, type Key, put, query, type Query, update, type Write } from './request.ts';
import { scopePartition } from './scope.ts';
import { ITEM_VERSION } from './table.ts';

export const PRECISIONS = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const;
export const eventTimeSchema = z.object({
  /** Epoch milliseconds; comparisons use the start. */
  startMs: z.number(),
  /** End, not included. */
  endMs: z.number(),
  precision: z.enum(PRECISIONS),
});
export type EventTime = z.infer<typeof eventTimeSchema>;

/** one: a later claim supersedes. many: one claim slot per normalized value. */
export const CARDINALITIES = ['one', 'many'] as const;

export const slotSchema = z.object({
  /** Slug of the entity. */
  entity: z.string(),
  attribute: z.string(),
  /** The normalized value, for many-valued attributes only. */
  key: z.string().optional(),
});
export type ClaimSlot = z.infer<typeof slotSchema>;

export const citationItemSchema = z.object({
  v: z.literal(ITEM_VERSION),
  slot: slotSchema,
  entityName: z.string(),
  claimId: z.string(),
  citationId: z.string(),
  /** Empty: the claim slot ends ("no longer"). */
  value: z.string(),
  quote: z.object({ text: z.string(), start: z.int(), end: z.int() }),
  source: z.object({ kind: sourceKindSchema, id: z.string(), revision: revisionSchema }),
  capturedAtMs: z.number(),
  event: eventTimeSchema.optional(),
  /** The event begins after it was told of: kept and shown as such, enters no register. */
  planned: z.boolean(),
  recordedAtMs: z.number(),
  executor: z.string(),
  rule: z.string().optional(),
  confidence: z.number().optional(),
  /** Pass id → when it wrote this. */
  passes: z.record(z.string(), z.number()),
  passCount: z.int(),
  withdrawnAtMs: z.number().optional(),
});
export type CitationItem = z.infer<typeof citationItemSchema>;
export type Citation = Omit<CitationItem, 'v' | 'passes' | 'passCount' | 'withdrawnAtMs'>;

/** A claim slot within its scope, in key form. */
export function slotKeyOf({ entity, attribute, key }: ClaimSlot): string {
  const parts = [keyPart(entity), keyPart(attribute)];
  if (key !== undefined)
    parts.push(Buffer.byteLength(key) > LIMITS.valueKeyBytesMax ? `~${hash22(key)}` : keyPart(key));
  return parts.join('#');
}

export interface ScopeAddress {
  readonly scope: string;
  readonly generation: number;
}

export function citationKey({ scope, generation }: ScopeAddress, citation: Citation): Key {
  return {
    pk: scopePartition(scope, generation),
    sk: `CLAIM#${slotKeyOf(citation.slot)}#${citation.claimId}#${citation.citationId}`,
  };
}

/**
 * Writes a citation. Conditional on: the row does not exist. Loses when a pass wrote the same before; then
 * `addCitationPass` adds this pass to its list.
 */
export function putCitation(address: ScopeAddress, citation: Citation, passId: string, op: string): Write {
  return put({
    op,
    item: {
      ...citationKey(address, citation),
      v: ITEM_VERSION,
      ...citation,
      passes: { [passId]: citation.recordedAtMs },
      passCount: 1,
    },
    when: ['attribute_not_exists(#pk)'],
  });
}

/**
 * Adds a pass to a citation's list.
 * Conditional on: the row exists, does not list the pass, and lists fewer than 20. Loses otherwise: nothing is owed then.
 */
export function addCitationPass(
  address: ScopeAddress,
  citation: Citation,
  { passId, nowMs, op }: { passId: string; nowMs: number; op: string },
): Write {
  return update({
    key: citationKey(address, citation),
    op,
    setClauses: ['#passes.#pass = :now', '#passCount = #passCount + :one'],
    when: ['attribute_exists(#pk)', 'attribute_not_exists(#passes.#pass)', '#passCount < :most'],
    values: { ':now': nowMs, ':one': 1, ':most': LIMITS.citationPassesMax },
    names: { '#pass': passId },
  });
}

/** Citations of a scope in slot order; narrowed to an entity, or to an attribute of it. */
export function queryCitations(
  { scope, generation }: ScopeAddress,
  { entity, attribute, limit, startKey }: { entity?: string; attribute?: string; limit: number; startKey?: Item },
): Query {
  const parts = [entity, entity === undefined ? undefined : attribute].filter((part) => part !== undefined);
  return query({
    partition: scopePartition(scope, generation),
    beginsWith: ['CLAIM', ...parts.map(keyPart), ''].join('#'),
    limit,
    startKey,
  });
}

/** All citations of one claim slot's prefix: those of slots that begin alike are told apart by the rows themselves. */
export function querySlotCitations(
  { scope, generation }: ScopeAddress,
  slot: ClaimSlot,
  limit: number,
  startKey?: Item,
): Query {
  return query({
    partition: scopePartition(scope, generation),
    beginsWith: `CLAIM#${slotKeyOf(slot)}#`,
    limit,
    startKey,
  });
}
