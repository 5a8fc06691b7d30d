/**
 * Takes sources in: reads what stands of each, marks the scope, writes what is new, marks the scope again. A call that
 * brings nothing new writes nothing. Each source is judged by itself: a bad one is refused and costs no other.
 */
import type { SourceKind } from '../../schema/ids.ts';
import { getScope, scopeItemSchema } from '../../schema/scope.ts';
import { markBacklog } from '../io/backlog-mark.ts';
import { type PreparedSource, prepareSource } from '../core/intake.ts';
import { judgeStanding, type Standing } from '../core/standing.ts';
import { describeOutcome, describeRefusal, type IngestAnswer, type IngestResult } from './answer.ts';
import { callOf, type IngestCall, loadLiveSettings } from './call.ts';
import { mapConcurrently } from './concurrency.ts';
import type { IngestDeps } from './deps.ts';
import { SourceErasedError } from './erased.ts';
import { makeUpForMark } from './missed-mark.ts';
import { loadStanding, writeSource } from './source-writes.ts';

export interface IngestRequest {
  readonly scope: string;
  /** A parsed body: the elements of `sources` are read here, each on its own. */
  readonly body: { readonly sources: readonly unknown[] };
}

// Enough to hide the latency of some five requests a source within the function's 10 s; a burst of 50 would be throttled.
const SOURCES_AT_ONCE = 8;

/** The revisions of one source in one call, in the order given: they are handled one after the other. */
interface SourceGroup {
  readonly kind: SourceKind;
  readonly id: string;
  readonly members: { readonly index: number; readonly source: PreparedSource }[];
}

/** Answers one result for each source. Throws when the store fails; sending the call again is safe at any point. */
export async function ingestSources(deps: IngestDeps, { scope, body }: IngestRequest): Promise<IngestAnswer> {
  const nowMs = deps.clock.nowMs();
  const results: IngestResult[] = [];
  const groups = new Map<string, SourceGroup>();
  for (const [index, given] of body.sources.entries()) {
    const intake = prepareSource(given, nowMs);
    if (intake.kind === 'refused') {
      results[index] = describeRefusal(given, intake.refusal);
      continue;
    }
    const { kind, id } = intake.source;
    const group = groups.get(`${kind}\n${id}`) ?? { kind, id, members: [] };
    group.members.push({ index, source: intake.source });
    groups.set(`${kind}\n${id}`, group);
  }
  if (groups.size > 0) {
    for (const { index, result } of await ingestGroups(deps, scope, nowMs, [...groups.values()]))
      results[index] = result;
  }
  countOutcomes(deps, scope, results);
  return { results };
}

interface IndexedResult {
  readonly index: number;
  readonly result: IngestResult;
}

async function ingestGroups(
  deps: IngestDeps,
  scope: string,
  nowMs: number,
  groups: readonly SourceGroup[],
): Promise<IndexedResult[]> {
  const stored = await deps.store.get(getScope(scope));
  const seen = stored && scopeItemSchema.parse(stored);
  const goesOn = groups.some(({ members }) => members.some(({ source }) => !source.completed));
  const live = await loadLiveSettings(deps, goesOn);
  const before = callOf(deps, { scope, nowMs, live }, seen);
  let standings = await loadStandings(deps, before, groups);
  if (groups.every((group, k) => isSettled(group, standings[k] as StandingOrErased))) {
    const stand = standings.flatMap((it) => ('source' in it && it.source ? [it.source] : []));
    await makeUpForMark(deps, before, seen, stand);
    return groups.flatMap((group, k) => describeSettled(group, standings[k] as StandingOrErased));
  }
  const marked = await markBacklog(deps, scope, seen);
  const call = callOf(deps, { scope, nowMs, live }, marked);
  // The scope was erased between the two reads: what was read belongs to the generation before.
  if (call.generation !== before.generation) standings = await loadStandings(deps, call, groups);
  const written = await mapConcurrently(groups, SOURCES_AT_ONCE, async (group, k) => {
    const standing = standings[k] as StandingOrErased;
    if (standing instanceof SourceErasedError) return describeErased(group, standing);
    return writeGroup(deps, call, group, standing).catch((error: unknown) =>
      describeErased(group, erasedOrThrow(error)),
    );
  });
  await markBacklog(deps, scope, marked);
  return written.flat();
}

type StandingOrErased = Standing | SourceErasedError;

/** An erased source is refused by itself, like any other that cannot be taken in. */
function erasedOrThrow(error: unknown): SourceErasedError {
  if (error instanceof SourceErasedError) return error;
  throw error;
}

function loadStandings(
  deps: IngestDeps,
  call: IngestCall,
  groups: readonly SourceGroup[],
): Promise<StandingOrErased[]> {
  return mapConcurrently(groups, SOURCES_AT_ONCE, ({ members: [first] }) =>
    loadStanding(deps, call, (first as SourceGroup['members'][number]).source).catch(erasedOrThrow),
  );
}

function describeErased({ members }: SourceGroup, { message }: SourceErasedError): IndexedResult[] {
  const refusal = { code: 'source_erased', message } as const;
  return members.map(({ index, source }) => ({ index, result: describeRefusal(source, refusal) }));
}

/** Whether nothing of a group has to be written. What is stored was read for its first member, and serves one revision. */
function isSettled({ members }: SourceGroup, standing: StandingOrErased): boolean {
  if (standing instanceof SourceErasedError) return true;
  const revision = members[0]?.source.revision;
  return members.every(({ source }) => source.revision === revision && judgeStanding(source, standing) !== undefined);
}

function describeSettled(group: SourceGroup, standing: StandingOrErased): IndexedResult[] {
  const { members } = group;
  if (standing instanceof SourceErasedError) return describeErased(group, standing);
  return members.map(({ index, source }) => {
    const outcome = judgeStanding(source, standing) ?? 'unchanged';
    return { index, result: describeOutcome(source, outcome, standing.source) };
  });
}

async function writeGroup(
  deps: IngestDeps,
  call: IngestCall,
  { members }: SourceGroup,
  before: Standing,
): Promise<IndexedResult[]> {
  const results: IndexedResult[] = [];
  let standing = before;
  for (const { index, source } of members) {
    const settled = judgeStanding(source, standing);
    const { outcome, stands } = settled
      ? { outcome: settled, stands: standing.source }
      : await writeSource(deps, call, source, standing);
    results.push({ index, result: describeOutcome(source, outcome, stands) });
    // What was read of evidence belonged to the first member's revision.
    standing = { source: stands };
  }
  return results;
}

function countOutcomes({ log }: IngestDeps, scope: string, results: readonly IngestResult[]): void {
  const counts = { created: 0, revised: 0, unchanged: 0, older: 0, refused: 0 };
  for (const { outcome } of results) counts[outcome]++;
  log.count('sourcesIngested', counts.created + counts.revised);
  log.info('sources ingested', { scope, ...counts });
}
