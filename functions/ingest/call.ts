/** What is the same for all that one call writes: whose memory, of which generation, when, and how long a session waits. */
import { FIRST_GENERATION, type ScopeItem } from '../../schema/scope.ts';
import { resolveSettings, type SettingOverrides } from '../../schema/settings.ts';
import { loadFirstLedger } from '../io/ledger-row.ts';
import type { IngestDeps } from './deps.ts';

export interface IngestCall {
  readonly scope: string;
  readonly generation: number;
  readonly nowMs: number;
  readonly completeAfterIdleMs: number;
}

export interface Arrival {
  readonly scope: string;
  readonly nowMs: number;
  readonly live: SettingOverrides;
}

/** What was changed of the settings at run time; asked for only where it matters, for sessions that go on. */
export async function loadLiveSettings(deps: IngestDeps, goesOn: boolean): Promise<SettingOverrides> {
  return (goesOn ? (await loadFirstLedger(deps)).settings : undefined) ?? {};
}

export function callOf(deps: IngestDeps, { scope, nowMs, live }: Arrival, row: ScopeItem | undefined): IngestCall {
  const { completeAfterIdleMs } = resolveSettings(deps.deploymentSettings, row?.settings ?? {}, live);
  return { scope, generation: row?.generation ?? FIRST_GENERATION, nowMs, completeAfterIdleMs };
}
