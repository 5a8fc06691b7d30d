/**
 * Keeps out what a person had forgotten. A writer looks twice: before it writes, so that the words are not written at all;
 * and after, since a claim may be forgotten while it is on its way. Who has it forgotten puts the tombstone before they
 * look for rows: so whichever of the two comes last sees the other. A writer that dies between its row and its second look
 * leaves it to the next looks of the erasure.
 *
 * One query of the tombstones a look, for all claims of a source, which is one read unit while there are a dozen.
 */
import { type Citation, emptyCitation, type ScopeAddress, slotKeyOf } from '../../schema/citation.ts';
import { claimErasureKey, erasureItemSchema, hastenErasure, queryForgotten } from '../../schema/erasure.ts';
import { LIMITS } from '../../schema/limits.ts';
import { forgottenHashOf } from '../core/forgetting.ts';
import { type ClaimDeps, rebuildSlot, SlotBusyError, SlotTooLargeError } from './heads.ts';
import type { Store } from './ports.ts';

/** The claims that are to stay out, by hash. */
export async function loadForgotten(store: Pick<Store, 'query'>, address: ScopeAddress): Promise<ReadonlySet<string>> {
  const { items } = await store.query(queryForgotten(address, LIMITS.forgottenReadMax));
  const standing = items
    .map((item) => erasureItemSchema.parse(item))
    .filter(({ liftedAtMs }) => liftedAtMs === undefined);
  return new Set(standing.flatMap(({ hash }) => hash ?? []));
}

export function isForgotten(forgotten: ReadonlySet<string>, citation: Pick<Citation, 'slot' | 'value'>): boolean {
  return forgotten.size > 0 && forgotten.has(forgottenHashOf(citation));
}

/**
 * The second look, after citations were written: those whose claim was forgotten meanwhile are emptied, and their erasure
 * looks again at once, for what is left in keys. Answers how many there were.
 */
export async function takeOutForgotten(
  deps: ClaimDeps,
  address: ScopeAddress,
  written: readonly Citation[],
): Promise<number> {
  if (written.length === 0) return 0;
  const forgotten = await loadForgotten(deps.store, address);
  const meant = written.filter((citation) => isForgotten(forgotten, citation));
  for (const citation of meant) {
    const { store, clock, ids } = deps;
    await store.write(emptyCitation(address, citation, clock.nowMs(), ids.fresh()));
    const key = claimErasureKey(address, forgottenHashOf(citation));
    await store.write(hastenErasure(key, clock.nowMs(), ids.fresh()));
  }
  const slots = new Map(meant.map(({ slot }) => [slotKeyOf(slot), slot]));
  for (const slot of slots.values()) {
    try {
      await rebuildSlot(deps, address, slot, { isChanged: true });
    } catch (error) {
      // A stale cache, which the erasure's next look mends.
      if (!(error instanceof SlotBusyError || error instanceof SlotTooLargeError)) throw error;
    }
  }
  return meant.length;
}
