/** Reads who and what a scope's claims are about, with the names of each and what they were merged into. */
import type { z } from 'zod';
import type { ScopeAddress } from '../../schema/citation.ts';
import { entityItemSchema, queryEntities } from '../../schema/entity.ts';
import type { entitiesQuerySchema } from '../../schema/memory-api.ts';
import { loadAliases } from '../io/merged-slots.ts';
import type { ReaderDeps } from './deps.ts';
import { loadPagedScope, readRowPage } from './row-page.ts';

export interface EntityBody {
  readonly slug: string;
  readonly name: string;
  /** What it is, where somebody said. */
  readonly type?: string;
  /** Slugs that are the same, where some were merged. */
  readonly aliases?: readonly string[];
  /** The one that stands for all of them, where it is another. */
  readonly mergedInto?: string;
}

export interface EntitiesAnswer {
  readonly scope: string;
  readonly known: boolean;
  readonly entities: readonly EntityBody[];
  readonly cursor?: string;
}

/** One page of entities in the order of their slugs. Throws a 400 for a cursor of another query. */
export async function readEntities(
  deps: ReaderDeps,
  scope: string,
  { limit, cursor }: z.infer<typeof entitiesQuerySchema>,
): Promise<EntitiesAnswer> {
  const row = await loadPagedScope(deps, scope, cursor);
  if (!row) return { scope, known: false, entities: [] };
  const address: ScopeAddress = { scope, generation: row.generation };
  const aliases = await loadAliases(deps.store, address);
  const queryOf = (startKey: Parameters<typeof queryEntities>[2]) => queryEntities(address, limit, startKey);
  const page = await readRowPage(deps, { address, prefix: 'ENTITY#', cursor, queryOf });
  const entities = page.rows.flatMap((item): EntityBody[] => {
    const entity = entityItemSchema.safeParse(item).data;
    if (!entity) return [];
    const { slug, name, entityType } = entity;
    const { root, slugs } = aliases.groupOf(slug);
    return [
      {
        slug,
        name,
        ...(entityType !== undefined && { type: entityType }),
        ...(slugs.length > 1 && { aliases: slugs.filter((other) => other !== slug) }),
        ...(root !== slug && { mergedInto: root }),
      },
    ];
  });
  return { scope, known: true, entities, ...(page.cursor !== undefined && { cursor: page.cursor }) };
}
