/** The health of a model provider: unproven while absent, proven by an answer, or away until a time. */
import * as z from 'zod';

export const providerHealthSchema = z.object({
  executor: z.string(),
  state: z.enum(['proven', 'away']),
  atMs: z.number(),
  untilMs: z.number().optional(),
});
