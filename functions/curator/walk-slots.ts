/**
 * Walks the claim slots of a scope in bounded calls: what has to look at every citation cannot end in one. Each call
 * answers where the next goes on; walking again from the start is safe.
 */
import type { CitationItem, ClaimSlot, ScopeAddress } from '../../schema/citation.ts';
import { LIMITS } from '../../schema/limits.ts';
import { decodeCursor, encodeCursor, refuseCursor } from '../io/page-cursor.ts';
import { readClaimSlots } from '../io/slot-rows.ts';
import type { CuratorDeps } from './deps.ts';

/** Changes a claim slot; true when that took writes. */
export type Visit = (slot: ClaimSlot, citations: readonly CitationItem[]) => Promise<boolean>;

export interface Walked {
  /** Claim slots looked at. */
  readonly slots: number;
  /** Present when there may be more: send it with the next call. */
  readonly cursor?: string;
}

/** Where a cursor goes on: asked before the scope is looked for. Throws a 400 for a cursor of no call. */
export function positionOf(cursor: string | undefined): string | undefined {
  const from = cursor === undefined ? undefined : decodeCursor(cursor);
  if (from !== undefined && !/^[\x20-\x7e]{1,1000}$/.test(from)) throw refuseCursor();
  return from;
}

/** Visits claim slots from a position on, until a bound of `schema/limits.ts` is met. */
export async function walkSlots(
  { store, clock }: CuratorDeps,
  address: ScopeAddress,
  from: string | undefined,
  visit: Visit,
): Promise<Walked> {
  const rowsPerQuery = LIMITS.claimRowsPerPageMax;
  const untilMs = clock.nowMs() + LIMITS.curatedForMs;
  let slots = 0;
  let changed = 0;
  let passed: string | undefined;
  for await (const { slot, citations, position, rowsRead } of readClaimSlots(store, address, { rowsPerQuery }, from)) {
    const rowsBefore = rowsRead - citations.length;
    const isFull = changed >= LIMITS.curatedSlotsPerCallMax || rowsBefore >= LIMITS.curatedRowsPerCallMax;
    if ((isFull || clock.nowMs() > untilMs) && passed !== undefined) return { slots, cursor: encodeCursor(passed) };
    if (await visit(slot, citations)) changed++;
    slots++;
    passed = position;
  }
  return { slots };
}
