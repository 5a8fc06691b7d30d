/** A pass's decision of an attention; see `schema/attention.ts` for what one is, and how it is raised and cleared. */
import { type AttentionKind, attentionKey } from './attention.ts';
import type { ScopeAddress } from './citation.ts';
import { update, type Write } from './request.ts';

interface Decision {
  readonly kind: AttentionKind;
  readonly subject: string;
  /** The state of the subject that was decided on. */
  readonly seenKey: string;
  /** What was decided, in words; a decline says why. */
  readonly resolution: string;
  readonly passId: string;
  readonly nowMs: number;
  readonly op: string;
}

/**
 * Closes an attention for good, unless its subject changes: decided, or declined.
 * Conditional on: it is open, at the state that was seen. Loses when it was closed before, or its subject changed
 * meanwhile: that is another question.
 */
export function decideAttention(address: ScopeAddress, decision: Decision): Write {
  const { kind, subject, seenKey, resolution, passId, nowMs, op } = decision;
  return update({
    key: attentionKey(address, { kind, subject }),
    op,
    set: { resolvedAtMs: nowMs, resolution, resolvedBy: passId },
    when: ['#subjectKey = :seenKey', 'attribute_not_exists(#resolvedAtMs)'],
    values: { ':seenKey': seenKey },
  });
}
