/**
 * Writes what an executor found in one source: entity, citation, register, in that order. Every write is idempotent, so a
 * pass that died between any two of them is repaired by whoever writes the same again: a citation found written still
 * raises its register. Reads compute from the citations, so a missing head is late, never wrong.
 */
import {
  addCitationPass,
  type Citation,
  citationItemSchema,
  putCitation,
  type ScopeAddress,
} from '../../schema/citation.ts';
import { putEntity } from '../../schema/entity.ts';
import { raiseRegister, registerOf } from '../../schema/head.ts';
import type { SourceRef } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';
import { type ClaimDraft, claimDraftSchema } from '../core/claim-draft.ts';
import { makeCitation } from '../core/claims.ts';
import { checkQuote, type DeliveredText } from '../core/quotes.ts';
import type { Clock, Ids, Store } from '../io/ports.ts';

export interface ClaimWriterDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
}

export interface ClaimBatch {
  readonly address: ScopeAddress;
  readonly passId: string;
  readonly source: SourceRef;
  readonly capturedAtMs: number;
  readonly executor: string;
  readonly drafts: readonly ClaimDraft[];
  /** What this pass was given of the source. */
  readonly delivered: DeliveredText;
  /** Slugs of the entities this pass made known already; the writer adds to it. One set per pass. */
  readonly knownEntities: Set<string>;
}

export type DraftRefusalReason = 'invalid_draft' | 'quote_mismatch' | 'quote_not_delivered' | 'too_many_claims';
export interface DraftRefusal {
  /** Position in `drafts`. */
  readonly index: number;
  readonly reason: DraftRefusalReason;
  readonly message: string;
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
export async function writeClaims(deps: ClaimWriterDeps, batch: ClaimBatch): Promise<ClaimsWritten> {
  const refused: DraftRefusal[] = [];
  let written = 0;
  for (const [index, given] of batch.drafts.entries()) {
    const checked = checkDraft(given, index, batch.delivered);
    if (checked.kind === 'refused') {
      refused.push({ index, reason: checked.reason, message: checked.message });
      continue;
    }
    await writeDraft(deps, batch, checked.draft);
    written++;
  }
  return { written, refused };
}

type CheckedDraft =
  | { readonly kind: 'ok'; readonly draft: ClaimDraft }
  | { readonly kind: 'refused'; readonly reason: DraftRefusalReason; readonly message: string };

function checkDraft(given: ClaimDraft, index: number, delivered: DeliveredText): CheckedDraft {
  if (index >= LIMITS.claimsPerCallMax) {
    const message = `at most ${LIMITS.claimsPerCallMax} claims are taken in one call: write the rest in another`;
    return { kind: 'refused', reason: 'too_many_claims', message };
  }
  const parsed = claimDraftSchema.safeParse(given);
  if (!parsed.success) {
    const reasons = parsed.error.issues.map(({ path, message }) =>
      path.length > 0 ? `${path.join('.')}: ${message}` : message,
    );
    return { kind: 'refused', reason: 'invalid_draft', message: reasons.join('; ') };
  }
  const check = checkQuote(parsed.data, delivered.text, delivered.start);
  return check.kind === 'ok' ? { kind: 'ok', draft: parsed.data } : check;
}

async function writeDraft(deps: ClaimWriterDeps, batch: ClaimBatch, draft: ClaimDraft): Promise<void> {
  const { store, clock, ids } = deps;
  const { address, source, capturedAtMs, executor, knownEntities } = batch;
  const citation = makeCitation({ draft, source, capturedAtMs, executor, recordedAtMs: clock.nowMs() });
  if (!knownEntities.has(citation.slot.entity)) {
    await store.write(putEntity(address, draft.entity, ids.fresh()));
    knownEntities.add(citation.slot.entity);
  }
  const stands = await writeCitation(deps, batch, citation);
  const register = registerOf(citation);
  if (stands && register) await store.write(raiseRegister(address, citation, register, ids.fresh()));
}

/** Writes a citation, or adds this pass to it. False when it was withdrawn: then the head is left alone. */
async function writeCitation(deps: ClaimWriterDeps, batch: ClaimBatch, citation: Citation): Promise<boolean> {
  const { store, ids } = deps;
  const { address, passId } = batch;
  const outcome = await store.write(putCitation(address, citation, passId, ids.fresh()));
  if (outcome.kind === 'won') return true;
  const stored = citationItemSchema.safeParse(outcome.stored);
  if (stored.data?.withdrawnAtMs !== undefined) return false;
  if (stored.data?.passes[passId] === undefined) {
    await store.write(addCitationPass(address, citation, { passId, nowMs: citation.recordedAtMs, op: ids.fresh() }));
  }
  return true;
}
