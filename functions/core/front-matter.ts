/** YAML front matter of a markdown source: read for its time, title and author, and left in the text as it is. */
import { parse } from 'yaml';
import { sliceCharacters } from './characters.ts';
import { readDate } from './instant.ts';
import type { TextChange } from './normalize.ts';

export interface FrontMatter {
  readonly capturedAtMs?: number;
  readonly title?: string;
  readonly author?: string;
  readonly changes: readonly TextChange[];
}

// A page of metadata; more is a document that begins with a rule, and no reason to run a parser over it.
const CHARACTERS_MAX = 16_384;
const TIME_FIELDS = ['date', 'captured', 'created'] as const;
const OPENING = '---\n';
const CLOSING = /^(?:---|\.\.\.)[^\S\n]*$/m;
const TITLE_MAX = 300;
// Read from the text itself: `author: nightjar: x` is not YAML, and must not pass as an author unread.
const AUTHOR = /^author:(.*)$/m;

/** Whether a text begins as front matter does. */
export function startsWithFrontMatter(text: string): boolean {
  return text.startsWith(OPENING);
}

/**
 * What the front matter says; nothing when there is none. One that cannot be read costs nothing but itself:
 * `front-matter-unreadable` is reported, and the lines stand as text like all others.
 */
export function readFrontMatter(text: string): FrontMatter {
  if (!startsWithFrontMatter(text)) return { changes: [] };
  const unreadable: FrontMatter = { changes: [{ name: 'front-matter-unreadable' }] };
  const body = text.slice(OPENING.length, OPENING.length + CHARACTERS_MAX);
  const end = CLOSING.exec(body);
  if (!end) return unreadable;
  const yaml = body.slice(0, end.index);
  const author = readAuthor(yaml);
  const fields = parseFields(yaml);
  if (!fields) return author === undefined ? unreadable : { ...unreadable, author };
  const { title } = fields;
  const capturedAtMs = TIME_FIELDS.map((name) => fields[name])
    .map((value) => (typeof value === 'string' ? readDate(value) : undefined))
    .find((atMs) => atMs !== undefined);
  return {
    changes: [],
    ...(capturedAtMs !== undefined && { capturedAtMs }),
    ...(typeof title === 'string' && title !== '' && { title: sliceCharacters(title, 0, TITLE_MAX) }),
    ...(author !== undefined && { author }),
  };
}

/** The author as written, without the quotes around it; undefined when none is named. */
function readAuthor(yaml: string): string | undefined {
  const written = AUTHOR.exec(yaml)?.[1]?.trim() ?? '';
  const from = /^["']/.test(written) ? 1 : 0;
  const to = written.length - (written.length > from && /["']$/.test(written) ? 1 : 0);
  return written.slice(from, to).trim() || undefined;
}

/** The core schema makes no dates of strings; without aliases no small text can expand into a large one. */
function parseFields(yaml: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = parse(yaml, { schema: 'core', maxAliasCount: 0, prettyErrors: false, logLevel: 'error' });
    if (value === null) return {};
    return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
