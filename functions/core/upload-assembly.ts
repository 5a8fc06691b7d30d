/** An upload put together: which parts are there, and whether they are what they were said to be. */
import { sha256Of } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { UploadPartItem } from '../../schema/upload.ts';

export type StagedPart = Pick<UploadPartItem, 'sha256' | 'sizeBytes'>;

/** What an answer tells of a part, so that its sender can compare it with what was sent. */
export interface PartTold extends StagedPart {
  readonly part: number;
}

export type PartsVerdict =
  | { readonly kind: 'whole' }
  | { readonly kind: 'missing'; readonly missing: readonly number[] }
  | { readonly kind: 'too_large'; readonly sizeBytes: number };

/** `parts` in their order; undefined where none is stored. Judged before their bytes are read. */
export function judgeParts(parts: readonly (StagedPart | undefined)[]): PartsVerdict {
  const missing = parts.flatMap((part, n) => (part === undefined ? [n] : []));
  if (missing.length > 0) return { kind: 'missing', missing };
  const sizeBytes = parts.reduce((sum, part) => sum + (part?.sizeBytes ?? 0), 0);
  return sizeBytes > LIMITS.uploadBytesMax ? { kind: 'too_large', sizeBytes } : { kind: 'whole' };
}

export interface UploadDecisions {
  /** Whether bytes laid end to end are those that the upload is named for. */
  isIntact(pieces: readonly Uint8Array[], sha256: string): boolean;
}

export const UPLOAD_DECISIONS: UploadDecisions = {
  isIntact: (pieces, sha256) => sha256Of(pieces) === sha256,
};
