/** What must hold of an EVIDENCE row by itself, and of its moves: each attribute stands in the states it belongs to, and in no other. */
import type { EvidenceItem } from '../../../schema/evidence.ts';
import { sourceKeyOf } from '../../../schema/ids.ts';
import type { PassItem, PassStatus } from '../../../schema/pass.ts';
import { holderOfQueueKey, tierOf, timeOfQueueKey } from '../../../schema/queue.ts';

const LEASED_TIER = 4;
const QUARANTINED_TIER = 5;

/** A row as the table has it: what the schema fills in may be missing. */
type Row = EvidenceItem & { readonly queueKey?: string; readonly queuePartition?: string };

/** What is wrong with a row, whatever it was before; undefined: nothing. */
export function strangeOfEvidence(row: Row): string | undefined {
  const { state, leasePass, leaseExpiresAtMs, settledAtMs, settledBy, quarantinedAtMs, quarantineClass } = row;
  if ((leasePass === undefined) !== (leaseExpiresAtMs === undefined))
    return 'has a lease without its end, or the other way';
  if ((settledAtMs !== undefined) !== (state === 'settled')) return `is ${state} and settled at ${settledAtMs}`;
  if (state === 'settled' && settledBy === undefined) return 'is settled by nobody';
  if ((quarantinedAtMs === undefined) !== (quarantineClass === undefined))
    return 'is given up at no time, or for no reason';
  // One that a newer revision replaced keeps what it was given up for.
  if (quarantinedAtMs !== undefined && (state === 'pending' || state === 'settled')) return `is ${state} and given up`;
  if (state === 'quarantined' && quarantinedAtMs === undefined) return 'is given up at no time';
  if ((state === 'settled' || state === 'quarantined') && leasePass !== undefined) return `is ${state} and leased`;
  return strangePlace(row);
}

/** In the queue is who is pending or quarantined, each at one place. */
function strangePlace({ state, queuePartition, queueKey = '', homeKey, leasePass, leaseExpiresAtMs }: Row) {
  const isInQueue = state === 'pending' || state === 'quarantined';
  if ((queuePartition !== undefined) !== isInQueue)
    return `is ${state} and ${isInQueue ? 'not' : 'still'} in the queue`;
  if (state === 'settled' && queueKey !== '') return `is settled and stands at ${queueKey}`;
  if (!isInQueue) return undefined;
  const tier = tierOf(queueKey);
  if (state === 'quarantined')
    return tier === QUARANTINED_TIER ? undefined : `is quarantined and stands at ${queueKey}`;
  if (leasePass === undefined) return queueKey === homeKey && tier < LEASED_TIER ? undefined : `stands at ${queueKey}`;
  const isUnderLease =
    tier === LEASED_TIER && holderOfQueueKey(queueKey) === leasePass && timeOfQueueKey(queueKey) === leaseExpiresAtMs;
  return isUnderLease ? undefined : `is leased by ${leasePass} and stands at ${queueKey}`;
}

/** State → the states that may follow it, each with who brings it there. */
const MOVES: Readonly<Record<EvidenceItem['state'], Readonly<Partial<Record<EvidenceItem['state'], string>>>>> = {
  pending: {
    pending: 'worker finalizer ingest operator trigger',
    settled: 'finalizer',
    obsolete: 'ingest',
    quarantined: 'finalizer',
  },
  // A session that is complete, and one that went back, are put back by ingest; the rest by a person.
  quarantined: { pending: 'ingest operator trigger', obsolete: 'ingest' },
  // What its holder gives back or has read to its end stays out of the queue.
  obsolete: { pending: 'ingest', obsolete: 'finalizer worker', settled: 'finalizer' },
  settled: { pending: 'ingest' },
};

export function strangeMove(before: EvidenceItem, after: EvidenceItem, role: string | undefined): string | undefined {
  const by = MOVES[before.state][after.state];
  if (by === undefined) return `went from ${before.state} to ${after.state}`;
  return role === undefined || by.split(' ').includes(role) ? undefined : `was made ${after.state} by the ${role}`;
}

/** Where its SOURCE row stands. */
export function sourceRowOf({ kind, id, revision }: EvidenceItem): string {
  const key = sourceKeyOf({ kind, id, revision });
  return `SOURCE#${key.slice(0, key.lastIndexOf('#'))}`;
}

const ENDED: readonly PassStatus[] = ['completed', 'failed', 'cancelled', 'expired'];

/** What is wrong with a PASS row, whatever it was before. */
export function strangeOfPass(row: PassItem): string | undefined {
  const { status, attempt, startedAtMs, deadlineAtMs, heartbeatAtMs, endedAtMs, failure, finalizedAtMs } = row;
  const began = [attempt, startedAtMs, deadlineAtMs, heartbeatAtMs].map((it) => it !== undefined);
  if (began.includes(true) && began.includes(false)) return 'began in part';
  if (status === 'admitted' && began[0]) return 'is admitted and began';
  if ((status === 'running' || status === 'completed' || status === 'failed') && !began[0])
    return `is ${status} and never began`;
  const isOver = ENDED.includes(status);
  if ((endedAtMs !== undefined) !== isOver) return `is ${status} and ended at ${endedAtMs}`;
  if ((status === 'failed' || status === 'expired') !== (failure !== undefined) && status !== 'cancelled')
    return `is ${status} and failed by ${failure?.code}`;
  return finalizedAtMs !== undefined && !isOver ? `is ${status} and finalized` : undefined;
}
