/** Where a scope's rows stand, or why nothing can be written there. */
import type { ScopeAddress } from '../../schema/citation.ts';
import { HttpError } from '../io/http.ts';
import { loadScope } from '../io/scope-row.ts';
import type { CuratorDeps } from './deps.ts';

/** The scope's address. Throws a 404 for a scope that was never given anything. */
export async function addressOf(deps: Pick<CuratorDeps, 'store'>, scope: string): Promise<ScopeAddress> {
  const row = await loadScope(deps, scope);
  if (!row) {
    throw new HttpError(
      404,
      'unknown_scope',
      `scope ${scope} holds nothing yet: ingest a source or import a memory first`,
    );
  }
  return { scope, generation: row.generation };
}
