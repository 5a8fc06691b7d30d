/** Loads the scope row, which every read of a scope begins with: it names the generation all other rows stand under. */
import { getScope, type ScopeItem, scopeItemSchema } from '../../schema/scope.ts';
import type { Store } from './ports.ts';

/** Undefined: nothing was ever given for this scope. */
export async function loadScope(
  { store }: { readonly store: Pick<Store, 'get'> },
  scope: string,
): Promise<ScopeItem | undefined> {
  return scopeItemSchema.safeParse(await store.get(getScope(scope))).data;
}
