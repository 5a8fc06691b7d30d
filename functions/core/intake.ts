/** From one source as it was sent to what is stored of it, or to the reason why nothing is. */
import { type NewSource, newSourceSchema, type Turn } from '../../schema/source-api.ts';
import { revisionOf, type SourceKind } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';
import { type CapturedFrom, type Format, newestKeyOf } from '../../schema/source.ts';
import type { TurnIds } from '../../schema/turn-ids.ts';
import { captureOf } from './capture.ts';
import { countCharacters } from './characters.ts';
import { readFrontMatter, startsWithFrontMatter } from './front-matter.ts';
import { readInstant } from './instant.ts';
import { cutMemoryBlocks, isOwnAuthor } from './memory-block.ts';
import { formatChange, mergeChanges, normalizeText, type TextChange } from './normalize.ts';
import { formatReasons, shortenReason } from './reasons.ts';
import { renderTurns } from './render.ts';
import { joinTurns } from './turn-join.ts';
import { looksLikeTurns, readTurnLines } from './turn-lines.ts';
import { wordIssue } from './word-issue.ts';

/** A source ready to be written. */
export interface PreparedSource {
  readonly kind: SourceKind;
  readonly id: string;
  readonly revision: string;
  readonly text: string;
  /** Characters (code points). */
  readonly length: number;
  readonly tokens: number;
  readonly format: Format;
  readonly title?: string;
  readonly capturedAtMs: number;
  readonly capturedFrom: CapturedFrom;
  /** Where it stands among the revisions of its source if none is known; see `placeOf` for one that is. */
  readonly newestKey: string;
  readonly completed: boolean;
  /** What was changed on the way in, as answers carry it. */
  readonly changes: readonly string[];
  /** Lines that were passed over, by number. */
  readonly warnings: readonly string[];
  /** The ids of its turns; empty where they have none. */
  readonly turnIds: TurnIds;
}

export interface SourceRefusal {
  readonly code:
    | 'invalid_source'
    | 'invalid_turns'
    | 'turn_differs'
    | 'too_many_turns'
    | 'own_memory'
    | 'source_erased'
    | 'empty_text'
    | 'text_too_long';
  readonly message: string;
}

export type Intake =
  | { readonly kind: 'prepared'; readonly source: PreparedSource }
  | { readonly kind: 'refused'; readonly refusal: SourceRefusal };

/** Estimated as everywhere in English: four characters a token. */
const CHARACTERS_PER_TOKEN = 4;

/** Of a text of so many characters. */
export function tokensOf(length: number): number {
  return Math.ceil(length / CHARACTERS_PER_TOKEN);
}

interface Rendered {
  readonly format: Format;
  readonly text: string;
  readonly title?: string;
  readonly turnTimesMs: readonly number[];
  readonly frontMatterMs?: number;
  readonly changes: readonly TextChange[];
  readonly warnings?: readonly string[];
  readonly turnIds?: TurnIds;
}

const NO_TURNS: TurnIds = new Map();

const refuse = (code: SourceRefusal['code'], message: string): SourceRefusal => ({ code, message });

/** The refusal of an author that is this system itself. */
export function refuseOwn(author: string): SourceRefusal {
  const shown = author.length > 60 ? `${author.slice(0, 60)}…` : author;
  return refuse(
    'own_memory',
    `the author "${shown}" begins with "nightjar:": what this system wrote is not taken as a source; send only what others said`,
  );
}

function detectFormat(id: string, text: string): Format {
  if (looksLikeTurns(text)) return 'turns';
  return startsWithFrontMatter(text) || /\.(?:md|markdown)$/i.test(id) ? 'markdown' : 'text';
}

function renderTranscript(given: readonly Turn[], changes: readonly TextChange[]): Rendered | SourceRefusal {
  const own = given.find((turn) => isOwnAuthor(turn.speaker));
  if (own) return refuseOwn(own.speaker);
  const joined = joinTurns(NO_TURNS, given);
  if (joined.kind === 'refused') return refuse(joined.code, joined.message);
  const { text, timesMs, changes: more } = renderTurns(joined.fresh);
  const repeated = joined.known > 0 ? [{ name: 'repeated-turns', count: joined.known }] : [];
  return {
    format: 'turns',
    text,
    turnTimesMs: timesMs,
    changes: [...changes, ...repeated, ...more],
    turnIds: joined.ids,
  };
}

