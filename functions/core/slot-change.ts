/**
 * What a set of citations changes in a claim slot, as a person reads it: the same whether they are already written (what
 * a pass did) or only planned (what one would do).
 */
import type { ClaimSlot } from '../../schema/citation.ts';
import type { SlotCitation } from './counting.ts';
import { type SlotClaim, type SlotView, viewSlot } from './slot-view.ts';

/**
 * `adds`: the claim slot was empty. `replaces`: another claim was current. `ends`: the claim slot is filled no longer.
 * `confirms`: the claim was there, and has more citations. `adds_history`: it was told of, and something newer stands.
 * `plans`: it is told for later. `restores`: a claim is current again. `takes_back`: it has no citation left.
 */
export type ChangeKind =
  | 'adds'
  | 'replaces'
  | 'ends'
  | 'confirms'
  | 'adds_history'
  | 'plans'
  | 'restores'
  | 'takes_back';

export interface SlotChange<C> {
  readonly slot: ClaimSlot;
  readonly entityName: string;
  readonly kind: ChangeKind;
  readonly claimId: string;
  readonly value: string;
  /** What was current before, where that is another claim. */
  readonly insteadOf?: { readonly claimId: string; readonly value: string };
  /** The citations that are new to the claim. */
  readonly citations: readonly C[];
}

const hasStanding = (claim: SlotClaim<unknown> | undefined): boolean =>
  claim !== undefined && claim.state !== 'retracted';

function kindOf(
  before: SlotClaim<unknown> | undefined,
  after: SlotClaim<unknown>,
  isCurrent: boolean,
  was: SlotCitation | undefined,
): ChangeKind {
  if (!hasStanding(after)) return 'takes_back';
  if (isCurrent && was?.claimId !== after.claimId) {
    if (after.value === '') return 'ends';
    if (hasStanding(before)) return 'restores';
    return was === undefined || was.value === '' ? 'adds' : 'replaces';
  }
  if (hasStanding(before)) return 'confirms';
  return after.state === 'planned' ? 'plans' : 'adds_history';
}

/** The changes between two states of a claim slot, claims in the order of the view after. */
export function describeChanges<C extends SlotCitation>(
  slot: ClaimSlot,
  before: readonly C[],
  after: readonly C[],
): SlotChange<C>[] {
  const past: SlotView<C> = viewSlot(before);
  const next: SlotView<C> = viewSlot(after);
  const was = past.current;
  return next.claims.flatMap((claim): SlotChange<C>[] => {
    const earlier = past.claims.find(({ claimId }) => claimId === claim.claimId);
    const known = new Set(earlier?.citations.map(({ citationId }) => citationId));
    const citations = claim.citations.filter(({ citationId }) => !known.has(citationId));
    const isCurrent = next.current?.claimId === claim.claimId;
    const isSame = earlier?.state === claim.state && citations.length === 0;
    const isQuieter = earlier !== undefined && citations.length === 0 && !isCurrent && hasStanding(claim);
    if (isSame || isQuieter) return [];
    const kind = kindOf(earlier, claim, isCurrent, was);
    const insteadOf =
      isCurrent && was && was.claimId !== claim.claimId ? { claimId: was.claimId, value: was.value } : undefined;
    const { claimId, value, entityName } = claim;
    return [{ slot, entityName, kind, claimId, value, citations, ...(insteadOf && { insteadOf }) }];
  });
}

/** The rows of a claim slot as they would be had this pass not written. */
export function withoutPass<C extends SlotCitation>(citations: readonly C[], passId: string): C[] {
  return citations.flatMap((citation) => {
    const { [passId]: made, ...others } = citation.passes ?? {};
    if (made === undefined) return [citation];
    return Object.keys(others).length === 0 ? [] : [{ ...citation, passes: others }];
  });
}
