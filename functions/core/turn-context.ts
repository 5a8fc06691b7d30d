/** Whose words a fragment begins with, when it begins in the middle of a transcript: see `render.ts` for the form of a line. */

// A speaker of 200 characters, a time of 64, and what joins them.
const HEADER_LENGTH_MAX = 300;
const HEADER = /^[^\s:()][^:()]*(?: \([^()]*\))?: /;

/**
 * The header of the turn that is open at the end of `before`; undefined when none is found. Looks back over whole lines
 * only, and a line of a turn that is not its first begins with two spaces.
 */
export function openTurnHeader(before: string): string | undefined {
  let end = before.length;
  while (end > 0) {
    const start = before.lastIndexOf('\n', end - 1) + 1;
    const header = HEADER.exec(before.slice(start, Math.min(end, start + HEADER_LENGTH_MAX)));
    if (header) return header[0].trimEnd();
    end = start - 1;
  }
  return undefined;
}
