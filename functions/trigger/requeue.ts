/**
 * Puts a quarantined or stalled source back among what passes read, as if none had failed at it: a person mended what was
 * wrong, or wants it tried again. It is read on from its cursor.
 */
import {
  type EvidenceAddress,
  evidenceAddress,
  type EvidenceItem,
  getEvidence,
  parseEvidence,
} from '../../schema/evidence.ts';
import { reopenEvidence } from '../../schema/evidence-requeue.ts';
import type { SourceKind } from '../../schema/ids.ts';
import { LANES } from '../../schema/kind.ts';
import { LIMITS } from '../../schema/limits.ts';
import { continuationKey, freshKey } from '../../schema/queue.ts';
import { getSource, sourceItemSchema } from '../../schema/source.ts';
import { type ErasedSource, erasedSourceOf } from '../../schema/source-erasure.ts';
import { markBacklog } from '../io/backlog-mark.ts';
import { clearEvidenceAttention } from '../io/evidence-attention.ts';
import { HttpError } from '../io/http.ts';
import { loadScope } from '../io/scope-row.ts';
import type { TriggerDeps } from './deps.ts';

export interface RequeueRequest {
  readonly kind: SourceKind;
  readonly id: string;
  /** Absent: the newest. */
  readonly revision?: string | undefined;
}

export interface RequeueAnswer extends RequeueRequest {
  readonly scope: string;
  readonly revision: string;
  readonly state: 'waiting';
  readonly was: 'quarantined' | 'stalled';
  /** Why it was quarantined. */
  readonly class?: string;
}

/** Requeues it. Throws a 404 for what is not known, and a 409 for what was erased, or is neither quarantined nor stalled. */
export async function requeue(deps: TriggerDeps, scope: string, request: RequeueRequest): Promise<RequeueAnswer> {
  const { store } = deps;
  const { kind, id } = request;
  const row = await loadScope(deps, scope);
  if (!row) throw refuseUnknown(scope, request);
  const { generation } = row;
  const stored = await store.get(getSource({ scope, generation, kind, id }));
  const erased = erasedSourceOf(stored);
  if (erased) throw refuseErased(erased);
  const newest = sourceItemSchema.safeParse(stored).data;
  const revision = request.revision ?? newest?.revision;
  if (revision === undefined) throw refuseUnknown(scope, request);
  const address = evidenceAddress(scope, generation, LANES[0], { kind, id, revision });
  for (let round = 0; round < LIMITS.commitRoundsMax; round++) {
    const evidence = parseEvidence(await store.get(getEvidence(address)));
    if (!evidence) throw refuseUnknown(scope, request);
    const was = requeueableAs(evidence);
    if (!was) throw refuseState(evidence);
    // Before and after, as at ingest: a call that dies in between leaves a scope that is looked at.
    const marked = await markBacklog(deps, scope, round === 0 ? row : undefined);
    if (!(await reopen(deps, address, evidence))) continue;
    await markBacklog(deps, scope, marked);
    await clearEvidenceAttention(deps, address, evidence, 'a person requeued it');
    const why = was === 'quarantined' ? evidence.quarantineClass : undefined;
    return { scope, kind, id, revision, state: 'waiting', was, ...(why !== undefined && { class: why }) };
  }
  throw new HttpError(409, 'source_busy', 'the source kept moving: look at it, and ask again');
}

/** Puts it back from where it was read. False when it moved since it was read. */
export async function reopen(
  { store, clock, ids }: Pick<TriggerDeps, 'store' | 'clock' | 'ids'>,
  address: EvidenceAddress,
  evidence: EvidenceItem,
): Promise<boolean> {
  const homeKey = homeKeyOf(evidence, address.sourceKey, clock.nowMs());
  const outcome = await store.write(reopenEvidence(address, { seq: evidence.seq, homeKey, op: ids.fresh() }));
  return outcome.kind === 'won';
}

function requeueableAs({ state, stalls, leasePass }: EvidenceItem): RequeueAnswer['was'] | undefined {
  if (state === 'quarantined') return 'quarantined';
  const isStalled = state === 'pending' && leasePass === undefined && stalls >= LIMITS.stalledAt;
  return isStalled ? 'stalled' : undefined;
}

/** Among the continuations where a pass read part of it, else among the fresh. */
function homeKeyOf({ cursor, beganAt = 0, capturedAtMs }: EvidenceItem, sourceKey: string, nowMs: number): string {
  return cursor > beganAt ? continuationKey(nowMs, sourceKey) : freshKey(capturedAtMs, sourceKey);
}

function refuseUnknown(scope: string, { kind, id, revision }: RequeueRequest): HttpError {
  const of = revision === undefined ? '' : ` of revision ${revision}`;
  return new HttpError(404, 'not_found', `scope ${scope} has no ${kind} ${JSON.stringify(id)}${of}`);
}

function refuseErased({ kind, id, erasedAtMs }: ErasedSource): HttpError {
  const when = new Date(erasedAtMs).toISOString();
  const message = `the ${kind} ${JSON.stringify(id)} was erased at ${when}: nothing of it is left to be read. To have it again, POST …/erasures/lift with {"source": {"kind", "id"}} and send it anew`;
  return new HttpError(409, 'source_erased', message);
}

function refuseState({ state, leasePass }: EvidenceItem): HttpError {
  const stands = leasePass !== undefined ? `held by pass ${leasePass}` : state === 'pending' ? 'waiting' : state;
  const message = `the source is ${stands}: only a quarantined or stalled one is requeued`;
  return new HttpError(409, 'not_requeueable', message);
}
