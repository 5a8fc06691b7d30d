/** A head as a model: what its writes come to, and the pairwise rule that it stands in place of. */
import { currentRegister } from '../../functions/core/registers.ts';
import type { Citation } from '../../schema/citation.ts';
import { type HeadItem, registerKeyOf, registerOf } from '../../schema/head.ts';
import { cite, onDay } from './citation-samples.ts';

export type Registers = Pick<HeadItem, 'dated' | 'datedKey' | 'undated' | 'undatedKey'>;

/** What `raiseRegister` does to the head: sets the register when it is unset or lower. */
function raise(head: Registers, citation: Citation): Registers {
  const register = registerOf(citation);
  if (!register) return head;
  const key = registerKeyOf(citation);
  const stored = head[`${register}Key`];
  if (stored !== undefined && !(stored < key)) return head;
  const { claimId, citationId, value, capturedAtMs } = citation;
  return { ...head, [register]: { claimId, citationId, value, capturedAtMs }, [`${register}Key`]: key };
}

/**
 * What must not depend on the order. Two places or spellings of one value in one source have one register key, and the
 * first of them stays in the register; claim and times are the same then.
 */
export function outcomeOf(head: Registers): object {
  const { dated, datedKey, undated, undatedKey } = head;
  return { datedKey, dated: dated?.claimId, undatedKey, undated: undated?.claimId, current: currentOf(head) };
}

export const currentOf = ({ dated, undated }: Registers): string | undefined =>
  currentRegister(dated, undated)?.claimId;
export const headOf = (citations: readonly Citation[]): Registers => citations.reduce(raise, {});

/** The later event if both are dated and differ, otherwise the later captured; else the one that was there. */
export function laterOf(a: Citation, b: Citation): Citation {
  const events = a.event && b.event ? b.event.startMs - a.event.startMs : 0;
  return (events || b.capturedAtMs - a.capturedAtMs) > 0 ? b : a;
}

/** X (day 5, captured first), Y (undated, captured second), Z (day 3, captured third): pairwise, each loses to another. */
export const pairwiseTrap = (): Citation[] => [
  cite({ value: 'X', captured: '2024-01-06', event: onDay('2024-01-05') }),
  cite({ value: 'Y', captured: '2024-01-07' }),
  cite({ value: 'Z', captured: '2024-01-08', event: onDay('2024-01-03') }),
];
