/**
 * The writes of one source, in the order that makes each crash harmless: text, evidence, SOURCE row, and last the
 * evidence of the revision it replaced.
 *
 * The SOURCE row answers "unchanged" next time, so it must not exist before the evidence does; an older revision leaves
 * the queue only after a newer SOURCE row stands, so at any moment the newest revision is pending, held or read. Two calls
 * with two revisions meet in the SOURCE row: each write of it names the row it replaces, and the loser looks again.
 */
import { type EvidenceItem, getEvidence, parseEvidence, putEvidence } from '../../schema/evidence.ts';
import { requeueEvidence } from '../../schema/evidence-requeue.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Item, Outcome } from '../../schema/request.ts';
import {
  completeSource,
  getSource,
  putNewestSource,
  type SourceAddress,
  type SourceItem,
  sourceItemSchema,
} from '../../schema/source.ts';
import { erasedSourceOf } from '../../schema/source-erasure.ts';
import { putTextPart, type TextAddress } from '../../schema/text.ts';
import { listText } from '../../schema/text-list.ts';
import { nameTurnIds, putTurnIds } from '../../schema/turn-ids.ts';
import { beginningAfter, beginningOf, continues } from '../core/beginning.ts';
import type { PreparedSource } from '../core/intake.ts';
import { hasLeftover, isKnown, mayBeOlder, type Place, placeOf, planRequeue, type Standing } from '../core/standing.ts';
import { splitTextParts } from '../core/text-parts.ts';
import { compressText } from '../io/text.ts';
import type { IngestCall } from './call.ts';
import { mapConcurrently } from './concurrency.ts';
import { SourceErasedError } from './erased.ts';
import type { IngestDeps } from './deps.ts';
import { dropFromQueue, dropLeftover, evidenceOf } from './leftovers.ts';
import { findRetryTime } from './retries.ts';
import { readStoredText, readTurnIds } from './stored-text.ts';

export interface WrittenSource {
  readonly outcome: 'created' | 'revised' | 'unchanged' | 'older';
  /** The newest revision after this. */
  readonly stands: SourceItem;
}

/** Parts of one text written at once: the 245 of the longest take seconds one after the other. */
const PARTS_AT_ONCE = 8;

/**
 * Throws when the row is of a version this code does not know: to overwrite it would lose what it holds; and a
 * SourceErasedError when it is a tombstone.
 */
export function parseSource(item: Item | undefined): SourceItem | undefined {
  const erased = erasedSourceOf(item);
  if (erased) throw new SourceErasedError(erased);
  return item === undefined ? undefined : sourceItemSchema.parse(item);
}

export function addressOf(
  { scope, generation }: IngestCall,
  { kind, id }: { kind: SourceItem['kind']; id: string },
): SourceAddress {
  return { scope, generation, kind, id };
}

/** One read for a source that is new, and one or two more for one that was revised. */
export async function loadStanding(deps: IngestDeps, call: IngestCall, incoming: PreparedSource): Promise<Standing> {
  const address = addressOf(call, incoming);
  const source = parseSource(await deps.store.get(getSource(address)));
  const load = async (revision: string) =>
    parseEvidence(await deps.store.get(getEvidence(evidenceOf(address, revision))));
  const isOther = source !== undefined && source.revision !== incoming.revision;
  return {
    source,
    ...(source?.replaces !== undefined && { replaced: await load(source.replaces) }),
    ...(isOther && mayBeOlder(incoming, source) && { own: await load(incoming.revision) }),
  };
}

/** Writes a revision's text. In any order: nothing names it before its evidence does. */
export async function writeText(deps: IngestDeps, { scope, generation }: IngestCall, source: PreparedSource) {
  const { store, ids } = deps;
  const address = { scope, generation, ref: source };
  // Named before it is there: an erase finds also what a call that died in between left.
  await store.write(listText(address, deps.clock.nowMs(), ids.fresh()));
  await mapConcurrently(splitTextParts(source.text), PARTS_AT_ONCE, (text, part) =>
    store.write(putTextPart(address, part, compressText(text), ids.fresh())),
  );
}

/** Writes the ids of its turns, and of those it took over; answers the name by which its SOURCE row knows them. */
async function writeTurnIds(
  deps: IngestDeps,
  address: TextAddress,
  source: PreparedSource,
  seen: SourceItem | undefined,
): Promise<string | undefined> {
  const isLonger = seen?.turnIds !== undefined && continues(source, seen);
  const before = isLonger ? await readTurnIds(deps, { ...address, ref: seen }, seen) : [];
  const ids = new Map([...before, ...source.turnIds]);
  if (ids.size === 0 || ids.size > LIMITS.turnIdsMax) return undefined;
  await deps.store.write(putTurnIds(address, ids, deps.ids.fresh()));
  return nameTurnIds(ids);
}

