/** Sample requests of what is sent in pieces: parts of an upload, ids of turns. */
import { getTurnIds, putTurnIds, turnEntryOf } from '../../schema/turn-ids.ts';
import { putUploadBytes, putUploadPart, type UploadAddress } from '../../schema/upload.ts';
import type { Samples } from './builder-samples.ts';
import { NOW_MS, sampleEvidence } from './samples.ts';

const op = 'op-1';
const sha256 = 'ab'.repeat(32);
export const UPLOAD: UploadAddress = { scope: 'scope-a', generation: 1, kind: 'document', id: 'a', sha256 };
const { ref } = sampleEvidence('scope-a').evidence;
const text = { scope: 'scope-a', generation: 1, ref };

export const UPLOAD_SAMPLES: Samples = {
  putUploadBytes: [putUploadBytes(UPLOAD, { sha256, slice: 0, body: new Uint8Array(1), nowMs: NOW_MS, op })],
  putUploadPart: [putUploadPart(UPLOAD, { part: 0, sha256, sizeBytes: 1, nowMs: NOW_MS, op })],
  putTurnIds: [putTurnIds(text, new Map([turnEntryOf('t-1', 'Hello')]), op)],
  getTurnIds: [getTurnIds(text, 'ab'.repeat(12))],
};
