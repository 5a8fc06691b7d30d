/**
 * A source that is too large for one call: its bytes come in parts, in any order and as often as anybody likes, and
 * completing them takes it in as POST sources would. The upload is named by the SHA-256 of the file's bytes as they are,
 * before anything is decoded or normalised: what `sha256sum` prints. Until it is completed only its scope is known.
 */
import type { CompleteBody } from '../../schema/source-api.ts';
import { sha256Of, type SourceKind } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';
import { FIRST_GENERATION, getScope, type ScopeItem, scopeItemSchema } from '../../schema/scope.ts';
import { getSource } from '../../schema/source.ts';
import { erasedSourceOf } from '../../schema/source-erasure.ts';
import { batchGetText } from '../../schema/text.ts';
import { listText, UPLOAD } from '../../schema/text-list.ts';
import type { Key } from '../../schema/request.ts';
import {
  putUploadBytes,
  putUploadPart,
  slicesOf,
  type UploadAddress,
  uploadBytesItemSchema,
  uploadBytesKey,
  type UploadPartItem,
  uploadPartItemSchema,
  uploadPartKey,
} from '../../schema/upload.ts';
import { decodeText } from '../core/decode-text.ts';
import { formatChange } from '../core/normalize.ts';
import { judgeParts, type PartTold } from '../core/upload-assembly.ts';
import { markBacklog } from '../io/backlog-mark.ts';
import { HttpError } from '../io/http.ts';
import { loadScope } from '../io/scope-row.ts';
import type { IngestResult } from './answer.ts';
import { mapConcurrently } from './concurrency.ts';
import type { IngestDeps, UploadDeps } from './deps.ts';
import { SourceErasedError } from './erased.ts';
import { ingestSources } from './run.ts';

export interface UploadRequest {
  readonly scope: string;
  readonly kind: SourceKind;
  readonly id: string;
  /** Of the whole. */
  readonly sha256: string;
}

/** Rows of one call, and reads of 12 MB, at once. */
const ROWS_AT_ONCE = 4;
const READS_AT_ONCE = 2;

function addressOf({ scope, kind, id, sha256 }: UploadRequest, row: ScopeItem | undefined): UploadAddress {
  return { scope, generation: row?.generation ?? FIRST_GENERATION, kind, id, sha256 };
}

/** The scope is known from its first part on: what nobody knows of could not be erased either. */
async function openScope(deps: IngestDeps, scope: string): Promise<ScopeItem> {
  const stored = await deps.store.get(getScope(scope));
  return stored ? scopeItemSchema.parse(stored) : markBacklog(deps, scope, undefined);
}

/**
 * Stores one part. The same again changes nothing and is answered alike; other bytes take its place. Throws a
 * SourceErasedError for what was erased: once that is over nobody looks for what would stand here.
 */
export async function putPart(
  deps: IngestDeps,
  request: UploadRequest & { readonly part: number; readonly bytes: Uint8Array },
): Promise<PartTold> {
  const { part, bytes } = request;
  if (bytes.length === 0) throw new HttpError(400, 'empty_part', 'the body is empty: a part holds at least one byte');
  const address = addressOf(request, await openScope(deps, request.scope));
  const erased = erasedSourceOf(await deps.store.get(getSource(address)));
  if (erased) throw new SourceErasedError(erased);
  const told = { part, sha256: sha256Of([bytes]), sizeBytes: bytes.length };
  const nowMs = deps.clock.nowMs();
  const slices = Array.from({ length: slicesOf(bytes.length) }, (_, slice) => slice);
  // Named before it is there: an erase of the scope finds it by that.
  const listed = { ...address, ref: { kind: request.kind, id: request.id, revision: UPLOAD } };
  await deps.store.write(listText(listed, nowMs, deps.ids.fresh()));
  await mapConcurrently(slices, ROWS_AT_ONCE, (slice) => {
    const body = bytes.subarray(slice * LIMITS.uploadSliceBytes, (slice + 1) * LIMITS.uploadSliceBytes);
    const row = { sha256: told.sha256, slice, body, nowMs, op: deps.ids.fresh() };
    return deps.store.write(putUploadBytes(address, row));
  });
  await deps.store.write(putUploadPart(address, { ...told, nowMs, op: deps.ids.fresh() }));
  return told;
}

/**
 * Takes the whole in. Refused, with every part kept: 409 `parts_missing` with their numbers, 422 `sha256_differs` with the
 * hash of each part, 413 when it is too large, 422 for what POST sources would refuse.
 */
