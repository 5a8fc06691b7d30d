/** A claim as the API shows it (design section 13): what is said, since when, and the words it stands on. */
import type { CitationItem, ClaimSlot, EventTime } from '../../schema/citation.ts';
import { formatSourceRef } from '../../schema/ids.ts';
import type { ReplacedBecause, SlotClaim, SlotClaimState } from '../core/slot-view.ts';
import { type TimeFlag, timeFlagsOf } from '../core/time-flags.ts';
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
  /** A person's word stands behind it. */
  readonly protected?: true;
  /** What is odd about the times of its newest citation. */
  readonly flags?: readonly TimeFlag[];
  /** Newest first; `at` is when the source was captured. */
  readonly quotes: readonly { readonly text: string; readonly source: string; readonly at: string }[];
  /** Citations beyond those shown. */
  readonly quotesLeftOut?: number;
  readonly replacedBy?: { readonly id: string; readonly value: string; readonly because: ReplacedBecause };
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
  readonly withdrawnFor?: string;
  /** Claim that it says is wrong. */
  readonly contradicts?: string;
  /** A person's word above the sources; `lifted` when it no longer is. */
  readonly protects?: true;
  readonly lifted?: string;
  /** A person's word that the claim is wrong. */
  readonly retracts?: true;
  readonly reason?: string;
  readonly flags?: readonly TimeFlag[];
  readonly executor: string;
  readonly rule?: string;
  readonly confidence?: number;
  /** The passes that wrote it, at most 20, by id. */
  readonly passes: readonly { readonly id: string; readonly at: string; readonly undone?: string }[];
}

const presentTimes = (times: Readonly<Record<string, number | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(times).flatMap(([name, atMs]) => (atMs === undefined ? [] : [[name, isoOf(atMs)]])),
  );

/** One citation with all that is recorded of it. */
export function citationBody(citation: CitationItem): CitationBody {
  const { citationId, value, quote, source, event, planned, capturedAtMs, recordedAtMs } = citation;
  const { withdrawnFor, contradicts, reason, executor, rule, confidence, passes, undone } = citation;
  const flags = timeFlagsOf(citation);
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
    ...presentTimes({ withdrawn: citation.withdrawnAtMs }),
    ...(withdrawnFor !== undefined && { withdrawnFor }),
    ...(contradicts !== undefined && { contradicts }),
    ...(citation.protects && { protects: true as const }),
    ...presentTimes({ lifted: citation.protectionLiftedAtMs }),
    ...(citation.retracts && { retracts: true as const }),
    ...(reason !== undefined && { reason }),
    ...(flags.length > 0 && { flags }),
    executor,
    ...(rule !== undefined && { rule }),
    ...(confidence !== undefined && { confidence }),
    passes: Object.entries(passes)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([id, atMs]) => ({ id, at: isoOf(atMs), ...presentTimes({ undone: undone[id] }) })),
  };
}

interface Shown {
  readonly slot: ClaimSlot;
  readonly claim: SlotClaim<CitationItem>;
  readonly isFull: boolean;
  readonly truncated: boolean;
  /** What the entity is called, where several were merged. */
  readonly mergedName: string | undefined;
}

export function claimBody({ slot, claim, isFull, truncated, mergedName }: Shown): ClaimBody {
  const { claimId, entityName, value, state, sinceMs, untilMs, precision, citations, replacedBy } = claim;
  const shownMax = isFull ? CITATIONS_SHOWN_MAX : QUOTES_SHOWN_MAX;
  const until = isoOrNone(untilMs);
  const flags = citations[0] === undefined ? [] : timeFlagsOf(citations[0]);
  return {
    id: claimId,
    entity: mergedName ?? entityName,
    attribute: slot.attribute,
    value,
    state,
    since: isoOf(sinceMs),
    ...(until !== undefined && { until }),
    ...(precision && { precision }),
    ...(state === 'planned' && { planned: true as const }),
    ...(claim.isProtected && { protected: true as const }),
    ...(flags.length > 0 && { flags }),
    quotes: citations.slice(0, QUOTES_SHOWN_MAX).map(({ quote, source, capturedAtMs }) => ({
      text: quote.text,
      source: formatSourceRef(source),
      at: isoOf(capturedAtMs),
    })),
    ...(citations.length > shownMax && { quotesLeftOut: citations.length - shownMax }),
    ...(replacedBy && { replacedBy: { id: replacedBy.claimId, value: replacedBy.value, because: replacedBy.because } }),
    ...(isFull && { citations: citations.slice(0, CITATIONS_SHOWN_MAX).map(citationBody) }),
    ...(truncated && { truncated: true as const }),
  };
}
