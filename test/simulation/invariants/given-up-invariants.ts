/**
 * Who is given up is told of, and who is not is no longer: looked at when calm has drained, before anybody mends what broke,
 * and at the end.
 */
import type { EvidenceItem } from '../../../schema/evidence.ts';
import { EVIDENCE_ATTENTION, type EvidenceAttentionItem } from '../../../schema/evidence-attention.ts';
import { sourceKeyOf } from '../../../schema/ids.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { FaultName } from '../engine/faults.ts';
import type { World } from '../engine/world.ts';

function faultOf({ attentionKey }: EvidenceItem, told: EvidenceAttentionItem | undefined): string | undefined {
  if (!told) return 'no attention';
  // One of an earlier state tells of another time it was given up.
  if (attentionKey === undefined || told.subjectKey < attentionKey) return 'an attention of an earlier state';
  if (told.details.state !== 'quarantined') return 'an attention that says it waits';
  const { resolvedAtMs, resolution } = told;
  return resolvedAtMs === undefined ? undefined : `one cleared: ${resolution}`;
}

/** After these a caller may not have come to close what it left: then the row of the source tells. */
const LEAVE_OPEN: readonly FaultName[] = ['appliedButFailed', 'throttle', 'throttleRead', 'lostReply'];

/** As readers take it (`functions/reader/over-attention.ts`). */
function isCause({ state, stalls }: EvidenceItem, { details }: EvidenceAttentionItem): boolean {
  return details.state === 'quarantined' ? state === 'quarantined' : state === 'pending' && stalls >= LIMITS.stalledAt;
}

/** Fails when a source is out of the queue because passes get nowhere with it, and no attention says so; or the other way. */
export function checkGivenUp({ plan, tables, kernel, faults, crashes }: World): void {
  const areAllClosed = crashes === 0 && !LEAVE_OPEN.some((name) => (faults.counts[name] ?? 0) > 0);
  for (const scope of plan.scopes) {
    const pk = tables.partitionOf(scope);
    for (const row of tables.list(pk, 'EVIDENCE#') as unknown as EvidenceItem[]) {
      const told = tables.peek(pk, `ATTENTION#${EVIDENCE_ATTENTION}#${sourceKeyOf(row)}`) as
        | EvidenceAttentionItem
        | undefined;
      if (areAllClosed && told && told.resolvedAtMs === undefined && !isCause(row, told))
        kernel.fail('an attention stands as long as its cause', `${row.sk} is ${row.state}, and an attention is open`);
      if (row.state !== 'quarantined') continue;
      const fault = faultOf(row, told);
      if (fault) return kernel.fail('who is given up is told of', `${scope}: ${row.sk} is given up, with ${fault}`);
    }
  }
}
