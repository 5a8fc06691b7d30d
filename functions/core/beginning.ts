/**
 * Where the reading of a revision begins: at its beginning, or behind what its text shares with the revision it replaces
 * and was settled of that, so that a session that goes on costs only what is new.
 *
 * Of transcripts only: a turn says by itself who speaks and when. The end of a document is read with its beginning, where
 * its author stands.
 */
import type { EvidenceItem } from '../../schema/evidence.ts';
import { revisionOf } from '../../schema/ids.ts';
import type { SourceItem } from '../../schema/source.ts';
import { countCharacters, sliceCharacters } from './characters.ts';
import type { PreparedSource } from './intake.ts';

type Incoming = Pick<PreparedSource, 'text' | 'length' | 'format'>;

/** Whether a text begins with all of a stored revision, told by the hash that names it. */
export function continues({ text, length, format }: Incoming, stored: SourceItem): boolean {
  if (format !== 'turns' || stored.format !== 'turns' || length <= stored.length) return false;
  return revisionOf(sliceCharacters(text, 0, stored.length)) === stored.revision;
}

export type Beginning =
  | { readonly kind: 'at'; readonly cursor: number }
  /** There, if the text begins with so many characters of the stored one. */
  | { readonly kind: 'compare'; readonly cursor: number };

/** Where to begin, as far as the hash of the stored revision tells. `evidence` is of that revision. */
export function beginningOf(
  source: Incoming,
  stored: SourceItem | undefined,
  evidence: EvidenceItem | undefined,
): Beginning {
  const cursor = evidence?.cursor ?? 0;
  if (!stored || cursor === 0 || cursor >= source.length) return { kind: 'at', cursor: 0 };
  if (source.format !== 'turns' || stored.format !== 'turns') return { kind: 'at', cursor: 0 };
  if (continues(source, stored)) {
    return { kind: 'at', cursor: cursor < stored.length ? cursor : lineStart(source.text, cursor) };
  }
  return cursor < stored.length ? { kind: 'compare', cursor } : { kind: 'at', cursor: 0 };
}

/** Where to begin, by the settled text itself: the rest of the stored revision is not the rest of this one. */
export function beginningAfter({ text }: Incoming, settled: string): number {
  return text.startsWith(settled) ? lineStart(text, countCharacters(settled)) : 0;
}

/** The next line; but one that was continued ("I live in Austin" … "no more") is read whole again, from before `at`. */
function lineStart(text: string, at: number): number {
  const before = sliceCharacters(text, 0, at);
  if (text[before.length] === '\n') return at + 1;
  return countCharacters(before.slice(0, before.lastIndexOf('\n') + 1));
}