/**
 * Evidence of the revision whose place is taken. Asked for of a session, which is read on from where it stands, and of what
 * has its time from when it came in: two calls at once give the same text two times.
 */
async function loadReplaced(
  { store }: IngestDeps,
  address: SourceAddress,
  source: PreparedSource,
  seen: SourceItem | undefined,
): Promise<EvidenceItem | undefined> {
  const isSession = source.format === 'turns' && seen?.format === 'turns';
  if (!seen || !(isSession || seen.capturedFrom === 'inferred')) return undefined;
  return parseEvidence(await store.get(getEvidence(evidenceOf(address, seen.revision))));
}

/** Where the reading of a revision begins that takes the place of `seen`, whose evidence is `replaced`. */
async function findBeginning(
  deps: IngestDeps,
  address: SourceAddress,
  source: PreparedSource,
  { seen, replaced }: { readonly seen: SourceItem | undefined; readonly replaced: EvidenceItem | undefined },
): Promise<number> {
  if (!seen || !replaced) return 0;
  const beginning = beginningOf(source, seen, replaced);
  if (beginning.kind === 'at') return beginning.cursor;
  return beginningAfter(source, await readStoredText(deps, { ...address, ref: seen }, beginning.cursor));
}

/** Until when a revision waits: an unfinished session for its end, one whose source broke off its passes for its turn. */
function waitOf(
  { completed }: Pick<PreparedSource, 'completed'>,
  { nowMs, completeAfterIdleMs }: IngestCall,
  retryAtMs: number | undefined,
): { readonly waitUntilMs?: number } {
  const waitUntilMs = Math.max(completed ? nowMs : nowMs + completeAfterIdleMs, retryAtMs ?? nowMs);
  return waitUntilMs > nowMs ? { waitUntilMs } : {};
}

/**
 * Puts the revision into the queue; a known one that is not older is put back where it has to stand.
 * Written again on a lost race, since a lease, a release or a late call may have moved the row meanwhile.
 */
async function queueEvidence(
  deps: IngestDeps,
  call: IngestCall,
  source: PreparedSource,
  place: Pick<Place, 'isOlder' | 'capturedAtMs' | 'newestKey'> & {
    readonly beginsAt?: number;
    readonly retryAtMs?: number | undefined;
    /** Its SOURCE row stood when it was read. */
    readonly stood?: true;
  },
): Promise<void> {
  const { store, ids } = deps;
  const address = evidenceOf(addressOf(call, source), source.revision);
  const { kind, id, revision, length, tokens } = source;
  const { isOlder, capturedAtMs, newestKey, beginsAt = 0, stood } = place;
  const wanted = { capturedAtMs, newestKey, ...waitOf(source, call, place.retryAtMs) };
  const evidence = {
    ref: { kind, id, revision },
    length,
    tokens,
    ...wanted,
    ...(beginsAt > 0 && { beganAt: beginsAt }),
  };
  let outcome: Outcome = await store.write(putEvidence(address, evidence, ids.fresh()));
  for (let round = 0; round < LIMITS.commitRoundsMax; round++) {
    if (outcome.kind === 'won' || isOlder) return;
    const known: EvidenceItem | undefined = parseEvidence(outcome.stored);
    // Another revision took its place since; put back, it would be read from its beginning, what is settled of it too.
    if (stood && known?.state === 'obsolete') return;
    const plan = known && planRequeue(known, { ...wanted, beginsAt }, call.nowMs);
    if (!plan) return;
    outcome = await store.write(requeueEvidence(address, { ...plan, op: ids.fresh() }));
  }
  throw new Error(`evidence of a ${kind} kept moving for ${LIMITS.commitRoundsMax} rounds: send the call again`);
}

/** The same text stands already: what is left is to complete it, or to end what a dead call began. */
async function finishStanding(
  deps: IngestDeps,
  call: IngestCall,
  source: PreparedSource,
  stands: SourceItem,
): Promise<Attempt> {
  const address = addressOf(call, source);
  if (stands.replaces !== undefined) await dropFromQueue(deps, address, stands.replaces, stands);
  if (stands.completed || !source.completed) return { kind: 'stands', written: { outcome: 'unchanged', stands } };
  await queueEvidence(deps, call, source, { ...stands, isOlder: false, stood: true });
  const completed = await deps.store.write(completeSource(address, stands.newestKey, deps.ids.fresh()));
  // Another revision took its place while this call was on its way: what it put back into the queue was replaced.
  if (completed.kind === 'held')
    return { kind: 'moved', seen: parseSource(completed.stored), queuedAs: stands.newestKey };
  return { kind: 'stands', written: { outcome: 'unchanged', stands: { ...stands, completed: true } } };
}

