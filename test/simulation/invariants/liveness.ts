/** What must come true once faults have stopped: everything settled, nothing held, nothing owed, and then silence. */
import type { EvidenceItem } from '../../../schema/evidence.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { PassItem } from '../../../schema/pass.ts';
import { scopeKey, type ScopeItem } from '../../../schema/scope.ts';
import { dayOf, type UsageItem } from '../../../schema/usage.ts';
import { longestOf } from '../plans/deployment-plan.ts';
import { BACK_OFF_CAP_MS, EMPTY_PROBE_AGAIN_MS } from '../engine/knobs.ts';
import { listedPasses } from './pools.ts';
import type { World } from '../engine/world.ts';

const MINUTE_MS = 60_000;
/** How long nothing at all may be written, and nothing invoked, once every scope is idle. */
export const SILENCE_MS = 3 * MINUTE_MS;

/** Twice the longest of lease life, tick and back-off. */
export function drainBoundMs({ plan }: World): number {
  const leaseLifeMs = longestOf(plan, 'passTimeoutMs') + LIMITS.leaseMarginMs;
  return 2 * Math.max(leaseLifeMs, MINUTE_MS, BACK_OFF_CAP_MS);
}
/** What is stalled has an attention, and is taken once more when nothing else was for so long; then a tick and a pass. */
export const stalledWaitMs = (): number => LIMITS.maxIntervalMs + 2 * MINUTE_MS;
export const isStalled = (owed: string): boolean => owed.endsWith('in view of everybody');

/** What back-off or a batch waits for, then two empty probes, each found by the next tick. */
export function idleBoundMs({ plan }: World): number {
  return BACK_OFF_CAP_MS + longestOf(plan, 'maxWaitMs') + 2 * EMPTY_PROBE_AGAIN_MS + 3 * MINUTE_MS;
}

/** What is still owed, one line each; empty when all is drained. */
export function findOwed(world: World, unanswered: number, lateLeasePages: ReadonlySet<string>): string[] {
  const owed: string[] = [];
  if (unanswered > 0) owed.push(`V1 ${unanswered} ingest calls are not answered`);
  for (const [passId] of listedPasses(world)) owed.push(`V2 the ledger lists ${passId}`);
  for (const scope of world.plan.scopes) {
    const pk = world.tables.partitionOf(scope);
    for (const item of world.tables.list(pk, 'EVIDENCE#') as unknown as EvidenceItem[]) {
      if (item.state === 'pending') {
        const told = item.stalls >= LIMITS.stalledAt ? ', in view of everybody' : '';
        owed.push(`V1 ${scope} ${item.sk} is pending at ${item.cursor} of ${item.length}${told}`);
      }
      // One that a newer revision replaced while it was held is out of the queue: nobody waits for a lease left on it.
      if (item.leasePass !== undefined && item.state !== 'obsolete')
        owed.push(`V2 ${scope} ${item.sk} is leased by ${item.leasePass}`);
    }
    for (const item of world.tables.list(pk, 'PASS#')) {
      const sk = item.sk as string;
      if (/#(?:REVIEW|CALL|PROPOSAL)#/.test(sk)) continue;
      if (sk.includes('#LEASE#')) {
        if (!lateLeasePages.has(`${pk} ${sk}`)) owed.push(`V2 ${scope} ${sk} is left`);
      } else if ((item as unknown as PassItem).finalizedAtMs === undefined) {
        owed.push(`V2 ${scope} ${sk} is ${String(item.status)} and not finalized`);
      }
    }
    owed.push(...findMiscounted(world, scope));
  }
  return owed;
}

/**
 * Reservations of passes that have ended, and days that count other passes than ran. What a frozen scheduler reserved for
 * a pass that was over long before is an orphan: it stays until the scope is looked at again.
 */
function findMiscounted({ tables }: World, scope: string): string[] {
  const pk = tables.partitionOf(scope);
  const passes = (tables.list(pk, 'PASS#') as unknown as PassItem[]).filter((item) => item.status !== undefined);
  return (tables.list(pk, 'USAGE#') as unknown as UsageItem[]).flatMap((usage) => {
    const ran = passes.filter((pass) => pass.startedAtMs !== undefined && dayOf(pass.admittedAtMs) === usage.day);
    const counted = ran.length + Object.values(usage.reserved).filter(({ closed }) => !closed).length;
    return usage.passes === counted ? [] : [`V2 ${scope} counts ${usage.passes} passes on ${usage.day}, of ${counted}`];
  });
}

const HOUR_MS = 60 * MINUTE_MS;

/** Refused because the budget of its day is spent: nothing else puts a scope off for so long. */
export function waitsForTomorrow({ workPartition, workDueAtMs }: ScopeItem, nowMs: number): boolean {
  return workPartition.startsWith('due') && workDueAtMs - nowMs > HOUR_MS;
}

/** Scopes that were ever fed and are not at rest: idle, halted until a person resumes them, or done for the day. */
export function findRestless({ plan, tables, kernel }: World): string[] {
  return plan.scopes.flatMap((scope) => {
    const { pk, sk } = scopeKey(scope);
    const row = tables.peek(pk, sk) as ScopeItem | undefined;
    const rests =
      !row ||
      row.workPartition.startsWith('idle') ||
      row.haltedAtMs !== undefined ||
      waitsForTomorrow(row, kernel.nowMs);
    return !rests ? [`${scope} stands in ${row.workPartition}`] : [];
  });
}
