/**
 * Takes out of the queue what is not to be read any more: a revision whose place a newer one took, one that a call queued
 * and that did not come to stand, and what a call left there that died in between.
 *
 * One thing stays: what a call had queued when it died before its SOURCE row, where another text stands by the time it is
 * sent again. No row tells it from what is about to stand. It is read once, as the words that a client sent: one revision
 * for each such death, of turns that stand by the second sending, or that were refused by it. So does what a second call
 * brought at the same time, where the dead one, its clock ahead, had queued the same text under a later place.
 */
import {
  type EvidenceAddress,
  evidenceAddress,
  getEvidence,
  obsoleteEvidence,
  parseEvidence,
} from '../../schema/evidence.ts';
import { LANES } from '../../schema/kind.ts';
import type { SourceAddress, SourceItem } from '../../schema/source.ts';
import { hasLeftover } from '../core/standing.ts';
import { clearEvidenceAttention } from '../io/evidence-attention.ts';
import type { IngestDeps } from './deps.ts';

export function evidenceOf({ scope, generation, kind, id }: SourceAddress, revision: string): EvidenceAddress {
  return evidenceAddress(scope, generation, LANES[0], { kind, id, revision });
}

/**
 * Takes what `newer` replaced out of the queue, or out of quarantine, and closes an attention that was raised of it; losing
 * means that it was read, or is in its place again. `beginsAt` is where the reading of `newer` begins: what was read no
 * further than that has nothing left of its own.
 */
export async function dropFromQueue(
  deps: IngestDeps,
  address: SourceAddress,
  revision: string,
  { newestKey }: Pick<SourceItem, 'newestKey'>,
  beginsAt = 0,
): Promise<void> {
  const evidence = evidenceOf(address, revision);
  const outcome = await deps.store.write(obsoleteEvidence(evidence, deps.ids.fresh(), newestKey, beginsAt));
  if (outcome.kind === 'held') return;
  await clearEvidenceAttention(deps, evidence, parseEvidence(outcome.item), 'a newer revision came');
}

/**
 * Takes out revisions that this call queued and that did not come to stand, however far they were read. Each under the
 * place that it was queued with: what stands may have a lesser one, of the same times, and a revision that came to stand
 * since by another call has a later one.
 */
export async function dropLost(
  deps: IngestDeps,
  address: SourceAddress,
  /** Revision → the place it was queued with. */
  lost: ReadonlyMap<string, string>,
): Promise<void> {
  for (const [revision, newestKey] of lost) {
    await dropFromQueue(deps, address, revision, { newestKey: `${newestKey}~` }, Number.MAX_SAFE_INTEGER);
  }
}

/**
 * Takes out what `seen` replaced, where the call that put `seen` died before it could: once `seen` is replaced itself, no
 * row names it any more. One read, of a source that was revised before.
 */
export async function dropLeftover(
  deps: IngestDeps,
  address: SourceAddress,
  seen: SourceItem | undefined,
): Promise<void> {
  if (seen?.replaces === undefined) return;
  const replaced = parseEvidence(await deps.store.get(getEvidence(evidenceOf(address, seen.replaces))));
  if (hasLeftover({ source: seen, replaced })) await dropFromQueue(deps, address, seen.replaces, seen);
}
