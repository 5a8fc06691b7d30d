/** Cuts a stream of bytes into lines of text, also when a line or a character comes in pieces. */
import { StringDecoder } from 'node:string_decoder';

export class LineReader {
  readonly #onLine: (line: string) => void;
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    const lines = (this.#rest + this.#decoder.write(chunk)).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#onLine(line);
  }

  /** Hands out a last line that has no newline. */
  flush(): void {
    const last = this.#rest + this.#decoder.end();
    this.#rest = '';
    if (last !== '') this.#onLine(last);
  }
}
