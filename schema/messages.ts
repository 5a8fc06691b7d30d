/**
 * What crosses the asynchronous edges: ids only, each a hint (design rule 4). A message that does not parse is refused by
 * the code that receives it and ends in that edge's dead-letter queue.
 */
import * as z from 'zod';
import { passIdSchema, scopeSchema, triggerIdSchema } from './ids.ts';
import { ORIGINS } from './origin.ts';

/** On the triggers queue. */
export const triggerMessageSchema = z.strictObject({
  v: z.literal(1),
  triggerId: triggerIdSchema,
  scope: scopeSchema,
  origin: z.enum(ORIGINS),
  kind: z.string().max(64),
  /** Passes asked for by a drain; absent: as many as the settings give. */
  parallel: z.int().min(1).max(16).optional(),
});
export type TriggerMessage = z.infer<typeof triggerMessageSchema>;

/** The worker's event. */
export const workEventSchema = z.strictObject({
  v: z.literal(1),
  scope: scopeSchema,
  generation: z.int().min(1),
  passId: passIdSchema,
});
export type WorkEvent = z.infer<typeof workEventSchema>;

/** The scheduler's event from EventBridge Scheduler; the service fills in the scheduled time. */
export const tickEventSchema = z.looseObject({ tick: z.iso.datetime({ offset: true }) });
export type TickEvent = z.infer<typeof tickEventSchema>;
/** What the schedule is told to send. */
export const TICK_INPUT = { tick: '<aws.scheduler.scheduled-time>' } as const;

/** What Lambda sends to the destination of a failed or aged-out asynchronous invocation of the worker. */
export const failedInvocationSchema = z.looseObject({
  requestContext: z.looseObject({ requestId: z.string(), condition: z.string() }),
  requestPayload: z.unknown(),
});
