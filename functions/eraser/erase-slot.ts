/** Takes citations out of a claim slot, and with the last of them the head, whose key and registers tell of them too. */
import { citationKey, type CitationItem, type ClaimSlot, querySlotCitations } from '../../schema/citation.ts';
import { dropHead, getHead, headItemSchema } from '../../schema/head.ts';
import { LIMITS } from '../../schema/limits.ts';
import { remove } from '../../schema/request.ts';
import { rebuildSlot, SlotBusyError, SlotTooLargeError } from '../io/heads.ts';
import type { Step } from './step.ts';

/** The rows first, then the head from what is left: a writer between the two finds its row gone when it looks again. */
export async function eraseFromSlot(step: Step, slot: ClaimSlot, meant: readonly CitationItem[]): Promise<void> {
  await step.remove(
    'citations',
    meant.map((citation) => remove(citationKey(step.address, citation))),
  );
  await settleHead(step, slot);
}

/** Sets the head to what the citations say, or drops it where there are none. A slot that is too busy is left for now. */
export async function settleHead(step: Step, slot: ClaimSlot): Promise<void> {
  const { deps, address } = step;
  try {
    for (let round = 0; round < LIMITS.rebuildRoundsMax; round++) {
      const head = headItemSchema.safeParse(await deps.store.get(getHead(address, slot))).data;
      const { items } = await deps.store.query(querySlotCitations(address, slot, 1));
      if (items.length > 0) {
        await rebuildSlot(deps, address, slot, { isChanged: true });
        return;
      }
      if (!head) return;
      const dropped = await deps.store.write(dropHead(address, slot, head.version));
      // Lost or won, it looks again: a claim told after the rows were read may have lost to what the head held.
      if (dropped.kind === 'won') step.removed.others++;
    }
  } catch (error) {
    if (!(error instanceof SlotBusyError || error instanceof SlotTooLargeError)) throw error;
    deps.log.error('a head could not be rebuilt after an erase; the next look does', error);
  }
  step.left++;
}
