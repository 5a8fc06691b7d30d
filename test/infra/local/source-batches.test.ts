import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packSources, SOURCE_BYTES_MAX, type SourceBatch } from '../../../infra/local/source-batches.ts';
import type { LeftOut, SourceFile } from '../../../infra/local/source-folder.ts';
import { HTTP } from '../../../schema/edges.ts';
import { makeFolder } from './command-run.ts';

describe('packing sources', () => {
  let made: ReturnType<typeof makeFolder>;
  const put = (id: string, text: string): SourceFile => {
    const place = path.join(made.folder, id);
    writeFileSync(place, text);
    return { id, path: place };
  };
  const pack = (files: readonly SourceFile[]): { batches: SourceBatch[]; leftOut: LeftOut[] } => {
    const leftOut: LeftOut[] = [];
    return { batches: [...packSources(files, (left) => leftOut.push(left))], leftOut };
  };
  /** A file whose source takes exactly this much JSON. */
  const putOfSize = (id: string, sizeBytes: number): SourceFile => {
    const [one] = pack([put(id, '')]).batches;
    const emptyBytes = Buffer.byteLength(JSON.stringify(one?.sources[0]));
    return put(id, 'x'.repeat(sizeBytes - emptyBytes));
  };

  beforeEach(() => {
    made = makeFolder();
  });
  afterEach(() => made.remove());

  it('puts at most 50 into a body, in their order', () => {
    const files = Array.from({ length: 101 }, (_, k) => put(`${k}.txt`, `text ${k}`));
    const { batches } = pack(files);
    expect(batches.map(({ sources }) => sources.length)).toEqual([50, 50, 1]);
    const bodies = batches.flatMap(({ body }) => (JSON.parse(body) as { sources: { id: string }[] }).sources);
    expect(bodies.map(({ id }) => id)).toEqual(files.map(({ id }) => id));
  });

  it('fills a body to the last byte and never beyond', () => {
    const half = SOURCE_BYTES_MAX / 2;
    const files = [putOfSize('a.txt', half - 1), putOfSize('b.txt', half), putOfSize('c.txt', half)];
    const { batches, leftOut } = pack(files);
    expect(leftOut).toEqual([]);
    expect(batches.map(({ sources }) => sources.map(({ id }) => id))).toEqual([['a.txt', 'b.txt'], ['c.txt']]);
    expect(Buffer.byteLength(batches[0]?.body ?? '')).toBe(HTTP.bodyMaxBytes);
  });

  it('takes a source that just fits and names one that does not, without stopping', () => {
    const files = [
      putOfSize('fits.txt', SOURCE_BYTES_MAX),
      putOfSize('large.txt', SOURCE_BYTES_MAX + 1),
      put('z.txt', 'z'),
    ];
    const { batches, leftOut } = pack(files);
    expect(batches.flatMap(({ sources }) => sources.map(({ id }) => id))).toEqual(['fits.txt', 'z.txt']);
    expect(leftOut).toMatchObject([{ id: 'large.txt', isText: true }]);
    expect(Math.max(...batches.map(({ body }) => Buffer.byteLength(body)))).toBeLessThanOrEqual(HTTP.bodyMaxBytes);
  });

  it('counts what JSON makes of the text, not the file', () => {
    const { batches, leftOut } = pack([put('quotes.txt', '"'.repeat(SOURCE_BYTES_MAX / 2))]);
    expect({ batches, leftOut }).toMatchObject({ batches: [], leftOut: [{ id: 'quotes.txt', isText: true }] });
  });
});
