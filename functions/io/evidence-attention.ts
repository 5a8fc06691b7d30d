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

// Greater than any state's key, which is digits.
const BEYOND_ALL = '~';

/** One write, and none for a source that no attention was raised of. */
export async function clearEvidenceAttention(
  { store, clock, ids }: Clearing,
  address: EvidenceAddress,
  row: Pick<EvidenceItem, 'attentionKey'> | undefined,
  resolution: string,
): Promise<void> {
  if (row?.attentionKey === undefined) return;
  const subject = { kind: EVIDENCE_ATTENTION, subject: address.sourceKey } as const;
  const clearing = { belowKey: BEYOND_ALL, resolution, nowMs: clock.nowMs(), op: ids.fresh() };
  await store.write(clearAttention(address, subject, clearing));
}
