/**
 * What an operator changes while the deployment runs: pause and resume, of one scope or of all, and settings. When a
 * change is answered, nothing is admitted any more by what stood before it: every change outdates the plans made so far.
 */
import { outdatePlans, pauseAll, resumeAll, setLiveSettings } from '../../schema/ledger-switches.ts';
import { LIMITS } from '../../schema/limits.ts';
import { allPools, findShareless, FIRST_POOL, poolOf } from '../../schema/pool.ts';
import { pauseScope, resumeScope, setScopeSettings } from '../../schema/scope-switches.ts';
import {
  parseSettingsPatch,
  patchOverrides,
  resolveSettings,
  type SettingOverrides,
  type SettingsPatch,
} from '../../schema/settings.ts';
import { showSettings, type ShownSettings } from '../core/settings-view.ts';
import { HttpError } from '../io/http.ts';
import { loadFirstLedger, loadLedger } from '../io/ledger-row.ts';
import { loadScope } from '../io/scope-row.ts';
import type { TriggerDeps } from './deps.ts';

/** Pauses all scopes, or takes that back. Passes that run go on to their end. */
export async function switchAll(deps: TriggerDeps, paused: boolean): Promise<{ paused: boolean }> {
  const { store, ids, pools = 1 } = deps;
  // Refuses a deployment that was made with another number of pools: a switch must not rename its ledger.
  await loadFirstLedger(deps);
  await store.write(paused ? pauseAll(ids.fresh(), { ...FIRST_POOL, of: pools }) : resumeAll(ids.fresh()));
  await outdateOthers(deps);
  return { paused };
}

/** What holds of all scopes stands in the first ledger, whose plans the change itself outdates. */
async function outdateOthers({ store, ids, pools }: TriggerDeps): Promise<void> {
  const [, ...others] = allPools(pools);
  await Promise.all(others.map((pool) => store.write(outdatePlans(ids.fresh(), pool))));
}

export interface ScopeSwitch {
  readonly scope: string;
  readonly paused: boolean;
  /** Nothing had to be changed: it stood so already. */
  readonly unchanged?: true;
}

/** Pauses a scope, known or not. Passes that run go on to their end. */
export async function pauseOne(deps: TriggerDeps, scope: string): Promise<ScopeSwitch> {
  const { store, clock, ids, pools } = deps;
  const pool = poolOf(scope, pools);
  await loadLedger(deps, scope);
  const outcome = await store.write(pauseScope({ scope, nowMs: clock.nowMs(), op: ids.fresh(), pool }));
  await store.write(outdatePlans(ids.fresh(), pool));
  return { scope, paused: true, ...(outcome.kind === 'held' && { unchanged: true }) };
}

/** Resumes a scope from pause, halt and back-off. One that nothing holds back, or that is not known, stays as it is. */
export async function resumeOne(deps: TriggerDeps, scope: string): Promise<ScopeSwitch> {
  const { store, clock, ids, pools } = deps;
  const resume = { scope, nowMs: clock.nowMs(), op: ids.fresh(), pool: poolOf(scope, pools) };
  const outcome = await store.write(resumeScope(resume));
  return { scope, paused: false, ...(outcome.kind === 'held' && { unchanged: true }) };
}

/** Reads a change of settings, or throws a 400 that says what is allowed. */
function readPatch(body: unknown, of: 'deployment' | 'scope'): SettingsPatch {
  try {
    return parseSettingsPatch(body, of);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new HttpError(400, 'invalid_settings', error.message);
  }
}

function refuseContended(): HttpError {
  const message = `the settings were changed by others ${LIMITS.commitRoundsMax} times in a row: send the change again`;
  return new HttpError(409, 'contended', message);
}

/** Changes settings of all scopes at run time; null takes a change back. */
export async function changeLiveSettings(deps: TriggerDeps, body: unknown): Promise<{ settings: ShownSettings }> {
  const patch = readPatch(body, 'deployment');
  for (let round = 0; round < LIMITS.commitRoundsMax; round++) {
    const { settings = {}, settingsVersion } = await loadFirstLedger(deps);
    const live = patchOverrides(settings, patch);
    refuseShareless(deps, live);
    const first = { ...FIRST_POOL, of: deps.pools ?? 1 };
    const change = { settings: live, seenVersion: settingsVersion, op: deps.ids.fresh(), first };
    const isChange = Object.keys(patch).length > 0;
    if (!isChange || (await deps.store.write(setLiveSettings(change))).kind === 'won') {
      if (isChange) await outdateOthers(deps);
      return { settings: showSettings({ deployment: deps.deploymentSettings, live, scope: {} }) };
    }
  }
  throw refuseContended();
}

function refuseShareless({ deploymentSettings, pools = 1 }: TriggerDeps, live: SettingOverrides): void {
  const shareless = findShareless(resolveSettings(deploymentSettings, {}, live), pools);
  if (shareless) throw new HttpError(400, 'invalid_settings', shareless);
}

/** Changes settings of one scope, known or not; null takes a change back. */
export async function changeScopeSettings(
  deps: TriggerDeps,
  scope: string,
  body: unknown,
): Promise<{ scope: string; settings: ShownSettings }> {
  const patch = readPatch(body, 'scope');
  for (let round = 0; round < LIMITS.commitRoundsMax; round++) {
    const [ledger, row] = await Promise.all([loadFirstLedger(deps), loadScope(deps, scope)]);
    const own = patchOverrides(row?.settings ?? {}, patch);
    const seenVersion = row?.settingsVersion;
    const pool = poolOf(scope, deps.pools);
    const change = { scope, settings: own, seenVersion, nowMs: deps.clock.nowMs(), op: deps.ids.fresh(), pool };
    const isChange = Object.keys(patch).length > 0;
    if (isChange && (await deps.store.write(setScopeSettings(change))).kind === 'held') continue;
    if (isChange) await deps.store.write(outdatePlans(deps.ids.fresh(), pool));
    const layers = { deployment: deps.deploymentSettings, live: ledger.settings ?? {}, scope: own };
    return { scope, settings: showSettings(layers) };
  }
  throw refuseContended();
}
