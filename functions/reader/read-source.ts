/** Reads what became of a source: where its evidence stands, who holds it, when it is looked at next. */
import { evidenceAddress, type EvidenceItem, getEvidence, parseEvidence } from '../../schema/evidence.ts';
import type { SourceKind } from '../../schema/ids.ts';
import { LANES } from '../../schema/kind.ts';
import { LIMITS } from '../../schema/limits.ts';
import { tierOf, timeOfQueueKey } from '../../schema/queue.ts';
import { isDue, isParked, type ScopeItem } from '../../schema/scope.ts';
import { getSource, type SourceItem, sourceItemSchema } from '../../schema/source.ts';
import { erasedSourceOf } from '../../schema/source-erasure.ts';
import type { ReaderDeps } from './deps.ts';
import { isoOf } from './iso-time.ts';
import { loadScope } from '../io/scope-row.ts';

export type SourceState =
  | 'waiting'
  | 'reading'
  | 'settled'
  | 'stalled'
  | 'quarantined'
  | 'obsolete'
  | 'erased'
  | 'unknown';

export interface SourceAnswer {
  readonly scope: string;
  /** Whether the scope is known. */
  readonly known: boolean;
  readonly kind: SourceKind;
  readonly id: string;
  readonly revision?: string;
  /** The revision is the newest of its source. */
  readonly newest?: boolean;
  readonly title?: string;
  readonly state: SourceState;
  /** Characters read and settled, of `length`. */
  readonly cursor?: number;
  readonly length?: number;
  readonly attempts?: number;
  readonly stalls?: number;
  readonly capturedAt?: string;
  /** The pass that reads it now, and until when its lease lasts at most. */
  readonly holder?: { readonly pass: string; readonly until: string };
  /** When somebody looks next, where it waits: its own waiting time, or the scope's turn. */
  readonly nextLookAt?: string;
  /** The scope is paused or halted: nobody looks until it is resumed. */
  readonly parked?: true;
  readonly settledAt?: string;
  readonly settledBy?: string;
  /** Claims that were written of what was settled; 0 says that it was reviewed, and nothing was found. */
  readonly claims?: number;
  readonly quarantinedAt?: string;
  /** Why passes got nowhere with it: broke_off, quote_mismatch or stalled. */
  readonly class?: string;
  /** Nothing of it is left, and none of its revisions is taken in: GET …/erasures tells more. */
  readonly erasedAt?: string;
  readonly waitedMs?: number;
  /** The wait asked for was longer than a read may wait. */
  readonly waitLoweredToMs?: number;
}

export interface SourceRequest {
  readonly scope: string;
  readonly kind: SourceKind;
  readonly id: string;
  /** Absent: the newest. */
  readonly revision?: string | undefined;
  /** Waits this long at most for the source to settle. Absent: answers at once. */
  readonly waitMs?: number | undefined;
}

/** From these on, waiting longer changes nothing by itself. */
const RESTING: readonly SourceState[] = ['settled', 'obsolete', 'quarantined', 'erased', 'unknown'];

/** The state of one source, after waiting for it to settle where that was asked for. */
export async function readSource(deps: ReaderDeps, request: SourceRequest): Promise<SourceAnswer> {
  const { clock } = deps;
  let answer = await lookAt(deps, request);
  if (request.waitMs === undefined) return answer;
  const waitMs = Math.min(request.waitMs, LIMITS.readerWaitMaxMs);
  const startMs = clock.nowMs();
  const polls = Math.ceil(waitMs / LIMITS.readerPollMs);
  for (let poll = 0; poll < polls && !RESTING.includes(answer.state); poll++) {
    const leftMs = startMs + waitMs - clock.nowMs();
    if (leftMs <= 0) break;
    await clock.sleep(Math.min(LIMITS.readerPollMs, leftMs));
    answer = await lookAt(deps, request);
  }
  return {
    ...answer,
    waitedMs: clock.nowMs() - startMs,
    ...(waitMs < request.waitMs && { waitLoweredToMs: waitMs }),
  };
}

