/** Clears the attention of a source that got on, or that a person put back. */
import { clearAttention } from '../../schema/attention.ts';
import { type EvidenceAddress, type EvidenceItem } from '../../schema/evidence.ts';
import { EVIDENCE_ATTENTION } from '../../schema/evidence-attention.ts';
import type { Clock, Ids, Store } from './ports.ts';

interface Clearing {
  readonly store: Pick<Store, 'write'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly ids: Ids;
}

/**
 * Clears up to the state that the row told of: what was raised after it is of another time that passes got nowhere, which a
 * caller that stood still must not close. One write, and none for a source that no attention was raised of.
 */
export async function clearEvidenceAttention(
  { store, clock, ids }: Clearing,
  address: EvidenceAddress,
  row: Pick<EvidenceItem, 'attentionKey'> | undefined,
  resolution: string,
): Promise<void> {
  if (row?.attentionKey === undefined) return;
  const subject = { kind: EVIDENCE_ATTENTION, subject: address.sourceKey } as const;
  // '~' follows the digits that a state's key is made of.
  const clearing = { belowKey: `${row.attentionKey}~`, resolution, nowMs: clock.nowMs(), op: ids.fresh() };
  await store.write(clearAttention(address, subject, clearing));
}
