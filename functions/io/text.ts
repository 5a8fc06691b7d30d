/** zstd at both ends of the text table: what is stored in a TEXT row and what is read back. */
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { LIMITS } from '../../schema/limits.ts';

// A code point is at most four bytes of UTF-8; a body that unpacks to more is not one of ours.
const PART_BYTES_MAX = 4 * LIMITS.textPartCharacters;

/** The body of one TEXT row. */
export function compressText(text: string): Uint8Array {
  return zstdCompressSync(Buffer.from(text, 'utf8'));
}

/** The text of one TEXT row. Throws when the body is not zstd, or unpacks to more than one part can hold. */
export function decompressText(body: Uint8Array): string {
  return zstdDecompressSync(body, { maxOutputLength: PART_BYTES_MAX }).toString('utf8');
}
