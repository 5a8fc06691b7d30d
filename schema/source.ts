/**
 * SOURCE: the newest revision of what a person gave under one kind and id. Written by ingest, last of all its writes:
 * its revision is what answers "unchanged" next time, so it must not exist before the evidence does. The finalizer notes
 * the passes that broke off at it: evidence begins without blame in each revision, the source remembers.
 *
 * Key: scope partition / `SOURCE#<kind>#<id>`. Life: until erased. Stream reaction: none.
 *
 * It stands in the index `queue` too, in a partition of its own, newest captured first: the only order in which a look-up
 * can find what was read already, as settled evidence leaves the index. One index write a revision, at ingest.
 */
import * as z from 'zod';
import { hash22, keyPart, revisionSchema, type SourceKind, sourceKindSchema } from './ids.ts';
import { get, type Get, type Key, put, query, type Query, update, type Write } from './request.ts';
import { scopePartition } from './scope.ts';
import { ITEM_VERSION } from './table.ts';
import { timeKey, timeKeyNewestFirst, timeOfNewestFirst } from './time.ts';

export const FORMATS = ['turns', 'markdown', 'text'] as const;
export const formatSchema = z.enum(FORMATS);
export type Format = z.infer<typeof formatSchema>;

/** Where a captured time came from: the turns, front matter, the call, the file's time or the moment of ingest. */
export const CAPTURED_FROM = ['turns', 'front-matter', 'call', 'inferred'] as const;
export const capturedFromSchema = z.enum(CAPTURED_FROM);
export type CapturedFrom = z.infer<typeof capturedFromSchema>;

export const sourceCrashSchema = z.object({ passId: z.string(), atMs: z.number() });
export type SourceCrash = z.infer<typeof sourceCrashSchema>;

export const sourceItemSchema = z.object({
  v: z.literal(ITEM_VERSION),
  kind: sourceKindSchema,
  id: z.string(),
  revision: z.string(),
  /** Later than that of the revision it replaced, by a millisecond where its source does not tell so. */
  capturedAtMs: z.number(),
  /** The captured time as the source told it, where it was raised. */
  statedAtMs: z.number().optional(),
  capturedFrom: capturedFromSchema,
  /** Orders revisions: `<captured 15>|<arrived 15>|<revision>`; the greatest is the newest. */
  newestKey: z.string(),
  format: formatSchema,
  title: z.string().optional(),
  /** Characters (code points) of the rendered text. */
  length: z.int(),
  completed: z.boolean(),
  /** Under which name the ids of its turns stand (`turn-ids.ts`); absent: they have none. */
  turnIds: z.string().optional(),
  /** The revision this one took the place of: the next call looks whether its evidence still has to be made obsolete. */
  replaces: revisionSchema.optional(),
  /** When it came in; later than the revision it replaced did. */
  ingestedAtMs: z.number(),
  /** The last passes that broke off while they held a revision of it, in the order they were noted. */
  crashes: z.array(sourceCrashSchema).optional(),
  /** Adds one with each of them: who puts another revision has seen them all. */
  crashSeq: z.int().optional(),
  /** Since its revisions broke off passes: the time that was counted for the newest to be let through (`retry-hour.ts`). */
  retryAtMs: z.number().optional(),
});
export type SourceItem = z.infer<typeof sourceItemSchema>;

export interface SourceAddress {
  readonly scope: string;
  readonly generation: number;
  readonly kind: SourceKind;
  readonly id: string;
}

export function sourceKey({ scope, generation, kind, id }: SourceAddress): Key {
  return { pk: scopePartition(scope, generation), sk: `SOURCE#${kind}#${keyPart(id)}` };
}

/**
 * Where a revision stands among those of its source. Of two that were captured at one time the one that came in later is
 * the newer: a note whose front matter keeps its date, and a session whose later turns bear no time, are edited under one
 * captured time, and what came last is what their owner has now. By the revision alone, a hash, one edit in two would
 * never be read.
 */
export function newestKeyOf({ capturedAtMs, ingestedAtMs, revision }: RevisionPlace): string {
  return `${timeKey(capturedAtMs)}|${timeKey(ingestedAtMs)}|${revision}`;
}

type RevisionPlace = Pick<SourceItem, 'capturedAtMs' | 'ingestedAtMs' | 'revision'>;

/** Where the sources of a scope stand in the index `queue`, beside its lanes: no lane is called so. */
function listPartition({ scope, generation }: Pick<SourceAddress, 'scope' | 'generation'>): string {
  return `${scope}#${generation}#sources`;
}

function listKeyOf({ capturedAtMs, revision }: RevisionPlace, { sk }: Key): string {
  return `${timeKeyNewestFirst(capturedAtMs)}#${revision}#${hash22(sk)}`;
}

/** One source as the index shows it. */
export const listedSourceSchema = z.object({ sk: z.string(), queueKey: z.string(), length: z.int() });

export interface ListedSource {
  /** `<kind>#<id>#<revision>` in key form. */
  readonly sourceKey: string;
  readonly capturedAtMs: number;
  readonly length: number;
}

