/**
 * USAGE: what the passes of one scope used in one UTC day, and what is set aside for those that run. Written by the
 * scheduler (reserves, gives back) and the finalizer (settles).
 *
 * Key: scope partition / `USAGE#<yyyy-mm-dd>`, the day on which the pass was admitted. Life: 90 days (TTL). Stream
 * reaction: none.
 *
 * The counters hold what was used and what is reserved; `reserved` names the pass of each reservation, so that it is
 * made once and taken back once. A pass counts from its reservation on. An entry that is closed stays, ten minutes or more:
 * a reservation that was on its way while its pass was served by another scheduler finds it and counts nothing.
 */
import * as z from 'zod';
import type { ExecutorTraits } from './executor.ts';
import { LIMITS } from './limits.ts';
import { get, type Get, type Key, update, type Write } from './request.ts';
import { scopePartition } from './scope.ts';
import type { Settings } from './settings.ts';
import { ITEM_VERSION } from './table.ts';
import { ttlSeconds } from './time.ts';

/** What a pass uses, or sets aside. */
export const amountsSchema = z.object({
  tokensIn: z.int().default(0),
  tokensOut: z.int().default(0),
  costMicroUsd: z.int().default(0),
});
export type Amounts = z.infer<typeof amountsSchema>;

/** `settled`: what the pass used is in the counters. `refused`: the day has no room for it, whatever is free later. */
export type Closing = 'settled' | 'refused';

/** `op` is of the write that made it or closed it. */
const reservationSchema = amountsSchema.extend({
  expiresAtMs: z.number(),
  op: z.string(),
  closed: z.enum(['settled', 'refused']).optional(),
});

export const usageItemSchema = amountsSchema.extend({
  v: z.literal(ITEM_VERSION),
  day: z.string(),
  passes: z.int().default(0),
  reserved: z.record(z.string(), reservationSchema).default({}),
});
export type UsageItem = z.infer<typeof usageItemSchema>;

export interface UsageAddress {
  readonly scope: string;
  readonly generation: number;
  /** `yyyy-mm-dd`, UTC. */
  readonly day: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;

export function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}
/** The first moment of the next UTC day. */
export function dayEndMs(timeMs: number): number {
  return (Math.floor(timeMs / DAY_MS) + 1) * DAY_MS;
}

export function usageKey({ scope, generation, day }: UsageAddress): Key {
  return { pk: scopePartition(scope, generation), sk: `USAGE#${day}` };
}

export function getUsage(address: UsageAddress): Get {
  return get(usageKey(address));
}

/** What a pass of this executor sets aside. */
export function reservationOf({ spends }: ExecutorTraits): Amounts {
  if (!spends) return { tokensIn: 0, tokensOut: 0, costMicroUsd: 0 };
  return { tokensIn: LIMITS.reservedTokensIn, tokensOut: LIMITS.reservedTokensOut, costMicroUsd: 0 };
}

const CENT_MICRO_USD = 10_000;

export interface Bound {
  readonly counter: 'passes' | keyof Amounts;
  readonly most: number;
  /** What one more pass takes of it, at least. */
  readonly takes: number;
}

/** What binds a pass of this executor: what spends nothing is bound by its number alone. */
export function boundsOf(settings: Settings, executor: ExecutorTraits): readonly Bound[] {
  const passes: Bound = { counter: 'passes', most: settings.budgetPasses, takes: 1 };
  if (!executor.spends) return [passes];
  const { tokensIn, tokensOut } = reservationOf(executor);
  const money: Bound = { counter: 'costMicroUsd', most: settings.budgetCents * CENT_MICRO_USD, takes: 1 };
  return [
    passes,
    { counter: 'tokensIn', most: settings.budgetTokensIn, takes: tokensIn },
    { counter: 'tokensOut', most: settings.budgetTokensOut, takes: tokensOut },
    ...(settings.budgetCents > 0 ? [money] : []),
  ];
}

interface Reservation {
  readonly passId: string;
  readonly amounts: Amounts;
  readonly bounds: readonly Bound[];
  readonly expiresAtMs: number;
  /** Whether the day's row is there already. */
  readonly isFirst: boolean;
  readonly op: string;
}

/** What the row says of a pass: nothing, or that it is reserved for, settled or refused. */
export function closingOf(stored: Record<string, unknown> | undefined, passId: string): Closing | 'open' | undefined {
  const entry = usageItemSchema.safeParse(stored).data?.reserved[passId];
  return entry && (entry.closed ?? 'open');
}