export async function completeUpload(
  deps: UploadDeps,
  request: UploadRequest & { readonly body: CompleteBody },
): Promise<IngestResult> {
  const { scope, kind, id, sha256, body } = request;
  const { parts: count, ...about } = body;
  const address = addressOf(request, await loadScope(deps, scope));
  const pieces = await readPieces(deps, address, count);
  if (
    !deps.decide.isIntact(
      pieces.map(({ bytes }) => bytes),
      sha256,
    )
  )
    throw refuseHash(sha256, pieces);
  const decoded = decodeText(Buffer.concat(pieces.map(({ bytes }) => bytes)));
  if (decoded.kind === 'refused') throw new HttpError(422, decoded.code, decoded.message);
  const source = { kind, id, text: decoded.text, ...about };
  const [result] = (await ingestSources(deps, { scope, body: { sources: [source] } })).results;
  if (result?.error) throw new HttpError(422, result.error.code, result.error.message);
  if (!result) throw new Error('one source was given and no result came back');
  const changes = [...decoded.changes.map(formatChange), ...(result.changes ?? [])];
  return { ...result, ...(changes.length > 0 && { changes }) };
}

interface Piece {
  readonly told: PartTold;
  readonly bytes: Uint8Array;
}

async function readPieces(deps: IngestDeps, address: UploadAddress, count: number): Promise<Piece[]> {
  const rows = await readRows(
    deps,
    Array.from({ length: count }, (_, part) => uploadPartKey(address, part)),
  );
  const parts = rows.map((row): UploadPartItem | undefined => (row ? uploadPartItemSchema.parse(row) : undefined));
  const verdict = judgeParts(parts);
  if (verdict.kind === 'missing') throw refuseMissing(verdict.missing, count);
  if (verdict.kind === 'too_large') throw refuseLarge(verdict.sizeBytes);
  const stored = parts.filter((part) => part !== undefined);
  const keys = stored.map(({ sha256, sizeBytes }) =>
    Array.from({ length: slicesOf(sizeBytes) }, (_, slice) => uploadBytesKey(address, sha256, slice)),
  );
  const slices = await readRows(deps, keys.flat());
  let next = 0;
  const pieces = stored.map(({ sha256, sizeBytes }, part) => {
    const own = slices.slice(next, (next += slicesOf(sizeBytes)));
    const bodies = own.map((row) => (row ? uploadBytesItemSchema.parse(row).body : undefined));
    return { told: { part, sha256, sizeBytes }, bodies };
  });
  // The table removes rows one by one when their time has come.
  const gone = pieces.filter(({ bodies }) => bodies.includes(undefined)).map(({ told }) => told.part);
  if (gone.length > 0) throw refuseMissing(gone, count);
  return pieces.map(({ told, bodies }) => ({ told, bytes: Buffer.concat(bodies as Uint8Array[]) }));
}

/** The rows under these keys, in their order; undefined for what is not there. */
async function readRows({ store }: IngestDeps, keys: readonly Key[]): Promise<(object | undefined)[]> {
  const most = LIMITS.uploadSlicesPerReadMax;
  // Two parts of the same bytes share their rows, and a read may not name a key twice.
  const distinct = [...new Map(keys.map((key) => [key.sk, key])).values()];
  const starts = Array.from({ length: Math.ceil(distinct.length / most) }, (_, k) => k * most);
  const answers = await mapConcurrently(starts, READS_AT_ONCE, (start) =>
    store.batchGet(batchGetText(distinct.slice(start, start + most))),
  );
  const found = new Map(answers.flat().map((row) => [String(row.sk), row]));
  return keys.map(({ sk }) => found.get(sk));
}

function refuseMissing(missing: readonly number[], count: number): HttpError {
  const which = missing.length === 1 ? `part ${missing[0]} is` : `parts ${missing.join(', ')} are`;
  const message = `${which} missing of ${count}, counted from 0: send what is missing, then complete again; parts are kept for a day`;
  return new HttpError(409, 'parts_missing', message, { missing });
}

function refuseLarge(sizeBytes: number): HttpError {
  const message = `the parts are ${sizeBytes} bytes; at most ${LIMITS.uploadBytesMax} are taken: cut the source into several`;
  return new HttpError(413, 'upload_too_large', message);
}

function refuseHash(sha256: string, pieces: readonly Piece[]): HttpError {
  const actual = sha256Of(pieces.map(({ bytes }) => bytes));
  const message = `the ${pieces.length} parts laid end to end have the SHA-256 ${actual}, not ${sha256}: compare each part below with what was sent as application/octet-stream, and send again what differs`;
  return new HttpError(422, 'sha256_differs', message, { sha256: actual, parts: pieces.map(({ told }) => told) });
}
