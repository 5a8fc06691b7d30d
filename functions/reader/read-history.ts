/**
 * Reads the history of one claim slot: every claim it ever held, what took its place and why, and every citation with
 * all that is recorded of it, whatever became of it.
 */
import type { CitationItem, ClaimSlot, ScopeAddress } from '../../schema/citation.ts';
import { slugOf } from '../../schema/entity.ts';
import { registerKeyOf } from '../../schema/head.ts';
import type { HistoryQuery } from '../../schema/memory-api.ts';
import { normalizeValue } from '../core/claims.ts';
import { countingAt, stands } from '../core/counting.ts';
import { viewSlot } from '../core/slot-view.ts';
import { loadAliases, readMergedSlot } from '../io/merged-slots.ts';
import { type CitationBody, citationBody, type ClaimBody, claimBody } from './claim-body.ts';
import type { ReaderDeps } from './deps.ts';
import { decodeCursor, encodeCursor, refuseCursor } from '../io/page-cursor.ts';
import { loadPagedScope } from './row-page.ts';

/**
 * counts: it is among those that decide. current: it decides. planned: it is for later. retraction: a person's word
 * that its claim is wrong; retracted: covered by one. taken_back: withdrawn, or every pass that said it was undone.
 */
export type CitationStanding = 'current' | 'counts' | 'planned' | 'retraction' | 'retracted' | 'taken_back';

export interface HistoryAnswer {
  readonly scope: string;
  readonly known: boolean;
  readonly entity: string;
  readonly attribute: string;
  /** Of a many-valued attribute: the value, as the claim slot is keyed by it. */
  readonly key?: string;
  /** The claims of the claim slot, the active one first, then the latest begun. */
  readonly claims: readonly ClaimBody[];
  /** One page of its citations, the latest told first. */
  readonly citations: readonly (CitationBody & { readonly claim: string; readonly standing: CitationStanding })[];
  readonly cursor?: string;
  /** The claim slot holds more citations than are read. */
  readonly truncated?: true;
}

/** One page of a claim slot's history. Throws a 400 for a cursor of another query. */
export async function readHistory(deps: ReaderDeps, scope: string, query: HistoryQuery): Promise<HistoryAnswer> {
  const wanted: ClaimSlot = {
    entity: slugOf(query.entity),
    attribute: query.attribute,
    ...(query.value !== undefined && { key: normalizeValue(query.value) }),
  };
  const named = {
    scope,
    entity: query.entity,
    attribute: query.attribute,
    ...(wanted.key !== undefined && { key: wanted.key }),
  };
  const row = await loadPagedScope(deps, scope, query.cursor);
  if (!row) return { ...named, known: false, claims: [], citations: [] };
  const address: ScopeAddress = { scope, generation: row.generation };
  const [asOfMs, knownAtMs] = [query.asOf, query.knownAt].map((iso) =>
    iso === undefined ? undefined : Date.parse(iso),
  );
  const aliases = await loadAliases(deps.store, address, knownAtMs);
  const { slot, citations, truncated, entityName } = await readMergedSlot(deps.store, address, aliases, wanted);
  const view = viewSlot(citations, { asOfMs, knownAtMs });
  const known = citations.filter(({ recordedAtMs }) => recordedAtMs <= (knownAtMs ?? Number.POSITIVE_INFINITY));
  const ordered = known.toSorted(latestTold);
  const page = pageOf(ordered, query);
  const counting = new Set(countingAt(known, knownAtMs));
  const standingOf = (citation: CitationItem): CitationStanding => {
    if (citation === view.current) return 'current';
    if (citation.retracts) return stands(citation, knownAtMs) ? 'retraction' : 'taken_back';
    if (counting.has(citation)) return citation.planned ? 'planned' : 'counts';
    return stands(citation, knownAtMs) ? 'retracted' : 'taken_back';
  };
  return {
    ...named,
    known: true,
    claims: view.claims.map((claim) => claimBody({ slot, claim, isFull: false, truncated, mergedName: entityName })),
    citations: page.shown.map((citation) => ({
      ...citationBody(citation),
      claim: citation.claimId,
      standing: standingOf(citation),
    })),
    ...(page.cursor !== undefined && { cursor: page.cursor }),
    ...(truncated && { truncated: true as const }),
  };
}

function latestTold(a: CitationItem, b: CitationItem): number {
  if (a.capturedAtMs !== b.capturedAtMs) return b.capturedAtMs - a.capturedAtMs;
  return registerKeyOf(a) < registerKeyOf(b) ? 1 : -1;
}

/** The cursor names the last citation shown, so that one that comes in between shifts nothing. */
function pageOf(
  ordered: readonly CitationItem[],
  { limit, cursor }: HistoryQuery,
): { readonly shown: readonly CitationItem[]; readonly cursor?: string } {
  let from = 0;
  if (cursor !== undefined) {
    const last = decodeCursor(cursor);
    from = 1 + ordered.findIndex(({ citationId }) => citationId === last);
    if (from === 0) throw refuseCursor();
  }
  const shown = ordered.slice(from, from + limit);
  const last = shown.at(-1);
  const hasMore = from + limit < ordered.length;
  return { shown, ...(hasMore && last && { cursor: encodeCursor(last.citationId) }) };
}
