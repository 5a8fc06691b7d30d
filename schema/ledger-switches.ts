/**
 * What an operator changes for all scopes at once, on the ledger item (`ledger.ts`): pause, resume, settings at run time.
 * Each adds one to the ledger's version, so that a plan made before the change loses its commit: once the change is
 * answered, nothing is admitted by what stood before it. Written by the trigger function.
 */
import { ledgerKey } from './ledger.ts';
import { FIRST_POOL, type Pool } from './pool.ts';
import { update, type Write } from './request.ts';
import type { SettingOverrides } from './settings.ts';
import { ITEM_VERSION } from './table.ts';

/** Every plan made so far is outdated; makes the item if nothing was ever admitted. */
export const OUTDATE = ['#version = if_not_exists(#version, :zero) + :one', '#passes = if_not_exists(#passes, :none)'];
export const OUTDATE_VALUES = { ':zero': 0, ':one': 1, ':none': {} };

/** What an item that is made by the way says of how many pools there are: nothing, where there is one. */
export const stampOf = ({ of }: Pool): { pools?: number } => (of > 1 ? { pools: of } : {});

/** Pauses all scopes. Conditional on: not paused. Loses when it is, which is the same outcome. */
export function pauseAll(op: string, first: Pool = FIRST_POOL): Write {
  return update({
    key: ledgerKey(),
    op,
    set: { v: ITEM_VERSION, paused: true, ...stampOf(first) },
    setClauses: OUTDATE,
    when: ['attribute_not_exists(#paused)'],
    values: OUTDATE_VALUES,
  });
}

/** Takes the pause of all scopes back. Conditional on: paused. Loses when it is not, which is the same outcome. */
export function resumeAll(op: string): Write {
  return update({
    key: ledgerKey(),
    op,
    setClauses: OUTDATE,
    remove: ['paused'],
    when: ['attribute_exists(#paused)'],
    values: OUTDATE_VALUES,
  });
}

interface NewSettings {
  readonly settings: SettingOverrides;
  /** How often they were changed when they were read; undefined: never. */
  readonly seenVersion: number | undefined;
  readonly op: string;
  readonly first?: Pool;
}

/**
 * Sets what replaces the deployment's settings at run time.
 * Conditional on: nobody changed them since they were read. Loses when somebody did: then read and merge again.
 */
export function setLiveSettings({ settings, seenVersion, op, first = FIRST_POOL }: NewSettings): Write {
  return update({
    key: ledgerKey(),
    op,
    set: { v: ITEM_VERSION, settings, settingsVersion: (seenVersion ?? 0) + 1, ...stampOf(first) },
    setClauses: OUTDATE,
    when: [seenVersion === undefined ? 'attribute_not_exists(#settingsVersion)' : '#settingsVersion = :seen'],
    values: { ...OUTDATE_VALUES, ...(seenVersion !== undefined && { ':seen': seenVersion }) },
  });
}

/**
 * Outdates every plan of a pool made so far, after a scope of it was paused or its settings were changed, or those of all.
 * Unconditional: a version too many only makes somebody plan again.
 */
export function outdatePlans(op: string, pool: Pool = FIRST_POOL): Write {
  return update({
    key: ledgerKey(pool),
    op,
    set: { v: ITEM_VERSION, ...stampOf(pool) },
    setClauses: OUTDATE,
    when: [],
    values: OUTDATE_VALUES,
  });
}
