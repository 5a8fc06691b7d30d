/**
 * LEDGER: the one item per pool that lists every pass that still owes work. Capacity, slot numbers and what the sweep
 * walks are all read from here, and admission is one conditional write on it, so that no two schedulers can ever admit
 * more than the limits allow. Written by the scheduler (admits, repairs) and the finalizer (removes, last of all).
 *
 * Key: `POOL#<n>` / `LEDGER`. Life: for ever. Stream reaction: none. At most 200 entries of some 300 bytes.
 *
 * Where there are more pools than one (`pool.ts`), what holds of all scopes, their pause and their settings, stands in the
 * ledger of the first, and who reads another reads that one after it.
 */
import * as z from 'zod';
import { ORIGINS } from './origin.ts';
import { FIRST_POOL, type Pool } from './pool.ts';
import { providerHealthSchema } from './provider-health.ts';
import { get, type Get, type Key, update, type Write } from './request.ts';
import { storedSettingsSchema } from './settings.ts';
import { ITEM_VERSION } from './table.ts';

/** Number of the first pool. */
export const POOL = FIRST_POOL.number;

export const ledgerEntrySchema = z.object({
  scope: z.string(),
  generation: z.int(),
  kind: z.string(),
  slotNumber: z.int().min(0),
  triggerId: z.string(),
  /** One that this release does not know counts as scheduled: the pass runs, whoever asked for it. */
  origin: z.enum(ORIGINS).catch('schedule'),
  /** Owns its scope's attention while it stands here. At most one entry of a scope does. */
  attention: z.literal(true).optional(),
  /** Passes that wait for this one, the canary, to prove its provider. */
  heldBack: z.int().optional(),
  admittedAtMs: z.number(),
  /** The write that put the entry here: tells a lost reply from a lost race. */
  op: z.string(),
});
export type LedgerEntry = z.infer<typeof ledgerEntrySchema>;

export const ledgerItemSchema = z.object({
  v: z.literal(ITEM_VERSION),
  version: z.int(),
  /** All scopes are paused. */
  paused: z.boolean().optional(),
  /** What was changed of the deployment's settings at run time, and how often. */
  settings: storedSettingsSchema.optional(),
  settingsVersion: z.int().optional(),
  /** Absent: unproven. */
  provider: providerHealthSchema.optional(),
  passes: z.record(z.string(), ledgerEntrySchema),
  /** How many pools there were when it was made; absent: one. */
  pools: z.int().optional(),
});
export type LedgerItem = z.infer<typeof ledgerItemSchema>;

/** What a ledger that was never written reads as. */
export const EMPTY_LEDGER: LedgerItem = { v: ITEM_VERSION, version: 0, passes: {} };

export function ledgerKey({ number }: Pool = FIRST_POOL): Key {
  return { pk: `POOL#${number}`, sk: 'LEDGER' };
}

export function getLedger(pool: Pool = FIRST_POOL): Get {
  return get(ledgerKey(pool));
}

interface Admission {
  /** The version the plan was made from; 0 when there was no item. */
  readonly seenVersion: number;
  readonly entries: Readonly<Record<string, LedgerEntry>>;
  readonly op: string;
  readonly pool?: Pool;
}

const admitsMine =
  (entries: Admission['entries'], op: string) =>
  (stored: Record<string, unknown>): boolean => {
    const parsed = ledgerItemSchema.safeParse(stored);
    const ids = Object.keys(entries);
    return parsed.success && ids.length > 0 && ids.every((passId) => parsed.data.passes[passId]?.op === op);
  };

/**
 * Admits passes: adds their entries and one to the version.
 * Conditional on: the ledger is at the version the plan was made from.
 * Loses when: another scheduler admitted meanwhile; then load and plan again.
 */
export function admitPasses({ seenVersion, entries, op, pool = FIRST_POOL }: Admission): Write {
  const isMine = admitsMine(entries, op);
  if (seenVersion === 0) {
    return update({
      key: ledgerKey(pool),
      op,
      set: { v: ITEM_VERSION, version: 1, passes: entries, ...(pool.of > 1 && { pools: pool.of }) },
      when: ['attribute_not_exists(#version)'],
      isMine,
    });
  }
  const ids = Object.keys(entries);
  return update({
    key: ledgerKey(pool),
    op,
    setClauses: ['#version = #version + :one', ...ids.map((_, k) => `#passes.#pass${k} = :entry${k}`)],
    when: ['#version = :seenVersion'],
    values: {
      ':one': 1,
      ':seenVersion': seenVersion,
      ...Object.fromEntries(ids.map((id, k) => [`:entry${k}`, entries[id]])),
    },
    names: Object.fromEntries(ids.map((id, k) => [`#pass${k}`, id])),
    isMine,
  });
}

/**
 * Takes a pass off the ledger: it owes nothing any more.
 * Conditional on: the entry is there. Loses when it is gone already, which is the same outcome.
 * The version stays: a plan made with the entry still in it is only too careful.
 */
export function removeFromLedger(passId: string, op: string, pool: Pool = FIRST_POOL): Write {
  return update({
    key: ledgerKey(pool),
    op,
    remove: ['#passes.#pass'],
    when: ['attribute_exists(#passes.#pass)'],
    names: { '#pass': passId },
  });
}
