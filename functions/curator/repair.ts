/**
 * Rebuilds every head of a scope from its citations, and the attentions with them. In a healthy scope it finds nothing to
 * change: what it counts is how far the caches were from the truth.
 */
import type { ContinueBody } from '../../schema/memory-api.ts';
import { rebuildSlot } from '../io/heads.ts';
import type { CuratorDeps } from './deps.ts';
import { addressOf } from './scope-address.ts';
import { positionOf, walkSlots } from './walk-slots.ts';

export interface RepairAnswer {
  readonly scope: string;
  /** Claim slots looked at by this call. */
  readonly slots: number;
  readonly headsChanged: number;
  /** Present when there may be more: send it with the next call. */
  readonly cursor?: string;
}

export async function repairHeads(deps: CuratorDeps, scope: string, { cursor }: ContinueBody): Promise<RepairAnswer> {
  const from = positionOf(cursor);
  const address = await addressOf(deps, scope);
  let headsChanged = 0;
  const { slots, cursor: next } = await walkSlots(deps, address, from, async (slot) => {
    if (await rebuildSlot(deps, address, slot)) headsChanged++;
    return true;
  });
  return { scope, slots, headsChanged, ...(next !== undefined && { cursor: next }) };
}
