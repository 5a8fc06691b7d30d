import { describe, expect, it } from 'vitest';
import { packSources, SOURCE_BYTES_MAX, type SourceBatch } from '../../../infra/local/source-batches.ts';
import type { ReadFile } from '../../../infra/local/source-folder.ts';
import { HTTP } from '../../../schema/edges.ts';

const fileOf = (id: string, text: string): ReadFile => ({
  source: { kind: 'document', id, format: 'text', text, modifiedAt: '2024-05-03T10:00:00.000Z' },
  bytes: Buffer.from(text),
  changes: [],
});
/** A file whose source takes exactly this much JSON. */
const ofSize = (id: string, sizeBytes: number): ReadFile =>
  fileOf(id, 'x'.repeat(sizeBytes - Buffer.byteLength(JSON.stringify(fileOf(id, '').source))));

async function pack(files: readonly ReadFile[], strict = false) {
  const batches: SourceBatch[] = [];
  const large: string[] = [];
  for await (const sending of packSources(files, { strict })) {
    if (sending.kind === 'batch') batches.push(sending);
    else large.push(sending.file.source.id);
  }
  return { batches, large };
}
const idsOf = ({ files }: SourceBatch) => files.map(({ source }) => source.id);

describe('packing sources', () => {
  it('puts at most 50 into a body, in their order', async () => {
    const files = Array.from({ length: 101 }, (_, k) => fileOf(`${k}.txt`, `text ${k}`));
    const { batches } = await pack(files);
    expect(batches.map(({ files: packed }) => packed.length)).toEqual([50, 50, 1]);
    const bodies = batches.flatMap(({ body }) => (JSON.parse(body) as { sources: { id: string }[] }).sources);
    expect(bodies.map(({ id }) => id)).toEqual(files.map(({ source }) => source.id));
  });

  it('fills a body to the last byte and never beyond', async () => {
    const half = SOURCE_BYTES_MAX / 2;
    const { batches, large } = await pack([ofSize('a.txt', half - 1), ofSize('b.txt', half), ofSize('c.txt', half)]);
    expect(large).toEqual([]);
    expect(batches.map(idsOf)).toEqual([['a.txt', 'b.txt'], ['c.txt']]);
    expect(Buffer.byteLength(batches[0]?.body ?? '')).toBe(HTTP.bodyMaxBytes);
  });

  it('packs a source that just fits, and leaves one that does not to an upload', async () => {
    const files = [
      ofSize('fits.txt', SOURCE_BYTES_MAX),
      ofSize('large.txt', SOURCE_BYTES_MAX + 1),
      fileOf('z.txt', 'z'),
    ];
    const { batches, large } = await pack(files);
    expect(batches.flatMap(idsOf)).toEqual(['fits.txt', 'z.txt']);
    expect(large).toEqual(['large.txt']);
    expect(Math.max(...batches.map(({ body }) => Buffer.byteLength(body)))).toBeLessThanOrEqual(HTTP.bodyMaxBytes);
  });

  it('counts what JSON makes of the text, not the file', async () => {
    expect(await pack([fileOf('quotes.txt', '"'.repeat(SOURCE_BYTES_MAX / 2))])).toEqual({
      batches: [],
      large: ['quotes.txt'],
    });
  });

  it('asks for strictness only where it was asked for', async () => {
    const strictOf = async (strict: boolean) => {
      const { batches } = await pack([fileOf('a.txt', 'x')], strict);
      return (JSON.parse(batches[0]?.body ?? '') as { sources: { strict?: boolean }[] }).sources[0]?.strict;
    };
    expect([await strictOf(false), await strictOf(true)]).toEqual([undefined, true]);
  });
});
