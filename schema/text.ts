/**
 * TEXT: the rendered text of one source revision, in parts, in its own table: no stream, no index, and neither scheduler
 * nor finalizer may read it. Written by ingest; content-addressed by the revision, so writing it again changes nothing.
 *
 * Key: `<scope>#<generation>#<kind>#<id>#<revision>` / part number in 5 digits. Each part holds 65,536 code points but
 * the last, compressed with zstd.
 */
import * as z from 'zod';
import { type SourceRef, sourceKeyOf } from './ids.ts';
import { LIMITS } from './limits.ts';
import type { BatchGet, Key, Write } from './request.ts';
import { put } from './request.ts';
import { ITEM_VERSION } from './table.ts';

export const textItemSchema = z.object({
  v: z.literal(ITEM_VERSION),
  pk: z.string(),
  sk: z.string(),
  /** zstd of the UTF-8 text. */
  body: z.instanceof(Uint8Array),
});
export type TextItem = z.infer<typeof textItemSchema>;

export interface TextAddress {
  readonly scope: string;
  readonly generation: number;
  readonly ref: SourceRef;
}

export function textPartition({ scope, generation, ref }: TextAddress): string {
  return `${scope}#${generation}#${sourceKeyOf(ref)}`;
}

const partName = (part: number): string => String(part).padStart(5, '0');

export function textPartKey(address: TextAddress, part: number): Key {
  return { pk: textPartition(address), sk: partName(part) };
}

/** The same by the key form of the revision, for who knows it from an index alone. */
export function textPartKeyOf(
  { scope, generation, sourceKey }: Omit<TextAddress, 'ref'> & { readonly sourceKey: string },
  part: number,
): Key {
  return { pk: `${scope}#${generation}#${sourceKey}`, sk: partName(part) };
}

/** The parts that hold the characters from `start` to `end` (end not included), in code points. */
export function partsOf(start: number, end: number): number[] {
  const first = Math.floor(start / LIMITS.textPartCharacters);
  const last = Math.floor(Math.max(start, end - 1) / LIMITS.textPartCharacters);
  return Array.from({ length: last - first + 1 }, (_, k) => first + k);
}

/** Stores one part. Unconditional: the same key always holds the same text. */
export function putTextPart(address: TextAddress, part: number, body: Uint8Array, op: string): Write {
  return put({
    table: 'text',
    op,
    item: { ...textPartKey(address, part), v: ITEM_VERSION, body },
    when: [],
  });
}

/** Reads parts of any revisions of a scope; the caller keeps it within 100 keys. */
export function batchGetText(keys: readonly Key[]): BatchGet {
  if (keys.length === 0 || keys.length > LIMITS.batchGetKeysMax) {
    throw new RangeError(`a batch read takes 1 to ${LIMITS.batchGetKeysMax} keys, not ${keys.length}`);
  }
  return { kind: 'batchGet', table: 'text', keys: keys.map(({ pk, sk }) => ({ pk, sk })) };
}
