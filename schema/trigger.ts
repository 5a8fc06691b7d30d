/**
 * TRIGGER: a request to look at a scope, and what came of it. It carries no work. Written by the api (puts) and the
 * scheduler (records the outcome). A second row binds an idempotency key to the trigger it stands for.
 *
 * Keys: `TRIGGER#<triggerId>` / `TRIGGER` and `TRIGGER#key-<hash of scope and key>` / `TRIGGER`.
 * Life: a day (TTL). Stream reaction: none.
 */
import * as z from 'zod';
import { hash22 } from './ids.ts';
import { LIMITS } from './limits.ts';
import { ORIGINS } from './origin.ts';
import { get, type Get, type Key, put, update, type Write } from './request.ts';
import { ITEM_VERSION } from './table.ts';
import { ttlSeconds } from './time.ts';

export const outcomeSchema = z.object({
  passIds: z.array(z.string()),
  /** Passes that ran in the scope already, with their slot numbers. */
  alreadyRunning: z.array(z.object({ passId: z.string(), slotNumber: z.int() })),
  requested: z.int(),
  /** Passes asked for after the caps of the settings. */
  effective: z.int(),
  /** What was asked for and lowered to what is allowed, each in a sentence. */
  coerced: z.array(z.string()).optional(),
  /** Why the rest of the passes asked for was not admitted. */
  refused: z.array(z.object({ reason: z.string(), message: z.string(), retryAtMs: z.number().optional() })),
});
export type TriggerOutcome = z.infer<typeof outcomeSchema>;

export const triggerItemSchema = z.object({
  v: z.literal(ITEM_VERSION),
  triggerId: z.string(),
  scope: z.string(),
  origin: z.enum(ORIGINS),
  kind: z.string(),
  requestedAtMs: z.number(),
  outcome: outcomeSchema.optional(),
  /** A refusal that is about to be its outcome, unless it turns out to have admitted: nothing is planned for it any more. */
  refusal: outcomeSchema.optional(),
});
export type TriggerItem = z.infer<typeof triggerItemSchema>;

export const triggerBindingSchema = z.object({
  v: z.literal(ITEM_VERSION),
  triggerId: z.string(),
  requestHash: z.string(),
});
export type TriggerBinding = z.infer<typeof triggerBindingSchema>;

export function triggerKey(triggerId: string): Key {
  return { pk: `TRIGGER#${triggerId}`, sk: 'TRIGGER' };
}

export function bindingKey(scope: string, idempotencyKey: string): Key {
  return { pk: `TRIGGER#key-${hash22(`${scope}\n${idempotencyKey}`)}`, sk: 'TRIGGER' };
}

export function getTrigger(triggerId: string): Get {
  return get(triggerKey(triggerId));
}

/** Puts a trigger. Conditional on: the row does not exist. Loses never but to its own lost reply: ids are fresh. */
export function putTrigger(trigger: Omit<TriggerItem, 'v' | 'outcome' | 'refusal'>, op: string): Write {
  return put({
    op,
    item: {
      ...triggerKey(trigger.triggerId),
      v: ITEM_VERSION,
      ...trigger,
      ttl: ttlSeconds(trigger.requestedAtMs + LIMITS.triggerKeepMs),
    },
    when: ['attribute_not_exists(#pk)'],
  });
}

/**
 * Announces that a trigger is about to be refused: from here on nothing is admitted for it. Not an outcome yet: a copy of its
 * message may have planned before, and is on its way to the ledger.
 * Conditional on: the row exists, has no outcome and no refusal. Loses when a copy of the message got there first, or when
 * the trigger has no row.
 */
export function announceRefusal(triggerId: string, refusal: TriggerOutcome, op: string): Write {
  return update({
    key: triggerKey(triggerId),
    op,
    set: { refusal },
    when: ['attribute_exists(#pk)', 'attribute_not_exists(#outcome)', 'attribute_not_exists(#refusal)'],
  });
}

/**
 * Records what came of a trigger, once.
 * Conditional on: the row exists and has no outcome. Loses when a doubled message recorded it before, or when the trigger
 * has no row (a tick's, a continuation's).
 */
export function recordOutcome(triggerId: string, outcome: TriggerOutcome, op: string): Write {
  return update({
    key: triggerKey(triggerId),
    op,
    set: { outcome },
    when: ['attribute_exists(#pk)', 'attribute_not_exists(#outcome)'],
  });
}

interface Binding {
  readonly scope: string;
  readonly idempotencyKey: string;
  readonly requestHash: string;
  readonly triggerId: string;
  readonly nowMs: number;
  readonly op: string;
}

/**
 * Binds an idempotency key to a trigger.
 * Conditional on: the key is not bound. Loses when it is; the stored binding tells to what.
 */
export function bindTrigger({ scope, idempotencyKey, requestHash, triggerId, nowMs, op }: Binding): Write {
  return put({
    op,
    item: {
      ...bindingKey(scope, idempotencyKey),
      v: ITEM_VERSION,
      triggerId,
      requestHash,
      ttl: ttlSeconds(nowMs + LIMITS.triggerKeepMs),
    },
    when: ['attribute_not_exists(#pk)'],
  });
}

/**
 * Binds a key anew after its trigger was refused: only an outcome that admitted is remembered.
 * Conditional on: the key is bound to the refused trigger. Loses when another caller bound it anew first.
 */
export function rebindTrigger(
  { scope, idempotencyKey, triggerId, nowMs, op }: Binding,
  refusedTriggerId: string,
): Write {
  return update({
    key: bindingKey(scope, idempotencyKey),
    op,
    set: { triggerId, ttl: ttlSeconds(nowMs + LIMITS.triggerKeepMs) },
    when: ['#triggerId = :refused'],
    values: { ':refused': refusedTriggerId },
  });
}
