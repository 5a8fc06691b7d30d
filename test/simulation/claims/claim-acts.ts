/** Does the deeds of `claim-deeds.ts` by the shipped code. */
import { formatMemoryLine, type MemoryLine } from '../../../functions/core/memory-lines.ts';
import { importMemory } from '../../../functions/curator/import-memory.ts';
import { mergeEntities, unmergeEntities } from '../../../functions/curator/merge.ts';
import { repairHeads } from '../../../functions/curator/repair.ts';
import { correctClaim, protectClaim, retractClaim, unprotectClaims } from '../../../functions/curator/state-claim.ts';
import { sayType } from '../../../functions/curator/type-entity.ts';
import { undoPass, withdraw } from '../../../functions/curator/withdraw.ts';
import type { EraserDeps } from '../../../functions/eraser/deps.ts';
import { eraseOneSource, forgetClaim } from '../../../functions/eraser/order.ts';
import { rebuildSlot } from '../../../functions/io/heads.ts';
import { HttpError } from '../../../functions/io/http.ts';
import { recordCitation } from '../../../functions/io/record-citation.ts';
import { listAttention, resolveAttention } from '../../../functions/worker/attention.ts';
import { writeClaims } from '../../../functions/worker/claim-writer.ts';
import type { WorkerDeps } from '../../../functions/worker/deps.ts';
import { liftProtection, type ScopeAddress } from '../../../schema/citation.ts';
import { nameKeyOf, slugOf, typeKeyOf } from '../../../schema/entity.ts';
import type { SourceRef } from '../../../schema/ids.ts';
import type { PassItem } from '../../../schema/pass.ts';
import { addressedBy, CONTRADICTED, type Deed, SLOT } from './claim-deeds.ts';

export type ActDeps = WorkerDeps & EraserDeps;
type Of<K extends Deed['kind']> = Extract<Deed, { kind: K }>;

async function tell(deps: ActDeps, address: ScopeAddress, { citation, passId, entityType }: Of<'tell'>): Promise<void> {
  const { value, quote, event, contradicts, source, capturedAtMs, executor } = citation;
  const draft = {
    ...addressedBy(citation),
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
function linesOf({ citation, passId, entityType }: Of<'import'>): string {
  const { entityName: name, capturedAtMs } = citation;
  const typed = entityType && { entityType, typeKey: typeKeyOf({ entityType, capturedAtMs, isPerson: false }) };
  const lines: MemoryLine[] = [
    { type: 'entity', slug: slugOf(name), name, nameKey: nameKeyOf(name), ...typed },
    { type: 'citation', ...citation, passes: { [passId]: citation.recordedAtMs }, passCount: 1, undone: {} },
  ];
  return lines.map(formatMemoryLine).join('\n');
}

/** What a person says by a route, as its body. */
function spoken({ citation }: Of<'correct' | 'retract' | 'protect'>) {
  const { value, capturedAtMs, source, reason } = citation;
  const at = new Date(capturedAtMs).toISOString();
  return { ...addressedBy(citation), value, author: source.id, at, ...(reason !== undefined && { reason }) };
}

/** Declines whatever is open; why: the state that was seen, so that a check can tell what was decided. */
async function decide(deps: ActDeps, address: ScopeAddress, passId: string): Promise<void> {
  const pass = { ...address, passId, kind: 'incremental', attention: 'own' } as unknown as PassItem;
  const { items } = await listAttention(deps, pass);
  for (const { id, state } of items) {
    await resolveAttention(deps, pass, { id, state, decision: 'declined', because: state });
  }
}

type Counts = Record<string, unknown>;

/** Sends a call again with the cursor that it was answered, until there is none; answers the sums of all, and how many. */
async function toItsEnd(send: (cursor: string | undefined) => Promise<{ readonly cursor?: string }>): Promise<Counts> {
  const sums: Counts = { calls: 0 };
  let cursor: string | undefined;
  do {
    const { cursor: next, ...counts } = await send(cursor);
    for (const [name, value] of Object.entries({ ...counts, calls: 1 } as Counts)) {
      sums[name] = typeof value === 'number' ? Number(sums[name] ?? 0) + value : value;
    }
    cursor = next;
  } while (cursor !== undefined);
  return sums;
}

/** Does one deed; answers what its caller is answered, where that tells what it changed. */
async function perform(deps: ActDeps, address: ScopeAddress, deed: Deed): Promise<object | undefined> {
  const { store, clock, ids } = deps;
  const { scope } = address;
  switch (deed.kind) {
    case 'write':
    case 'say': {
      const passId = deed.kind === 'write' ? deed.passId : undefined;
      await recordCitation(deps, { address, citation: deed.citation, passId });
      return undefined;
    }
    case 'undo':
      return toItsEnd((cursor) => undoPass(deps, scope, { passId: deed.passId, cursor }));
    case 'withdraw': {
      const { citation, named = citation.entityName, isWhole } = deed;
      const { citationId, value, source } = citation;
      const ofSource = { kind: 'note', id: source.id } as const;
      if (isWhole) return toItsEnd((cursor) => withdraw(deps, scope, { source: ofSource, cursor }));
      return withdraw(deps, scope, { ...addressedBy(citation), value, entity: named, citation: citationId });
    }
    case 'lift':
      await store.write(liftProtection(address, deed.citation, { nowMs: clock.nowMs(), op: ids.fresh() }));
      await rebuildSlot(deps, address, deed.citation.slot, { isChanged: true });
      return undefined;
    case 'repair':
      return toItsEnd((cursor) => repairHeads(deps, scope, { cursor }));
    case 'tell':
      await tell(deps, address, deed);
      return undefined;
    case 'correct':
      return correctClaim(deps, scope, { ...spoken(deed), protect: deed.citation.protects === true });
    case 'retract':
      return retractClaim(deps, scope, spoken(deed));
    case 'protect':
      return protectClaim(deps, scope, spoken(deed));
    case 'unprotect':
      return unprotectClaims(deps, scope, { ...addressedBy(deed.citation), value: deed.citation.value });
    case 'type': {
      const { name: entity, entityType: type, saidAtMs } = deed;
      return sayType(deps, scope, { entity, type, at: new Date(saidAtMs).toISOString() });
    }
    case 'merge':
      return mergeEntities(deps, scope, { from: deed.from, into: deed.into, author: 'ann' });
    case 'unmerge':
      return unmergeEntities(deps, scope, { from: deed.from, into: deed.into, author: 'ann' });
    case 'import':
      return importMemory(deps, scope, linesOf(deed));
    case 'forget':
      await forgetClaim(deps, scope, { ...SLOT, value: deed.value, author: 'ann' });
      return undefined;
    case 'erase':
      await eraseOneSource(deps, scope, { kind: 'note', id: deed.id }, 'ann');
      return undefined;
    case 'decide':
      await decide(deps, address, deed.passId);
      return undefined;
  }
}

export interface Done {
  /** What the caller was answered. */
  readonly answer?: object | undefined;
  /** A statement of what was forgotten or never said, a word on what nobody made known yet. */
  readonly refused?: HttpError;
}

/** Does one deed, and tells how it was answered. */
export async function act(deps: ActDeps, address: ScopeAddress, deed: Deed): Promise<Done> {
  try {
    return { answer: await perform(deps, address, deed) };
  } catch (error) {
    if (error instanceof HttpError) return { refused: error };
    throw error;
  }
}
