/** Lifts erasures by hand: what they kept out may come in again, and is not brought back. */
import {
  claimErasureKey,
  type ErasureItem,
  erasureItemSchema,
  liftErasure,
  sourceErasureKey,
} from '../../schema/erasure.ts';
import type { ScopeAddress } from '../../schema/citation.ts';
import type { LiftBody } from '../../schema/erasure-api.ts';
import type { Key } from '../../schema/request.ts';
import { readmitSource } from '../../schema/source-erasure.ts';
import { erasureBody } from '../io/erasure-body.ts';
import { HttpError } from '../io/http.ts';
import type { EraserDeps } from './deps.ts';
import { addressOf, type ErasedAnswer, hashesOf } from './order.ts';

async function keysOf(deps: EraserDeps, address: ScopeAddress, body: LiftBody): Promise<readonly Key[]> {
  if ('source' in body) return [sourceErasureKey(address, body.source)];
  const hashes = 'hash' in body ? [body.hash] : await hashesOf(deps, address, body.claim);
  return hashes.map((hash) => claimErasureKey(address, hash));
}

/** Throws a 404 when nothing of that was erased, and a 409 while it still is: its next looks would erase it again. */
export async function liftErasures(deps: EraserDeps, scope: string, body: LiftBody): Promise<ErasedAnswer> {
  const address = await addressOf(deps, scope);
  const lifted: ErasureItem[] = [];
  for (const key of await keysOf(deps, address, body)) {
    const item = await liftOne(deps, key);
    if (item) lifted.push(item);
  }
  if (lifted.length > 0) return { scope, erasures: lifted.map(erasureBody) };
  throw new HttpError(404, 'not_found', `scope ${scope}: that was not erased; GET …/erasures lists what was`);
}

/**
 * The tombstone goes after the record says so, also when a call before died between the two. The record as the write left
 * or found it: read again, it may be of an order that came since, which this call lifts no more.
 */
async function liftOne(deps: EraserDeps, key: Key): Promise<ErasureItem | undefined> {
  const { store, clock, ids } = deps;
  const outcome = await store.write(liftErasure(key, clock.nowMs(), ids.fresh()));
  const row = outcome.kind === 'won' ? outcome.item : outcome.stored;
  if (!row) return undefined;
  const item = erasureItemSchema.parse(row);
  refuseWhileItRuns(item);
  if (item.source) await store.write(readmitSource({ ...item, ...item.source }, item.requestedAtMs));
  return item;
}

function refuseWhileItRuns({ liftedAtMs, workDueAtMs }: ErasureItem): void {
  if (liftedAtMs !== undefined) return;
  const nextLookAt = new Date(workDueAtMs ?? 0).toISOString();
  const message = `it is still looked for what is left of it, next at ${nextLookAt}: what came in now would be erased; lift it when GET …/erasures says finished`;
  throw new HttpError(409, 'erasure_running', message);
}
