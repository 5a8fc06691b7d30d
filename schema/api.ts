/**
 * Bodies and queries of the HTTP API, as zod schemas (design section 13). Scopes come from the path alone.
 */
import * as z from 'zod';
import { sourceIdSchema, sourceKindSchema } from './ids.ts';
import { LIMITS } from './limits.ts';
import { formatSchema } from './source.ts';

const instantSchema = z.iso.datetime({
  offset: true,
  error: 'a time is ISO 8601 with an offset, such as 2024-05-03T10:00:00Z',
});

/** One turn of a transcript. `at` may lack an offset: it is then kept as text and anchors nothing. */
export const turnSchema = z.object({
  speaker: z.string().min(1).max(200),
  text: z.string(),
  at: z.string().max(64).optional(),
});
export type Turn = z.infer<typeof turnSchema>;

/** One source to ingest: either `text` (JSONL turns, markdown or plain text, by `format`) or `turns`. */
export const newSourceSchema = z
  .strictObject({
    kind: sourceKindSchema.default('transcript'),
    id: sourceIdSchema,
    format: formatSchema.optional(),
    text: z.string().optional(),
    turns: z.array(turnSchema).max(20_000).optional(),
    title: z.string().max(300).optional(),
    /** When it was captured, if neither turns nor front matter say. */
    capturedAt: instantSchema.optional(),
    /** The file's time, used when nothing better is known; marked `inferred`. */
    modifiedAt: instantSchema.optional(),
    completed: z.boolean().default(true),
  })
  .refine((source) => (source.text === undefined) !== (source.turns === undefined), {
    error: 'a source carries either text or turns',
  });
export type NewSource = z.infer<typeof newSourceSchema>;

export const ingestBodySchema = z.strictObject({
  sources: z
    .array(z.unknown())
    .min(1, `sources holds 1 to ${LIMITS.ingestSourcesMax} sources`)
    .max(LIMITS.ingestSourcesMax, `sources holds 1 to ${LIMITS.ingestSourcesMax} sources`),
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
  asOf: instantSchema.optional(),
  knownAt: instantSchema.optional(),
  limit: z.coerce.number().int().min(1).max(LIMITS.claimRowsPerPageMax).default(100),
  cursor: z.string().max(2_000).optional(),
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
  limit: z.coerce.number().int().min(1).max(LIMITS.passesPerPageMax).default(20),
  cursor: z.string().max(2_000).optional(),
});

/** The one error shape: `{ error: { code, message, details } }`. */
export interface ApiError {
  readonly error: { readonly code: string; readonly message: string; readonly details?: unknown };
}
