/** Sources packed into bodies of POST sources: at most 50 of them and at most 1 MiB of JSON each. */
import { HTTP } from '../../schema/edges.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { ReadFile, SourceBody } from './source-folder.ts';

export interface SourceBatch {
  readonly kind: 'batch';
  /** JSON text. */
  readonly body: string;
  readonly files: readonly ReadFile[];
}

/** A file that no body holds: its bytes go up in parts. */
export interface LargeFile {
  readonly kind: 'large';
  readonly file: ReadFile;
}

const OPENING = '{"sources":[';
const CLOSING = ']}';
/** What one source may take of a body by itself. */
export const SOURCE_BYTES_MAX = HTTP.bodyMaxBytes - OPENING.length - CLOSING.length;

/** One batch being packed. */
class Packing {
  readonly #files: ReadFile[] = [];
  readonly #texts: string[] = [];
  #sizeBytes = 0;

  get isEmpty(): boolean {
    return this.#files.length === 0;
  }

  hasRoom(sizeBytes: number): boolean {
    // One more for the comma.
    return this.#files.length < LIMITS.ingestSourcesMax && this.#sizeBytes + sizeBytes + 1 <= SOURCE_BYTES_MAX;
  }

  add(file: ReadFile, text: string, sizeBytes: number): void {
    this.#sizeBytes += sizeBytes + (this.isEmpty ? 0 : 1);
    this.#files.push(file);
    this.#texts.push(text);
  }

  finish(): SourceBatch {
    return { kind: 'batch', body: `${OPENING}${this.#texts.join(',')}${CLOSING}`, files: this.#files };
  }
}

interface PackOptions {
  /** Refuse a transcript for one bad line. */
  readonly strict?: boolean;
}

/** Packs files in their order; only one batch and one large file are held in memory. */
export async function* packSources(
  files: AsyncIterable<ReadFile> | Iterable<ReadFile>,
  { strict = false }: PackOptions = {},
): AsyncGenerator<SourceBatch | LargeFile, void> {
  let packing = new Packing();
  for await (const file of files) {
    const source: SourceBody & { strict?: true } = { ...file.source, ...(strict && { strict }) };
    const text = JSON.stringify(source);
    const sizeBytes = Buffer.byteLength(text);
    if (sizeBytes > SOURCE_BYTES_MAX) {
      yield { kind: 'large', file };
      continue;
    }
    if (!packing.isEmpty && !packing.hasRoom(sizeBytes)) {
      yield packing.finish();
      packing = new Packing();
    }
    packing.add(file, text, sizeBytes);
  }
  if (!packing.isEmpty) yield packing.finish();
}
