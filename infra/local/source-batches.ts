/** Sources packed into bodies of POST sources: at most 50 of them and at most 1 MiB of JSON each. */
import { HTTP } from '../../schema/edges.ts';
import { LIMITS } from '../../schema/limits.ts';
import { type LeftOut, readSourceFile, type SourceBody, type SourceFile, tooLarge } from './source-folder.ts';

export interface SourceBatch {
  /** JSON text. */
  readonly body: string;
  readonly sources: readonly SourceBody[];
}

const OPENING = '{"sources":[';
const CLOSING = ']}';
/** What one source may take of a body by itself. */
export const SOURCE_BYTES_MAX = HTTP.bodyMaxBytes - OPENING.length - CLOSING.length;

/** One batch being packed. */
class Packing {
  readonly #sources: SourceBody[] = [];
  readonly #texts: string[] = [];
  #sizeBytes = 0;

  get isEmpty(): boolean {
    return this.#sources.length === 0;
  }

  hasRoom(sizeBytes: number): boolean {
    // One more for the comma.
    return this.#sources.length < LIMITS.ingestSourcesMax && this.#sizeBytes + sizeBytes + 1 <= SOURCE_BYTES_MAX;
  }

  add(source: SourceBody, text: string, sizeBytes: number): void {
    this.#sizeBytes += sizeBytes + (this.isEmpty ? 0 : 1);
    this.#sources.push(source);
    this.#texts.push(text);
  }

  finish(): SourceBatch {
    return { body: `${OPENING}${this.#texts.join(',')}${CLOSING}`, sources: this.#sources };
  }
}

/**
 * Reads files one after the other and packs them in their order; only one batch is held in memory. What cannot be taken
 * is handed to `leaveOut` when its turn comes.
 */
export function* packSources(
  files: Iterable<SourceFile>,
  leaveOut: (left: LeftOut) => void,
): Generator<SourceBatch, void> {
  let packing = new Packing();
  for (const file of files) {
    const source = readSourceFile(file, SOURCE_BYTES_MAX);
    if ('reason' in source) {
      leaveOut(source);
      continue;
    }
    const text = JSON.stringify(source);
    const sizeBytes = Buffer.byteLength(text);
    if (sizeBytes > SOURCE_BYTES_MAX) {
      leaveOut(tooLarge(file.id, sizeBytes, SOURCE_BYTES_MAX));
      continue;
    }
    if (!packing.isEmpty && !packing.hasRoom(sizeBytes)) {
      yield packing.finish();
      packing = new Packing();
    }
    packing.add(source, text, sizeBytes);
  }
  if (!packing.isEmpty) yield packing.finish();
}
