/** What is forgotten in these tests, and a pass that finds it once more. */
import type { ClaimDraft } from '../../../functions/core/claim-draft.ts';
import type { Store } from '../../../functions/io/ports.ts';
import { type ClaimsWritten, writeClaims } from '../../../functions/worker/claim-writer.ts';
import { sourceOf } from '../../core/citation-samples.ts';
import { type ErasingScene, note, SCOPE } from './scene.ts';

const SAID = ['@claim Maya | lives_in | Reykjavik', '@claim Maya | likes | marzipan'].join('\n');
export const DIARY = note('diary', SAID, '2025-12-02T00:00:00Z');
export const LIVES = { entity: 'Maya', attribute: 'lives_in', value: ' REYKJAVIK ' };
export const LIKES = { entity: 'maya', attribute: 'likes', value: 'Marzipan' };
export const WORDS = ['reykjavik', 'marzipan'];

const TEXT = 'Maya moved to Reykjavik and likes marzipan.';
function draft(change: Partial<ClaimDraft>): ClaimDraft {
  return {
    entity: 'Maya',
    attribute: 'lives_in',
    cardinality: 'one',
    value: 'Reykjavik',
    quote: { text: TEXT, start: 0, end: TEXT.length },
    ...change,
  };
}
const DRAFTS = [draft({}), draft({ attribute: 'likes', cardinality: 'many', value: 'marzipan' })];

/** Writes as a pass that read another source. */
export function write(on: ErasingScene, store: Store = on.tables.store): Promise<ClaimsWritten> {
  return writeClaims(
    { store, clock: on.clock, ids: on.ids },
    {
      address: { scope: SCOPE, generation: 1 },
      passId: 'pass-late',
      source: sourceOf('session-late'),
      capturedAtMs: on.clock.nowMs(),
      executor: 'rules',
      drafts: DRAFTS,
      delivered: { text: TEXT, start: 0 },
      knownEntities: new Set(),
    },
  );
}
