/**
 * Writes what an executor found in one source, by the plan of each draft: entity, citation, register, in that order. A
 * pass that died between any two writes is repaired by whoever writes the same again.
 */
import type { Citation, ScopeAddress } from '../../schema/citation.ts';
import { type EntityType, putEntity, typeEntity, typeKeyOf } from '../../schema/entity.ts';
import type { ClaimDraft } from '../core/claim-draft.ts';
import { type DraftRefusal, type DraftSource, planDraft } from '../core/claim-plan.ts';
import { isForgotten, loadForgotten, takeOutForgotten } from '../io/forgotten.ts';
import type { ClaimDeps } from '../io/heads.ts';
import { recordCitation } from '../io/record-citation.ts';

export interface ClaimBatch extends DraftSource {
  readonly address: ScopeAddress;
  readonly passId: string;
  readonly drafts: readonly ClaimDraft[];
  /** Judges a draft; `planDraft` unless given. */
  readonly plan?: typeof planDraft;
  /** Spellings of entities this pass made known already; the writer adds to it. One set per pass. */
  readonly knownEntities: Set<string>;
  /** By slug, the highest word on its type that this pass wrote. Absent: none yet. */
  readonly knownTypes?: Map<string, string>;
  /** Of a dry run: takes what would be written, and nothing is. */
  readonly propose?: (citation: Citation) => Promise<void>;
}

export interface ClaimsWritten {
  /** Drafts that stand in the table now, whoever wrote them first. */
  readonly written: number;
  readonly refused: readonly DraftRefusal[];
  /** Drafts of claims that a person had forgotten: nothing is wrong with them, and none of them stands. Absent: none. */
  readonly forgotten?: number;
}

/**
 * Writes the drafts of one source, in their order. A draft that is not valid, or whose quote was not delivered word by
 * word, is refused by its index and does not stop the others. Throws only what the store throws.
 */
export async function writeClaims(deps: ClaimDeps, batch: ClaimBatch): Promise<ClaimsWritten> {
  const { store, clock } = deps;
  const { address, passId, plan = planDraft } = batch;
  const refused: DraftRefusal[] = [];
  const recorded: Citation[] = [];
  let written = 0;
  let keptOut = 0;
  const forgotten = batch.drafts.length > 0 ? await loadForgotten(store, address) : new Set<string>();
  for (const [index, draft] of batch.drafts.entries()) {
    const planned = plan(draft, index, batch, clock.nowMs());
    if (planned.kind === 'refused') {
      refused.push({ index, reason: planned.reason, message: planned.message });
      continue;
    }
    const { citation } = planned;
    if (isForgotten(forgotten, citation)) {
      keptOut++;
      continue;
    }
    if (batch.propose) {
      await batch.propose(citation);
      written++;
      continue;
    }
    await makeKnown(deps, batch, citation, planned.entityType);
    await recordCitation(deps, { address, citation, passId });
    recorded.push(citation);
    written++;
  }
  const takenOut = await takeOutForgotten(deps, address, recorded);
  const out = keptOut + takenOut;
  return { written: written - takenOut, refused, ...(out > 0 && { forgotten: out }) };
}

/** Makes a citation's entity known by its spelling, and by what it is: each once a pass, and again only for a higher word. */
async function makeKnown(
  { store, ids }: ClaimDeps,
  { address, knownEntities, knownTypes }: ClaimBatch,
  { entityName, slot, capturedAtMs }: Citation,
  entityType: EntityType | undefined,
): Promise<void> {
  if (!knownEntities.has(entityName)) {
    await store.write(putEntity(address, entityName, ids.fresh()));
    knownEntities.add(entityName);
  }
  if (entityType === undefined) return;
  const typeKey = typeKeyOf({ entityType, capturedAtMs, isPerson: false });
  if (typeKey <= (knownTypes?.get(slot.entity) ?? '')) return;
  await store.write(typeEntity(address, { slug: slot.entity, entityType, typeKey }, ids.fresh()));
  knownTypes?.set(slot.entity, typeKey);
}
