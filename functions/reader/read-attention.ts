/** Reads what needs a decision in a scope: contested claims with both quotes, and sources that passes get nowhere with. */
import type { z } from 'zod';
import { type AttentionItem, attentionItemSchema, queryAttention } from '../../schema/attention.ts';
import { type EvidenceAttentionItem, evidenceAttentionSchema } from '../../schema/evidence-attention.ts';
import type { ScopeAddress } from '../../schema/citation.ts';
import type { attentionQuerySchema } from '../../schema/memory-api.ts';
import { contestBody } from './contest-body.ts';
import type { Item } from '../../schema/request.ts';
import type { ReaderDeps } from './deps.ts';
import { isoOf } from './iso-time.ts';
import { findOver } from './over-attention.ts';
import { loadPagedScope, readRowPage } from './row-page.ts';

export interface AttentionAnswer {
  readonly scope: string;
  readonly known: boolean;
  readonly attention: readonly Record<string, unknown>[];
  readonly cursor?: string;
}

function attentionBody({ kind, details, raisedAtMs, resolvedAtMs, resolution }: AttentionItem) {
  return {
    kind,
    ...contestBody(details),
    raisedAt: isoOf(raisedAtMs),
    ...(resolvedAtMs !== undefined && { resolvedAt: isoOf(resolvedAtMs), resolution }),
  };
}

function evidenceBody({ kind, details, raisedAtMs, resolvedAtMs, resolution }: EvidenceAttentionItem, isOver: boolean) {
  return {
    kind,
    ...details,
    raisedAt: isoOf(raisedAtMs),
    ...(resolvedAtMs !== undefined && { resolvedAt: isoOf(resolvedAtMs), resolution }),
    // The time of that was not taken down.
    ...(isOver && { resolution: 'the source got on' }),
  };
}

function bodyOf(item: Item, isOver: boolean): Record<string, unknown>[] {
  const claim = attentionItemSchema.safeParse(item).data;
  if (claim) return [attentionBody(claim)];
  const evidence = evidenceAttentionSchema.safeParse(item).data;
  return evidence ? [evidenceBody(evidence, isOver)] : [];
}

/** One page, by subject. Throws a 400 for a cursor of another query. */
export async function readAttention(
  deps: ReaderDeps,
  scope: string,
  { limit, cursor, state }: z.infer<typeof attentionQuerySchema>,
): Promise<AttentionAnswer> {
  const row = await loadPagedScope(deps, scope, cursor);
  if (!row) return { scope, known: false, attention: [] };
  const address: ScopeAddress = { scope, generation: row.generation };
  const queryOf = (startKey: Parameters<typeof queryAttention>[2]) => queryAttention(address, limit, startKey);
  const page = await readRowPage(deps, { address, prefix: 'ATTENTION#', cursor, queryOf });
  const over = await findOver(deps, address, page.rows);
  const isMeant = (item: Item) => state === 'all' || (item.resolvedAtMs === undefined && !over.has(item));
  const attention = page.rows.filter(isMeant).flatMap((item) => bodyOf(item, over.has(item)));
  return { scope, known: true, attention, ...(page.cursor !== undefined && { cursor: page.cursor }) };
}
