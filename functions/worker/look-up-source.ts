/**
 * The source form of `search_evidence`: one exact fragment, whoever holds the source. Three reads and one batch of at most
 * two parts. It takes no lease, is no delivery, and moves no cursor.
 */
import { evidenceAddress, type EvidenceItem, getEvidence, parseEvidence } from '../../schema/evidence.ts';
import { formatSourceRef, parseSourceRef, type SourceRef } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { PassItem } from '../../schema/pass.ts';
import { getSource, sourceItemSchema } from '../../schema/source.ts';
import { partsOf, textPartKey } from '../../schema/text.ts';
import { countCharacters, sliceCharacters } from '../core/characters.ts';
import { fragmentTooLong, offsetOutOfRange, type Range, type ToolError, unknownSource } from '../core/tool-errors.ts';
import { openTurnHeader } from '../core/turn-context.ts';
import type { Store } from '../io/ports.ts';
import type { EvidenceFragment, EvidencePage, SourceRequest } from './executor/executor.ts';
import type { Reading } from './reading.ts';
import { readTextParts } from './read-text.ts';

const refuse = (error: ToolError): EvidencePage => ({ items: [], hasMore: false, lookUp: true, error });

export async function lookUpSource(
  { deps, started }: Reading,
  { source, start = 0, end }: SourceRequest,
): Promise<EvidencePage> {
  const { pass } = started;
  const found = await findRevision(deps.store, pass, source);
  if (!found) return refuse(unknownSource(source));
  const { ref, evidence, completed } = found;
  const { length } = evidence;
  const range = { from: start, to: end ?? Math.min(length, start + LIMITS.lookUpExcerptCharacters) };
  const error = judgeRange(range, length, source);
  if (error) return refuse(error);
  const cut = await readRange(deps.store, pass, ref, range);
  if (!cut) return refuse(unknownSource(source));
  const item: EvidenceFragment = {
    source: formatSourceRef(ref),
    start: range.from,
    end: range.from + countCharacters(cut.text),
    length,
    ...cut,
    capturedAtMs: evidence.capturedAtMs,
    ...(isHeldByOther(evidence, pass.passId, deps.clock.nowMs()) && { heldByOtherPass: true }),
    ...(!completed && { unfinished: true }),
  };
  return { items: [item], hasMore: false, lookUp: true };
}

function judgeRange({ from, to }: Range, length: number, source: string): ToolError | undefined {
  const isWhole = [from, to].every(Number.isInteger);
  const isEmptyText = length === 0 && from === 0 && to === 0;
  const isWithin = isWhole && from >= 0 && from < to && to <= length;
  if (!isWithin && !isEmptyText) return offsetOutOfRange({ from, to }, { from: 0, to: length }, source);
  return to - from > LIMITS.lookUpResultCharacters ? fragmentTooLong({ from, to }) : undefined;
}

interface Found {
  readonly ref: SourceRef;
  readonly evidence: EvidenceItem;
  readonly completed: boolean;
}

/** The revision that is named, or the newest; an older one can be looked up as long as its evidence stands. */
async function findRevision(store: Pick<Store, 'get'>, pass: PassItem, name: string): Promise<Found | undefined> {
  const named = parseSourceRef(name);
  if (!named) return undefined;
  const { kind, id } = named;
  const { scope, generation, lane } = pass;
  const newest = sourceItemSchema.safeParse(await store.get(getSource({ scope, generation, kind, id }))).data;
  const revision = named.revision ?? newest?.revision;
  if (!newest || revision === undefined) return undefined;
  const ref = { kind, id, revision };
  const evidence = parseEvidence(await store.get(getEvidence(evidenceAddress(scope, generation, lane, ref))));
  return evidence && { ref, evidence, completed: newest.completed || revision !== newest.revision };
}

async function readRange(
  store: Pick<Store, 'batchGet'>,
  { scope, generation }: PassItem,
  ref: SourceRef,
  { from, to }: Range,
): Promise<Pick<EvidenceFragment, 'text' | 'context'> | undefined> {
  const parts = partsOf(from, to);
  const keys = parts.map((part) => textPartKey({ scope, generation, ref }, part));
  const read = (await readTextParts(store, keys)).join(keys);
  if (read === undefined) return undefined;
  const base = (parts[0] ?? 0) * LIMITS.textPartCharacters;
  const header = ref.kind === 'transcript' ? openTurnHeader(sliceCharacters(read, 0, from - base)) : undefined;
  const text = sliceCharacters(read, from - base, to - base);
  return { text, ...(header !== undefined && { context: header }) };
}

/** A lease past its expiry by the margin can be taken by any pass: nobody holds the source any more. */
export function isHeldByOther(
  { leasePass, leaseExpiresAtMs = 0 }: Pick<EvidenceItem, 'leasePass' | 'leaseExpiresAtMs'>,
  passId: string,
  nowMs: number,
): boolean {
  return leasePass !== undefined && leasePass !== passId && leaseExpiresAtMs >= nowMs - LIMITS.leaseMarginMs;
}
