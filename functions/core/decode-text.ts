/**
 * Bytes of a file read as text. A byte order mark of UTF-16 is believed; everything else is read as UTF-8. What is not
 * text is refused: a NUL near the beginning, which no text has, or more than one byte in a hundred that is no UTF-8.
 */
import { countCharacters } from './characters.ts';
import type { TextChange } from './normalize.ts';

export type DecodedText =
  | { readonly kind: 'text'; readonly text: string; readonly changes: readonly TextChange[] }
  | { readonly kind: 'refused'; readonly code: 'empty_text' | 'not_text'; readonly message: string };

/** Where a NUL says that a file is no text: the beginning of pictures, archives and programs holds one. */
const NUL_WITHIN = 8_192;
/** A text in which more than this share is no UTF-8 was written in another encoding, or is no text. */
const INVALID_SHARE_MAX = 0.01;

const refuse = (code: 'empty_text' | 'not_text', message: string): DecodedText => ({ kind: 'refused', code, message });

/** The text of a file. Changes: `utf-16`, and `invalid-bytes` with the number of places that hold U+FFFD instead. */
export function decodeText(bytes: Uint8Array): DecodedText {
  if (bytes.length === 0) return refuse('empty_text', 'it is empty: a source holds at least one word');
  const wide = readWide(bytes);
  if (wide !== undefined) return wide;
  const nulAt = bytes.subarray(0, NUL_WITHIN).indexOf(0);
  if (nulAt >= 0) return refuse('not_text', describeNul(nulAt));
  try {
    // The byte order mark is kept: to remove it, and to say so, is for normalisation.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { kind: 'text', text, changes: [] };
  } catch {
    return readDamaged(bytes);
  }
}

function describeNul(at: number): string {
  return `it is no text: byte ${at} is NUL, which text in UTF-8 does not hold. UTF-16 is taken when it begins with its byte order mark; else convert it to UTF-8`;
}

/** Undefined for what bears no byte order mark of UTF-16. */
function readWide(bytes: Uint8Array): DecodedText | undefined {
  const [first, second] = bytes;
  const isLittle = first === 0xff && second === 0xfe;
  if (!isLittle && !(first === 0xfe && second === 0xff)) return undefined;
  const text = new TextDecoder(isLittle ? 'utf-16le' : 'utf-16be').decode(bytes);
  const nulAt = text.slice(0, NUL_WITHIN / 2).indexOf('\0');
  // The mark of UTF-32 begins as that of UTF-16 does, with a NUL behind it.
  if (nulAt >= 0) return refuse('not_text', describeNul(2 * (nulAt + 1)));
  if (text === '') return refuse('empty_text', 'it holds nothing but a byte order mark');
  return judgeDamage(text, countReplaced(text), { name: 'utf-16' });
}

/** A few broken bytes are the price of a transfer or of a program that cut at a byte; each becomes U+FFFD, and is told. */
function readDamaged(bytes: Uint8Array): DecodedText {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  return judgeDamage(text, countReplaced(text) - countGiven(bytes));
}

function judgeDamage(text: string, count: number, ...changes: readonly TextChange[]): DecodedText {
  const characters = countCharacters(text);
  if (count > INVALID_SHARE_MAX * characters) {
    const share = Math.ceil((100 * count) / characters);
    const message = `it is not text in UTF-8: ${share} of 100 characters cannot be read. Written in Latin-1 or another encoding, convert it to UTF-8; a picture or the like is not taken in`;
    return refuse('not_text', message);
  }
  return { kind: 'text', text, changes: [...changes, ...(count > 0 ? [{ name: 'invalid-bytes', count }] : [])] };
}

function countReplaced(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\ufffd'); at >= 0; at = text.indexOf('\ufffd', at + 1)) count++;
  return count;
}

/** U+FFFD that the bytes themselves hold: EF BF BD. */
function countGiven(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(0xef); at >= 0; at = bytes.indexOf(0xef, at + 1)) {
    if (bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd) count++;
  }
  return count;
}
