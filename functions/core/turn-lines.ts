/** Transcripts as JSON lines: one object `{ speaker, text, at? }` a line, empty lines skipped. */
import { type Turn, turnSchema } from '../../schema/api.ts';
import { formatReasons } from './reasons.ts';

export type ReadTurns =
  | { readonly kind: 'read'; readonly turns: readonly Turn[] }
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

/** Reads every line or none: the first bad line refuses the source, with its number and what was wrong with it. */
export function readTurnLines(text: string): ReadTurns {
  const turns: Turn[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const value = parseLine(line);
    if (value === undefined) return { kind: 'refused', message: `line ${index + 1} is not JSON: ${FORM}` };
    const parsed = turnSchema.safeParse(value);
    if (!parsed.success) {
      const message = `line ${index + 1} is not a turn: ${formatReasons(parsed.error)}; ${FORM}`;
      return { kind: 'refused', message };
    }
    turns.push(parsed.data);
  }
  return { kind: 'read', turns };
}
