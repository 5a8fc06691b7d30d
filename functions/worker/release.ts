/** What the first tool call of a pass proves: its provider answers, so that the passes held back for it may come. */
import { findExecutor } from '../../schema/executor.ts';
import { triggerIdOf } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { PassItem } from '../../schema/pass.ts';
import { poolOf } from '../../schema/pool.ts';
import { noteProviderAway, proveProvider } from '../../schema/provider.ts';
import { loadLedger } from '../io/ledger-row.ts';
import type { WorkerDeps } from './deps.ts';

/** At the first tool call: notes that the provider answers, and sends one trigger for what waited for that. */
export async function releaseHeldBack(deps: WorkerDeps, pass: PassItem): Promise<void> {
  const executor = findExecutor(pass.executor, deps.executors);
  if (!executor?.needsProvider) return;
  const pool = poolOf(pass.scope, deps.pools);
  const seen = { executor: executor.name, nowMs: deps.clock.nowMs(), op: deps.ids.fresh(), pool };
  await deps.store.write(proveProvider(seen));
  if (pass.heldBack === undefined) return;
  // Deterministic: a call made twice names the same passes. What the schedule asked for stays the schedule's.
  const triggerId = triggerIdOf(pass.startedAtMs ?? pass.admittedAtMs, `canary ${pass.passId}`);
  const isAsked = pass.origin === 'trigger' || pass.origin === 'drain';
  const origin = isAsked ? 'drain' : 'continuation';
  const parallel = isAsked ? { parallel: pass.heldBack } : {};
  await deps.queue.send({ v: 1, triggerId, scope: pass.scope, origin, kind: pass.kind, ...parallel });
}

/** Notes for everybody that the provider is away: until when it says so, or for a while. */
export async function reportAway(deps: WorkerDeps, pass: PassItem, untilMs: number | undefined): Promise<void> {
  const nowMs = deps.clock.nowMs();
  const away = { nowMs, untilMs: Math.max(untilMs ?? nowMs + LIMITS.providerAwayMs, nowMs + 1) };
  // Refuses a deployment that was made with another number of pools.
  await loadLedger(deps, pass.scope);
  const pool = poolOf(pass.scope, deps.pools);
  await deps.store.write(noteProviderAway({ executor: pass.executor, ...away, op: deps.ids.fresh(), pool }));
}
