/** Reads what was erased of a scope: who, when and how much, and how far it is. */
import type { z } from 'zod';
import { erasureItemSchema, queryErasures, queryScopeErasures } from '../../schema/erasure.ts';
import type { erasuresQuerySchema } from '../../schema/erasure-api.ts';
import type { Item } from '../../schema/request.ts';
import { erasureBody, type ErasureBody } from '../io/erasure-body.ts';
import type { ReaderDeps } from './deps.ts';
import { loadPagedScope, readRowPage } from './row-page.ts';

export interface ErasuresAnswer {
  readonly scope: string;
  readonly known: boolean;
  /** Those of the scope as a whole come first, on the first page, latest first. */
  readonly erasures: readonly ErasureBody[];
  readonly cursor?: string;
}

const bodiesOf = (items: readonly Item[]): ErasureBody[] =>
  items.flatMap((item) => erasureItemSchema.safeParse(item).data ?? []).map(erasureBody);

/** One page. Throws a 400 for a cursor of another query. */
export async function readErasures(
  deps: ReaderDeps,
  scope: string,
  { limit, cursor }: z.infer<typeof erasuresQuerySchema>,
): Promise<ErasuresAnswer> {
  const row = await loadPagedScope(deps, scope, cursor);
  if (!row) return { scope, known: false, erasures: [] };
  const address = { scope, generation: row.generation };
  const queryOf = (startKey: Item | undefined) => queryErasures(address, limit, startKey);
  const page = await readRowPage(deps, { address, prefix: 'ERASURE#', cursor, queryOf });
  const whole = cursor === undefined ? (await deps.store.query(queryScopeErasures(scope, limit))).items : [];
  const erasures = [...bodiesOf(whole), ...bodiesOf(page.rows)];
  return { scope, known: true, erasures, ...(page.cursor !== undefined && { cursor: page.cursor }) };
}