export function listedSourceOf({ sk, queueKey, length }: z.infer<typeof listedSourceSchema>): ListedSource {
  const [time = '', revision = ''] = queueKey.split('#');
  const sourceKey = `${sk.slice('SOURCE#'.length)}#${revision}`;
  return { sourceKey, capturedAtMs: timeOfNewestFirst(time), length };
}

/** The row that the index showed. */
export function getListedSource(
  { scope, generation }: Pick<SourceAddress, 'scope' | 'generation'>,
  { sourceKey: key }: ListedSource,
): Get {
  return get({ pk: scopePartition(scope, generation), sk: `SOURCE#${key.slice(0, key.lastIndexOf('#'))}` });
}

export interface CapturedRange {
  readonly sinceMs?: number;
  /** Not included. */
  readonly beforeMs?: number;
}

/** The newest revisions of a scope's sources that were captured in the range, newest first. `sinceMs` < `beforeMs`. */
export function queryNewestSources(
  address: Pick<SourceAddress, 'scope' | 'generation'>,
  { sinceMs, beforeMs }: CapturedRange,
  limit: number,
): Query {
  const from = beforeMs === undefined ? '0' : `${timeKeyNewestFirst(beforeMs)}~`;
  const to = sinceMs === undefined ? '~' : `${timeKeyNewestFirst(sinceMs)}~`;
  return query({ index: 'queue', partition: listPartition(address), between: [from, to], limit });
}

export function getSource(address: SourceAddress): Get {
  return get(sourceKey(address));
}

/** The SOURCE row as its caller read it. */
export interface SeenSource {
  /** Absent: there was none. */
  readonly newestKey: string | undefined;
  /** Absent: no pass had broken off at it. */
  readonly crashSeq?: number | undefined;
}

/** What refuses a row at which a pass broke off since it was read. */
function crashesAsSeen(crashSeq: number | undefined): string {
  return crashSeq === undefined ? 'attribute_not_exists(#crashSeq)' : '#crashSeq = :seenCrashSeq';
}

/**
 * Makes a revision the newest of its source.
 * Conditional on: there is none, or the stored one is older by (captured time, arrival, revision); given `seen`, also that the
 * row is the one that was read, so that the caller knows which revision it replaced and no crash noted since is forgotten.
 * Loses when: a newer revision stands (then this one is history and its evidence is obsolete), or the row is another
 * than was seen; the stored row tells.
 */
export function putNewestSource(
  address: SourceAddress,
  source: Omit<SourceItem, 'v' | 'newestKey' | 'kind' | 'id'>,
  op: string,
  seen?: SeenSource,
): Write {
  const newestKey = newestKeyOf(source);
  const when = ['attribute_not_exists(#newestKey) OR #newestKey < :newestKey'];
  if (seen) when.push(seen.newestKey === undefined ? 'attribute_not_exists(#newestKey)' : '#newestKey = :seenKey');
  if (seen?.newestKey !== undefined) when.push(crashesAsSeen(seen.crashSeq));
  return put({
    op,
    item: {
      ...sourceKey(address),
      v: ITEM_VERSION,
      kind: address.kind,
      id: address.id,
      ...source,
      newestKey,
      queuePartition: listPartition(address),
      queueKey: listKeyOf(source, sourceKey(address)),
    },
    when,
    values: {
      ':newestKey': newestKey,
      ...(seen?.newestKey !== undefined && { ':seenKey': seen.newestKey }),
      ...(seen?.crashSeq !== undefined && { ':seenCrashSeq': seen.crashSeq }),
    },
  });
}

/**
 * Marks the newest revision as completed: a session that was still going on when its text was last given.
 * Conditional on: it stands as it was read, by its `newestKey`. Loses when another took its place, which says itself whether it
 * is, also when the source went back to this revision since: its evidence stands elsewhere then.
 */
export function completeSource(address: SourceAddress, newestKey: string, op: string): Write {
  return update({
    key: sourceKey(address),
    op,
    set: { completed: true },
    when: ['#newestKey = :seenKey'],
    values: { ':seenKey': newestKey },
  });
}

interface CrashNote {
  /** All that the source remembers from now on. */
  readonly crashes: readonly SourceCrash[];
  /** As it was read. */
  readonly crashSeq: number | undefined;
  readonly op: string;
}

/**
 * Notes a pass that broke off while it held a revision of the source.
 * Conditional on: the source stands, and no crash of it was noted since it was read. Loses when one was, or when it was
 * erased meanwhile; the stored row tells.
 */
export function noteSourceCrash(address: SourceAddress, { crashes, crashSeq, op }: CrashNote): Write {
  return update({
    key: sourceKey(address),
    op,
    set: { crashes, crashSeq: (crashSeq ?? 0) + 1 },
    when: ['attribute_exists(#revision)', crashesAsSeen(crashSeq)],
    values: crashSeq === undefined ? {} : { ':seenCrashSeq': crashSeq },
  });
}
