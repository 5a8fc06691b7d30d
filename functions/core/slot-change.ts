/**
 * What a set of citations changes in a claim slot, as a person reads it: the same whether they are already written (what
 * a pass did) or only planned (what one would do).
 */
import type { Citation, CitationItem, ClaimSlot } from '../../schema/citation.ts';
import { ITEM_VERSION } from '../../schema/table.ts';
import { type Contest, findContests } from './contests.ts';
import { countingAt, type SlotCitation } from './counting.ts';
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

/** The rows of a claim slot as they would be had this pass written these as well. */
export function withProposed(
  stored: readonly CitationItem[],
  proposed: readonly Citation[],
  passId: string,
): CitationItem[] {
  const rows = new Map(stored.map((row) => [row.citationId, row]));
  for (const citation of proposed) {
    const { citationId, capturedAtMs, planned, recordedAtMs } = citation;
    const fresh = { v: ITEM_VERSION, ...citation, passes: {}, passCount: 0, undone: {} } as const;
    const row: CitationItem = rows.get(citationId) ?? fresh;
    // As the writer does: found written under an earlier captured time, it stands under the later one.
    const recaptured = capturedAtMs > row.capturedAtMs ? { capturedAtMs, planned } : {};
    const passes = { ...row.passes, [passId]: row.passes[passId] ?? recordedAtMs };
    rows.set(citationId, { ...row, ...recaptured, passes, passCount: Object.keys(passes).length });
  }
  return [...rows.values()];
}

export interface PassChanges<C> {
  readonly changes: readonly SlotChange<C>[];
  /** What is contested with the pass, and was not without it. */
  readonly contests: readonly Contest[];
}

/** What a pass changes in a claim slot: its rows, against what stands of them without the pass. */
export function describePass<C extends SlotCitation>(
  slot: ClaimSlot,
  citations: readonly C[],
  passId: string,
): PassChanges<C> {
  const standing = countingAt(citations).concat(citations.filter(({ retracts }) => retracts));
  const without = withoutPass(standing, passId);
  const known = new Set(findContests(slot, without).map(({ subjectKey }) => subjectKey));
  const contests = findContests(slot, standing).filter(({ subjectKey }) => !known.has(subjectKey));
  return { changes: describeChanges(slot, without, standing), contests };
}
