/**
 * Notes on the SOURCE row that a pass broke off while it held a revision of it, so that the next revision can wait. Only a
 * crash costs this: one read and one write for each source it held.
 */
import type { EvidenceItem } from '../../schema/evidence.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { PassItem } from '../../schema/pass.ts';
import { getSource, noteSourceCrash, sourceItemSchema } from '../../schema/source.ts';
import { addCrash } from '../core/retries.ts';
import type { FinalizerDeps } from './deps.ts';

/** Before the source is given back: a run that dies in between finds it held and comes here again, and notes it once. */
export async function noteCrash(
  { store, ids, clock, log }: FinalizerDeps,
  pass: PassItem,
  { kind, id }: Pick<EvidenceItem, 'kind' | 'id'>,
): Promise<void> {
  const { scope, generation, passId } = pass;
  const address = { scope, generation, kind, id };
  let stored = await store.get(getSource(address));
  for (let round = 0; round < LIMITS.commitRoundsMax; round++) {
    // Erased meanwhile, or its call died before it stood: there is nothing to remember it by.
    const source = sourceItemSchema.safeParse(stored).data;
    if (!source) return;
    const crash = { passId, atMs: pass.endedAtMs ?? clock.nowMs() };
    const crashes = addCrash(source.crashes ?? [], crash);
    if (!crashes) return;
    const { crashSeq } = source;
    const outcome = await store.write(noteSourceCrash(address, { crashes, crashSeq, op: ids.fresh() }));
    if (outcome.kind === 'won') return;
    ({ stored } = outcome);
  }
  log.warn('crash of a source not noted: its row kept moving', { passId, kind });
}
