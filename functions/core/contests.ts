/**
 * What is contested in a claim slot, as a function of its citations: two values told at the very same time, of which
 * order alone cannot choose, and a citation that says outright that a standing claim is wrong.
 */
import type { AttentionDetails } from '../../schema/attention.ts';
import { type ClaimSlot, slotKeyOf } from '../../schema/citation.ts';
import { registerKeyOf, registerOf, registerTimeOf } from '../../schema/head.ts';
import { formatSourceRef } from '../../schema/ids.ts';
import { countingAt, type SlotCitation } from './counting.ts';
import { currentRegister, greatest, topsOf } from './registers.ts';

/** Where a contest stands: in a register, or in what a source said outright. */
export const CONTEST_PLACES = ['dated', 'undated', 'said'] as const;
type Place = (typeof CONTEST_PLACES)[number];

export interface Contest {
  readonly subject: string;
  /** Both sides, each the greatest of its kind. */
  readonly subjectKey: string;
  readonly details: AttentionDetails;
}

export function contestSubject(slot: ClaimSlot, place: Place): string {
  return `${slotKeyOf(slot)}#${place}`;
}

function sideOf(citation: SlotCitation): AttentionDetails['sides'][number] {
  const { claimId, citationId, entityName, value, quote, source, capturedAtMs } = citation;
  return { claimId, citationId, entityName, value, quote: quote.text, source: formatSourceRef(source), capturedAtMs };
}

function contestOf(slot: ClaimSlot, place: Place, pair: readonly [SlotCitation, SlotCitation]): Contest {
  return {
    subject: contestSubject(slot, place),
    subjectKey: pair.map(registerKeyOf).join('>'),
    details: { slot, sides: pair.map(sideOf), because: place === 'said' ? 'contradiction' : 'same_time' },
  };
}

function tiedWith(top: SlotCitation | undefined, counting: readonly SlotCitation[]): SlotCitation | undefined {
  if (!top) return undefined;
  const timeMs = registerTimeOf(top);
  const tied = counting.filter(
    (other) =>
      !other.planned &&
      (other.event === undefined) === (top.event === undefined) &&
      other.claimId !== top.claimId &&
      registerTimeOf(other) === timeMs,
  );
  return greatest(tied, registerKeyOf);
}

/** Which citation would decide were it not for this claim. */
function decidingWithout(claimId: string, told: readonly SlotCitation[]): SlotCitation | undefined {
  const { dated, undated } = topsOf(told.filter((other) => other.claimId !== claimId));
  return currentRegister(dated, undated);
}

/**
 * The newest citation that calls a standing claim wrong, and that claim: one that would be current were it not for what
 * contradicts it. A claim that a third one superseded is history, and no question; neither is a plan, which is in no
 * register, on either side.
 */
function contradictionIn(counting: readonly SlotCitation[]): readonly [SlotCitation, SlotCitation] | undefined {
  const told = counting.filter((citation) => registerOf(citation) !== undefined);
  const accusing = told.filter(({ contradicts, claimId }) => contradicts !== undefined && contradicts !== claimId);
  const pairs = [...Map.groupBy(accusing, ({ claimId }) => claimId)].flatMap(([claimId, own]) => {
    const standing = decidingWithout(claimId, told);
    const against = own.filter(({ contradicts }) => contradicts === standing?.claimId);
    return standing ? against.map((citation): readonly [SlotCitation, SlotCitation] => [citation, standing]) : [];
  });
  return greatest(pairs, (pair) => pair.map(registerKeyOf).join('>'));
}

/** The contests of a claim slot, at most one a place. None while a person's word stands: that is the decision. */
export function findContests(slot: ClaimSlot, citations: readonly SlotCitation[]): Contest[] {
  const counting = countingAt(citations);
  const tops = topsOf(counting);
  if (tops.protected) return [];
  const contests: Contest[] = [];
  for (const place of ['dated', 'undated'] as const) {
    const top = tops[place];
    const tied = tiedWith(top, counting);
    if (top && tied) contests.push(contestOf(slot, place, [top, tied]));
  }
  const said = contradictionIn(counting);
  if (said) contests.push(contestOf(slot, 'said', said));
  return contests;
}
