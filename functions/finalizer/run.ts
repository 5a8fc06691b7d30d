/**
 * The finalizer: a function of the pass's rows, read consistently, never of the record that woke it. Run twice, late, or
 * again after a crash between any two writes, it gives the same table (design section 8).
 *
 * Order: settle and release evidence, drop LEASE rows, count the outcome, return the unused budget, mark finalized, then take the pass off the
 * ledger, then trigger again. The ledger entry goes after the mark: it is the list of all passes that still owe work.
 */
import { removeFromLedger } from '../../schema/ledger.ts';
import { triggerIdOf } from '../../schema/ids.ts';
import { isDryRun } from '../../schema/kind.ts';
import { getPass, isTerminal, type PassAddress, type PassItem, passItemSchema } from '../../schema/pass.ts';
import { finalizePass } from '../../schema/pass-finalization.ts';
import { poolOf } from '../../schema/pool.ts';
import { queryTakeable, STALLED_TIER, tierOf } from '../../schema/queue.ts';
import { getScope, scopeItemSchema } from '../../schema/scope.ts';
import { countOutcome } from '../../schema/scope-outcome.ts';
import { asksForMore, judgeOutcome, type PassOutcome } from '../core/outcome.ts';
import { readQueueRows } from '../io/probe.ts';
import type { FinalizerDeps } from './deps.ts';
import { settlePass } from './settle.ts';
import { settleBudget } from './usage.ts';

/** Rounds of counting against other passes of the scope that end at the same moment: at most 16 run at once. */
const COUNT_ROUNDS_MAX = 20;

export type FinalizeOutcome =
  | { readonly kind: 'nothing-owed' }
  | { readonly kind: 'finalized'; readonly settled: number; readonly released: number; readonly triggered: boolean };

export async function finalize(deps: FinalizerDeps, address: PassAddress): Promise<FinalizeOutcome> {
  const item = await deps.store.get(getPass(address));
  const pass = item && passItemSchema.parse(item);
  if (!pass || !isTerminal(pass.status)) return { kind: 'nothing-owed' };
  // Also after it is marked: a LEASE row that a late writer left may name leases nobody else would give back.
  const { settled, settledNow, overtaken, releasedNow, leftOver } = await settlePass(deps, pass);
  // What this run gave back is there, whether or not the index shows it yet.
  const backlogLeft = leftOver || (await hasBacklog(deps, pass));
  const outcome = judgeOutcome(pass, settled + overtaken);
  if (pass.finalizedAtMs === undefined) {
    // A dry run says nothing of its scope: neither that it got on, nor that it failed.
    if (!isDryRun(pass.kind)) await countOnce(deps, pass, { outcome, backlogLeft });
    await settleBudget(deps, pass);
    const nowMs = deps.clock.nowMs();
    await deps.store.write(finalizePass(pass, { nowMs, settled, released: releasedNow, op: deps.ids.fresh() }));
  }
  const removal = await deps.store.write(
    removeFromLedger(pass.passId, deps.ids.fresh(), poolOf(pass.scope, deps.pools)),
  );
  // Only the run that took the entry off triggers: a record doubled a day later asks for nothing.
  const triggered = removal.kind === 'won' && asksForMore(outcome, settled, backlogLeft);
  if (triggered) await triggerAgain(deps, pass);
  deps.log.count('sourcesSettled', settledNow);
  deps.log.count('sourcesReleased', releasedNow);
  deps.log.info('pass finalized', { passId: pass.passId, status: pass.status, settled, released: releasedNow });
  return { kind: 'finalized', settled, released: releasedNow, triggered };
}

async function hasBacklog({ store }: FinalizerDeps, { scope, generation, lane }: PassItem): Promise<boolean> {
  const rows = await readQueueRows(store, queryTakeable({ scope, generation, lane }, 1));
  // Stalled ones come last: alone they are no reason to go on.
  const [first] = rows;
  return first !== undefined && tierOf(first.queueKey) < STALLED_TIER;
}

async function countOnce(
  deps: FinalizerDeps,
  pass: PassItem,
  { outcome, backlogLeft }: { outcome: PassOutcome; backlogLeft: boolean },
): Promise<void> {
  const endedAtMs = pass.endedAtMs ?? deps.clock.nowMs();
  for (let round = 0; round < COUNT_ROUNDS_MAX; round++) {
    const item = await deps.store.get(getScope(pass.scope));
    if (!item) return;
    const scope = scopeItemSchema.parse(item);
    // The scope was erased since: how its last passes ended says nothing of what it holds now.
    if (scope.generation !== pass.generation) return;
    const nowMs = deps.clock.nowMs();
    const { passId, failure } = pass;
    const count = deps.decide.planCount({ scope, passId, endedAtMs, outcome, failure, backlogLeft, nowMs });
    if (!count) return;
    const written = await deps.store.write(
      countOutcome({ ...count, op: deps.ids.fresh(), pool: poolOf(pass.scope, deps.pools) }),
    );
    if (written.kind === 'won') return;
  }
  throw new Error(
    `the outcome of pass ${pass.passId} could not be counted in ${COUNT_ROUNDS_MAX} rounds; it is tried again`,
  );
}

/** Deterministic by the pass: however often this is sent, it names the same next passes. */
async function triggerAgain(deps: FinalizerDeps, pass: PassItem): Promise<void> {
  const triggerId = triggerIdOf(pass.endedAtMs ?? pass.admittedAtMs, `after ${pass.passId}`);
  await deps.queue.send({ v: 1, triggerId, scope: pass.scope, origin: 'continuation', kind: pass.kind });
}
