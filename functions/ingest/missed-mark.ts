/**
 * The mark that a call owed which died before it: the call stood still between its first mark and its evidence for so long
 * that its scope was idle by then. Sent again, it finds all written, and nobody would ever look at that scope for it.
 */
import { getEvidence, parseEvidence } from '../../schema/evidence.ts';
import type { SourceItem } from '../../schema/source.ts';
import { isIdle, type ScopeItem } from '../../schema/scope.ts';
import { markBacklog } from '../io/backlog-mark.ts';
import type { IngestCall } from './call.ts';
import { mapConcurrently } from './concurrency.ts';
import type { IngestDeps } from './deps.ts';
import { evidenceOf } from './leftovers.ts';

const READS_AT_ONCE = 16;

/**
 * Marks an idle scope in which one of these sources, of which there is nothing to write, is still to be read. One read a
 * source in an idle scope, none in another: there a look is to come, and finds it.
 */
export async function makeUpForMark(
  deps: IngestDeps,
  { scope, generation }: IngestCall,
  seen: ScopeItem | undefined,
  sources: readonly SourceItem[],
): Promise<void> {
  if (!seen || !isIdle(seen)) return;
  const waiting = await mapConcurrently(sources, READS_AT_ONCE, async ({ kind, id, revision }) => {
    const address = evidenceOf({ scope, generation, kind, id }, revision);
    return parseEvidence(await deps.store.get(getEvidence(address)))?.state === 'pending';
  });
  if (waiting.includes(true)) await markBacklog(deps, scope, seen);
}
