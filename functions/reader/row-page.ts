/** One page of a scope's rows of one kind, in key order, with where the next one begins. */
import type { ScopeAddress } from '../../schema/citation.ts';
import type { Item, Query } from '../../schema/request.ts';
import { type ScopeItem, scopePartition } from '../../schema/scope.ts';
import type { ReaderDeps } from './deps.ts';
import { decodeKeyCursor, encodeCursor, refuseCursor } from '../io/page-cursor.ts';
import { loadScope } from '../io/scope-row.ts';

export interface RowPage {
  readonly rows: readonly Item[];
  readonly cursor?: string;
}

interface RowPageRequest {
  readonly address: ScopeAddress;
  /** Of the sort keys; a cursor outside it is refused. */
  readonly prefix: string;
  readonly cursor: string | undefined;
  readonly queryOf: (startKey: Item | undefined) => Query;
}

/** The row of a scope that is read in pages. Throws a 400 for a cursor of a scope that is not known: it gave none out. */
export async function loadPagedScope(
  deps: Pick<ReaderDeps, 'store'>,
  scope: string,
  cursor: string | undefined,
): Promise<ScopeItem | undefined> {
  const row = await loadScope(deps, scope);
  if (!row && cursor !== undefined) throw refuseCursor();
  return row;
}

/** Reads it. Throws a 400 for a cursor of another query. */
export async function readRowPage(
  { store }: Pick<ReaderDeps, 'store'>,
  { address, prefix, cursor, queryOf }: RowPageRequest,
): Promise<RowPage> {
  const from = cursor === undefined ? undefined : decodeKeyCursor(cursor);
  if (from !== undefined && !from.startsWith(prefix)) throw refuseCursor();
  const startKey = from === undefined ? undefined : { pk: scopePartition(address.scope, address.generation), sk: from };
  const { items, lastKey } = await store.query(queryOf(startKey));
  return { rows: items, ...(lastKey && { cursor: encodeCursor(String(lastKey.sk)) }) };
}
