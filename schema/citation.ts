/**
 * CLAIM rows: the citations. A claim is (claim slot, value); each of its citations is one row, and these rows are the
 * truth of the memory: heads are a cache of them. Written by the worker, and by the curator for a person.
 *
 * Key: scope partition / `CLAIM#<entity>#<attribute>[#|<key>]#<claimId>#<citationId>`. The citation's id is derived from
 * all it says and where it stands, so that writing it again changes nothing. Life: until erased. Stream reaction: none.
 *
 * What is said never changes but for its captured time (`recaptureCitation`); whether it counts does. A citation counts while one of its passes stands (`passes` less
 * `undone`) and it is not withdrawn. Undoing a pass therefore only takes that pass's word back: another pass may have
 * said the same before, or says it later, and either order ends in the same row.
 */
import * as z from 'zod';
import { hash22, keyPart, revisionSchema, SOURCE_KINDS } from './ids.ts';
import { LIMITS } from './limits.ts';
import { get, type Get, type Item, type Key, put, query, type Query, update, type Write } from './request.ts';
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

/** The rules by which names become slugs and values keys; a row tells under which its ids were derived. */
export const NORMALIZATION = 1;

export const slotSchema = z.object({
  /** Slug of the entity. */
  entity: z.string(),
  attribute: z.string(),
  /** The normalized value, for many-valued attributes only. */
  key: z.string().optional(),
});
export type ClaimSlot = z.infer<typeof slotSchema>;

/** What a citation may point at: a source, or what a person said to the API: that has no text but the quote itself. */
export const CITED_KINDS = [...SOURCE_KINDS, 'person'] as const;
export const citedSchema = z.object({ kind: z.enum(CITED_KINDS), id: z.string(), revision: revisionSchema });
export type CitedRef = z.infer<typeof citedSchema>;

export const citationItemSchema = z.object({
  v: z.literal(ITEM_VERSION),
  normalization: z.int(),
  slot: slotSchema,
  entityName: z.string(),
  claimId: z.string(),
  citationId: z.string(),
  /** Empty: the claim slot ends ("no longer"). */
  value: z.string(),
  quote: z.object({ text: z.string(), start: z.int(), end: z.int() }),
  source: citedSchema,
  /** As it was known when this was written; raised when the source went back to this text, and by nothing else. */
  capturedAtMs: z.number(),
  event: eventTimeSchema.optional(),
  /** The event begins after it was told of: kept and shown as such, enters no register. */
  planned: z.boolean(),
  /** Claims of the slot this one says are wrong, by id. */
  contradicts: z.string().optional(),
  /** A person's word that stands above what sources say, until it is lifted. */
  protects: z.boolean().optional(),
  /** A person's word that this claim is wrong: whatever was captured up to then does not count. */
  retracts: z.boolean().optional(),
  /** Why a person said so. */
  reason: z.string().optional(),
  recordedAtMs: z.number(),
  executor: z.string(),
  rule: z.string().optional(),
  confidence: z.number().optional(),
  /** Pass id → when it wrote this. Empty for what a person said. */
  passes: z.record(z.string(), z.number()),
  passCount: z.int(),
  /** Pass id → when that pass was undone. */
  undone: z.record(z.string(), z.number()).default({}),
  withdrawnAtMs: z.number().optional(),
  withdrawnFor: z.string().optional(),
  protectionLiftedAtMs: z.number().optional(),
});
export type CitationItem = z.infer<typeof citationItemSchema>;
type Fate = 'passes' | 'passCount' | 'undone' | 'withdrawnAtMs' | 'withdrawnFor' | 'protectionLiftedAtMs';
/** What a citation says: all of its row but what became of it. */
export type Citation = Omit<CitationItem, 'v' | Fate>;

/**
 * A value's key stands behind `|`, which sorts behind every claim id: so the rows of an attribute's one-valued claim
 * slot stand together before those of its many-valued ones, also when executors use one attribute both ways; and a value
 * can never be taken for a claim id.
 */
const VALUE_MARK = '|';

/** A claim slot within its scope, in key form. */
export function slotKeyOf({ entity, attribute, key }: ClaimSlot): string {
  const parts = [keyPart(entity), keyPart(attribute)];
  if (key !== undefined) {
    const part = Buffer.byteLength(key) > LIMITS.valueKeyBytesMax ? `~${hash22(key)}` : keyPart(key);
    parts.push(`${VALUE_MARK}${part}`);
  }
  return parts.join('#');
}

export interface ScopeAddress {
  readonly scope: string;
  readonly generation: number;
}

/** What names a citation's row. */
export type CitationName = Pick<Citation, 'slot' | 'claimId' | 'citationId'>;

export function citationKey({ scope, generation }: ScopeAddress, citation: CitationName): Key {
  return {
    pk: scopePartition(scope, generation),
    sk: `CLAIM#${slotKeyOf(citation.slot)}#${citation.claimId}#${citation.citationId}`,
  };
}

export function getCitation(address: ScopeAddress, citation: CitationName): Get {
  return get(citationKey(address, citation));
}

/**
 * Writes a citation; `passId` is absent for what a person said. Conditional on: the row does not exist. Loses when it
 * was written before; then `addCitationPass` adds this pass to its list.
 */
export function putCitation(address: ScopeAddress, citation: Citation, passId: string | undefined, op: string): Write {
  const passes = passId === undefined ? {} : { [passId]: citation.recordedAtMs };
  return restoreCitation(address, { ...citation, passes, passCount: Object.keys(passes).length, undone: {} }, op);
}

