/**
 * Attentions of sources that got on: the row of the source decides, not whether somebody came to clear the attention. Who
 * replaces, requeues or settles a source moves its row first and clears then, and may die in between; nobody would do that
 * again, since the next call finds nothing left to do.
 */
import type { ScopeAddress } from '../../schema/citation.ts';
import { getEvidence, parseEvidence } from '../../schema/evidence.ts';
import { type EvidenceAttentionItem, evidenceAttentionSchema } from '../../schema/evidence-attention.ts';
import { LANES } from '../../schema/kind.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Item } from '../../schema/request.ts';
import type { ReaderDeps } from './deps.ts';

/** Of these rows, the open ones of sources that are no longer in the state they tell of. One read each. */
export async function findOver(
  deps: Pick<ReaderDeps, 'store'>,
  address: ScopeAddress,
  items: readonly Item[],
): Promise<ReadonlySet<Item>> {
  const open = items.flatMap((item) => {
    const attention = evidenceAttentionSchema.safeParse(item).data;
    return attention && attention.resolvedAtMs === undefined ? [{ item, attention }] : [];
  });
  const over = new Set<Item>();
  for (let from = 0; from < open.length; from += LIMITS.attentionReadsAtOnce) {
    const some = open.slice(from, from + LIMITS.attentionReadsAtOnce);
    const holding = await Promise.all(some.map(({ attention }) => holds(deps, address, attention)));
    for (const [at, { item }] of some.entries()) if (!holding[at]) over.add(item);
  }
  return over;
}

async function holds(
  { store }: Pick<ReaderDeps, 'store'>,
  { scope, generation }: ScopeAddress,
  { subject, details }: EvidenceAttentionItem,
): Promise<boolean> {
  const row = parseEvidence(await store.get(getEvidence({ scope, generation, lane: LANES[0], sourceKey: subject })));
  if (details.state === 'quarantined') return row?.state === 'quarantined';
  return row?.state === 'pending' && row.stalls >= LIMITS.stalledAt;
}
