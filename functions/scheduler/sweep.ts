/**
 * The sweep: walks the ledger, the only list of passes that still owe work, and repairs what got stuck. One read a pass
 * in the ledger, none when it is empty. Everything it does is conditional on what it judged.
 */
import { findKind } from '../../schema/kind.ts';
import { type LedgerEntry, type LedgerItem, removeFromLedger } from '../../schema/ledger.ts';
import {
  expireRunningPass,
  expireUnstartedPass,
  noteInvoked,
  type NewPass,
  type PassAddress,
  type PassFailure,
} from '../../schema/pass.ts';
import { kickPass } from '../../schema/pass-finalization.ts';
import { resolveSettings } from '../../schema/settings.ts';
import { startAdmitted } from './admit.ts';
import type { SchedulerDeps } from './deps.ts';
import { loadPass, loadScope } from './load.ts';

const SILENT: PassFailure = { code: 'silent', message: 'its heartbeat stopped: the worker died or was cut off' };
const NEVER_STARTED: PassFailure = { code: 'never_started', message: 'no worker took it up' };

/** Repairs every entry that needs it; answers how many did. In a healthy system: none. */
export async function sweepLedger(deps: SchedulerDeps, ledger: LedgerItem): Promise<number> {
  const repairs = await Promise.all(
    Object.entries(ledger.passes).map(([passId, entry]) => sweepEntry(deps, passId, entry)),
  );
  const repaired = repairs.filter((repair) => repair).length;
  deps.log.count('sweepRepairs', repaired);
  return repaired;
}

async function sweepEntry(deps: SchedulerDeps, passId: string, entry: LedgerEntry): Promise<boolean> {
  const address: PassAddress = { scope: entry.scope, generation: entry.generation, passId };
  const pass = await loadPass(deps, address);
  const nowMs = deps.clock.nowMs();
  const verdict = deps.decide.judgeEntry(entry, pass, nowMs);
  if (verdict.kind === 'leave') return false;
  deps.log.warn('sweep repairs a pass', { passId, repair: verdict.kind });
  const op = deps.ids.fresh();
  switch (verdict.kind) {
    case 'carry-forward':
      await startAdmitted(deps, await newPassOfEntry(deps, passId, entry));
      return true;
    case 'invoke-again':
      await deps.store.write(noteInvoked(address, nowMs, op));
      await deps.invoker.invoke({ v: 1, ...address });
      return true;
    case 'expire-unstarted':
      await deps.store.write(expireUnstartedPass(address, { nowMs, failure: NEVER_STARTED, op }));
      return true;
    case 'expire-running': {
      const { attempt, heartbeatAtMs } = verdict;
      await deps.store.write(expireRunningPass(address, { attempt, heartbeatAtMs, nowMs, failure: SILENT, op }));
      return true;
    }
    case 'kick':
      await deps.store.write(kickPass(address, op));
      return true;
    case 'remove':
      await deps.store.write(removeFromLedger(passId, op));
      return true;
  }
}

/** The PASS row that the scheduler which wrote this entry did not get to. */
async function newPassOfEntry(deps: SchedulerDeps, passId: string, entry: LedgerEntry): Promise<NewPass> {
  const scope = await loadScope(deps, entry.scope);
  const settings = resolveSettings(deps.deploymentSettings, scope?.settings ?? {});
  const { pageSources, pageCharacters, passTimeoutMs } = settings;
  return {
    passId,
    scope: entry.scope,
    generation: entry.generation,
    kind: entry.kind,
    lane: findKind(entry.kind)?.lane ?? 'incremental',
    slotNumber: entry.slotNumber,
    triggerId: entry.triggerId,
    origin: entry.origin,
    pageSources,
    pageCharacters,
    passTimeoutMs,
    executor: deps.executor ?? 'none',
    admittedAtMs: entry.admittedAtMs,
  };
}