export type Attempt =
  | { readonly kind: 'stands'; readonly written: WrittenSource }
  /** Another revision took the place meanwhile. This one is in the queue, at this place. */
  | { readonly kind: 'moved'; readonly seen: SourceItem | undefined; readonly queuedAs: string };

/** Queues the revision and makes it the newest of its source in the place of `seen`, or history when that is newer. */
export async function tryToStand(
  deps: IngestDeps,
  call: IngestCall,
  source: PreparedSource,
  { seen, wasKnown }: { readonly seen: SourceItem | undefined; readonly wasKnown: boolean },
): Promise<Attempt> {
  const { store, ids } = deps;
  const address = addressOf(call, source);
  const { revision, capturedFrom, format, title, length, completed } = source;
  if (seen?.revision === revision) {
    return finishStanding(deps, call, source, seen);
  }
  const { isOlder } = placeOf(source, seen, { wasKnown, nowMs: call.nowMs });
  const replaced = isOlder ? undefined : await loadReplaced(deps, address, source, seen);
  const place = placeOf(source, seen, { wasKnown, nowMs: call.nowMs, queuedMs: replaced?.capturedAtMs });
  const beginsAt = isOlder ? 0 : await findBeginning(deps, address, source, { seen, replaced });
  const retryAtMs = place.isOlder ? undefined : await findRetryTime(deps, seen, call.nowMs);
  await queueEvidence(deps, call, source, { ...place, beginsAt, retryAtMs });
  if (seen && place.isOlder) {
    await dropFromQueue(deps, address, revision, seen);
    return { kind: 'stands', written: { outcome: 'older', stands: seen } };
  }
  const turnIds = await writeTurnIds(deps, { ...address, ref: source }, source, seen);
  const { isOlder: _, newestKey: queuedAs, ...times } = place;
  const row = {
    revision,
    ...times,
    capturedFrom,
    format,
    length,
    completed,
    ...(turnIds !== undefined && { turnIds }),
  };
  const replacing = {
    ...row,
    ...(title !== undefined && { title }),
    ...(seen && { replaces: seen.revision }),
    ...(seen?.crashes && { crashes: seen.crashes, crashSeq: seen.crashSeq }),
    ...(retryAtMs !== undefined && { retryAtMs }),
  };
  const { newestKey, crashSeq } = seen ?? {};
  const put = await store.write(putNewestSource(address, replacing, ids.fresh(), { newestKey, crashSeq }));
  if (put.kind === 'held') return { kind: 'moved', seen: parseSource(put.stored), queuedAs };
  const stands = sourceItemSchema.parse(put.item);
  if (seen) await dropFromQueue(deps, address, seen.revision, stands, beginsAt);
  return { kind: 'stands', written: { outcome: seen ? 'revised' : 'created', stands } };
}

/**
 * Makes a revision stand, whatever stood before. A lost race is looked at again from the evidence on: above the revision
 * that won it, this one may stand elsewhere.
 */
async function standAsNewest(
  deps: IngestDeps,
  call: IngestCall,
  source: PreparedSource,
  standing: Standing,
): Promise<WrittenSource> {
  const wasKnown = isKnown(standing, source.revision);
  let seen = standing.source;
  for (let round = 0; round < LIMITS.commitRoundsMax; round++) {
    const attempt = await tryToStand(deps, call, source, { seen, wasKnown });
    if (attempt.kind === 'stands') return attempt.written;
    seen = attempt.seen;
    await dropLeftover(deps, addressOf(call, source), seen);
  }
  throw new Error(`a ${source.kind} was revised ${LIMITS.commitRoundsMax} times in one moment: send the call again`);
}

/** Writes one source of which something has to be written (`judgeStanding`). Replays and crashed calls converge. */
export async function writeSource(
  deps: IngestDeps,
  call: IngestCall,
  source: PreparedSource,
  standing: Standing,
): Promise<WrittenSource> {
  const { source: seen } = standing;
  if (seen?.revision === source.revision) return standAsNewest(deps, call, source, standing);
  await writeText(deps, call, source);
  if (seen?.replaces !== undefined && hasLeftover(standing)) {
    await dropFromQueue(deps, addressOf(call, source), seen.replaces, seen);
  }
  return standAsNewest(deps, call, source, standing);
}
