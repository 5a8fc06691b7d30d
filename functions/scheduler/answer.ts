/**
 * What came of a trigger. Copies of one message may be handled at once, and hours apart: whatever each of them finds, the
 * trigger has one outcome, and that is true. What was refused is never admitted after all: by then its key stands for another
 * trigger, and a person was told so.
 */
import { passIdOf } from '../../schema/ids.ts';
import type { LedgerItem } from '../../schema/ledger.ts';
import { outdatePlans } from '../../schema/ledger-switches.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { TriggerMessage } from '../../schema/messages.ts';
import { poolOf } from '../../schema/pool.ts';
import { refuse } from '../../schema/refusal.ts';
import type { ScopeItem } from '../../schema/scope.ts';
import {
  announceRefusal,
  getTrigger,
  recordOutcome,
  type TriggerItem,
  triggerItemSchema,
  type TriggerOutcome,
} from '../../schema/trigger.ts';
import { dayEndMs } from '../../schema/usage.ts';
import { loadPoolLedger } from '../io/ledger-row.ts';
import type { SchedulerDeps } from './deps.ts';
import { findPlanned, loadScope } from './load.ts';

/** A continuation has no row: nobody waits for what comes of it. */
const hasRow = ({ origin }: TriggerMessage): boolean => origin === 'trigger' || origin === 'drain';

const toldBy = (row: TriggerItem | undefined): TriggerOutcome | undefined => row?.outcome ?? row?.refusal;

/** What was told of a trigger, or is about to be: then nothing is planned for it. Read after the ledger that is planned from. */
export async function loadTold(
  { store }: Pick<SchedulerDeps, 'store'>,
  message: TriggerMessage,
): Promise<TriggerOutcome | undefined> {
  if (!hasRow(message)) return undefined;
  const item = await store.get(getTrigger(message.triggerId));
  return item && toldBy(triggerItemSchema.parse(item));
}

interface Planned {
  readonly planned: number;
  readonly passIds: string[];
}

/** The passes of a trigger are numbered from nought, and stand in the ledger or on rows. */
async function findPasses(
  deps: SchedulerDeps,
  { scope, generation }: ScopeItem,
  triggerId: string,
  ledger: LedgerItem,
): Promise<Planned> {
  const passIds: string[] = [];
  let planned = 0;
  for (; planned < LIMITS.passesPerScopeMax; planned++) {
    const passId = passIdOf(triggerId, planned, generation);
    const found = await findPlanned(deps, { scope, generation, passId }, ledger);
    if (!found) break;
    if (found === 'admitted') passIds.push(passId);
  }
  return { planned, passIds };
}

/**
 * What came of a trigger that was planned before. A pass whose row is there, and which the ledger does not list as it was
 * read, may be of a copy that admitted since: all its passes came onto the ledger at once, their rows come one by one.
 */
export async function servedBefore(
  deps: SchedulerDeps,
  scope: ScopeItem,
  triggerId: string,
  ledger: LedgerItem,
): Promise<TriggerOutcome | undefined> {
  const seen = await findPasses(deps, scope, triggerId, ledger);
  const isOlder = seen.passIds.some((passId) => !ledger.passes[passId]);
  const { planned, passIds } = isOlder
    ? await findPasses(deps, scope, triggerId, await loadPoolLedger(deps, poolOf(scope.scope, deps.pools)))
    : seen;
  if (planned === 0) return undefined;
  const isShort = passIds.length < planned;
  const refused = isShort ? [refuse('budget', 'others were faster', dayEndMs(deps.clock.nowMs()))] : [];
  return { passIds, alreadyRunning: [], requested: planned, effective: passIds.length, refused };
}

/**
 * Records what came of a trigger; answers what stands. A refusal is announced first, and every plan made so far is
 * outdated: a copy of the message that planned before it is on the ledger by now, and then the trigger has admitted, or it
 * loses its commit and finds the announcement.
 */
export async function tellOutcome(
  deps: SchedulerDeps,
  message: TriggerMessage,
  outcome: TriggerOutcome,
): Promise<TriggerOutcome> {
  if (!hasRow(message)) return outcome;
  const { triggerId } = message;
  const meant = outcome.passIds.length > 0 ? outcome : await confirmRefusal(deps, message, outcome);
  const recorded = await deps.store.write(recordOutcome(triggerId, meant, deps.ids.fresh()));
  if (recorded.kind === 'won') return meant;
  const row = triggerItemSchema.safeParse(recorded.stored).data;
  return row?.outcome ?? meant;
}

async function confirmRefusal(
  deps: SchedulerDeps,
  { triggerId, scope }: TriggerMessage,
  refusal: TriggerOutcome,
): Promise<TriggerOutcome> {
  const { store, ids, pools } = deps;
  const announced = await store.write(announceRefusal(triggerId, refusal, ids.fresh()));
  const row = announced.kind === 'held' ? triggerItemSchema.safeParse(announced.stored).data : undefined;
  if (row?.outcome) return row.outcome;
  // It has no row: nobody waits for what comes of it.
  if (announced.kind === 'held' && !row) return refusal;
  const pool = poolOf(scope, pools);
  await store.write(outdatePlans(ids.fresh(), pool));
  const ledger = await loadPoolLedger(deps, pool);
  const served = await loadScope(deps, scope);
  const after = served && (await servedBefore(deps, served, triggerId, ledger));
  return after && after.passIds.length > 0 ? after : (row?.refusal ?? refusal);
}
