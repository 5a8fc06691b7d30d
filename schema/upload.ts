/**
 * UPLOAD: the bytes of a source that is too large for one call, in parts, until they are completed. In the table `text`:
 * the bytes are what a person wrote, and no stream record may carry them. Written and read by ingest.
 *
 * Key: `<scope>#<generation>#<kind>#<id>#upload` / `<sha256>#PART#<part>`, and for its bytes
 * `<sha256>#BYTES#<hash of the part>#<slice>`. Life: a day after they were sent last (TTL), completed or not, so that a
 * completion whose answer was lost can be sent again. All uploads of a source stand in one partition.
 *
 * The bytes stand under the hash of their part and go first, so a PART row never names bytes of another sending. The same
 * part sent with other bytes replaces it: what spoils a part on its way would otherwise spoil its upload for a day, and
 * the SHA-256 of the whole, which names the upload, decides in the end.
 */
import * as z from 'zod';
import { keyPart, sha256Schema, type SourceKind } from './ids.ts';
import { LIMITS } from './limits.ts';
import { type Key, put, type Write } from './request.ts';
import { ITEM_VERSION, TTL_ATTRIBUTE } from './table.ts';
import { ttlSeconds } from './time.ts';

export const uploadPartItemSchema = z.object({
  v: z.literal(ITEM_VERSION),
  sk: z.string(),
  /** SHA-256 of this part's bytes. */
  sha256: sha256Schema,
  sizeBytes: z.int().min(1),
});
export type UploadPartItem = z.infer<typeof uploadPartItemSchema>;

export const uploadBytesItemSchema = z.object({
  v: z.literal(ITEM_VERSION),
  sk: z.string(),
  body: z.instanceof(Uint8Array),
});

export interface UploadAddress {
  readonly scope: string;
  readonly generation: number;
  readonly kind: SourceKind;
  readonly id: string;
  /** Of the whole, as it will be when its parts are laid end to end. */
  readonly sha256: string;
}

function uploadPartition({ scope, generation, kind, id }: UploadAddress): string {
  return `${scope}#${generation}#${kind}#${keyPart(id)}#upload`;
}

export function uploadPartKey(address: UploadAddress, part: number): Key {
  return { pk: uploadPartition(address), sk: `${address.sha256}#PART#${String(part).padStart(5, '0')}` };
}

/** `sha256` is of the part. */
export function uploadBytesKey(address: UploadAddress, sha256: string, slice: number): Key {
  return { pk: uploadPartition(address), sk: `${address.sha256}#BYTES#${sha256}#${String(slice).padStart(3, '0')}` };
}

/** Rows that the bytes of a part of this size stand in. */
export function slicesOf(sizeBytes: number): number {
  return Math.ceil(sizeBytes / LIMITS.uploadSliceBytes);
}

interface NewUploadBytes {
  /** Of the whole part. */
  readonly sha256: string;
  readonly slice: number;
  readonly body: Uint8Array;
  readonly nowMs: number;
  readonly op: string;
}

/** Stores a slice of a part's bytes. Unconditional: the same key always holds the same bytes, and lives on. */
export function putUploadBytes(address: UploadAddress, { sha256, slice, body, nowMs, op }: NewUploadBytes): Write {
  const ttl = ttlSeconds(nowMs + LIMITS.uploadKeepMs);
  const item = { ...uploadBytesKey(address, sha256, slice), v: ITEM_VERSION, body, [TTL_ATTRIBUTE]: ttl };
  return put({ table: 'text', op, item, when: [] });
}

interface NewUploadPart extends Pick<UploadPartItem, 'sha256' | 'sizeBytes'> {
  readonly part: number;
  readonly nowMs: number;
  readonly op: string;
}

/** Says which bytes a part has. Unconditional: what was sent last counts, and the hash of the whole decides. */
export function putUploadPart(address: UploadAddress, { part, sha256, sizeBytes, nowMs, op }: NewUploadPart): Write {
  const ttl = ttlSeconds(nowMs + LIMITS.uploadKeepMs);
  const item = { ...uploadPartKey(address, part), v: ITEM_VERSION, sha256, sizeBytes, [TTL_ATTRIBUTE]: ttl };
  return put({ table: 'text', op, item, when: [] });
}
