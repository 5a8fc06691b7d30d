/**
 * Orders erasures: the record first, which is the order; then as much of it as a call has time for. Sending a call again
 * after any of its writes goes on where it died, and so does the schedule.
 */
import type { ScopeAddress } from '../../schema/citation.ts';
import { slugOf } from '../../schema/entity.ts';
import {
  claimErasureKey,
  dropLiftedErasure,
  erasureItemSchema,
  type ErasureItem,
  type NewErasure,
  openErasure,
  queryForgotten,
  queryGeneration,
  queryScopeErasures,
  scopeErasureKey,
  sourceErasureKey,
} from '../../schema/erasure.ts';
import type { ForgetBody } from '../../schema/erasure-api.ts';
import type { SourceKind } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Key } from '../../schema/request.ts';
import { getSource } from '../../schema/source.ts';
import { erasedSourceOf, eraseSource } from '../../schema/source-erasure.ts';
import { normalizeValue } from '../core/claims.ts';
import { forgottenHashOf } from '../core/forgetting.ts';
import { erasureBody, type ErasureBody } from '../io/erasure-body.ts';
import { HttpError } from '../io/http.ts';
import { loadAliases } from '../io/merged-slots.ts';
import { loadScope } from '../io/scope-row.ts';
import type { EraserDeps } from './deps.ts';
import { loadErasure, runErasure } from './run.ts';

export interface ErasedAnswer {
  readonly scope: string;
  readonly erasures: readonly ErasureBody[];
}

/** The scope's address. Throws a 404 for a scope that was never given anything. */
export async function addressOf(deps: Pick<EraserDeps, 'store'>, scope: string): Promise<ScopeAddress> {
  const row = await loadScope(deps, scope);
  if (row) return { scope, generation: row.generation };
  throw new HttpError(404, 'unknown_scope', `scope ${scope} holds nothing: there is nothing to erase`);
}

async function orderAndRun(deps: EraserDeps, key: Key, erasure: NewErasure): Promise<ErasureBody> {
  await deps.store.write(openErasure(key, erasure, deps.ids.fresh()));
  return goOn(deps, key);
}

async function goOn(deps: EraserDeps, key: Key): Promise<ErasureBody> {
  const item = await runErasure(deps, key, deps.clock.nowMs() + LIMITS.erasedForCallerMs);
  if (!item) throw new Error('an erasure that was just ordered is not there: send the call again');
  return erasureBody(item);
}

/** The latest erasure of a scope as a whole. */
async function latestOf({ store }: EraserDeps, scope: string): Promise<ErasureItem | undefined> {
  const { items } = await store.query(queryScopeErasures(scope, 1));
  return erasureItemSchema.safeParse(items[0]).data;
}

/**
 * Erases all that a scope holds. A scope that holds nothing goes on with the erasure before: so a call that is sent again
 * erases nothing that came in since, unless something did. Throws a 404 for an unknown scope.
 */
export async function eraseWholeScope(deps: EraserDeps, scope: string, by: string): Promise<ErasedAnswer> {
  const address = await addressOf(deps, scope);
  const { items } = await deps.store.query(queryGeneration(address, 1));
  const latest = items.length === 0 ? await latestOf(deps, scope) : undefined;
  if (latest) return { scope, erasures: [await goOn(deps, scopeErasureKey(latest))] };
  const requestedAtMs = deps.clock.nowMs();
  const order = { kind: 'scope', ...address, by, requestedAtMs } as const;
  return { scope, erasures: [await orderAndRun(deps, scopeErasureKey(address), order)] };
}

interface NamedSource {
  readonly kind: SourceKind;
  readonly id: string;
}

/**
 * Erases a source in all its revisions, and every claim that rests on it alone. One that is not known is erased all the
 * same, and the answer says so: a call that sends it may be on its way, one that died may have left texts of it, and an
 * import cites sources that never stood here. Throws a 404 for an unknown scope.
 */
