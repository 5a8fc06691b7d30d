/**
 * The query form of `search_evidence`: excerpts of the newest sources, whoever holds them. One Query of the index, at most
 * two batches of text, and two reads for each source that is answered: the same however many sources the scope has.
 */
import { type EvidenceAddress, getEvidence, parseEvidence } from '../../schema/evidence.ts';
import { formatSourceRef } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { PassItem } from '../../schema/pass.ts';
import {
  getListedSource,
  type ListedSource,
  listedSourceOf,
  listedSourceSchema,
  queryNewestSources,
  sourceItemSchema,
} from '../../schema/source.ts';
import { partsOf, textPartKeyOf } from '../../schema/text.ts';
import { countAsked } from '../core/asked-count.ts';
import { type Excerpt, excerptAround, matcherOf, wordsOf } from '../core/excerpts.ts';
import { readInstant } from '../core/instant.ts';
import { invalidTime, type ToolError } from '../core/tool-errors.ts';
import type { WorkerDeps } from './deps.ts';
import type { EvidenceFragment, EvidencePage, QueryRequest } from './executor/executor.ts';
import { isHeldByOther } from './look-up-source.ts';
import type { Reading } from './reading.ts';
import { readTextParts } from './read-text.ts';

const NOTHING: EvidencePage = { items: [], hasMore: false, lookUp: true };

export async function searchSources({ deps, started }: Reading, request: QueryRequest): Promise<EvidencePage> {
  const { pass } = started;
  const range = readRange(request);
  if ('error' in range) return { ...NOTHING, error: range.error };
  const { sinceMs, beforeMs } = range;
  if (sinceMs !== undefined && beforeMs !== undefined && sinceMs >= beforeMs) return NOTHING;
  const { items, lastKey } = await deps.store.query(queryNewestSources(pass, range, LIMITS.lookUpSourcesMax));
  const listed = items.flatMap((item) => listedSourceSchema.safeParse(item).data ?? []).map(listedSourceOf);
  const { words, ignored } = wordsOf(typeof request.query === 'string' ? request.query : '');
  const search = await searchTexts(deps, pass, listed, words);
  const most = countAsked(request.limit, LIMITS.lookUpItemsMax);
  const found = await describeAll(deps, pass, search.matches.slice(0, most));
  const isCut = lastKey !== undefined || search.sources < listed.length;
  const oldest = listed[search.sources - 1];
  const note = noteOf(ignored, search.isPart);
  return {
    items: found,
    hasMore: found.length > 0 && (isCut || search.matches.length > most),
    lookUp: true,
    ...(oldest && { searchedBack: new Date(oldest.capturedAtMs).toISOString() }),
    ...(note !== '' && { note }),
  };
}

function noteOf(ignored: number, isPart: boolean): string {
  const notes = [
    ignored > 0 && `Only the first ${LIMITS.lookUpWordsMax} words were looked for.`,
    isPart && 'The oldest source looked at is longer than one search reads: only its beginning was.',
  ];
  return notes.filter((note) => note !== false).join(' ');
}

function readRange(
  request: QueryRequest,
): { readonly sinceMs?: number; readonly beforeMs?: number } | { readonly error: ToolError } {
  const range: { sinceMs?: number; beforeMs?: number } = {};
  for (const name of ['since', 'before'] as const) {
    const given = request[name];
    if (given === undefined) continue;
    const atMs = typeof given === 'string' ? readInstant(given)?.atMs : undefined;
    if (atMs === undefined) return { error: invalidTime(name, given) };
    range[`${name}Ms`] = atMs;
  }
  return range;
}

interface Match {
  readonly listed: ListedSource;
  readonly words: number;
  readonly excerpt: Excerpt;
}

interface TextSearch {
  /** More of the words first, then the newer. */
  readonly matches: readonly Match[];
  /** Sources that were looked at, from the newest on. */
  readonly sources: number;
  /** Of the oldest of these, only the beginning. */
  readonly isPart: boolean;
}

async function searchTexts(
  { store }: WorkerDeps,
  { scope, generation }: PassItem,
  listed: readonly ListedSource[],
  words: readonly string[],
): Promise<TextSearch> {
  const match = matcherOf(words);
  const planned: { listed: ListedSource; keys: ReturnType<typeof textPartKeyOf>[] }[] = [];
  let room: number = LIMITS.lookUpPartsMax;
  let isPart = false;
  for (const source of listed) {
    if (room === 0) break;
    const parts = partsOf(0, source.length);
    isPart = parts.length > room;
    const { sourceKey } = source;
    const keys = parts.slice(0, room).map((part) => textPartKeyOf({ scope, generation, sourceKey }, part));
    planned.push({ listed: source, keys });
    room -= keys.length;
  }
  const texts = await readTextParts(
    store,
    planned.flatMap(({ keys }) => keys),
  );
  const matches = planned.flatMap((plan): Match[] => {
    const text = texts.join(plan.keys);
    const hit = text === undefined ? undefined : match(text);
    return text === undefined || !hit ? [] : [{ ...plan, words: hit.words, excerpt: excerptAround(text, hit.at) }];
  });
  // Sorting keeps the order of equals: the newest came first.
  return { matches: matches.toSorted((a, b) => b.words - a.words), sources: planned.length, isPart };
}

/** What is answered of the matches: text as far as one answer goes, of the others where they are. */
async function describeAll(deps: WorkerDeps, pass: PassItem, matches: readonly Match[]): Promise<EvidenceFragment[]> {
  const described = await Promise.all(matches.map((match) => describe(deps, pass, match)));
  let left: number = LIMITS.lookUpResultCharacters;
  return described
    .filter((item) => item !== undefined)
    .map((item) => {
      const size = item.end - item.start;
      if (size > left) return { ...item, end: item.start, text: '' };
      left -= size;
      return item;
    });
}

/** Undefined when another revision took its place while it was searched. */
async function describe(
  { store, clock }: WorkerDeps,
  pass: PassItem,
  { listed, excerpt }: Match,
): Promise<EvidenceFragment | undefined> {
  const { scope, generation, lane, passId } = pass;
  const { sourceKey } = listed;
  const address: EvidenceAddress = { scope, generation, lane, sourceKey };
  const [row, evidence] = await Promise.all([
    store.get(getListedSource({ scope, generation }, listed)),
    store.get(getEvidence(address)),
  ]);
  const source = sourceItemSchema.safeParse(row).data;
  const held = parseEvidence(evidence);
  if (!source || !sourceKey.endsWith(`#${source.revision}`)) return undefined;
  return {
    source: formatSourceRef(source),
    ...excerpt,
    length: source.length,
    capturedAtMs: source.capturedAtMs,
    ...(held && isHeldByOther(held, passId, clock.nowMs()) && { heldByOtherPass: true }),
    ...(!source.completed && { unfinished: true }),
  };
}
