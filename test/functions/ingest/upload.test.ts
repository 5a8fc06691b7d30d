import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { planNextLook } from '../../../functions/core/erasing.ts';
import { eraseWholeScope } from '../../../functions/eraser/order.ts';
import { createIngestApp } from '../../../functions/ingest/routes.ts';
import { systemClock } from '../../../functions/io/clock.ts';
import { HTTP } from '../../../schema/edges.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { createIngestBench, type IngestBench, sortKeyOf } from './bench.ts';

let bench: IngestBench;
beforeEach(() => {
  bench = createIngestBench();
});
afterEach(() => bench.close());

const SOURCES = '/v1/scopes/alice/sources';
const ID = 'notes/2024%2Fmay.txt';
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown> & { readonly error?: { code: string; message: string; details?: unknown } };
}

async function send(
  method: 'PUT' | 'POST',
  path: string,
  body: Uint8Array | string,
  deps = bench.deps,
): Promise<Answer> {
  const init = { method, body: typeof body === 'string' ? body : new Uint8Array(body) };
  const response = await createIngestApp(deps).request(`${SOURCES}/${path}`, init);
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

/** A file cut into parts of this size, with what sends one of them and what completes it. */
function upload(bytes: Uint8Array, partBytes = HTTP.bodyMaxBytes, id = ID, kind = 'document') {
  const sha256 = hashOf(bytes);
  const count = Math.ceil(bytes.length / partBytes);
  const base = `${kind}/${id}/revisions/${sha256}`;
  const part = (n: number) => bytes.subarray(n * partBytes, (n + 1) * partBytes);
  return {
    count,
    part,
    put: (n: number, body = part(n)) => send('PUT', `${base}/parts/${n}`, body),
    complete: (more: object = {}, deps = bench.deps) =>
      send('POST', `${base}/complete`, JSON.stringify({ parts: count, ...more }), deps),
  };
}

const text = (sizeBytes: number) =>
  Buffer.from('Caf\u00e9 words, one after the other.\n'.repeat(sizeBytes / 34 + 1)).subarray(0, sizeBytes);

describe('a source that comes in parts', () => {
  it('stands as the same text sent whole does, whatever the order of its parts', async () => {
    const bytes = text(2_500_001);
    const { put, complete, count } = upload(bytes);
    expect(count).toBe(3);
    for (const n of [2, 0, 1]) expect((await put(n)).status).toBe(200);
    expect(bench.sources()).toEqual([]);
    const { status, body } = await complete({ format: 'text' });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { kind: 'document', id: 'notes/2024/may.txt', outcome: 'created' },
    });
    const whole = createIngestBench();
    try {
      const source = { kind: 'document', id: 'notes/2024/may.txt', format: 'text', text: bytes.toString('utf8') };
      expect((await whole.ingest([source])).results[0]?.revision).toBe(body.revision);
    } finally {
      whole.close();
    }
    expect(bench.evidence()).toMatchObject([{ state: 'pending', revision: body.revision }]);
  });

  it('answers a part alike however often it comes, and a completion too', async () => {
    const { put, part, complete } = upload(text(1_000), 400);
    const first = await put(1);
    expect(first).toEqual({ status: 200, body: { part: 1, sha256: hashOf(part(1)), sizeBytes: 400 } });
    expect(await put(1)).toEqual(first);
    for (const n of [0, 2]) await put(n);
    expect((await complete()).body.outcome).toBe('created');
    expect(await complete()).toMatchObject({ status: 200, body: { outcome: 'unchanged' } });
  });

  it('names the parts that are missing, and takes it in when they have come', async () => {
    const { put, complete } = upload(text(2_000), 400);
    for (const n of [0, 2, 4]) await put(n);
    expect(await complete()).toMatchObject({
      status: 409,
      body: { error: { code: 'parts_missing', details: { missing: [1, 3] } } },
    });
    for (const n of [1, 3]) await put(n);
    expect((await complete()).body.outcome).toBe('created');
  });

  it('with two parts of the same bytes is read whole', async () => {
    const { put, complete } = upload(Buffer.from('one two '.repeat(100)), 400);
    for (const n of [0, 1]) await put(n);
    expect(await complete()).toMatchObject({ status: 200, body: { length: 800 } });
  });

  it('is no source before it is completed, and its rows bear the end of their life', async () => {
    const { put } = upload(text(1_000), 400);
    await put(0);
    expect([bench.sources(), bench.evidence()]).toEqual([[], []]);
    const ttl = (bench.nowMs + LIMITS.uploadKeepMs) / 1000;
    const rows = bench.writes.filter(({ table }) => table === 'text');
    expect(rows.map((write) => write.kind === 'put' && write.input.Item?.['ttl'])).toEqual([ttl, ttl]);
  });

  it('is one of its scope alone', async () => {
    const bytes = text(500);
    const { put } = upload(bytes, 500);
    await put(0);
    const path = `/v1/scopes/bob/sources/document/${ID}/revisions/${hashOf(bytes)}/complete`;
    const response = await createIngestApp(bench.deps).request(path, { method: 'POST', body: '{"parts":1}' });
    expect(response.status).toBe(409);
  });

  it('makes its scope known, so that it can be erased before it is completed', async () => {
    const { put } = upload(text(500), 500);
    await put(0);
    expect(bench.scopeRow()).toMatchObject({ scope: 'alice', generation: 1 });
    bench.writes.length = 0;
    await put(0);
    expect(bench.writes.map(sortKeyOf).filter((sk) => sk === 'SCOPE')).toEqual([]);
    const erasing = { ...bench.deps, store: bench.store, clock: systemClock, decide: { planNextLook } };
    await eraseWholeScope(erasing, 'alice', 'Ann');
    expect(bench.snapshot().filter((row) => 'body' in row || 'sizeBytes' in row)).toEqual([]);
  });

  it('names bad lines and damaged bytes beside what it took', async () => {
    const lines = Array.from({ length: 20 }, (_, k) =>
      JSON.stringify({ speaker: 'Maya', text: `Line ${k}, caf\u00e9.` }),
    );
    lines[6] = '{"speaker"';
    const bytes = Buffer.from(lines.join('\n'));
    bytes[bytes.indexOf('caf') + 3] = 0xff;
    const { put, complete } = upload(bytes, 1_000, 's', 'transcript');
    await put(0);
    expect(await complete({ format: 'turns', strict: true })).toMatchObject({
      status: 422,
      body: { error: { code: 'invalid_turns', message: expect.stringMatching(/^line 7: it is not JSON/) } },
    });
    expect(await complete({ format: 'turns' })).toMatchObject({
      status: 200,
      body: {
        outcome: 'created',
        warnings: ['line 7: it is not JSON'],
        changes: [expect.stringMatching(/^invalid-bytes: /)],
      },
    });
  });
});

