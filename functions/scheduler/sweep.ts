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
import { poolOf } from '../../schema/pool.ts';
import { resolveSettings } from '../../schema/settings.ts';
import { beginPass } from './begin.ts';
import type { SchedulerDeps } from './deps.ts';
import { loadPass, loadScope } from './load.ts';

const SILENT: PassFailure = { code: 'silent', message: 'its heartbeat stopped: the worker died or was cut off' };
const NEVER_STARTED: PassFailure = { code: 'never_started', message: 'no worker took it up' };

/**
 * Repairs every entry that needs it. In a healthy system: none. Answers what went wrong on the way: an entry that cannot
 * be repaired, or a row that cannot be read, stops neither the others nor the admission that follows.
 */
export async function sweepLedger(deps: SchedulerDeps, ledger: LedgerItem): Promise<readonly unknown[]> {
  const repairs = await Promise.allSettled(
    Object.entries(ledger.passes).map(([passId, entry]) => sweepEntry(deps, { passId, entry, ledger })),
  );
  deps.log.count('sweepRepairs', repairs.filter((repair) => repair.status === 'fulfilled' && repair.value).length);
  return repairs.flatMap((repair) => (repair.status === 'rejected' ? [repair.reason] : []));
}

interface Owing {
  readonly passId: string;
  readonly entry: LedgerEntry;
  readonly ledger: LedgerItem;
}

async function sweepEntry(deps: SchedulerDeps, { passId, entry, ledger }: Owing): Promise<boolean> {
  const address: PassAddress = { scope: entry.scope, generation: entry.generation, passId };
  const pass = await loadPass(deps, address);
  const nowMs = deps.clock.nowMs();
  const verdict = deps.decide.judgeEntry(entry, pass, nowMs);
  if (verdict.kind === 'leave') return false;
  deps.log.warn('sweep repairs a pass', { passId, repair: verdict.kind });
  const op = deps.ids.fresh();
  switch (verdict.kind) {
    case 'carry-forward':
      await carryForward(deps, { passId, entry, ledger });
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
      await deps.store.write(removeFromLedger(passId, op, poolOf(entry.scope, deps.pools)));
      return true;
  }
}

/** Goes on where the scheduler which wrote this entry did not get to. */
async function carryForward(deps: SchedulerDeps, { passId, entry, ledger }: Owing): Promise<void> {
  const scope = await loadScope(deps, entry.scope);
  const settings = resolveSettings(deps.deploymentSettings, scope?.settings ?? {}, ledger.settings);
  const { pageSources, pageCharacters, passTimeoutMs } = settings;
  const pass: NewPass = {
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
    ...(entry.heldBack !== undefined && { heldBack: entry.heldBack }),
    ...(entry.attention && { attention: 'owned' }),
    admittedAtMs: entry.admittedAtMs,
  };
  await beginPass(deps, pass, settings);
}
