/** Bodies and queries of the routes that erase, as zod schemas. Scopes come from the path alone. */
import * as z from 'zod';
import { sourceIdSchema, sourceKindSchema } from './ids.ts';
import { LIMITS } from './limits.ts';
import { protectBodySchema } from './memory-api.ts';
import { cursorSchema, wholeNumberUpTo } from './query-values.ts';

const { entity, attribute, author } = protectBodySchema.shape;
const claim = {
  entity,
  attribute,
  value: z
    .string()
    .max(LIMITS.valueCharactersMax)
    .refine((value) => value.trim() !== '', { error: 'the value to be forgotten is not blank' }),
};

export const eraseQuerySchema = z.strictObject({ author });

/** A claim to be forgotten, whoever said it and whether the attribute has one value or many. */
export const forgetBodySchema = z.strictObject({ ...claim, author });
export type ForgetBody = z.infer<typeof forgetBodySchema>;

/** What may come in again. */
export const liftBodySchema = z.union([
  z.strictObject({ source: z.strictObject({ kind: sourceKindSchema, id: sourceIdSchema }) }),
  z.strictObject({ claim: z.strictObject(claim) }),
  z.strictObject({
    hash: z.string().regex(/^[A-Za-z0-9_-]{22}$/, 'a hash is 22 characters, as GET …/erasures tells it'),
  }),
]);
export type LiftBody = z.infer<typeof liftBodySchema>;

export const erasuresQuerySchema = z.strictObject({
  limit: wholeNumberUpTo(LIMITS.memoryRowsPerPageMax).default(100),
  cursor: cursorSchema,
});
