/**
 * Reads claims: claim slots in key order, one page at a time, each slot through the one function that knows which claim
 * is current. A page never cuts a claim slot, so it can be somewhat longer than asked for.
 */
import type { ClaimsQuery } from '../../schema/api.ts';
import type { ScopeAddress } from '../../schema/citation.ts';
import { slugOf } from '../../schema/entity.ts';
import { LIMITS } from '../../schema/limits.ts';
import { viewSlot } from '../core/slot-view.ts';
import { isWithin, loadAliases, type MergedSlot, readMergedSlots } from '../io/merged-slots.ts';
import { type ClaimBody, claimBody } from './claim-body.ts';
import type { ReaderDeps } from './deps.ts';
import { decodeCursor, encodeCursor, refuseCursor } from '../io/page-cursor.ts';
import { loadPagedScope } from './row-page.ts';

export interface ClaimsAnswer {
  readonly scope: string;
  readonly known: boolean;
  readonly claims: readonly ClaimBody[];
  /** Present when there may be more: the page behind it may be short, or empty when nothing more matches. */
  readonly cursor?: string;
  /** Older claims of the last claim slot were left out: they alone would not fit into one answer. */
  readonly truncated?: true;
}

/** Lambda answers with at most 6 MB. A page is full at half of what one may hold, so that another claim slot has room. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;
const PAGE_BYTES_MAX = ANSWER_BYTES_MAX / 2;
const ROWS_PER_QUERY_MIN = 50;

/** One page of claims. Throws a 400 for a cursor of another query. */
export async function readClaims(deps: ReaderDeps, scope: string, query: ClaimsQuery): Promise<ClaimsAnswer> {
  const entity = query.entity === undefined ? undefined : slugOf(query.entity);
  const filter = { entity, attribute: query.attribute };
  const from = query.cursor === undefined ? undefined : decodeCursor(query.cursor);
  const row = await loadPagedScope(deps, scope, query.cursor);
  if (!row) return { scope, known: false, claims: [] };
  const address: ScopeAddress = { scope, generation: row.generation };
  const aliases = await loadAliases(deps.store, address, timeOf(query.knownAt));
  if (from !== undefined && !isWithin(from, filter, aliases)) throw refuseCursor();
  const rowsPerQuery = Math.min(LIMITS.claimRowsPerPageMax, Math.max(ROWS_PER_QUERY_MIN, 2 * query.limit));
  const page = createPage(query);
  for await (const slot of readMergedSlots(deps.store, address, { ...filter, aliases, rowsPerQuery, from })) {
    if (page.isFull(slot)) break;
    if (query.attribute === undefined || slot.slot.attribute === query.attribute) page.take(slot);
    page.pass(slot);
  }
  return { scope, known: true, ...page.answer() };
}

interface Page {
  /** Whether this next claim slot must wait for the next page. */
  isFull(next: MergedSlot): boolean;
  take(slot: MergedSlot): void;
  /** Notes that the page reaches behind this claim slot. */
  pass(slot: MergedSlot): void;
  answer(): Pick<ClaimsAnswer, 'claims' | 'cursor' | 'truncated'>;
}

function createPage(query: ClaimsQuery): Page {
  const claims: ClaimBody[] = [];
  let sizeBytes = 0;
  let truncated = false;
  let passed: string | undefined;
  let cursor: string | undefined;
  return {
    isFull(next) {
      // A filter that matches little reads on for longer: an empty page helps nobody, but it too has an end.
      const rowsMax = claims.length > 0 ? LIMITS.claimRowsPerPageMax : LIMITS.claimRowsPerSlotMax;
      const isFull =
        passed !== undefined &&
        (claims.length >= query.limit ||
          next.rowsRead - next.citations.length >= rowsMax ||
          sizeBytes >= PAGE_BYTES_MAX);
      if (isFull && passed !== undefined) cursor = encodeCursor(passed);
      return isFull;
    },
    take(slot) {
      for (const body of bodiesOf(slot, query)) {
        const bodyBytes = Buffer.byteLength(JSON.stringify(body));
        if (claims.length > 0 && sizeBytes + bodyBytes > ANSWER_BYTES_MAX) {
          truncated = true;
          continue;
        }
        claims.push(body);
        sizeBytes += bodyBytes;
      }
    },
    pass(slot) {
      passed = slot.position;
    },
    answer: () => ({ claims, ...(cursor !== undefined && { cursor }), ...(truncated && { truncated: true as const }) }),
  };
}

const timeOf = (iso: string | undefined): number | undefined => (iso === undefined ? undefined : Date.parse(iso));

function bodiesOf({ slot, citations, truncated, entityName }: MergedSlot, query: ClaimsQuery): ClaimBody[] {
  const view = viewSlot(citations, { asOfMs: timeOf(query.asOf), knownAtMs: timeOf(query.knownAt) });
  return view.claims
    .filter((claim) => query.state === 'all' || claim.state === query.state)
    .map((claim) => {
      const isFull = query.detail === 'full';
      return claimBody({ slot, claim, isFull, truncated, mergedName: entityName });
    });
}
