/** What a person says an entity is: it stands above what sources say, and a person's later word above it. */
import { entityItemSchema, slugOf, typeEntity, typeKeyOf } from '../../schema/entity.ts';
import type { TypeBody } from '../../schema/memory-api.ts';
import { HttpError } from '../io/http.ts';
import type { CuratorDeps } from './deps.ts';
import { saidAtMsOf } from './said-at.ts';
import { addressOf } from './scope-address.ts';

export interface TypedAnswer {
  readonly scope: string;
  readonly entity: string;
  /** What the entity is now: what was said, or what a person said later. */
  readonly type: string;
  readonly changed: boolean;
}

/** Records what an entity is. Throws a 404 for an entity that nobody made known. Safe to send again. */
export async function sayType(deps: CuratorDeps, scope: string, { entity, type, at }: TypeBody): Promise<TypedAnswer> {
  const { store, ids } = deps;
  const address = await addressOf(deps, scope);
  const slug = slugOf(entity);
  const typeKey = typeKeyOf({ entityType: type, capturedAtMs: saidAtMsOf(deps, at), isPerson: true });
  const outcome = await store.write(typeEntity(address, { slug, entityType: type, typeKey }, ids.fresh()));
  if (outcome.kind === 'won') return { scope, entity: slug, type, changed: true };
  const stored = entityItemSchema.safeParse(outcome.stored).data;
  if (!stored) throw new HttpError(404, 'not_found', `there is no entity "${entity}": list them with GET …/entities`);
  return { scope, entity: slug, type: stored.entityType ?? type, changed: false };
}
