/** Bodies of the routes that take sources, as zod schemas. Scopes come from the path alone. */
import * as z from 'zod';
import { sourceIdSchema, sourceKindSchema } from './ids.ts';
import { LIMITS } from './limits.ts';
import { instantSchema } from './query-values.ts';
import { formatSchema } from './source.ts';

const turnIdSchema = z
  .string()
  .min(1)
  .max(LIMITS.turnIdCharactersMax, `a turn's id has 1 to ${LIMITS.turnIdCharactersMax} characters`);

/**
 * One turn of a transcript. `at` may lack an offset: it is then kept as text and anchors nothing. By its `id` a turn that
 * is sent again is known; one without an id is new each time.
 */
export const turnSchema = z.object({
  id: turnIdSchema.optional(),
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
    /** A line that is no turn refuses the source; else the other lines are taken. */
    strict: z.boolean().default(false),
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

const partsRange = `parts must be a whole number from 1 to ${LIMITS.uploadPartsMax}`;
/** Completes an upload: what POST sources takes of a source, without its text, and how many parts there are. */
export const completeBodySchema = z.strictObject({
  parts: z.int(partsRange).min(1, partsRange).max(LIMITS.uploadPartsMax, partsRange),
  format: formatSchema.optional(),
  title: z.string().max(300).optional(),
  capturedAt: instantSchema.optional(),
  modifiedAt: instantSchema.optional(),
  completed: z.boolean().default(true),
  strict: z.boolean().default(false),
});
export type CompleteBody = z.infer<typeof completeBodySchema>;

const turnsRange = `turns holds 1 to ${LIMITS.appendedTurnsMax} turns; none only with "completed": true, to close the session`;
/** Turns appended to a session. It goes on unless it is said to be complete. */
export const appendBodySchema = z
  .strictObject({
    turns: z.array(turnSchema.extend({ id: turnIdSchema })).max(LIMITS.appendedTurnsMax, turnsRange),
    title: z.string().max(300).optional(),
    completed: z.boolean().default(false),
  })
  .refine(({ turns, completed }) => turns.length > 0 || completed, { error: turnsRange, path: ['turns'] });
export type AppendBody = z.infer<typeof appendBodySchema>;
