/** Cuts a rendered text into the parts of the text table. */
import { LIMITS } from '../../schema/limits.ts';

/** Parts of 65,536 code points each but the last, in order; none for the empty text. */
export function splitTextParts(text: string, charactersMax: number = LIMITS.textPartCharacters): string[] {
  const parts: string[] = [];
  let from = 0;
  let characters = 0;
  for (let at = 0; at < text.length; characters++) {
    if (characters === charactersMax) {
      parts.push(text.slice(from, at));
      from = at;
      characters = 0;
    }
    at += (text.codePointAt(at) as number) > 0xffff ? 2 : 1;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}
