/** zstd at both ends of the text table: what is stored in a TEXT row and what is read back. */
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { LIMITS } from '../../schema/limits.ts';

// A code point is at most four bytes of UTF-8; a body that unpacks to more is not one of ours.
const PART_BYTES_MAX = 4 * LIMITS.textPartCharacters;

const CHUNK_BYTES_MIN = 128;

/** The body of one TEXT row. */
export function compressText(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'utf8');
  // Room for all of it at once: the default is 16 KB, made anew for each of the short texts that most are.
  return zstdCompressSync(bytes, { chunkSize: Math.max(CHUNK_BYTES_MIN, bytes.length) });
}

/** The text of one TEXT row. Throws when the body is not zstd, or unpacks to more than one part can hold. */
export function decompressText(body: Uint8Array): string {
  return zstdDecompressSync(body, { maxOutputLength: PART_BYTES_MAX }).toString('utf8');
}
