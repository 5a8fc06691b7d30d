/**
 * What an operator changes of one scope, on its row (`scope.ts`): pause, resume, settings. Each makes the row if the scope
 * is not known yet, so that settings can stand before the first source. Written by the trigger function.
 *
 * A paused or halted scope stands in `parked#<pool>`, where no look at the due scopes ever meets it; a resume brings it
 * back. Both add to `statsVersion`: an outcome counted from what stood before must not move the scope again.
 */
import { update, type Write } from './request.ts';
import { FIRST_POOL, type Pool } from './pool.ts';
import { FIRST_GENERATION, IN_POOL, poolValuesOf, scopeKey, workPartitionsOf } from './scope.ts';
import type { SettingOverrides } from './settings.ts';
import { ITEM_VERSION } from './table.ts';

/** The two phases of clearing compare it: a row without it would stay due for ever. */
const BACKLOG_COUNTED = '#backlogVersion = if_not_exists(#backlogVersion, :zero)';
const NEXT_STATS = '#statsVersion = if_not_exists(#statsVersion, :zero) + :one';

interface Switch {
  readonly scope: string;
  readonly nowMs: number;
  readonly op: string;
  readonly pool?: Pool;
}

/** Pauses a scope. Conditional on: not paused; in this pool. Loses when it is paused, which is the same outcome. */
export function pauseScope({ scope, nowMs, op, pool = FIRST_POOL }: Switch): Write {
  return update({
    key: scopeKey(scope),
    op,
    set: { v: ITEM_VERSION, scope, paused: true, workPartition: workPartitionsOf(pool).parked },
    setClauses: [
      '#generation = if_not_exists(#generation, :first)',
      '#workDueAtMs = if_not_exists(#workDueAtMs, :now)',
      BACKLOG_COUNTED,
      NEXT_STATS,
    ],
    when: ['attribute_not_exists(#paused) OR #paused <> :true', IN_POOL],
    values: { ...poolValuesOf(pool), ':first': FIRST_GENERATION, ':now': nowMs, ':zero': 0, ':one': 1, ':true': true },
    returns: 'ALL_NEW',
  });
}

/**
 * Resumes a scope, whatever held it back: pause, halt or back-off. It is due now, and its failures are forgotten: the next
 * one is the first.
 * Conditional on: parked, or failures stand; in this pool. Loses when nothing holds it back, or it is not known.
 */
export function resumeScope({ scope, nowMs, op, pool = FIRST_POOL }: Switch): Write {
  return update({
    key: scopeKey(scope),
    op,
    set: { workPartition: workPartitionsOf(pool).due, workDueAtMs: nowMs, failures: 0, failureTimesMs: [] },
    setClauses: [NEXT_STATS],
    remove: ['paused', 'haltedAtMs', 'emptyAtVersion'],
    when: ['#workPartition = :parked OR #failures > :zero', IN_POOL],
    values: { ...poolValuesOf(pool), ':zero': 0, ':one': 1 },
    returns: 'ALL_NEW',
  });
}

interface NewSettings extends Switch {
  readonly settings: SettingOverrides;
  /** How often they were changed when they were read; undefined: never. */
  readonly seenVersion: number | undefined;
}

/**
 * Sets what the scope has in place of the deployment's settings.
 * Conditional on: nobody changed them since they were read. Loses when somebody did: then read and merge again.
 */
export function setScopeSettings(change: NewSettings): Write {
  const { scope, nowMs, op, settings, seenVersion, pool = FIRST_POOL } = change;
  return update({
    key: scopeKey(scope),
    op,
    set: { v: ITEM_VERSION, scope, settings, settingsVersion: (seenVersion ?? 0) + 1 },
    setClauses: [
      '#generation = if_not_exists(#generation, :first)',
      '#workPartition = if_not_exists(#workPartition, :idle)',
      '#workDueAtMs = if_not_exists(#workDueAtMs, :now)',
      BACKLOG_COUNTED,
    ],
    when: [seenVersion === undefined ? 'attribute_not_exists(#settingsVersion)' : '#settingsVersion = :seen'],
    values: {
      ':first': FIRST_GENERATION,
      ':idle': workPartitionsOf(pool).idle,
      ':now': nowMs,
      ':zero': 0,
      ...(seenVersion !== undefined && { ':seen': seenVersion }),
    },
    returns: 'ALL_NEW',
  });
}
