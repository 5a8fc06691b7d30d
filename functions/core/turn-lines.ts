/** Transcripts as JSON lines: one object `{ speaker, text, at? }` a line, empty lines skipped. */
import { type Turn, turnSchema } from '../../schema/source-api.ts';
import { LIMITS } from '../../schema/limits.ts';
import { formatReasons } from './reasons.ts';
import { wordIssue } from './word-issue.ts';

export type ReadTurns =
  | {
      readonly kind: 'read';
      readonly turns: readonly Turn[];
      /** The lines that were passed over, the first few by number. */
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'refused'; readonly message: string };

const FORM = 'each line is a JSON object such as {"speaker": "Maya", "text": "Hello", "at": "2024-05-03T10:00:00Z"}';

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The first line that is not empty; the empty text when there is none. Reads each character once. */
function firstLineOf(text: string): string {
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    const line = text.slice(start, end);
    if (line.trim() !== '') return line;
    start = end + 1;
  }
  return '';
}

/** Whether a text without a format reads as a transcript: its first line that is not empty is a turn. */
export function looksLikeTurns(text: string): boolean {
  const first = firstLineOf(text).trim();
  return first.startsWith('{') && turnSchema.safeParse(parseLine(first)).success;
}

interface ReadOptions {
  /** The first bad line refuses the source; else the other lines are taken, and each bad one is named. */
  readonly strict?: boolean;
}

/**
 * Reads the turns, one a line. A line that is none is passed over and told with its number: logs are cut in the middle of
 * a line, and one bad line is no reason to lose the others. Refused when no line is a turn.
 */
export function readTurnLines(text: string, { strict = false }: ReadOptions = {}): ReadTurns {
  const turns: Turn[] = [];
  const bad: string[] = [];
  let badCount = 0;
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const read = readTurn(line);
    if (typeof read !== 'string') {
      turns.push(read);
      continue;
    }
    const told = `line ${index + 1}: ${read}`;
    if (strict) return { kind: 'refused', message: `${told}; ${FORM}` };
    badCount++;
    if (badCount > LIMITS.badLinesMax && badCount > turns.length) {
      return {
        kind: 'refused',
        message: `${told}, as ${badCount - 1} lines before it: this is no transcript; ${FORM}`,
      };
    }
    if (bad.length < LIMITS.refusalReasonsMax) bad.push(told);
  }
  if (turns.length === 0 && badCount > 0) return { kind: 'refused', message: `${bad[0]}, and no line is; ${FORM}` };
  const more = badCount - bad.length;
  return { kind: 'read', turns, warnings: more > 0 ? [...bad, `and ${more} more lines that are no turns`] : bad };
}

/** The turn of a line, or what is wrong with it. */
function readTurn(line: string): Turn | string {
  const value = parseLine(line);
  if (value === undefined) return 'it is not JSON';
  const parsed = turnSchema.safeParse(value, { error: wordIssue });
  return parsed.success ? parsed.data : `it is not a turn (${formatReasons(parsed.error)})`;
}
