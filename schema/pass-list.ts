/** The passes of a scope as a list; see `schema/pass.ts` for what a pass is. */
import { type Item, query, type Query } from './request.ts';
import { scopePartition } from './scope.ts';

/** Passes of a scope, newest first; their LEASE and REVIEW rows are read past, so a page may hold fewer. */
export function queryPasses(scope: string, generation: number, limit: number, startKey?: Item): Query {
  return query({
    partition: scopePartition(scope, generation),
    beginsWith: 'PASS#',
    limit,
    newestFirst: true,
    startKey,
    filter: ['attribute_exists(#status)'],
  });
}
