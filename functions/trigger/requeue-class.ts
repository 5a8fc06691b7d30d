/**
 * Puts all that was quarantined for one reason back among what passes read, a page at a time: what was wrong with it was an
 * executor, and a person mended that. The index names what is quarantined; its row tells why, and decides.
 */
import {
  type EvidenceAddress,
  type EvidenceItem,
  getEvidence,
  parseEvidence,
  sourceKeyOfEvidence,
} from '../../schema/evidence.ts';
import type { QuarantineClass } from '../../schema/evidence-return.ts';
import type { SourceRef } from '../../schema/ids.ts';
import { LANES } from '../../schema/kind.ts';
import { isQuarantinedKey, queryQuarantined } from '../../schema/queue.ts';
import { getSource, sourceItemSchema } from '../../schema/source.ts';
import { markBacklog } from '../io/backlog-mark.ts';
import { clearEvidenceAttention } from '../io/evidence-attention.ts';
import { HttpError } from '../io/http.ts';
import { decodeKeyCursor, encodeCursor, refuseCursor } from '../io/page-cursor.ts';
import { readQueueRows } from '../io/probe.ts';
import { loadScope } from '../io/scope-row.ts';
import type { TriggerDeps } from './deps.ts';
import { reopen } from './requeue.ts';

export interface RequeueClassRequest {
  readonly class: QuarantineClass;
  /** Sources looked at, whatever their class. */
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface RequeuedClassAnswer {
  readonly scope: string;
  readonly class: QuarantineClass;
  readonly requeued: readonly SourceRef[];
  /** Looked at and left: of another class, replaced by a newer revision, or moved meanwhile. */
  readonly left: number;
  /** Present when there may be more: send it with the next call. */
  readonly cursor?: string;
}

/** Requeues a page of them, longest quarantined first. Throws a 400 for a bad cursor, and a 404 for an unknown scope. */
export async function requeueClass(
  deps: TriggerDeps,
  scope: string,
  request: RequeueClassRequest,
): Promise<RequeuedClassAnswer> {
  const after = request.cursor === undefined ? undefined : decodeKeyCursor(request.cursor);
  if (after !== undefined && !isQuarantinedKey(after)) throw refuseCursor();
  const row = await loadScope(deps, scope);
  if (!row) throw new HttpError(404, 'not_found', `scope ${scope} holds nothing: there is nothing to requeue`);
  const queue = { scope, generation: row.generation, lane: LANES[0] };
  const listed = await readQueueRows(deps.store, queryQuarantined(queue, request.limit, after));
  const meant: Quarantined[] = [];
  for (const { sk } of listed) {
    const sourceKey = sourceKeyOfEvidence(sk, queue.lane);
    const found = await findMeant(deps, { ...queue, sourceKey }, request.class);
    if (found) meant.push(found);
  }
  // Before and after, as of a single one: a call that dies in between leaves a scope that is looked at.
  const marked = meant.length > 0 ? await markBacklog(deps, scope, row) : undefined;
  const requeued: SourceRef[] = [];
  for (const { address, evidence } of meant) {
    if (!(await reopen(deps, address, evidence))) continue;
    await clearEvidenceAttention(deps, address, evidence, 'a person requeued its class');
    requeued.push({ kind: evidence.kind, id: evidence.id, revision: evidence.revision });
  }
  if (marked) await markBacklog(deps, scope, marked);
  const last = listed.at(-1);
  const hasMore = listed.length === request.limit && last !== undefined;
  const left = listed.length - requeued.length;
  return { scope, class: request.class, requeued, left, ...(hasMore && { cursor: encodeCursor(last.queueKey) }) };
}

interface Quarantined {
  readonly address: EvidenceAddress;
  readonly evidence: EvidenceItem;
}

/** The row, if it is quarantined for that, and of the newest revision of a source that stands. */
async function findMeant(
  { store }: TriggerDeps,
  address: EvidenceAddress,
  why: QuarantineClass,
): Promise<Quarantined | undefined> {
  const evidence = parseEvidence(await store.get(getEvidence(address)));
  if (evidence?.state !== 'quarantined' || evidence.quarantineClass !== why) return undefined;
  const newest = sourceItemSchema.safeParse(await store.get(getSource({ ...address, ...evidence }))).data;
  return newest?.revision === evidence.revision ? { address, evidence } : undefined;
}
