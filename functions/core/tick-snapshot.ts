/** What `GET /v1/status?snapshot=1` gives and `npm run plan` reads: names of scopes, numbers and times, and no text. */
import * as z from 'zod';
import { ledgerEntrySchema } from '../../schema/ledger.ts';

const backlogSchema = z.object({
  sources: z.int(),
  tokens: z.int(),
  capped: z.boolean(),
  continuations: z.boolean(),
  nextAtMs: z.number().exactOptional(),
  held: z.boolean(),
  reading: z.literal(true).exactOptional(),
});

const scopeSchema = z.object({
  scope: z.string(),
  generation: z.int(),
  /** Effective ones; what a later release adds has its default. */
  settings: z.record(z.string(), z.number()),
  dueAtMs: z.number(),
  waitingSinceMs: z.number().optional(),
  paused: z.boolean(),
  haltedAtMs: z.number().optional(),
  backOffUntilMs: z.number().optional(),
  backlog: backlogSchema,
  attentionSinceMs: z.number().optional(),
  budget: z.object({ passes: z.int(), tightest: z.string(), resetAtMs: z.number() }).optional(),
});
export type ScopeSnapshot = z.infer<typeof scopeSchema>;

export const tickSnapshotSchema = z.object({
  v: z.literal(1),
  takenAtMs: z.number(),
  maxConcurrentPasses: z.int(),
  /** Binds only where a model is asked. Absent: taken before it was told of. */
  maxModelConcurrency: z.int().exactOptional(),
  pausedAll: z.boolean(),
  executor: z.string().optional(),
  /** Absent: none is needed. */
  provider: z
    .union([
      z.object({ kind: z.enum(['none', 'proven', 'canary']) }),
      z.object({ kind: z.literal('away'), untilMs: z.number() }),
    ])
    .exactOptional(),
  running: z.array(z.object({ passId: z.string(), entry: ledgerEntrySchema })),
  /** Due and parked ones. */
  scopes: z.array(scopeSchema),
  /** More were due or parked than were looked at: absent here does not mean idle. */
  moreScopes: z.boolean(),
});
export type TickSnapshot = z.infer<typeof tickSnapshotSchema>;
