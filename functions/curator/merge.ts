/** Merges entities, as a row that says one is the other: claims are not moved, reads follow. */
import type { ScopeAddress } from '../../schema/citation.ts';
import { aliasItemSchema, endAlias, getEntity, putAlias, slugOf } from '../../schema/entity.ts';
import type { MergeBody } from '../../schema/memory-api.ts';
import { HttpError } from '../io/http.ts';
import { loadAliases } from '../io/merged-slots.ts';
import type { CuratorDeps } from './deps.ts';
import { addressOf } from './scope-address.ts';

export interface MergedAnswer {
  readonly scope: string;
  readonly changed: boolean;
  /** The slug that stands for all of them now. */
  readonly root: string;
  readonly slugs: readonly string[];
  /** Of the two, those that nothing is known of: the merge waits for their first claim. Absent: both are known. */
  readonly unknown?: readonly string[];
}

interface Named {
  readonly address: ScopeAddress;
  readonly from: string;
  readonly into: string;
}

async function nameSlugs(deps: CuratorDeps, scope: string, body: MergeBody): Promise<Named> {
  const [from, into] = [slugOf(body.from), slugOf(body.into)];
  if (from === into) {
    throw new HttpError(400, 'invalid_request', `"${body.from}" and "${body.into}" are one entity already: ${from}`);
  }
  return { address: await addressOf(deps, scope), from, into };
}

async function answer(deps: CuratorDeps, { address, from }: Named, changed: boolean): Promise<MergedAnswer> {
  const { root, slugs } = (await loadAliases(deps.store, address)).groupOf(from);
  return { scope: address.scope, changed, root, slugs };
}

/**
 * Says that one entity is another. Safe to send again, and the order of several merges does not matter. It may come before
 * the claims that name them, as in the first page of an export; the answer then says of which entity nothing is known.
 */
export async function mergeEntities(deps: CuratorDeps, scope: string, body: MergeBody): Promise<MergedAnswer> {
  const { store, clock, ids } = deps;
  const named = await nameSlugs(deps, scope, body);
  const { address, from, into } = named;
  const { author } = body;
  const alias = {
    from,
    into,
    fromName: body.from.trim(),
    intoName: body.into.trim(),
    author,
    recordedAtMs: clock.nowMs(),
  };
  let outcome = await store.write(putAlias(address, alias, ids.fresh()));
  const ended = outcome.kind === 'held' ? aliasItemSchema.safeParse(outcome.stored).data?.endedAtMs : undefined;
  // Whoever took it back was here before, by the clock of another function that is ahead.
  if (ended !== undefined)
    outcome = await store.write(putAlias(address, { ...alias, recordedAtMs: ended + 1 }, ids.fresh()));
  const unknown: string[] = [];
  for (const slug of [from, into]) if (!(await store.get(getEntity(address, slug)))) unknown.push(slug);
  return { ...(await answer(deps, named, outcome.kind === 'won')), ...(unknown.length > 0 && { unknown }) };
}

/** Takes one such word back. Others that join the same entities stand. */
export async function unmergeEntities(deps: CuratorDeps, scope: string, body: MergeBody): Promise<MergedAnswer> {
  const { store, clock, ids } = deps;
  const named = await nameSlugs(deps, scope, body);
  const { address, from, into } = named;
  const nowMs = clock.nowMs();
  const end = (atMs: number) => store.write(endAlias(address, { from, into }, atMs, ids.fresh()));
  let outcome = await end(nowMs);
  const stood = outcome.kind === 'held' ? aliasItemSchema.safeParse(outcome.stored).data : undefined;
  if (outcome.kind === 'held' && !stood) {
    throw new HttpError(404, 'not_found', `"${body.from}" was not merged into "${body.into}"`);
  }
  if (stood && stood.endedAtMs === undefined) outcome = await end(Math.max(nowMs, stood.recordedAtMs));
  return answer(deps, named, outcome.kind === 'won');
}
