/**
 * From a claim draft to a citation: the claim slot it fills, and ids derived from what is said and where, so that saying
 * it again changes nothing, whichever pass says it and in whatever order (design section 9).
 */
import { type Citation, type ClaimSlot, type EventTime, slotKeyOf } from '../../schema/citation.ts';
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

/**
 * What a many-valued claim slot's key begins with. It sorts behind every claim id, so that the citation rows of an
 * attribute's one-valued slot, whose keys go on with a claim id, stand together before those of its many-valued ones,
 * also when executors use one attribute both ways; and a value can never be taken for a claim id.
 */
const KEY_MARK = '|';

/** The claim slot a draft speaks of: one per attribute, or one per normalized value when the attribute has many. */
export function slotOf({ entity, attribute, cardinality, value, ends }: ClaimDraft): ClaimSlot {
  const slot = { entity: slugOf(entity), attribute };
  return cardinality === 'one' ? slot : { ...slot, key: `${KEY_MARK}${normalizeValue(ends ?? value)}` };
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
  readonly capturedAtMs: number;
  readonly executor: string;
  readonly recordedAtMs: number;
}

/** The citation a draft becomes. Its id does not depend on when, by which pass or by which executor it is recorded. */
export function makeCitation({ draft, source, capturedAtMs, executor, recordedAtMs }: CitationInput): Citation {
  const slot = slotOf(draft);
  const { kind, id, revision } = source;
  const { value, quote } = draft;
  const event = draft.event && {
    startMs: draft.event.startMs,
    endMs: draft.event.endMs,
    precision: draft.event.precision,
  };
  const said = [slotKeyOf(slot), value, kind, id, revision, quote.start, quote.end];
  const when = event ? [event.startMs, event.endMs, event.precision] : [];
  return {
    slot,
    entityName: draft.entity,
    claimId: claimIdOf(slot, value),
    citationId: hash22(JSON.stringify([...said, ...when])),
    value,
    quote: { text: normalizeQuote(quote.text), start: quote.start, end: quote.end },
    source: { kind, id, revision },
    capturedAtMs,
    ...(event && { event }),
    planned: isPlanned(event, capturedAtMs),
    recordedAtMs,
    executor,
    ...(draft.rule !== undefined && { rule: draft.rule }),
    ...(draft.confidence !== undefined && { confidence: draft.confidence }),
  };
}
