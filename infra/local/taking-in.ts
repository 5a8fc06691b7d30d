/**
 * Takes the files of a folder in, as a user of a deployment would: many in one call, a large one in parts, and of a
 * transcript that grew the new turns alone. What cannot be taken is named, and stops no other.
 */
import type { IngestResult } from '../../functions/ingest/answer.ts';
import { HTTP } from '../../schema/edges.ts';
import { sha256Of } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';
import { findAppendedTurns } from './grown-transcript.ts';
import { ApiFailure, type ScopeClient } from './scope-client.ts';
import { packSources } from './source-batches.ts';
import { type LeftOut, type ReadFile, readSourceFile, type SourceFile } from './source-folder.ts';
import { nameSource } from './store-count.ts';

/** Something to know about a file that was taken in. */
export interface Remark {
  readonly id: string;
  readonly text: string;
}

export interface Ingested {
  /** The sources taken in, by kind and id; also those that were known before. */
  readonly sources: ReadonlySet<string>;
  /** Of these: new, or with new text. */
  readonly changed: number;
  readonly leftOut: readonly LeftOut[];
  readonly remarks: readonly Remark[];
}

export interface TakeOptions {
  /** A transcript with a bad line is left out. */
  readonly strict?: boolean;
  readonly say: (line: string) => void;
}

/**
 * What of the changes on the way in somebody would want to know, as a sentence: the others change nothing that is said.
 * In the form in which answers carry them, with the number where there is one.
 */
const TOLD_CHANGES: readonly (readonly [change: RegExp, sentence: string])[] = [
  [/^utf-16$/, 'it is UTF-16, and was read by its byte order mark; nothing of it is lost'],
  [
    /^invalid-bytes: (\d+)$/,
    'places that are no UTF-8: $1; each holds U+FFFD now. Where words are missing, convert the file to UTF-8',
  ],
  [/^nul: (\d+)$/, 'NUL characters taken out: $1'],
  [/^lone-surrogates: (\d+)$/, 'halves of characters that stand alone: $1; each holds U+FFFD now'],
];

/** A change as its sentence; none for one that nobody has to know of. */
export function tellChange(change: string): string[] {
  return TOLD_CHANGES.flatMap(([form, sentence]) => (form.test(change) ? [change.replace(form, sentence)] : []));
}

/** Sends all files. */
export async function ingestFiles(
  client: ScopeClient,
  files: readonly SourceFile[],
  options: TakeOptions,
): Promise<Ingested> {
  const taking = new TakingIn(client, files.length, options);
  await taking.run(files);
  return taking;
}

class TakingIn implements Ingested {
  readonly sources = new Set<string>();
  changed = 0;
  readonly leftOut: LeftOut[] = [];
  readonly remarks: Remark[] = [];
  readonly #client: ScopeClient;
  readonly #count: number;
  readonly #options: TakeOptions;
  /** Whether the scope has anything that could have grown. */
  #isKnown = true;

  constructor(client: ScopeClient, count: number, options: TakeOptions) {
    this.#client = client;
    this.#count = count;
    this.#options = options;
  }

  async run(files: readonly SourceFile[]): Promise<void> {
    const { strict = false, say } = this.#options;
    for await (const sending of packSources(this.#readUnsent(files), { strict })) {
      if (sending.kind === 'large') await this.#sendLarge(sending.file);
      else {
        const { results } = await this.#client.putSources(sending.body);
        for (const [index, result] of results.entries()) this.#note(sending.files[index] as ReadFile, result);
      }
      if (this.#count > LIMITS.ingestSourcesMax) say(`  ${this.sources.size} of ${this.#count} files taken in`);
    }
  }

  /** Reads files when their turn comes, and sends what only grew. */
  async *#readUnsent(files: readonly SourceFile[]): AsyncGenerator<ReadFile, void> {
    for (const file of files) {
      const read = readSourceFile(file);
      if ('reason' in read) this.leftOut.push(read);
      else if (!(this.#isKnown && read.source.kind === 'transcript' && (await this.#appendTurns(read)))) yield read;
    }
  }

  async #appendTurns(file: ReadFile): Promise<boolean> {
    const { kind, id } = file.source;
    const answer = await this.#client.source(kind, id);
    this.#isKnown = answer.known;
    const turns = findAppendedTurns(file.source, answer);
    if (turns === undefined) return false;
    const result = await this.#client.appendTurns(id, turns.body).catch(undefinedForRefusal);
    // Somebody else's session by now: sent whole, it is judged as a whole.
    if (result === undefined) return false;
    this.#note(file, result);
    return true;
  }

  async #sendLarge(file: ReadFile): Promise<void> {
    const { source, bytes } = file;
    const { kind, id, format, modifiedAt } = source;
    const upload = { kind, id, sha256: sha256Of([bytes]) };
    const count = Math.ceil(bytes.length / HTTP.bodyMaxBytes);
    this.#options.say(`  ${id}: ${bytes.length} bytes in ${count} parts`);
    try {
      for (let part = 0; part < count; part++) {
        const from = part * HTTP.bodyMaxBytes;
        await this.#client.putPart(upload, part, bytes.subarray(from, from + HTTP.bodyMaxBytes));
      }
      const { strict = false } = this.#options;
      const about = { parts: count, format, modifiedAt, ...(strict && { strict }) };
      this.#note(file, await this.#client.completeUpload(upload, JSON.stringify(about)));
    } catch (error) {
      if (!(error instanceof ApiFailure) || error.status >= 500) throw error;
      this.leftOut.push({ id, reason: error.message, isText: true });
    }
  }

  #note({ source, changes }: ReadFile, { outcome, error, warnings = [], changes: more = [] }: IngestResult): void {
    const { id } = source;
    if (outcome === 'refused') {
      this.leftOut.push({ id, reason: error?.message ?? 'refused', isText: true });
      return;
    }
    this.sources.add(nameSource(source));
    if (outcome === 'created' || outcome === 'revised') this.changed += 1;
    const told = new Set([...changes, ...more].flatMap(tellChange));
    this.remarks.push(...[...warnings, ...told].map((text) => ({ id, text })));
  }
}

function undefinedForRefusal(error: unknown): undefined {
  if (!(error instanceof ApiFailure) || error.status >= 500) throw error;
}
