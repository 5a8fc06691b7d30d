/**
 * Bodies and queries of the HTTP API, as zod schemas (design section 13). Scopes come from the path alone. What carries
 * sources stands in `source-api.ts`: only ingest builds it at its cold start.
 */
import * as z from 'zod';
import { QUARANTINE_CLASSES } from './evidence-return.ts';
import { revisionSchema, sourceIdSchema, sourceKindSchema } from './ids.ts';
import { LIMITS } from './limits.ts';
import { cursorSchema, viewTimeSchema, wholeNumberUpTo } from './query-values.ts';

/** A quarantined or stalled source to be read again; the newest revision unless one is named. */
export const requeueBodySchema = z.strictObject({
  kind: sourceKindSchema.default('transcript'),
  id: sourceIdSchema,
  revision: revisionSchema.optional(),
});

/** All that was quarantined for this reason, a page of them: an executor was mended. */
export const requeueClassBodySchema = z.strictObject({
  class: z.enum(QUARANTINE_CLASSES),
  limit: z.int().min(1).max(LIMITS.requeuedPerCallMax).default(LIMITS.requeuedPerCallMax),
  cursor: cursorSchema,
});

export const triggerBodySchema = z.strictObject({ kind: z.string().max(64).default('incremental') });

const parallelRange = 'parallel must be a whole number from 1 to 16';
export const drainBodySchema = z.strictObject({
  kind: z.string().max(64).default('incremental'),
  parallel: z.int(parallelRange).min(1, parallelRange).max(16, parallelRange).optional(),
});

export const CLAIM_STATES = ['active', 'superseded', 'planned', 'retracted', 'all'] as const;
export const claimsQuerySchema = z.strictObject({
  entity: z.string().max(LIMITS.entityCharactersMax).optional(),
  attribute: z.string().max(100).optional(),
  state: z.enum(CLAIM_STATES).default('active'),
  asOf: viewTimeSchema.optional(),
  knownAt: viewTimeSchema.optional(),
  limit: wholeNumberUpTo(LIMITS.claimRowsPerPageMax).default(100),
  cursor: cursorSchema,
  detail: z.enum(['full']).optional(),
});
export type ClaimsQuery = z.infer<typeof claimsQuerySchema>;

const waitSchema = z
  .string()
  .regex(/^[0-9]{1,3}s?$/, 'wait is seconds, such as 5s')
  .transform((text) => Number.parseInt(text, 10) * 1000);
export const sourceQuerySchema = z.strictObject({ revision: z.string().optional(), wait: waitSchema.optional() });
export const statusQuerySchema = z.strictObject({
  /** `1`: what `npm run plan` reads, instead of the status. */
  snapshot: z.literal('1').optional(),
});
export const passesQuerySchema = z.strictObject({
  limit: wholeNumberUpTo(LIMITS.passesPerPageMax).default(20),
  cursor: cursorSchema,
});

export const passQuerySchema = z.strictObject({
  /** `1`: what it asked of its tools, with what it was answered, a page of them. */
  calls: z.literal('1').optional(),
  cursor: cursorSchema,
});

/** The one error shape: `{ error: { code, message, details } }`. */
export interface ApiError {
  readonly error: { readonly code: string; readonly message: string; readonly details?: unknown };
}
