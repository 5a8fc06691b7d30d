/**
 * What is known of the model provider's health, as a field of the ledger item: there every plan reads it, and one
 * condition guards it. Written by workers, which alone talk to the provider.
 */
import type * as z from 'zod';
import { ledgerKey } from './ledger.ts';
import { OUTDATE, OUTDATE_VALUES, stampOf } from './ledger-switches.ts';
import { FIRST_POOL, type Pool } from './pool.ts';
import { update, type Write } from './request.ts';
import { ITEM_VERSION } from './table.ts';
import { providerHealthSchema } from './provider-health.ts';

export type ProviderHealth = z.infer<typeof providerHealthSchema>;

interface Seen {
  /** The executor whose provider it is: of another one it says nothing. */
  readonly executor: string;
  readonly nowMs: number;
  readonly op: string;
  /** Of the pass that found it so: each finds out for itself. */
  readonly pool?: Pool;
}

/** What is known is of another executor's provider, or nothing is. */
const OF_ANOTHER = 'attribute_not_exists(#provider) OR #provider.#executor <> :executor';
const THERE_IS_A_LEDGER = 'attribute_exists(#version)';

/**
 * Notes that the provider answers.
 * Conditional on: there is a ledger, which does not say so already; it is not away until later: a pass that began before
 * says nothing against that.
 * Loses when it is proven, or was found away meanwhile.
 */
export function proveProvider({ executor, nowMs, op, pool = FIRST_POOL }: Seen): Write {
  return update({
    key: ledgerKey(pool),
    op,
    set: { provider: { executor, state: 'proven', atMs: nowMs } },
    when: [
      THERE_IS_A_LEDGER,
      `${OF_ANOTHER} OR #provider.#state <> :proven`,
      `${OF_ANOTHER} OR attribute_not_exists(#provider.#untilMs) OR #provider.#untilMs <= :now`,
    ],
    values: { ':executor': executor, ':now': nowMs, ':proven': 'proven' },
  });
}

/**
 * Notes that the provider is away, and adds one to the ledger's version: no plan made before is committed.
 * Conditional on: it is not said to be away for as long. Loses when it is.
 */
export function noteProviderAway(away: Seen & { readonly untilMs: number }): Write {
  const { executor, nowMs, op, untilMs, pool = FIRST_POOL } = away;
  return update({
    key: ledgerKey(pool),
    op,
    set: { v: ITEM_VERSION, ...stampOf(pool), provider: { executor, state: 'away', atMs: nowMs, untilMs } },
    setClauses: OUTDATE,
    when: [`${OF_ANOTHER} OR attribute_not_exists(#provider.#untilMs) OR #provider.#untilMs < :until`],
    values: { ...OUTDATE_VALUES, ':executor': executor, ':until': untilMs },
  });
}
