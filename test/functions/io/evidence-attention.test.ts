/** A call that moved a source and stood still before it closed the source's attention: another was raised meanwhile. */
import { describe, expect, it } from 'vitest';
import { clearEvidenceAttention } from '../../../functions/io/evidence-attention.ts';
import { clearAttention } from '../../../schema/attention.ts';
import { evidenceAddress } from '../../../schema/evidence.ts';
import {
  EVIDENCE_ATTENTION,
  evidenceAttentionSchema,
  evidenceStateKey,
  raiseEvidenceAttention,
} from '../../../schema/evidence-attention.ts';
import { createTestStore } from '../../support/tables.ts';

const REF = { kind: 'note', id: 'a', revision: 'aaaaaaaaaaaaaaaa' } as const;
const ADDRESS = evidenceAddress('s', 1, 'incremental', REF);
const [EARLIER, LATER] = [evidenceStateKey(3), evidenceStateKey(9)];
const CLEARED = 'a person requeued it';

/** Raised twice, with a clearing of the first that comes last; answers the attention that stands. */
async function clearLate(clear: (store: ReturnType<typeof createTestStore>['store']) => Promise<unknown>) {
  const { store, items, close } = createTestStore();
  const details = { source: 'note:a', state: 'quarantined', cursor: 0, length: 10, stalls: 6 } as const;
  for (const [k, stateKey] of [EARLIER, LATER].entries()) {
    const raise = { sourceKey: ADDRESS.sourceKey, stateKey, details, nowMs: 1, op: `raise-${k}` };
    await store.write(raiseEvidenceAttention(ADDRESS, raise));
  }
  await clear(store);
  const told = items('control').map((item) => evidenceAttentionSchema.parse(item));
  close();
  return told;
}

describe('a clearing that comes late', () => {
  it('closes nothing that was raised since', async () => {
    const told = await clearLate((store) => {
      const deps = { store, clock: { nowMs: () => 2 }, ids: { fresh: () => 'clear' } };
      return clearEvidenceAttention(deps, ADDRESS, { attentionKey: EARLIER }, CLEARED);
    });
    expect(told).toMatchObject([{ subjectKey: LATER }]);
    expect(told[0]).not.toHaveProperty('resolvedAtMs');
  });

  it('[negative twin] that closes whatever stands leaves a source given up with nobody told', async () => {
    const told = await clearLate((store) => {
      const subject = { kind: EVIDENCE_ATTENTION, subject: ADDRESS.sourceKey } as const;
      return store.write(clearAttention(ADDRESS, subject, { belowKey: '~', resolution: CLEARED, nowMs: 2, op: 'c' }));
    });
    expect(told).toMatchObject([{ subjectKey: LATER, resolution: CLEARED }]);
  });
});