async function lookAt(deps: ReaderDeps, request: SourceRequest): Promise<SourceAnswer> {
  const { store, clock } = deps;
  const { scope, kind, id } = request;
  const row = await loadScope(deps, scope);
  if (!row) return { scope, known: false, kind, id, state: 'unknown' };
  const address = { scope, generation: row.generation, kind, id };
  const item = await store.get(getSource(address));
  const erased = erasedSourceOf(item);
  if (erased) return { scope, known: true, kind, id, state: 'erased', erasedAt: isoOf(erased.erasedAtMs) };
  const newest = sourceItemSchema.safeParse(item).data;
  const revision = request.revision ?? newest?.revision;
  if (revision === undefined) return { scope, known: true, kind, id, state: 'unknown' };
  const evidence = parseEvidence(
    await store.get(getEvidence(evidenceAddress(scope, row.generation, LANES[0], { kind, id, revision }))),
  );
  const found = { scope, known: true, kind, id, revision } as const;
  if (!evidence) return { ...found, state: 'unknown' };
  return { ...found, ...describeSource(newest, revision), ...describeEvidence(evidence, row, clock.nowMs()) };
}

function describeSource(newest: SourceItem | undefined, revision: string): Pick<SourceAnswer, 'newest' | 'title'> {
  const isNewest = newest?.revision === revision;
  return { newest: isNewest, ...(isNewest && newest.title !== undefined && { title: newest.title }) };
}

function stateOf(evidence: EvidenceItem, nowMs: number): Exclude<SourceState, 'unknown'> {
  if (evidence.state !== 'pending') return evidence.state;
  if (isHeld(evidence, nowMs)) return 'reading';
  return evidence.stalls >= LIMITS.stalledAt ? 'stalled' : 'waiting';
}

/** A lease past its expiry by the margin can be taken by any pass: nobody holds the source any more. */
function isHeld({ leasePass, leaseExpiresAtMs }: EvidenceItem, nowMs: number): boolean {
  return leasePass !== undefined && (leaseExpiresAtMs ?? 0) >= nowMs - LIMITS.leaseMarginMs;
}

function describeEvidence(
  evidence: EvidenceItem,
  scope: ScopeItem,
  nowMs: number,
): Omit<SourceAnswer, 'scope' | 'known' | 'kind' | 'id'> {
  const state = stateOf(evidence, nowMs);
  const { cursor, length, attempts, stalls, capturedAtMs, leasePass, leaseExpiresAtMs } = evidence;
  const { settledAtMs, settledBy, claims, quarantinedAtMs, quarantineClass } = evidence;
  const isHeldNow = state === 'reading' && leasePass !== undefined && leaseExpiresAtMs !== undefined;
  return {
    state,
    cursor,
    length,
    attempts,
    stalls,
    capturedAt: isoOf(capturedAtMs),
    ...(isHeldNow && { holder: { pass: leasePass, until: isoOf(leaseExpiresAtMs) } }),
    ...((state === 'waiting' || state === 'stalled') && describeNextLook(evidence, scope, nowMs)),
    ...(settledAtMs !== undefined && { settledAt: isoOf(settledAtMs) }),
    ...(settledBy !== undefined && { settledBy }),
    ...(claims !== undefined && { claims }),
    ...(state === 'quarantined' && quarantinedAtMs !== undefined && { quarantinedAt: isoOf(quarantinedAtMs) }),
    ...(state === 'quarantined' && quarantineClass !== undefined && { class: quarantineClass }),
  };
}

function describeNextLook(
  { homeKey }: EvidenceItem,
  scope: ScopeItem,
  nowMs: number,
): Pick<SourceAnswer, 'nextLookAt' | 'parked'> {
  if (isParked(scope) || scope.paused) return { parked: true };
  const waitsUntilMs = tierOf(homeKey) === 3 ? timeOfQueueKey(homeKey) : nowMs;
  if (waitsUntilMs > nowMs) return { nextLookAt: isoOf(waitsUntilMs) };
  return isDue(scope) ? { nextLookAt: isoOf(scope.workDueAtMs) } : {};
}
