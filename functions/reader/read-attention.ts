/** Reads what needs a decision in a scope: contested claims with both quotes. */
import type { z } from 'zod';
import { type AttentionItem, attentionItemSchema, queryAttention } from '../../schema/attention.ts';
import type { ScopeAddress } from '../../schema/citation.ts';
import type { attentionQuerySchema } from '../../schema/memory-api.ts';
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
  const { slot, sides, because } = details;
  return {
    kind,
    entity: sides[0]?.entityName ?? slot.entity,
    attribute: slot.attribute,
    ...(slot.key !== undefined && { key: slot.key }),
    because,
    sides: sides.map(({ claimId, citationId, value, quote, source, capturedAtMs }) => ({
      claim: claimId,
      citation: citationId,
      value,
      text: quote,
      source,
      at: isoOf(capturedAtMs),
    })),
    raisedAt: isoOf(raisedAtMs),
    ...(resolvedAtMs !== undefined && { resolvedAt: isoOf(resolvedAtMs), resolution }),
  };
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
  const attention = page.rows
    .flatMap((item) => attentionItemSchema.safeParse(item).data ?? [])
    .filter((item) => state === 'all' || item.resolvedAtMs === undefined)
    .map(attentionBody);
  return { scope, known: true, attention, ...(page.cursor !== undefined && { cursor: page.cursor }) };
}
