/** A claim as the API shows it (design section 13): what is said, since when, and the words it stands on. */
import type { CitationItem, ClaimSlot, EventTime } from '../../schema/citation.ts';
import { formatSourceRef } from '../../schema/ids.ts';
import type { SlotClaim, SlotClaimState } from '../core/slot-view.ts';
import { isoOf, isoOrNone } from './iso-time.ts';

/** Quotes of one claim shown, newest first: said in fifty sources, it is as well known by the first ten. */
export const QUOTES_SHOWN_MAX = 10;
/** Citations of one claim shown in full, newest first: 100 of at most 2,000 characters are 800 KB at the very most. */
export const CITATIONS_SHOWN_MAX = 100;

export interface ClaimBody {
  readonly id: string;
  readonly entity: string;
  readonly attribute: string;
  /** Empty when the state is `ended`. */
  readonly value: string;
  readonly state: SlotClaimState;
  readonly since: string;
  readonly until?: string;
  /** How exact `since` is, when an event gave it. */
  readonly precision?: EventTime['precision'];
  readonly planned?: true;
  /** Newest first; `at` is when the source was captured. */
  readonly quotes: readonly { readonly text: string; readonly source: string; readonly at: string }[];
  /** Citations beyond those shown. */
  readonly quotesLeftOut?: number;
  readonly replacedBy?: { readonly id: string; readonly value: string };
  readonly citations?: readonly CitationBody[];
  /** The claim slot holds more citations than are read: what is shown may not be all of it. */
  readonly truncated?: true;
}

export interface CitationBody {
  readonly id: string;
  readonly value: string;
  readonly text: string;
  readonly source: string;
  /** Code points of the source's rendered text; `end` is not included. */
  readonly start: number;
  readonly end: number;
  readonly event?: { readonly start: string; readonly end: string; readonly precision: EventTime['precision'] };
  readonly planned?: true;
  readonly captured: string;
  readonly recorded: string;
  readonly withdrawn?: string;
  readonly executor: string;
  readonly rule?: string;
  readonly confidence?: number;
  /** The passes that wrote it, at most 20, by id. */
  readonly passes: readonly { readonly id: string; readonly at: string }[];
}

function citationBody(citation: CitationItem): CitationBody {
  const { citationId, value, quote, source, event, planned, capturedAtMs, recordedAtMs } = citation;
  const { withdrawnAtMs, executor, rule, confidence, passes } = citation;
  return {
    id: citationId,
    value,
    text: quote.text,
    source: formatSourceRef(source),
    start: quote.start,
    end: quote.end,
    ...(event && { event: { start: isoOf(event.startMs), end: isoOf(event.endMs), precision: event.precision } }),
    ...(planned && { planned }),
    captured: isoOf(capturedAtMs),
    recorded: isoOf(recordedAtMs),
    ...(withdrawnAtMs !== undefined && { withdrawn: isoOf(withdrawnAtMs) }),
    executor,
    ...(rule !== undefined && { rule }),
    ...(confidence !== undefined && { confidence }),
    passes: Object.entries(passes)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([id, atMs]) => ({ id, at: isoOf(atMs) })),
  };
}

interface Shown {
  readonly slot: ClaimSlot;
  readonly claim: SlotClaim<CitationItem>;
  readonly isFull: boolean;
  readonly truncated: boolean;
}

export function claimBody({ slot, claim, isFull, truncated }: Shown): ClaimBody {
  const { claimId, entityName, value, state, sinceMs, untilMs, precision, citations, replacedBy } = claim;
  const shownMax = isFull ? CITATIONS_SHOWN_MAX : QUOTES_SHOWN_MAX;
  const until = isoOrNone(untilMs);
  return {
    id: claimId,
    entity: entityName,
    attribute: slot.attribute,
    value,
    state,
    since: isoOf(sinceMs),
    ...(until !== undefined && { until }),
    ...(precision && { precision }),
    ...(state === 'planned' && { planned: true as const }),
    quotes: citations.slice(0, QUOTES_SHOWN_MAX).map(({ quote, source, capturedAtMs }) => ({
      text: quote.text,
      source: formatSourceRef(source),
      at: isoOf(capturedAtMs),
    })),
    ...(citations.length > shownMax && { quotesLeftOut: citations.length - shownMax }),
    ...(replacedBy && { replacedBy: { id: replacedBy.claimId, value: replacedBy.value } }),
    ...(isFull && { citations: citations.slice(0, CITATIONS_SHOWN_MAX).map(citationBody) }),
    ...(truncated && { truncated: true as const }),
  };
}
