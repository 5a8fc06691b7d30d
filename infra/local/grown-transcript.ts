/**
 * A transcript that grew since it was sent last: the turns that are new, told by what the server says of the revision it
 * has. Nothing is kept on this side: the name of that revision is a hash of its text, and its length says where to look.
 */
import { countCharacters, sliceCharacters } from '../../functions/core/characters.ts';
import { renderTurns } from '../../functions/core/render.ts';
import { normalizeText } from '../../functions/core/normalize.ts';
import { readTurnLines } from '../../functions/core/turn-lines.ts';
import type { Turn } from '../../schema/source-api.ts';
import { HTTP } from '../../schema/edges.ts';
import { hash22, revisionOf } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { SourceBody } from './source-folder.ts';

/** What GET of a source answers of its newest revision. */
export interface KnownRevision {
  readonly revision?: string | undefined;
  /** Characters of its text. */
  readonly length?: number | undefined;
}

/** As POST …/turns takes it. */
export interface AppendedTurns {
  readonly body: string;
  readonly count: number;
}

/**
 * The turns that follow those of the known revision. Undefined when it does not go on from there, when a line is bad, or
 * when one call does not take them: then the file is sent whole, and read from where it was read to all the same.
 */
export function findAppendedTurns({ text }: SourceBody, known: KnownRevision): AppendedTurns | undefined {
  const { revision, length } = known;
  if (revision === undefined || length === undefined) return undefined;
  const lines = readTurnLines(normalizeText(text).text);
  if (lines.kind === 'refused' || lines.warnings.length > 0) return undefined;
  const from = countTurnsWithin(lines.turns, length);
  if (from === undefined) return undefined;
  const turns = lines.turns
    .map((turn, index) => ({ ...turn, id: turn.id ?? nameTurn(turn, index) }))
    .filter((turn, index) => index >= from && renderTurns([turn]).text !== '');
  if (turns.length === 0 || turns.length > LIMITS.appendedTurnsMax) return undefined;
  const whole = renderTurns(lines.turns).text;
  if (revisionOf(sliceCharacters(whole, 0, length)) !== revision) return undefined;
  const body = JSON.stringify({ turns, completed: true });
  return Buffer.byteLength(body) > HTTP.bodyMaxBytes ? undefined : { body, count: turns.length };
}

/** How many turns the first `characters` of a session hold; undefined where no turn ends there. */
function countTurnsWithin(turns: readonly Turn[], characters: number): number | undefined {
  let reached = 0;
  for (const [index, turn] of turns.entries()) {
    if (reached === characters) return index;
    const length = countCharacters(renderTurns([turn]).text);
    // A turn that says nothing is left out; between two that are not stands the end of a line.
    if (length > 0) reached += length + (reached > 0 ? 1 : 0);
    if (reached > characters) return undefined;
  }
  return undefined;
}

/** Its place and what it says: sent again it has the same name, and another turn in its place has another. */
function nameTurn(turn: Turn, index: number): string {
  return `turn-${index + 1}-${hash22(JSON.stringify(turn))}`;
}
