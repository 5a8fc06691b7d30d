/**
 * ATTENTION: something that needs a decision, and what it stands on. Raised and cleared by whoever finds it so: worker
 * and curator for contested claims.
 *
 * Key: scope partition / `ATTENTION#<kind>#<subject>`. Life: until erased. Stream reaction: none.
 *
 * `subjectKey` orders the states of one subject: a raise only goes up, so that in whatever order its finders come, the
 * last state wins; and what was cleared stays so until its subject changes.
 */
import * as z from 'zod';
import { type ScopeAddress, slotSchema } from './citation.ts';
import { get, type Get, type Item, type Key, query, type Query, removeWhen, update, type Write } from './request.ts';
import { scopePartition } from './scope.ts';
import { ITEM_VERSION } from './table.ts';

export const ATTENTION_KINDS = ['contested'] as const;
export type AttentionKind = (typeof ATTENTION_KINDS)[number];

export const attentionDetailsSchema = z.object({
  slot: slotSchema,
  /** The two sides, the one that is ahead first. */
  sides: z.array(
    z.object({
      claimId: z.string(),
      citationId: z.string(),
      entityName: z.string(),
      value: z.string(),
      quote: z.string(),
      source: z.string(),
      capturedAtMs: z.number(),
    }),
  ),
  because: z.enum(['same_time', 'contradiction']),
});
export type AttentionDetails = z.infer<typeof attentionDetailsSchema>;

export const attentionItemSchema = z.object({
  v: z.literal(ITEM_VERSION),
  kind: z.enum(ATTENTION_KINDS),
  subject: z.string(),
  subjectKey: z.string(),
  details: attentionDetailsSchema,
  raisedAtMs: z.number(),
  resolvedAtMs: z.number().optional(),
  resolution: z.string().optional(),
});
export type AttentionItem = z.infer<typeof attentionItemSchema>;

interface Subject {
  /** `evidence`: see `schema/evidence-attention.ts`. */
  readonly kind: AttentionKind | 'evidence';
  /** ASCII. */
  readonly subject: string;
}

export function attentionKey({ scope, generation }: ScopeAddress, { kind, subject }: Subject): Key {
  return { pk: scopePartition(scope, generation), sk: `ATTENTION#${kind}#${subject}` };
}

export function getAttention(address: ScopeAddress, subject: Subject): Get {
  return get(attentionKey(address, subject));
}

interface Raise extends Subject {
  readonly subjectKey: string;
  readonly details: AttentionDetails;
  readonly nowMs: number;
  readonly op: string;
}

const raised = (address: ScopeAddress, { kind, subject, subjectKey, details, nowMs, op }: Raise) => ({
  key: attentionKey(address, { kind, subject }),
  op,
  set: { v: ITEM_VERSION, kind, subject, subjectKey, details, raisedAtMs: nowMs },
  remove: ['resolvedAtMs', 'resolution'],
});

/**
 * Raises an attention. Conditional on: there is none, or one of an earlier state of its subject. Loses when it stands at
 * this state or a later one, also when that was cleared.
 */
export function raiseAttention(address: ScopeAddress, raise: Raise): Write {
  return update({
    ...raised(address, raise),
    when: ['attribute_not_exists(#subjectKey) OR #subjectKey < :subjectKey'],
    values: { ':subjectKey': raise.subjectKey },
  });
}

/**
 * Raises an attention whose subject went back to an earlier state, or to the one it was cleared at: something that stood
 * above was withdrawn. `seenOp`: its `op` as it was read.
 * Conditional on: the write stands that left it so. Loses when it was written meanwhile: its state alone does not tell of
 * one that another raised again and a pass declined.
 */
export function lowerAttention(address: ScopeAddress, raise: Raise & { readonly seenOp: string }): Write {
  return update({
    ...raised(address, raise),
    when: ['#op = :seenOp'],
    values: { ':seenOp': raise.seenOp },
  });
}

/**
 * Clears an attention whose subject went beyond it.
 * Conditional on: there is one, open, of a state before `belowKey`. Loses otherwise: nothing is owed then.
 */
export function clearAttention(
  address: ScopeAddress,
  subject: Subject,
  { belowKey, resolution, nowMs, op }: { belowKey: string; resolution: string; nowMs: number; op: string },
): Write {
  return update({
    key: attentionKey(address, subject),
    op,
    set: { resolvedAtMs: nowMs, resolution },
    when: ['#subjectKey < :belowKey', 'attribute_not_exists(#resolvedAtMs)'],
    values: { ':belowKey': belowKey },
  });
}

/**
 * Drops an attention that quotes what is erased; `key` and `op` as they were read.
 * Conditional on: the write stands that left it so. Loses when it was written meanwhile: it may tell of what is left.
 */
export function dropAttention(key: Key, op: string): Write {
  return removeWhen(key, { when: ['#op = :seen'], values: { ':seen': op } });
}

/** A scope's attentions, open and cleared, by subject. */
export function queryAttention({ scope, generation }: ScopeAddress, limit: number, startKey?: Item): Query {
  return query({ partition: scopePartition(scope, generation), beginsWith: 'ATTENTION#', limit, startKey });
}
