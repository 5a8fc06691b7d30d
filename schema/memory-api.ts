/**
 * Bodies and queries of the routes about the memory itself, as zod schemas: what readers ask of it beside claims, and
 * what a person says to it. Scopes come from the path alone.
 */
import * as z from 'zod';
import { CARDINALITIES } from './citation.ts';
import { ENTITY_TYPES } from './entity.ts';
import { sourceIdSchema, sourceKindSchema } from './ids.ts';
import { LIMITS } from './limits.ts';
import { isPlainText, NOT_PLAIN } from './plain-text.ts';
import { cursorSchema, instantSchema, viewTimeSchema, wholeNumberUpTo } from './query-values.ts';

const nameSchema = z
  .string()
  .max(LIMITS.entityCharactersMax)
  .refine((name) => name.trim() !== '', { error: "an entity's name is not blank" })
  .refine(isPlainText, NOT_PLAIN);
const attributeSchema = z
  .string()
  .regex(
    /^[a-z][a-z0-9_:-]{0,63}$/,
    'an attribute is 1 to 64 characters out of a-z 0-9 _ : - and begins with a letter',
  );
const valueSchema = z.string().max(LIMITS.valueCharactersMax).refine(isPlainText, NOT_PLAIN);
const pageSchema = {
  limit: wholeNumberUpTo(LIMITS.memoryRowsPerPageMax).default(100),
  cursor: cursorSchema,
};

export const entitiesQuerySchema = z.strictObject(pageSchema);
export const attentionQuerySchema = z.strictObject({ ...pageSchema, state: z.enum(['open', 'all']).default('open') });
export const exportQuerySchema = z.strictObject({
  ...pageSchema,
  limit: pageSchema.limit.default(LIMITS.memoryRowsPerPageMax),
});
export const changesQuerySchema = z.strictObject({ cursor: cursorSchema });

export const historyQuerySchema = z.strictObject({
  ...pageSchema,
  entity: nameSchema,
  attribute: attributeSchema,
  /** Of a many-valued attribute: which value's claim slot. */
  value: valueSchema.optional(),
  asOf: viewTimeSchema.optional(),
  knownAt: viewTimeSchema.optional(),
});
export type HistoryQuery = z.infer<typeof historyQuerySchema>;

export const recallQuerySchema = z.strictObject({
  q: z.string().min(1, 'q is the question').max(1_000),
  tokens: wholeNumberUpTo(LIMITS.recallTokensMax).default(500),
});
export type RecallQuery = z.infer<typeof recallQuerySchema>;

/** Who speaks, why, and when they said it: the same at the same time is one statement. */
const speakerSchema = {
  author: z.string().min(1).max(LIMITS.authorCharactersMax).default('owner'),
  reason: z.string().min(1).max(LIMITS.reasonCharactersMax).optional(),
  at: instantSchema.optional(),
};
const slotSchema = {
  entity: nameSchema,
  attribute: attributeSchema,
  cardinality: z.enum(CARDINALITIES).default('one'),
};
const isEndless = {
  error: 'the empty value ends a claim slot; of a many-valued attribute, name the value: retract it',
};

/** What is true, whatever the sources say. It also protects, unless `protect` is false. */
export const correctBodySchema = z
  .strictObject({
    ...slotSchema,
    /** Empty: the claim slot is filled no longer. */
    value: valueSchema,
    /** Since when: an ISO 8601 date or time of any precision. */
    event: z.string().max(40).optional(),
    protect: z.boolean().default(true),
    ...speakerSchema,
  })
  .refine(({ cardinality, value }) => cardinality === 'one' || value.trim() !== '', isEndless);
export type CorrectBody = z.infer<typeof correctBodySchema>;

/** A claim that is wrong. */
export const retractBodySchema = z.strictObject({ ...slotSchema, value: valueSchema, ...speakerSchema });
export type RetractBody = z.infer<typeof retractBodySchema>;

/** A claim that is right: the current one, or the one of this value. */
export const protectBodySchema = z.strictObject({ ...slotSchema, value: valueSchema.optional(), ...speakerSchema });
export type ProtectBody = z.infer<typeof protectBodySchema>;

export const unprotectBodySchema = z.strictObject({ ...slotSchema, value: valueSchema.optional() });
export type UnprotectBody = z.infer<typeof unprotectBodySchema>;

/** Citations to take back for good: one by its id, or all of a source. */
export const withdrawBodySchema = z.union([
  z.strictObject({
    ...slotSchema,
    value: valueSchema.optional(),
    citation: z.string().min(1).max(64),
    reason: speakerSchema.reason,
  }),
  z.strictObject({
    source: z.strictObject({ kind: sourceKindSchema, id: sourceIdSchema }),
    reason: speakerSchema.reason,
    cursor: cursorSchema,
  }),
]);
export type WithdrawBody = z.infer<typeof withdrawBodySchema>;

export const continueBodySchema = z.strictObject({ cursor: cursorSchema });
export type ContinueBody = z.infer<typeof continueBodySchema>;

export const mergeBodySchema = z.strictObject({ from: nameSchema, into: nameSchema, author: speakerSchema.author });
export type MergeBody = z.infer<typeof mergeBodySchema>;

/** What an entity is, whatever sources say of it. */
export const typeBodySchema = z.strictObject({
  entity: nameSchema,
  type: z.enum(ENTITY_TYPES, { error: `a type is one of ${ENTITY_TYPES.join(', ')}` }),
  at: instantSchema.optional(),
});
export type TypeBody = z.infer<typeof typeBodySchema>;

/** Drafts of claims against a text, to see what the writer of claims would write. */
export const previewBodySchema = z.strictObject({
  source: z.strictObject({ kind: sourceKindSchema.default('note'), id: sourceIdSchema }),
  text: z.string().min(1).max(LIMITS.sourceCharactersMax),
  capturedAt: instantSchema.optional(),
  claims: z.array(z.unknown()).min(1).max(LIMITS.claimsPerCallMax),
});
export type PreviewBody = z.infer<typeof previewBodySchema>;
