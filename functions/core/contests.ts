/**
 * What is contested in a claim slot, as a function of its citations: two values told at the very same time, of which
 * order alone cannot choose, and a citation that says outright that another claim is wrong.
 */
import type { AttentionDetails } from '../../schema/attention.ts';
import { type ClaimSlot, slotKeyOf } from '../../schema/citation.ts';
import { registerKeyOf, registerTimeOf } from '../../schema/head.ts';
import { formatSourceRef } from '../../schema/ids.ts';
import { countingAt, type SlotCitation } from './counting.ts';
import { greatest, topsOf } from './registers.ts';

/** Where a contest stands: in a register, or in what a source said outright. */
export const CONTEST_PLACES = ['dated', 'undated', 'said'] as const;
type Place = (typeof CONTEST_PLACES)[number];

export interface Contest {
  readonly subject: string;
  /** Only rises as citations come: both sides are greatest ones. */
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

/** The newest citation that calls another claim wrong which still has citations that count, and the best of those. */
function contradictionIn(counting: readonly SlotCitation[]): readonly [SlotCitation, SlotCitation] | undefined {
  const pairs = counting.flatMap((citation): (readonly [SlotCitation, SlotCitation])[] => {
    const wrong = counting.filter(({ claimId }) => claimId === citation.contradicts);
    const other = greatest(wrong, registerKeyOf);
    return other && other.claimId !== citation.claimId ? [[citation, other]] : [];
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
