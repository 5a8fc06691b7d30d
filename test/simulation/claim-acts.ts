/** Does the deeds of `claim-deeds.ts` by the shipped code. */
import { formatMemoryLine, type MemoryLine } from '../../functions/core/memory-lines.ts';
import { importMemory } from '../../functions/curator/import-memory.ts';
import { mergeEntities, unmergeEntities } from '../../functions/curator/merge.ts';
import { repairHeads } from '../../functions/curator/repair.ts';
import { correctClaim } from '../../functions/curator/state-claim.ts';
import { sayType } from '../../functions/curator/type-entity.ts';
import { undoPass, withdraw } from '../../functions/curator/withdraw.ts';
import type { EraserDeps } from '../../functions/eraser/deps.ts';
import { forgetClaim } from '../../functions/eraser/order.ts';
import { rebuildSlot } from '../../functions/io/heads.ts';
import { HttpError } from '../../functions/io/http.ts';
import { recordCitation } from '../../functions/io/record-citation.ts';
import { listAttention, resolveAttention } from '../../functions/worker/attention.ts';
import { writeClaims } from '../../functions/worker/claim-writer.ts';
import type { WorkerDeps } from '../../functions/worker/deps.ts';
import { liftProtection, type ScopeAddress } from '../../schema/citation.ts';
import { nameKeyOf, slugOf } from '../../schema/entity.ts';
import type { SourceRef } from '../../schema/ids.ts';
import type { PassItem } from '../../schema/pass.ts';
import { CONTRADICTED, type Deed, SLOT } from './claim-deeds.ts';

export type ActDeps = WorkerDeps & EraserDeps;
type Of<K extends Deed['kind']> = Extract<Deed, { kind: K }>;

async function tell(deps: ActDeps, address: ScopeAddress, { citation, passId, entityType }: Of<'tell'>): Promise<void> {
  const { entityName: entity, value, quote, event, contradicts, source, capturedAtMs, executor } = citation;
  const draft = {
    ...SLOT,
    entity,
    value,
    quote,
    ...(event && { event }),
    ...(contradicts !== undefined && { contradicts: CONTRADICTED }),
    ...(entityType && { entityType }),
  };
  await writeClaims(deps, {
    address,
    passId,
    drafts: [draft],
    source: source as SourceRef,
    capturedAtMs,
    executor,
    delivered: { text: quote.text, start: quote.start },
    knownEntities: new Set(),
  });
}

/** What an export of another memory says of one citation and of its entity. */
function linesOf({ citation, passId }: Of<'import'>): string {
  const name = citation.entityName;
  const lines: MemoryLine[] = [
    { type: 'entity', slug: slugOf(name), name, nameKey: nameKeyOf(name) },
    { type: 'citation', ...citation, passes: { [passId]: citation.recordedAtMs }, passCount: 1, undone: {} },
  ];
  return lines.map(formatMemoryLine).join('\n');
}

async function correct(deps: ActDeps, scope: string, { citation }: Of<'correct'>): Promise<void> {
  const { value, capturedAtMs, protects, source } = citation;
  const at = new Date(capturedAtMs).toISOString();
  await correctClaim(deps, scope, { ...SLOT, value, protect: protects === true, author: source.id, at });
}

/** Declines whatever is open; why: the state that was seen, so that a check can tell what was decided. */
async function decide(deps: ActDeps, address: ScopeAddress, passId: string): Promise<void> {
  const pass = { ...address, passId, kind: 'incremental', attention: 'own' } as unknown as PassItem;
  const { items } = await listAttention(deps, pass);
  for (const { id, state } of items) {
    await resolveAttention(deps, pass, { id, state, decision: 'declined', because: state });
  }
}

async function perform(deps: ActDeps, address: ScopeAddress, deed: Deed): Promise<void> {
  const { store, clock, ids } = deps;
  const { scope } = address;
  switch (deed.kind) {
    case 'write':
      return void (await recordCitation(deps, { address, citation: deed.citation, passId: deed.passId }));
    case 'say':
      return void (await recordCitation(deps, { address, citation: deed.citation, passId: undefined }));
    case 'undo':
      return void (await undoPass(deps, scope, { passId: deed.passId }));
    case 'withdraw': {
      const { citation, named = citation.entityName } = deed;
      return void (await withdraw(deps, scope, { ...SLOT, entity: named, citation: citation.citationId }));
    }
    case 'lift':
      await store.write(liftProtection(address, deed.citation, { nowMs: clock.nowMs(), op: ids.fresh() }));
      return void (await rebuildSlot(deps, address, deed.citation.slot, { isChanged: true }));
    case 'repair':
      return void (await repairHeads(deps, scope, {}));
    case 'tell':
      return tell(deps, address, deed);
    case 'correct':
      return correct(deps, scope, deed);
    case 'type': {
      const { name: entity, entityType: type, saidAtMs } = deed;
      return void (await sayType(deps, scope, { entity, type, at: new Date(saidAtMs).toISOString() }));
    }
    case 'merge':
      return void (await mergeEntities(deps, scope, { ...deed, author: 'ann' }));
    case 'unmerge':
      return void (await unmergeEntities(deps, scope, { ...deed, author: 'ann' }));
    case 'import':
      return void (await importMemory(deps, scope, linesOf(deed)));
    case 'forget':
      return void (await forgetClaim(deps, scope, { ...SLOT, value: deed.value, author: 'ann' }));
    case 'decide':
      return decide(deps, address, deed.passId);
  }
}

/**
 * Does one deed. Answers its HTTP refusal, if it got one: a statement of what was forgotten, and a word on what nobody
 * made known yet.
 */
export async function act(deps: ActDeps, address: ScopeAddress, deed: Deed): Promise<HttpError | undefined> {
  try {
    await perform(deps, address, deed);
    return undefined;
  } catch (error) {
    if (error instanceof HttpError) return error;
    throw error;
  }
}