export async function eraseOneSource(
  deps: EraserDeps,
  scope: string,
  source: NamedSource,
  by: string,
): Promise<ErasedAnswer> {
  const address = await addressOf(deps, scope);
  const stored = await deps.store.get(getSource({ ...address, ...source }));
  const wasKnown = stored !== undefined && !erasedSourceOf(stored);
  const order = { kind: 'source', ...address, source, wasKnown, by, requestedAtMs: deps.clock.nowMs() } as const;
  const key = sourceErasureKey(address, source);
  await deps.store.write(openErasure(key, order, deps.ids.fresh()));
  // Before the answer, also when another run is at the record and has not come to it yet: what its owner sends from now on
  // is refused, and not taken in to be erased with the rest.
  const { requestedAtMs } = (await loadErasure(deps, key)) ?? order;
  await deps.store.write(eraseSource({ ...address, ...source }, requestedAtMs, deps.ids.fresh()));
  return { scope, erasures: [await goOn(deps, key)] };
}

/** The hashes of what a body names: one for each entity that is merged with its own. */
export async function hashesOf(
  { store }: Pick<EraserDeps, 'store'>,
  address: ScopeAddress,
  { entity, attribute, value }: Omit<ForgetBody, 'author'>,
): Promise<readonly string[]> {
  const { slugs } = (await loadAliases(store, address)).groupOf(slugOf(entity));
  const said = { value: normalizeValue(value) };
  return slugs.map((slug) => forgottenHashOf({ slot: { entity: slug, attribute }, ...said }));
}

/**
 * Makes room for these among the claims that writers look at. A lifted one keeps nothing out: its record gives way, the one
 * that was lifted first before others. Throws a 409 when all of them stand.
 */
async function makeRoom(
  { store }: EraserDeps,
  address: ScopeAddress,
  rows: readonly ErasureItem[],
  hashes: readonly string[],
): Promise<void> {
  const known = new Set(rows.map(({ hash }) => hash));
  let missing = rows.length + hashes.filter((hash) => !known.has(hash)).length - LIMITS.forgottenPerScopeMax;
  const lifted = rows.flatMap(({ hash = '', liftedAtMs }) =>
    liftedAtMs === undefined || hashes.includes(hash) ? [] : [{ hash, liftedAtMs }],
  );
  for (const { hash, liftedAtMs } of lifted.toSorted((a, b) => a.liftedAtMs - b.liftedAtMs)) {
    if (missing <= 0) return;
    const dropped = await store.write(dropLiftedErasure(claimErasureKey(address, hash), liftedAtMs));
    // Gone already: a call at the same time took it, or this reply was lost.
    if (dropped.kind === 'won' || !dropped.stored) missing--;
  }
  if (missing <= 0) return;
  const message = `scope ${address.scope} has ${rows.length - lifted.length} forgotten claims; at most ${LIMITS.forgottenPerScopeMax} are kept out at once: erase the sources that say them instead`;
  throw new HttpError(409, 'too_many_forgotten', message);
}

/**
 * Has a claim forgotten, whoever said it: its citations go, and it stays out when it is found, imported or said again.
 * Throws a 404 for an unknown scope, and a 409 when as many are forgotten as writers can look at.
 */
export async function forgetClaim(deps: EraserDeps, scope: string, body: ForgetBody): Promise<ErasedAnswer> {
  const address = await addressOf(deps, scope);
  const hashes = await hashesOf(deps, address, body);
  const { items } = await deps.store.query(queryForgotten(address, LIMITS.forgottenReadMax));
  await makeRoom(
    deps,
    address,
    items.map((item) => erasureItemSchema.parse(item)),
    hashes,
  );
  const erasures: ErasureBody[] = [];
  for (const hash of hashes) {
    const order = { kind: 'claim', ...address, hash, by: body.author, requestedAtMs: deps.clock.nowMs() } as const;
    erasures.push(await orderAndRun(deps, claimErasureKey(address, hash), order));
  }
  return { scope, erasures };
}
