/**
 * Writes what an executor found in one source, by the plan of each draft: entity, citation, register, in that order. A
 * pass that died between any two writes is repaired by whoever writes the same again.
 */
import type { ScopeAddress } from '../../schema/citation.ts';
import { putEntity } from '../../schema/entity.ts';
import type { ClaimDraft } from '../core/claim-draft.ts';
import { type DraftRefusal, type DraftSource, planDraft } from '../core/claim-plan.ts';
import type { ClaimDeps } from '../io/heads.ts';
import { recordCitation } from '../io/record-citation.ts';

export interface ClaimBatch extends DraftSource {
  readonly address: ScopeAddress;
  readonly passId: string;
  readonly drafts: readonly ClaimDraft[];
  /** Spellings of entities this pass made known already; the writer adds to it. One set per pass. */
  readonly knownEntities: Set<string>;
}

export interface ClaimsWritten {
  /** Drafts that stand in the table now, whoever wrote them first. */
  readonly written: number;
  readonly refused: readonly DraftRefusal[];
}

/**
 * Writes the drafts of one source, in their order. A draft that is not valid, or whose quote was not delivered word by
 * word, is refused by its index and does not stop the others. Throws only what the store throws.
 */
export async function writeClaims(deps: ClaimDeps, batch: ClaimBatch): Promise<ClaimsWritten> {
  const { store, clock, ids } = deps;
  const { address, passId, knownEntities } = batch;
  const refused: DraftRefusal[] = [];
  let written = 0;
  for (const [index, draft] of batch.drafts.entries()) {
    const planned = planDraft(draft, index, batch, clock.nowMs());
    if (planned.kind === 'refused') {
      refused.push({ index, reason: planned.reason, message: planned.message });
      continue;
    }
    const { citation } = planned;
    if (!knownEntities.has(citation.entityName)) {
      await store.write(putEntity(address, citation.entityName, ids.fresh()));
      knownEntities.add(citation.entityName);
    }
    await recordCitation(deps, { address, citation, passId });
    written++;
  }
  return { written, refused };
}
