/**
 * ATTENTION of a source that passes get nowhere with: stalled, or quarantined. Raised by the finalizer, cleared by it when
 * the source gets on, and by a person's requeue; whether it still holds is told by the row of the source. It needs a
 * person, not a pass: passes see none of it, and it is no reason to start one. See `schema/attention.ts` for what an
 * attention is.
 *
 * Key: scope partition / `ATTENTION#evidence#<kind>#<id>#<revision>`. Life: until erased. Stream reaction: none.
 */
import * as z from 'zod';
import { attentionKey } from './attention.ts';
import type { ScopeAddress } from './citation.ts';
import { QUARANTINE_CLASSES } from './evidence-return.ts';
import { update, type Write } from './request.ts';
import { ITEM_VERSION } from './table.ts';

export const EVIDENCE_ATTENTION = 'evidence';

export const evidenceDetailsSchema = z.object({
  /** `kind:id@revision`. */
  source: z.string(),
  state: z.enum(['stalled', 'quarantined']),
  /** Why it is quarantined. */
  because: z.enum(QUARANTINE_CLASSES).optional(),
  /** Characters read and settled, of `length`. */
  cursor: z.int(),
  length: z.int(),
  /** Deliveries without progress. */
  stalls: z.int(),
});
export type EvidenceDetails = z.infer<typeof evidenceDetailsSchema>;

export const evidenceAttentionSchema = z.object({
  v: z.literal(ITEM_VERSION),
  kind: z.literal(EVIDENCE_ATTENTION),
  subject: z.string(),
  subjectKey: z.string(),
  details: evidenceDetailsSchema,
  raisedAtMs: z.number(),
  resolvedAtMs: z.number().optional(),
  resolution: z.string().optional(),
});
export type EvidenceAttentionItem = z.infer<typeof evidenceAttentionSchema>;

/** Orders the states of one source: by the `seq` of its row, which adds one at every move. */
export function evidenceStateKey(seq: number): string {
  return String(seq).padStart(12, '0');
}

interface Raise {
  /** `<kind>#<id>#<revision>` in key form. */
  readonly sourceKey: string;
  readonly stateKey: string;
  readonly details: EvidenceDetails;
  readonly nowMs: number;
  readonly op: string;
}

/**
 * Raises it. Conditional on: there is none, or one of an earlier state of the source. Loses when it stands at this state or
 * a later one, also when that was cleared.
 */
export function raiseEvidenceAttention(
  address: ScopeAddress,
  { sourceKey, stateKey, details, nowMs, op }: Raise,
): Write {
  return update({
    key: attentionKey(address, { kind: EVIDENCE_ATTENTION, subject: sourceKey }),
    op,
    set: {
      v: ITEM_VERSION,
      kind: EVIDENCE_ATTENTION,
      subject: sourceKey,
      subjectKey: stateKey,
      details,
      raisedAtMs: nowMs,
    },
    remove: ['resolvedAtMs', 'resolution'],
    when: ['attribute_not_exists(#subjectKey) OR #subjectKey < :stateKey'],
    values: { ':stateKey': stateKey },
  });
}
