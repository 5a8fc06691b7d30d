/**
 * Takes an export's lines back in. Each line is checked to be what it says it is: its ids must follow from its words.
 * Rows that stand are kept as they are; the heads of the claim slots that were written are rebuilt.
 */
import { type ClaimSlot, restoreCitation, type ScopeAddress, slotKeyOf } from '../../schema/citation.ts';
import { putAlias, putEntity, typeEntity } from '../../schema/entity.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Write } from '../../schema/request.ts';
import { getSource, type SourceAddress } from '../../schema/source.ts';
import { erasedSourceOf } from '../../schema/source-erasure.ts';
import { type MemoryLine, readMemoryLine } from '../core/memory-lines.ts';
import { shortenReason } from '../core/reasons.ts';
import { markBacklog } from '../io/backlog-mark.ts';
import { isForgotten, loadForgotten, takeOutForgotten } from '../io/forgotten.ts';
import { rebuildSlot } from '../io/heads.ts';
import { HttpError } from '../io/http.ts';
import { loadScope } from '../io/scope-row.ts';
import type { CuratorDeps } from './deps.ts';

export interface ImportAnswer {
  readonly scope: string;
  /** Rows written by this call. */
  readonly written: number;
  /** Rows that stood already, whatever they say of their fate: they are kept. */
  readonly kept: number;
  /** Lines of sources that were erased and of claims that were forgotten: they stay out until that is lifted. */
  readonly erased: number;
  /** By the number of the line in the body, from 1 on. */
  readonly refused: readonly { readonly line: number; readonly message: string }[];
}

type RefusedLine = ImportAnswer['refused'][number];

/** Reads a page. Throws a 400 when there are more lines than one call takes, and when none of them is one of an export. */
function readLines(text: string): { readonly lines: readonly MemoryLine[]; readonly refused: readonly RefusedLine[] } {
  const texts = text.split('\n').flatMap((one, position) => (one.trim() === '' ? [] : [{ one, line: position + 1 }]));
  if (texts.length > LIMITS.importLinesMax) {
    const message = `${texts.length} lines; at most ${LIMITS.importLinesMax} are taken in one call: send them in parts`;
    throw new HttpError(400, 'too_many_lines', message);
  }
  const refused: RefusedLine[] = [];
  const lines: MemoryLine[] = [];
  for (const { one, line } of texts) {
    const read = readMemoryLine(one);
    if (read.kind === 'ok') lines.push(read.line);
    else refused.push({ line, message: shortenReason(read.message) });
  }
  const [first] = refused;
  if (lines.length > 0 || !first) return { lines, refused };
  const message = `no line of the body could be taken in; line ${first.line}: ${first.message}. An import takes the JSON lines that GET …/export gave`;
  throw new HttpError(400, 'no_memory_lines', message, { refused: refused.slice(0, LIMITS.refusalReasonsMax) });
}

/** Imports one page of lines; those that cannot be read are told by their number. Throws a 400 when that is all of them. */
export async function importMemory(deps: CuratorDeps, scope: string, text: string): Promise<ImportAnswer> {
  const { lines, refused } = readLines(text);
  const address = await openScope(deps, scope);
  const isErased = await findErased(deps, address, lines);
  const taken = lines.filter((line) => !isErased(line));
  const outcomes = await inTurns(taken, async (line) => (await deps.store.write(writeOf(deps, address, line))).kind);
  await inTurns(typesOf(taken), (typed) => deps.store.write(typeEntity(address, typed, deps.ids.fresh())));
  const written = outcomes.filter((kind) => kind === 'won').length;
  await inTurns(slotsOf(taken), (slot) => rebuildSlot(deps, address, slot));
  const takenOut = await takeOutForgotten(deps, address, citationsOf(taken));
  const erased = lines.length - taken.length + takenOut;
  return { scope, written: written - takenOut, kept: outcomes.length - written, erased, refused };
}

/** A memory may be the first thing a scope is given. */
async function openScope(deps: CuratorDeps, scope: string): Promise<ScopeAddress> {
  const row = await loadScope(deps, scope);
  if (row) return { scope, generation: row.generation };
  const { generation } = await markBacklog(deps, scope, undefined, { bringsNoEvidence: true });
  return { scope, generation };
}

type CitationLine = Extract<MemoryLine, { type: 'citation' }>;

function citationsOf(lines: readonly MemoryLine[]): CitationLine[] {
  return lines.filter((line) => line.type === 'citation');
}

/** What of a page was erased here since it was exported: by its source, or by what it claims. */
async function findErased(
  { store }: CuratorDeps,
  address: ScopeAddress,
  lines: readonly MemoryLine[],
): Promise<(line: MemoryLine) => boolean> {
  const forgotten = await loadForgotten(store, address);
  const named = new Map<string, SourceAddress>();
  for (const { source } of citationsOf(lines)) {
    const { kind, id } = source;
    if (kind !== 'person') named.set(`${kind}:${id}`, { ...address, kind, id });
  }
  const erased = new Set<string>();
  await inTurns([...named], async ([name, source]) => {
    if (erasedSourceOf(await store.get(getSource(source)))) erased.add(name);
  });
  return (line) =>
    line.type === 'citation' && (isForgotten(forgotten, line) || erased.has(`${line.source.kind}:${line.source.id}`));
}

function writeOf({ ids }: CuratorDeps, address: ScopeAddress, { type, ...row }: MemoryLine): Write {
  const op = ids.fresh();
  if (type === 'entity') return putEntity(address, (row as MemoryLine & { type: 'entity' }).name, op);
  if (type === 'alias') return putAlias(address, row as MemoryLine & { type: 'alias' }, op);
  return restoreCitation(address, row as MemoryLine & { type: 'citation' }, op);
}

/** What a page says of types, after its entities were made known. */
function typesOf(lines: readonly MemoryLine[]) {
  return lines.flatMap((line) => {
    if (line.type !== 'entity' || line.entityType === undefined || line.typeKey === undefined) return [];
    const { slug, entityType, typeKey } = line;
    return [{ slug, entityType, typeKey }];
  });
}

/** The claim slots of a page, once each: also those whose rows stood, since a call before may have died here. */
function slotsOf(lines: readonly MemoryLine[]): ClaimSlot[] {
  const slots = lines.flatMap((line) => (line.type === 'citation' ? [line.slot] : []));
  return [...new Map(slots.map((slot) => [slotKeyOf(slot), slot])).values()];
}

/** Several at once, so that a page is through within the time of the function. Answers in the order of the items. */
async function inTurns<T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += LIMITS.importAtOnceMax) {
    results.push(...(await Promise.all(items.slice(from, from + LIMITS.importAtOnceMax).map(act))));
  }
  return results;
}