describe('parts that are not what was hashed', () => {
  it('are refused with the hash of each, and kept; the right part heals it', async () => {
    const { put, part, complete } = upload(text(1_000), 400);
    for (const n of [0, 1, 2]) await put(n, n === 1 ? Buffer.from('spoilt on its way') : part(n));
    const { status, body } = await complete();
    expect(status).toBe(422);
    expect(body.error).toMatchObject({
      code: 'sha256_differs',
      message: expect.stringContaining('send again what differs'),
    });
    const details = body.error?.details as { parts: { part: number; sha256: string }[] } | undefined;
    const parts = details?.parts ?? [];
    expect(parts.filter(({ part: n, sha256 }) => sha256 !== hashOf(part(n))).map(({ part: n }) => n)).toEqual([1]);
    expect(bench.sources()).toEqual([]);
    await put(1);
    expect((await complete()).body.outcome).toBe('created');
  });

  it('twin: without that check they would be taken in as what they are not', async () => {
    const { put, part, complete } = upload(text(1_000), 400);
    for (const n of [0, 1, 2]) await put(n, n === 1 ? Buffer.from('spoilt on its way') : part(n));
    const trusting = { ...bench.deps, decide: { ...bench.deps.decide, isIntact: () => true } };
    expect((await complete({}, trusting)).body.outcome).toBe('created');
  });
});

describe('an upload whose rows the table began to remove', () => {
  it('misses the part of which any bytes are gone', async () => {
    const { put, complete } = upload(text(HTTP.bodyMaxBytes));
    await put(0);
    const deps = {
      ...bench.deps,
      store: {
        ...bench.store,
        batchGet: async (read: Parameters<typeof bench.store.batchGet>[0]) =>
          (await bench.store.batchGet(read)).filter(({ sk }) => !String(sk).endsWith('#002')),
      },
    };
    expect(await complete({}, deps)).toMatchObject({ status: 409, body: { error: { details: { missing: [0] } } } });
  });
});

describe('what no upload is', () => {
  const sha256 = 'ab'.repeat(32);
  const base = `document/${ID}/revisions/${sha256}`;
  it.each([
    ['PUT', `document/${ID}/revisions/abc/parts/0`, 'x', 400, 'invalid_request', 'sha256 in the path'],
    ['PUT', `${base}/parts/${LIMITS.uploadPartsMax}`, 'x', 400, 'invalid_request', 'from 0 to 63'],
    ['PUT', `${base}/parts/x`, 'x', 400, 'invalid_request', 'from 0 to 63'],
    ['PUT', `${base}/parts/0`, '', 400, 'empty_part', 'at least one byte'],
    ['PUT', `${base}/parts/0`, 'x'.repeat(HTTP.bodyMaxBytes + 1), 413, 'body_too_large', 'at most 1048576'],
    ['PUT', `book/x/revisions/${sha256}/parts/0`, 'x', 400, 'invalid_request', 'kind in the path'],
    ['PUT', `${base}/pieces/0`, 'x', 404, 'not_found', 'no such route'],
    ['POST', `${base}/complete`, '{}', 400, 'invalid_request', 'parts'],
    ['POST', `${base}/complete`, '{"parts":65}', 400, 'invalid_request', 'from 1 to 64'],
    ['POST', `${base}/begin`, '{}', 404, 'not_found', 'no such route'],
  ] as const)('%s %s is refused', async (method, path, body, status, code, says) => {
    expect(await send(method, path, body)).toMatchObject({
      status,
      body: { error: { code, message: expect.stringContaining(says) } },
    });
    expect(bench.writes).toEqual([]);
  });

  it('a picture, or nothing but a mark, is refused when it is completed', async () => {
    const picture = upload(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13]));
    await picture.put(0);
    expect(await picture.complete()).toMatchObject({ status: 422, body: { error: { code: 'not_text' } } });
  });

  it('more bytes than one source may have is refused before they are read', async () => {
    const { put, complete } = upload(Buffer.alloc(17 * HTTP.bodyMaxBytes, 'x'));
    for (let n = 0; n < 17; n++) await put(n);
    expect(await complete()).toMatchObject({ status: 413, body: { error: { code: 'upload_too_large' } } });
  });
});
