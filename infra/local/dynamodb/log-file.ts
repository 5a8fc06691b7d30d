/**
 * A file of JSON lines, appended without fsync.
 *
 * Policy: a line is in the kernel's hands when its write returns, so everything acknowledged survives a killed process;
 * a power cut or a crashed kernel may lose the last seconds. This is a development engine, and an fsync a write would
 * cost milliseconds. A process killed inside a write leaves a torn last line, which opening drops and cuts off.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { lockLog } from './log-lock.ts';

const CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;
/** No open file has this number. */
const CLOSED = -1;

export class LogFile {
  readonly #path: string;
  #file: number;
  #sizeBytes: number;
  readonly #unlock: () => void;

  /**
   * Opens or creates the file and hands every whole line to `onLine`. Throws what `onLine` throws, and when it is in
   * use.
   */
  constructor(path: string, onLine: (line: string, number: number) => void) {
    this.#path = path;
    mkdirSync(dirname(path), { recursive: true });
    this.#unlock = lockLog(path);
    this.#file = openSync(path, existsSync(path) ? 'r+' : 'w+');
    try {
      this.#sizeBytes = readLines(this.#file, onLine);
    } catch (error) {
      this.close();
      throw error;
    }
    ftruncateSync(this.#file, this.#sizeBytes);
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Throws when the disk refuses; the file then ends where it ended before. */
  append(line: string): void {
    this.#checkOpen();
    const bytes = Buffer.from(`${line}\n`);
    try {
      writeFully(this.#file, bytes, this.#sizeBytes);
    } catch (error) {
      ftruncateSync(this.#file, this.#sizeBytes);
      throw error;
    }
    this.#sizeBytes += bytes.length;
  }

  /**
   * Puts other content in the file's place at once: whoever opens it sees all of the old or all of the new.
   * Throws when the disk refuses; the old file is then still in use.
   */
  replace(lines: Iterable<string>): void {
    this.#checkOpen();
    const besides = `${this.#path}.new`;
    const file = openSync(besides, 'w+');
    try {
      const sizeBytes = writeLines(file, lines);
      renameSync(besides, this.#path);
      closeSync(this.#file);
      this.#file = file;
      this.#sizeBytes = sizeBytes;
    } catch (error) {
      closeSync(file);
      rmSync(besides, { force: true });
      throw error;
    }
  }

  close(): void {
    this.#checkOpen();
    closeSync(this.#file);
    this.#file = CLOSED;
    this.#unlock();
  }

  /** The system gives a closed file's number to the next file that is opened: a late line must not end up there. */
  #checkOpen(): void {
    if (this.#file === CLOSED) throw new Error(`The DynamoDB log ${this.#path} is closed. Open a new engine on it.`);
  }
}

/** Returns where the last whole line ends. */
function readLines(file: number, onLine: (line: string, number: number) => void): number {
  const total = fstatSync(file).size;
  let rest = Buffer.alloc(0);
  let read = 0;
  let number = 0;
  while (read < total) {
    const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, total - read));
    const count = readSync(file, chunk, 0, chunk.length, read);
    read += count;
    let block = Buffer.concat([rest, chunk.subarray(0, count)]);
    for (let end = block.indexOf(NEWLINE); end >= 0; end = block.indexOf(NEWLINE)) {
      onLine(block.toString('utf8', 0, end), ++number);
      block = block.subarray(end + 1);
    }
    rest = block;
  }
  return read - rest.length;
}

function writeLines(file: number, lines: Iterable<string>): number {
  let written = 0;
  let block = '';
  for (const line of lines) {
    block += `${line}\n`;
    if (block.length < CHUNK_BYTES) continue;
    written += writeFully(file, Buffer.from(block), written);
    block = '';
  }
  return written + writeFully(file, Buffer.from(block), written);
}

/** A write may take only a part. */
function writeFully(file: number, bytes: Buffer, position: number): number {
  let written = 0;
  while (written < bytes.length) written += writeSync(file, bytes, written, bytes.length - written, position + written);
  return written;
}
