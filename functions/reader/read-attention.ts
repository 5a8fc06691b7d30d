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
import { readRowPage } from './row-page.ts';
import { loadScope } from '../io/scope-row.ts';

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

function evidenceBody({ kind, details, raisedAtMs, resolvedAtMs, resolution }: EvidenceAttentionItem) {
  return {
    kind,
    ...details,
    raisedAt: isoOf(raisedAtMs),
    ...(resolvedAtMs !== undefined && { resolvedAt: isoOf(resolvedAtMs), resolution }),
  };
}

function bodyOf(item: Item, isMeant: (resolvedAtMs: number | undefined) => boolean): Record<string, unknown>[] {
  const claim = attentionItemSchema.safeParse(item).data;
  const evidence = claim ? undefined : evidenceAttentionSchema.safeParse(item).data;
  if (claim) return isMeant(claim.resolvedAtMs) ? [attentionBody(claim)] : [];
  return evidence && isMeant(evidence.resolvedAtMs) ? [evidenceBody(evidence)] : [];
}

/** One page, by subject. Throws a 400 for a cursor of another query. */
export async function readAttention(
  deps: ReaderDeps,
  scope: string,
  { limit, cursor, state }: z.infer<typeof attentionQuerySchema>,
): Promise<AttentionAnswer> {
  const row = await loadScope(deps, scope);
  if (!row) return { scope, known: false, attention: [] };
  const address: ScopeAddress = { scope, generation: row.generation };
  const queryOf = (startKey: Parameters<typeof queryAttention>[2]) => queryAttention(address, limit, startKey);
  const page = await readRowPage(deps, { address, prefix: 'ATTENTION#', cursor, queryOf });
  const isMeant = (resolvedAtMs: number | undefined) => state === 'all' || resolvedAtMs === undefined;
  const attention = page.rows.flatMap((item) => bodyOf(item, isMeant));
  return { scope, known: true, attention, ...(page.cursor !== undefined && { cursor: page.cursor }) };
}
