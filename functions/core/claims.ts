/**
 * From a claim draft to a citation: the claim slot it fills, and ids derived from what is said and where, so that saying
 * it again changes nothing, whichever pass says it and in whatever order (design section 9).
 */
import { type Citation, type ClaimSlot, type EventTime, NORMALIZATION, slotKeyOf } from '../../schema/citation.ts';
import { slugOf } from '../../schema/entity.ts';
import { hash22, type SourceRef } from '../../schema/ids.ts';
import type { ClaimDraft } from './claim-draft.ts';
import { normalizeQuote } from './quotes.ts';

/**
 * The form in which two values are the same value: NFKC, lower case, white space collapsed. Composed a second time
 * because lower case can decompose ("İ").
 */
export function normalizeValue(value: string): string {
  return value.normalize('NFKC').toLowerCase().normalize('NFKC').replace(/\s+/gu, ' ').trim();
}

/** The claim slot a draft speaks of: one per attribute, or one per normalized value when the attribute has many. */
export function slotOf({
  entity,
  attribute,
  cardinality,
  value,
  ends,
}: Pick<ClaimDraft, 'entity' | 'attribute' | 'cardinality' | 'value' | 'ends'>): ClaimSlot {
  const slot = { entity: slugOf(entity), attribute };
  return cardinality === 'one' ? slot : { ...slot, key: normalizeValue(ends ?? value) };
}

/** One claim per claim slot and normalized value. */
export function claimIdOf(slot: ClaimSlot, value: string): string {
  return hash22(`${slotKeyOf(slot)}\n${normalizeValue(value)}`);
}

/** Told before it happens: by more than the event's own precision, since "today" told at noon starts at midnight. */
export function isPlanned(event: EventTime | undefined, capturedAtMs: number): boolean {
  return event !== undefined && event.startMs > capturedAtMs + (event.endMs - event.startMs);
}

export interface CitationInput {
  /** Valid by `claimDraftSchema`, its quote checked. */
  readonly draft: ClaimDraft;
  readonly source: SourceRef;
  /** Of the source. A citation is captured when its words were said, where that is known. */
  readonly capturedAtMs: number;
  readonly executor: string;
  readonly recordedAtMs: number;
}

/**
 * The id of a citation, from all it says and where: not when, by which pass or by which executor it is recorded. Two
 * citations of one id say the same, so whichever is written first may stay.
 */
export function citationIdOf(citation: Omit<Citation, 'citationId'>): string {
  const { slot, entityName, value, quote, source, event, contradicts, protects, retracts } = citation;
  const said = [slotKeyOf(slot), entityName, value, source.kind, source.id, source.revision, quote.start, quote.end];
  const when = event ? [event.startMs, event.endMs, event.precision] : [];
  const marks = [contradicts ?? '', protects ? 'protects' : '', retracts ? 'retracts' : ''];
  return hash22(JSON.stringify([said, when, marks]));
}

/** The citation a draft becomes. */
export function makeCitation(input: CitationInput): Citation {
  const { draft, source, executor, recordedAtMs } = input;
  const slot = slotOf(draft);
  const { kind, id, revision } = source;
  const { value, quote, saidAtMs } = draft;
  const capturedAtMs = Math.min(saidAtMs ?? input.capturedAtMs, input.capturedAtMs);
  const event = draft.event && {
    startMs: draft.event.startMs,
    endMs: draft.event.endMs,
    precision: draft.event.precision,
  };
  const citation = {
    normalization: NORMALIZATION,
    slot,
    entityName: draft.entity.trim(),
    claimId: claimIdOf(slot, value),
    value,
    quote: { text: normalizeQuote(quote.text), start: quote.start, end: quote.end },
    source: { kind, id, revision },
    capturedAtMs,
    ...(event && { event }),
    planned: isPlanned(event, capturedAtMs),
    ...(draft.contradicts !== undefined && { contradicts: claimIdOf(slot, draft.contradicts) }),
    recordedAtMs,
    executor,
    ...(draft.rule !== undefined && { rule: draft.rule }),
    ...(draft.confidence !== undefined && { confidence: draft.confidence }),
  };
  return { ...citation, citationId: citationIdOf(citation) };
}
