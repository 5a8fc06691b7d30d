/**
 * Exports a scope's memory as JSON lines, page by page, in key order: merges, citations, entities. An import of all pages
 * into an empty scope gives an export of the same bytes.
 */
import type { z } from 'zod';
import { queryCitations, type ScopeAddress } from '../../schema/citation.ts';
import { queryAliases, queryEntities } from '../../schema/entity.ts';
import type { exportQuerySchema } from '../../schema/memory-api.ts';
import type { Item, Query } from '../../schema/request.ts';
import { formatMemoryLine, memoryLineOf } from '../core/memory-lines.ts';
import type { ReaderDeps } from './deps.ts';
import { decodeCursor, encodeCursor } from '../io/page-cursor.ts';
import { loadPagedScope, readRowPage } from './row-page.ts';

type QueryOf = (address: ScopeAddress, limit: number, startKey: Item | undefined) => Query;

const SECTIONS: readonly { readonly prefix: string; readonly queryOf: QueryOf }[] = [
  { prefix: 'ALIAS#', queryOf: queryAliases },
  {
    prefix: 'CLAIM#',
    queryOf: (address, limit, startKey) => queryCitations(address, { limit, ...(startKey && { startKey }) }),
  },
  { prefix: 'ENTITY#', queryOf: queryEntities },
];

export interface ExportPage {
  /** JSON lines, each with its line feed. */
  readonly text: string;
  readonly cursor?: string;
}

/** One page. An unknown scope has none. Throws a 400 for a cursor of another query. */
export async function readExport(
  deps: ReaderDeps,
  scope: string,
  { limit, cursor }: z.infer<typeof exportQuerySchema>,
): Promise<ExportPage> {
  const row = await loadPagedScope(deps, scope, cursor);
  if (!row) return { text: '' };
  const address: ScopeAddress = { scope, generation: row.generation };
  let next = cursor;
  // A section without rows is no page.
  for (const _ of SECTIONS) {
    const page = await readSectionPage(deps, address, limit, next);
    if (page.text !== '' || page.cursor === undefined) return page;
    next = page.cursor;
  }
  return { text: '' };
}

/** A cursor names a row, or just a section's prefix: then the section begins. */
async function readSectionPage(
  deps: ReaderDeps,
  address: ScopeAddress,
  limit: number,
  cursor: string | undefined,
): Promise<ExportPage> {
  const from = cursor === undefined ? '' : decodeCursor(cursor);
  const at = Math.max(
    0,
    SECTIONS.findIndex(({ prefix }) => from.startsWith(prefix)),
  );
  const { prefix, queryOf } = SECTIONS[at] as (typeof SECTIONS)[number];
  const within = from === prefix ? undefined : cursor;
  const page = await readRowPage(deps, {
    address,
    prefix,
    cursor: within,
    queryOf: (startKey) => queryOf(address, limit, startKey),
  });
  const lines = page.rows.flatMap((item) => memoryLineOf(item) ?? []).map((line) => `${formatMemoryLine(line)}\n`);
  const following = SECTIONS[at + 1];
  const next = page.cursor ?? (following && encodeCursor(following.prefix));
  return { text: lines.join(''), ...(next !== undefined && { cursor: next }) };
}
