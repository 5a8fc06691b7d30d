/** Who is given up is told of: looked at when calm has drained, before anybody mends what broke, and at the end. */
import type { EvidenceItem } from '../../schema/evidence.ts';
import { EVIDENCE_ATTENTION, type EvidenceAttentionItem } from '../../schema/evidence-attention.ts';
import { sourceKeyOf } from '../../schema/ids.ts';
import type { World } from './world.ts';

function faultOf({ attentionKey }: EvidenceItem, told: EvidenceAttentionItem | undefined): string | undefined {
  if (!told) return 'no attention';
  // One of an earlier state tells of another time it was given up.
  if (attentionKey === undefined || told.subjectKey < attentionKey) return 'an attention of an earlier state';
  if (told.details.state !== 'quarantined') return 'an attention that says it waits';
  const { resolvedAtMs, resolution } = told;
  return resolvedAtMs === undefined ? undefined : `one cleared: ${resolution}`;
}

/** Fails when a source is out of the queue because passes get nowhere with it, and no attention says so. */
export function checkGivenUp({ plan, tables, kernel }: World): void {
  for (const scope of plan.scopes) {
    const pk = tables.partitionOf(scope);
    for (const row of tables.list(pk, 'EVIDENCE#') as unknown as EvidenceItem[]) {
      if (row.state !== 'quarantined') continue;
      const told = tables.peek(pk, `ATTENTION#${EVIDENCE_ATTENTION}#${sourceKeyOf(row)}`);
      const fault = faultOf(row, told as EvidenceAttentionItem | undefined);
      if (fault) return kernel.fail('who is given up is told of', `${scope}: ${row.sk} is given up, with ${fault}`);
    }
  }
}