/** Writes a citation with all that became of it, as an export tells. Conditional on: the row does not exist. */
export function restoreCitation(address: ScopeAddress, citation: Omit<CitationItem, 'v'>, op: string): Write {
  return put({
    op,
    item: { ...citationKey(address, citation), v: ITEM_VERSION, ...citation },
    when: ['attribute_not_exists(#pk)'],
  });
}

const NO_QUOTE = { text: '', start: 0, end: 0 } as const;

interface PassMove {
  readonly passId: string;
  readonly nowMs: number;
  readonly op: string;
}

/**
 * Adds a pass to a citation's list. Answers the row.
 * Conditional on: the row exists, does not list the pass, and lists fewer than 20. Loses otherwise: nothing is owed then.
 */
export function addCitationPass(address: ScopeAddress, citation: CitationName, { passId, nowMs, op }: PassMove): Write {
  return update({
    key: citationKey(address, citation),
    op,
    setClauses: ['#passes.#pass = :now', '#passCount = #passCount + :one'],
    when: ['attribute_exists(#pk)', 'attribute_not_exists(#passes.#pass)', '#passCount < :most'],
    values: { ':now': nowMs, ':one': 1, ':most': LIMITS.citationPassesMax },
    names: { '#pass': passId },
    returns: 'ALL_NEW',
  });
}

/**
 * Raises the captured time of a citation that a pass wrote again: its source went back to this text after another, so that
 * what it says was captured later than what came between. What was planned then may have begun by now. Answers the row.
 * Conditional on: the row exists, with an earlier captured time. Loses otherwise: nothing is owed then.
 */
export function recaptureCitation(
  address: ScopeAddress,
  citation: CitationName & Pick<Citation, 'capturedAtMs' | 'planned'>,
  op: string,
): Write {
  const { capturedAtMs, planned } = citation;
  return update({
    key: citationKey(address, citation),
    op,
    set: { capturedAtMs, planned },
    when: ['attribute_exists(#pk)', '#capturedAtMs < :captured'],
    values: { ':captured': capturedAtMs },
    returns: 'ALL_NEW',
  });
}

/**
 * Takes a pass's word for a citation back; what other passes said of it stands.
 * Conditional on: the pass is listed and not undone. Loses otherwise: nothing is owed then.
 */
export function undoCitationPass(
  address: ScopeAddress,
  citation: CitationName,
  { passId, nowMs, op }: PassMove,
): Write {
  return update({
    key: citationKey(address, citation),
    op,
    setClauses: ['#undone.#pass = :now'],
    when: ['attribute_exists(#passes.#pass)', 'attribute_not_exists(#undone.#pass)'],
    values: { ':now': nowMs },
    names: { '#pass': passId },
  });
}

/**
 * Withdraws a citation for good, whoever says it again: its source was erased, or a person took it back.
 * Conditional on: the row exists and is not withdrawn. Loses otherwise: the first reason stays.
 */
export function withdrawCitation(
  address: ScopeAddress,
  citation: CitationName,
  { reason, nowMs, op }: { reason: string; nowMs: number; op: string },
): Write {
  return update({
    key: citationKey(address, citation),
    op,
    set: { withdrawnAtMs: nowMs, withdrawnFor: reason },
    when: ['attribute_exists(#pk)', 'attribute_not_exists(#withdrawnAtMs)'],
  });
}

/**
 * Withdraws a citation and takes out of it what it says: its claim was forgotten while it was written. The row itself is
 * left to the eraser, since its key may tell of the claim too.
 * Conditional on: the row exists. Loses when the eraser was faster.
 */
export function emptyCitation(address: ScopeAddress, citation: CitationName, nowMs: number, op: string): Write {
  return update({
    key: citationKey(address, citation),
    op,
    // Recorded when it was withdrawn: it stood at no time, or an empty value would have ended what stood before.
    set: {
      recordedAtMs: nowMs,
      withdrawnAtMs: nowMs,
      withdrawnFor: 'forgotten',
      entityName: '',
      value: '',
      quote: NO_QUOTE,
    },
    remove: ['event', 'contradicts', 'protects', 'retracts', 'reason'],
    when: ['attribute_exists(#pk)'],
  });
}

/** Whether all it said was taken out of it: any other names its entity. */
export function isEmptied({ entityName }: Pick<Citation, 'entityName'>): boolean {
  return entityName === '';
}

/**
 * Lets sources speak again against what a person said, which stays as one citation among others.
 * Conditional on: the citation protects and was not lifted. Loses otherwise: nothing is owed then.
 */
export function liftProtection(
  address: ScopeAddress,
  citation: CitationName,
  { nowMs, op }: { nowMs: number; op: string },
): Write {
  return update({
    key: citationKey(address, citation),
    op,
    set: { protectionLiftedAtMs: nowMs },
    when: ['attribute_exists(#protects)', 'attribute_not_exists(#protectionLiftedAtMs)'],
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

/** Citations of one claim slot. '{' follows all that a claim id is made of, so those of other slots are not among them. */
export function querySlotCitations(
  { scope, generation }: ScopeAddress,
  slot: ClaimSlot,
  limit: number,
  startKey?: Item,
): Query {
  return query({
    partition: scopePartition(scope, generation),
    between: [`CLAIM#${slotKeyOf(slot)}#`, `CLAIM#${slotKeyOf(slot)}#{`],
    limit,
    startKey,
  });
}