function renderSource({ id, format, text, turns, strict }: NewSource): Rendered | SourceRefusal {
  if (turns) {
    if (format === undefined || format === 'turns') return renderTranscript(turns, []);
    return refuse('invalid_source', `format is "${format}", but turns were given: send them as format "turns"`);
  }
  const normalized = normalizeText(text ?? '');
  const actual = format ?? detectFormat(id, normalized.text);
  if (actual === 'turns') {
    const lines = readTurnLines(normalized.text, { strict });
    if (lines.kind === 'refused') return refuse('invalid_turns', lines.message);
    const rendered = renderTranscript(lines.turns, normalized.changes);
    return 'code' in rendered ? rendered : { ...rendered, warnings: lines.warnings };
  }
  const cut = cutMemoryBlocks(normalized.text);
  const changes = [...normalized.changes, ...cut.changes];
  if (actual === 'text') return { format: actual, text: cut.text, turnTimesMs: [], changes };
  const { author, title, capturedAtMs, changes: more } = readFrontMatter(cut.text);
  if (author !== undefined && isOwnAuthor(author)) return refuseOwn(author);
  return {
    format: actual,
    text: cut.text,
    turnTimesMs: [],
    changes: [...changes, ...more],
    ...(title !== undefined && { title }),
    ...(capturedAtMs !== undefined && { frontMatterMs: capturedAtMs }),
  };
}

/** The refusal of a text that is no source: nothing is left of it, or it is too long. */
export function findEmptyOrLong(text: string, length: number): SourceRefusal | undefined {
  if (text.trim() === '') return refuse('empty_text', 'nothing is left of the text: a source holds at least one word');
  if (length <= LIMITS.sourceCharactersMax) return undefined;
  const most = LIMITS.sourceCharactersMax;
  return refuse(
    'text_too_long',
    `the text has ${length} characters; at most ${most} are taken: cut it into several sources`,
  );
}

/** Reads one element of a call's `sources`. Pure: the same source at the same moment gives the same result. */
export function prepareSource(given: unknown, nowMs: number): Intake {
  const parsed = newSourceSchema.safeParse(given, { error: wordIssue });
  if (!parsed.success) {
    return { kind: 'refused', refusal: refuse('invalid_source', formatReasons(parsed.error)) };
  }
  const source = parsed.data;
  if (!source.id.isWellFormed()) {
    return { kind: 'refused', refusal: refuse('invalid_source', 'id: it holds half a character (a lone surrogate)') };
  }
  const told = readTimes(source);
  if ('code' in told) return { kind: 'refused', refusal: told };
  const rendered = renderSource(source);
  if ('code' in rendered) return { kind: 'refused', refusal: rendered };
  const { text, format, changes } = rendered;
  const length = countCharacters(text);
  const refusal = findEmptyOrLong(text, length);
  if (refusal) return { kind: 'refused', refusal };
  const { turnTimesMs, frontMatterMs } = rendered;
  const capture = captureOf({ turnTimesMs, frontMatterMs, ...told, nowMs });
  const revision = revisionOf(text);
  const title = source.title ?? rendered.title;
  return {
    kind: 'prepared',
    source: {
      kind: source.kind,
      id: source.id,
      revision,
      text,
      length,
      tokens: tokensOf(length),
      format,
      ...(title !== undefined && { title: normalizeText(title).text }),
      ...capture,
      newestKey: newestKeyOf({ capturedAtMs: capture.capturedAtMs, ingestedAtMs: nowMs, revision }),
      completed: source.completed,
      changes: mergeChanges(changes).map(formatChange),
      warnings: rendered.warnings ?? [],
      turnIds: rendered.turnIds ?? NO_TURNS,
    },
  };
}

interface ToldTimes {
  readonly capturedAtMs: number | undefined;
  readonly modifiedAtMs: number | undefined;
}

/** The schema checked the form; the year 0, say, has one and stands in no key. */
function readTimes({ capturedAt, modifiedAt }: NewSource): ToldTimes | SourceRefusal {
  const captured = capturedAt === undefined ? undefined : readInstant(capturedAt);
  const modified = modifiedAt === undefined ? undefined : readInstant(modifiedAt);
  for (const [name, text, instant] of [
    ['capturedAt', capturedAt, captured],
    ['modifiedAt', modifiedAt, modified],
  ] as const) {
    if (text !== undefined && !instant) {
      const shown = shortenReason(text);
      return refuse('invalid_source', `${name}: "${shown}" is not a time from the year 1 to 9999 with an offset`);
    }
  }
  return { capturedAtMs: captured?.atMs, modifiedAtMs: modified?.atMs };
}
