/**
 * Bounds turned so that a schedule of minutes reaches what takes hours: back-off is capped at five minutes, an empty scope
 * is looked at again after two and one with stalled evidence alone after four, a provider is asked again after one, and a LEASE row's life is drawn. They are numbers of
 * `schema/limits.ts`, set in this process alone; their relations must hold with them too.
 */
import { relations } from '../../schema/limit-relations.ts';
import { LIMITS } from '../../schema/limits.ts';

const MINUTE_MS = 60_000;
const limits = LIMITS as { -readonly [Name in keyof typeof LIMITS]: number };

/** 2.5 minutes doubled at most once. */
export const BACK_OFF_CAP_MS = 5 * MINUTE_MS;
export const EMPTY_PROBE_AGAIN_MS = 2 * MINUTE_MS;

export function turnKnobs({ leasePageKeepMs }: { readonly leasePageKeepMs: number }): void {
  limits.backOffBaseMs = BACK_OFF_CAP_MS / 2;
  limits.backOffExponentMax = 1;
  limits.emptyProbeAgainMs = EMPTY_PROBE_AGAIN_MS;
  limits.maxIntervalMs = 4 * MINUTE_MS;
  limits.providerAwayMs = MINUTE_MS;
  limits.leasePageKeepMs = leasePageKeepMs;
  const broken = relations(LIMITS).find(([, holds]) => !holds);
  if (broken) throw new Error(`the knobs of the simulation break a relation of limits.ts: ${broken[0]}`);
}
