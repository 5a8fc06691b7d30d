/** Reads settings: what holds of one scope or of the deployment, and where each value comes from. */
import { showSettings, type ShownSettings } from '../core/settings-view.ts';
import { loadFirstLedger } from '../io/ledger-row.ts';
import { loadScope } from '../io/scope-row.ts';
import type { ReaderDeps } from './deps.ts';

export interface SettingsAnswer {
  readonly scope?: string;
  readonly known?: boolean;
  readonly settings: ShownSettings;
}

/** What holds of a scope; one that is not known has what the deployment has. Two reads. */
export async function readScopeSettings(deps: ReaderDeps, scope: string): Promise<SettingsAnswer> {
  const [row, ledger] = await Promise.all([loadScope(deps, scope), loadFirstLedger(deps)]);
  const layers = { deployment: deps.deploymentSettings, live: ledger.settings ?? {}, scope: row?.settings ?? {} };
  return { scope, known: row !== undefined, settings: showSettings(layers) };
}

/** What holds of the deployment; one read. */
export async function readDeploymentSettings(deps: ReaderDeps): Promise<SettingsAnswer> {
  const { settings: live = {} } = await loadFirstLedger(deps);
  return { settings: showSettings({ deployment: deps.deploymentSettings, live, scope: {} }) };
}
