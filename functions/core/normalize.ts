/**
 * Normalisation at the door: after it, one text has one spelling, so that its hash tells whether it is new and its
 * offsets mean the same to everybody. Whatever is compared with a stored text goes through the same function first.
 */

/** What was changed, by name, with how often where counting is cheap. */
export interface TextChange {
  readonly name: string;
  readonly count?: number;
}

export interface NormalizedText {
  readonly text: string;
  readonly changes: readonly TextChange[];
}

const NUL = '\u0000';
const LEADING_MARKS = /^\ufeff+/;
const CARRIAGE_RETURN = /\r\n?/g;
// A combining mark but U+034F, which ends a run of them.
const LONG_MARK_RUN = /([^\P{M}\u034f]{30})(?=[^\P{M}\u034f])/gu;
// With the `u` flag a surrogate class matches only halves that stand alone.
const LONE_SURROGATE = /[\ud800-\udfff]/gu;

/** Without the newlines at its end. Not by `/\n+$/`, which tries every run of newlines from each of its places anew. */
export function trimTrailingNewlines(text: string): string {
  let end = text.length;
  while (text[end - 1] === '\n') end--;
  return text.slice(0, end);
}

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/**
 * The normal form of a text. Idempotent: each step leaves nothing that an earlier one would change. NUL goes first,
 * since what it kept apart (a surrogate pair, CR and LF, a letter and its accent) only then meets.
 *
 * - `nul`: removed;
 * - `byte-order-mark`: removed at the start; elsewhere U+FEFF is a character like any other;
 * - `lone-surrogates`: each replaced by U+FFFD, as UTF-8 has no form for them;
 * - `line-endings`: CRLF and CR to LF;
 * - `nfc`: canonical composition;
 * - `mark-runs`: more than 30 combining marks on end get U+034F after every 30, as the Stream-Safe Text Format of Unicode
 *   (UAX 15) has it: to order a run takes time that grows with its square, and 1 MiB of them took more than a minute;
 * - `trailing-newlines`: removed, so that a file and the same file with one more newline are one revision.
 */
export function normalizeText(given: string): NormalizedText {
  const changes: TextChange[] = [];
  let text = given;
  if (text.includes(NUL)) {
    const parts = text.split(NUL);
    changes.push({ name: 'nul', count: parts.length - 1 });
    text = parts.join('');
  }
  if (LEADING_MARKS.test(text)) {
    changes.push({ name: 'byte-order-mark' });
    text = text.replace(LEADING_MARKS, '');
  }
  if (!text.isWellFormed()) {
    changes.push({ name: 'lone-surrogates', count: countOf(text, LONE_SURROGATE) });
    text = text.toWellFormed();
  }
  if (text.includes('\r')) {
    changes.push({ name: 'line-endings', count: countOf(text, CARRIAGE_RETURN) });
    text = text.replace(CARRIAGE_RETURN, '\n');
  }
  const broken = breakMarkRuns(text);
  const composed = broken.normalize('NFC');
  // Again, since a character may decompose into two marks.
  const rebroken = breakMarkRuns(composed);
  if (broken !== text || rebroken !== composed) changes.push({ name: 'mark-runs' });
  if (composed !== broken) changes.push({ name: 'nfc' });
  text = rebroken;
  if (text.endsWith('\n')) {
    const stripped = trimTrailingNewlines(text);
    changes.push({ name: 'trailing-newlines', count: text.length - stripped.length });
    text = stripped;
  }
  return { text, changes };
}

function breakMarkRuns(text: string): string {
  return text.replace(LONG_MARK_RUN, '$1\u034f');
}

/** One entry a name, counts added up, in the order of first appearance. */
export function mergeChanges(changes: readonly TextChange[]): TextChange[] {
  const merged = new Map<string, TextChange>();
  for (const change of changes) {
    const before = merged.get(change.name);
    const count = (before?.count ?? 0) + (change.count ?? 0);
    merged.set(change.name, count > 0 ? { name: change.name, count } : { name: change.name });
  }
  return [...merged.values()];
}

/** As answers carry it: `line-endings: 12`, or the name alone. */
export function formatChange({ name, count }: TextChange): string {
  return count === undefined ? name : `${name}: ${count}`;
}
