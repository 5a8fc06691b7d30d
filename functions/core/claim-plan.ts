/**
 * What the writer of claims would write of a draft, before anything is written: the citation, or why it is refused in a
 * sentence a model can act on. The writer goes by this plan, and so does a dry run.
 */
import type { Citation } from '../../schema/citation.ts';
import type { EntityType } from '../../schema/entity.ts';
import type { SourceRef } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';
import { type ClaimDraft, claimDraftSchema } from './claim-draft.ts';
import { makeCitation } from './claims.ts';
import { checkQuote, type DeliveredText } from './quotes.ts';
import { wordIssue } from './word-issue.ts';

export interface DraftSource {
  readonly source: SourceRef;
  readonly capturedAtMs: number;
  readonly executor: string;
  /** What this pass was given of the source. */
  readonly delivered: DeliveredText;
}

export type DraftRefusalReason = 'invalid_draft' | 'quote_mismatch' | 'quote_not_delivered' | 'too_many_claims';
export interface DraftRefusal {
  /** Position among the drafts of the call. */
  readonly index: number;
  readonly reason: DraftRefusalReason;
  readonly message: string;
}

export type PlannedDraft =
  | {
      readonly kind: 'planned';
      readonly index: number;
      readonly citation: Citation;
      /** What its entity is said to be. */
      readonly entityType?: EntityType;
    }
  | ({ readonly kind: 'refused' } & DraftRefusal);

/** The plan of one draft, the `index`-th of its call. */
export function planDraft(given: ClaimDraft, index: number, from: DraftSource, recordedAtMs: number): PlannedDraft {
  if (index >= LIMITS.claimsPerCallMax) {
    const message = `at most ${LIMITS.claimsPerCallMax} claims are taken in one call: write the rest in another`;
    return { kind: 'refused', index, reason: 'too_many_claims', message };
  }
  const parsed = claimDraftSchema.safeParse(given, { error: wordIssue });
  if (!parsed.success) {
    const reasons = parsed.error.issues.map(({ path, message }) =>
      path.length > 0 ? `${path.join('.')}: ${message}` : message,
    );
    return { kind: 'refused', index, reason: 'invalid_draft', message: reasons.join('; ') };
  }
  const { source, capturedAtMs, executor, delivered } = from;
  const check = checkQuote(parsed.data, delivered.text, delivered.start);
  if (check.kind === 'refused') return { ...check, index };
  const citation = makeCitation({ draft: parsed.data, source, capturedAtMs, executor, recordedAtMs });
  const { entityType } = parsed.data;
  return { kind: 'planned', index, citation, ...(entityType && { entityType }) };
}