/**
 * Reserves one pass and its amounts, before the PASS row is written.
 * Conditional on: no entry of this pass yet, and every bound leaves room for it (`isFirst`: there is no row yet).
 * Loses when: a bound is reached, or was when this pass was refused; or the row came, or is still missing, against what
 * `isFirst` says. A reservation that was made before is this pass's own, and won, also after it was settled.
 */
export function reserveUsage(address: UsageAddress, reservation: Reservation): Write {
  const { passId, amounts, bounds, expiresAtMs, isFirst, op } = reservation;
  const isMine = (stored: Record<string, unknown>) => {
    const closing = closingOf(stored, passId);
    return closing === 'open' || closing === 'settled';
  };
  const own = { ...amounts, expiresAtMs, op };
  const counters = { passes: 1, ...amounts };
  const ttl = ttlSeconds(expiresAtMs + LIMITS.usageKeepMs);
  if (isFirst) {
    return update({
      key: usageKey(address),
      op,
      set: { v: ITEM_VERSION, day: address.day, ttl, reserved: { [passId]: own }, ...counters },
      when: ['attribute_not_exists(#pk)'],
      isMine,
    });
  }
  return update({
    key: usageKey(address),
    op,
    set: { ttl },
    setClauses: ['#reserved.#pass = :own'],
    add: counters,
    when: ['attribute_not_exists(#reserved.#pass)', ...bounds.map(({ counter }) => `#${counter} <= :room_${counter}`)],
    values: {
      ':own': own,
      ...Object.fromEntries(bounds.map(({ counter, most, takes }) => [`:room_${counter}`, most - takes])),
    },
    names: { '#pass': passId },
    isMine,
  });
}

/**
 * Refuses a pass for good, so that nobody reserves for it while its ledger entry is taken off: the sweep may be on its way.
 * Conditional on: no entry of this pass. Loses when it was reserved for meanwhile: then it begins. Refused by another: won.
 */
export function refuseUsage(
  address: UsageAddress,
  { passId, expiresAtMs, op }: { passId: string; expiresAtMs: number; op: string },
): Write {
  return update({
    key: usageKey(address),
    op,
    setClauses: ['#reserved.#pass = :refused'],
    when: ['attribute_not_exists(#reserved.#pass)'],
    values: { ':refused': { closed: 'refused', expiresAtMs, op } },
    names: { '#pass': passId },
    isMine: (stored) => closingOf(stored, passId) === 'refused',
  });
}

interface Settlement {
  readonly passId: string;
  /** The reservation as it was read: it is given back. */
  readonly reserved: Amounts & { readonly op: string };
  /** What the pass used. */
  readonly used: Amounts;
  /** False: the pass never was; it does not count either. */
  readonly ran: boolean;
  /** Until when the closed entry stays. */
  readonly expiresAtMs: number;
  /** Closed entries to drop, as `expiredEntries` names them. */
  readonly drop: readonly string[];
  readonly op: string;
}

/** Closed entries whose time is over: whoever settles drops them, at most 25 at once, so that the row stays small. */
export function expiredEntries(usage: UsageItem, nowMs: number): string[] {
  return Object.entries(usage.reserved)
    .filter(([, { closed, expiresAtMs }]) => closed !== undefined && expiresAtMs < nowMs)
    .map(([passId]) => passId)
    .slice(0, LIMITS.usageDropMax);
}

/**
 * Ends a reservation: closes it and counts what was used in its place.
 * Conditional on: the reservation that was read stands. Loses when it was settled before. The closed entry refuses what
 * a scheduler that stood still reserves for the same pass later.
 */
export function settleUsage(address: UsageAddress, settlement: Settlement): Write {
  const { passId, reserved, used, ran, expiresAtMs, drop, op } = settlement;
  return update({
    key: usageKey(address),
    op,
    setClauses: ['#reserved.#pass = :settled'],
    remove: drop.map((_, k) => `#reserved.#drop${k}`),
    add: {
      passes: ran ? 0 : -1,
      tokensIn: used.tokensIn - reserved.tokensIn,
      tokensOut: used.tokensOut - reserved.tokensOut,
      costMicroUsd: used.costMicroUsd - reserved.costMicroUsd,
    },
    when: ['#reserved.#pass.#op = :reservation'],
    values: { ':reservation': reserved.op, ':settled': { closed: 'settled', expiresAtMs, op } },
    names: { '#pass': passId, ...Object.fromEntries(drop.map((id, k) => [`#drop${k}`, id])) },
  });
}
