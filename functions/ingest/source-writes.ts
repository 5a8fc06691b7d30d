/**
 * The writes of one source, in the order that makes each crash harmless: text, evidence, SOURCE row, and last the
 * evidence of the revision it replaced.
 *
 * The SOURCE row answers "unchanged" next time, so it must not exist before the evidence does; an older revision leaves
 * the queue only after a newer SOURCE row stands, so at any moment the newest revision is pending, held or read. Two calls
 * with two revisions meet in the SOURCE row: each write of it names the row it replaces, and the loser looks again.
 */
import {
  type EvidenceAddress,
  evidenceAddress,
  type EvidenceItem,
  getEvidence,
  obsoleteEvidence,
  parseEvidence,
  putEvidence,
  requeueEvidence,
} from '../../schema/evidence.ts';
import type { Lane } from '../../schema/kind.ts';
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
import { putTextPart } from '../../schema/text.ts';
import type { PreparedSource } from '../core/intake.ts';
import { hasLeftover, isKnown, mayBeOlder, type Place, placeOf, planRequeue, type Standing } from '../core/standing.ts';
import { splitTextParts } from '../core/text-parts.ts';
import { compressText } from '../io/text.ts';
import type { IngestDeps } from './deps.ts';

/** What is the same for all sources of a call. */
export interface IngestCall {
  readonly scope: string;
  readonly generation: number;
  readonly nowMs: number;
  readonly completeAfterIdleMs: number;
}

export interface WrittenSource {
  readonly outcome: 'created' | 'revised' | 'unchanged' | 'older';
  /** The newest revision after this. */
  readonly stands: SourceItem;
}

const LANE: Lane = 'incremental';

/** Throws when the row is of a version this code does not know: to overwrite it would lose what it holds. */
function parseSource(item: Item | undefined): SourceItem | undefined {
  return item === undefined ? undefined : sourceItemSchema.parse(item);
}

function addressOf(
  { scope, generation }: IngestCall,
  { kind, id }: { kind: SourceItem['kind']; id: string },
): SourceAddress {
  return { scope, generation, kind, id };
}

function evidenceOf({ scope, generation, kind, id }: SourceAddress, revision: string): EvidenceAddress {
  return evidenceAddress(scope, generation, LANE, { kind, id, revision });
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

/** Takes what `newer` replaced out of the queue; losing means that it was read, or is in its place again. */
async function dropFromQueue(
  deps: IngestDeps,
  address: SourceAddress,
  revision: string,
  newer: SourceItem,
): Promise<void> {
  await deps.store.write(obsoleteEvidence(evidenceOf(address, revision), deps.ids.fresh(), newer.newestKey));
}

async function writeText({ store, ids }: IngestDeps, { scope, generation }: IngestCall, source: PreparedSource) {
  for (const [part, text] of splitTextParts(source.text).entries()) {
    await store.write(putTextPart({ scope, generation, ref: source }, part, compressText(text), ids.fresh()));
  }
}

/**
 * Puts the revision into the queue; a known one that is not older is put back where it has to stand.
 * Written again on a lost race, since a lease, a release or a late call may have moved the row meanwhile.
 */
async function queueEvidence(
  deps: IngestDeps,
  call: IngestCall,
  source: PreparedSource,
  place: Pick<Place, 'isOlder' | 'capturedAtMs' | 'newestKey'>,
): Promise<void> {
  const { store, ids } = deps;
  const address = evidenceOf(addressOf(call, source), source.revision);
  const { kind, id, revision, length, tokens } = source;
  const { isOlder, capturedAtMs, newestKey } = place;
  const waitUntilMs = call.nowMs + call.completeAfterIdleMs;
  const wanted = { capturedAtMs, newestKey, ...(!source.completed && { waitUntilMs }) };
  const evidence = { ref: { kind, id, revision }, length, tokens, ...wanted };
  let outcome: Outcome = await store.write(putEvidence(address, evidence, ids.fresh()));
  for (let round = 0; round < LIMITS.commitRoundsMax; round++) {
    if (outcome.kind === 'won' || isOlder) return;
    const known: EvidenceItem | undefined = parseEvidence(outcome.stored);
    const plan = known && planRequeue(known, wanted, call.nowMs);
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
): Promise<WrittenSource> {
  const address = addressOf(call, source);
  if (stands.replaces !== undefined) await dropFromQueue(deps, address, stands.replaces, stands);
  if (stands.completed || !source.completed) return { outcome: 'unchanged', stands };
  await queueEvidence(deps, call, source, { ...stands, isOlder: false });
  await deps.store.write(completeSource(address, source.revision, deps.ids.fresh()));
  return { outcome: 'unchanged', stands: { ...stands, completed: true } };
}

/**
 * Queues the revision and makes it the newest of its source, or history when a newer one stands. A lost race is looked at
 * again from the evidence on: above the revision that won it, this one may stand elsewhere.
 */
async function standAsNewest(
  deps: IngestDeps,
  call: IngestCall,
  source: PreparedSource,
  standing: Standing,
): Promise<WrittenSource> {
  const { store, ids } = deps;
  const address = addressOf(call, source);
  const { revision, capturedFrom, format, title, length, completed } = source;
  const wasKnown = isKnown(standing, revision);
  let seen = standing.source;
  for (let round = 0; round < LIMITS.commitRoundsMax; round++) {
    if (seen?.revision === revision) return finishStanding(deps, call, source, seen);
    const place = placeOf(source, seen, { wasKnown, nowMs: call.nowMs });
    await queueEvidence(deps, call, source, place);
    if (seen && place.isOlder) {
      await dropFromQueue(deps, address, revision, seen);
      return { outcome: 'older', stands: seen };
    }
    const { isOlder: _, newestKey: __, ...times } = place;
    const row = { revision, ...times, capturedFrom, format, length, completed };
    const replacing = { ...row, ...(title !== undefined && { title }), ...(seen && { replaces: seen.revision }) };
    const put = await store.write(putNewestSource(address, replacing, ids.fresh(), { newestKey: seen?.newestKey }));
    if (put.kind === 'won') {
      const stands = sourceItemSchema.parse(put.item);
      if (seen) await dropFromQueue(deps, address, seen.revision, stands);
      return { outcome: seen ? 'revised' : 'created', stands };
    }
    seen = parseSource(put.stored);
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
  if (seen?.revision === source.revision) return finishStanding(deps, call, source, seen);
  await writeText(deps, call, source);
  if (seen?.replaces !== undefined && hasLeftover(standing)) {
    await dropFromQueue(deps, addressOf(call, source), seen.replaces, seen);
  }
  return standAsNewest(deps, call, source, standing);
}
