/**
 * The audit of one pass: its tool calls on their way into CALL rows, several a row. One row a call would be a tenth of a
 * write for each source; so they are gathered, and written when they are many, and at each tick of ten seconds.
 *
 * A row that could not be written is kept and sent again as it was: it may stand already, and then it loses to itself. A
 * pass goes on without it, and ends with it or not at all.
 */
import { type Call, putCallPage } from '../../schema/call-page.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { PassAddress } from '../../schema/pass.ts';
import { recordOf, type ToolCall } from '../core/call-record.ts';
import type { WorkerDeps } from './deps.ts';

type LogDeps = Pick<WorkerDeps, 'store' | 'clock' | 'ids' | 'log'>;

export class CallLog {
  readonly #deps: LogDeps;
  readonly #address: PassAddress;
  #unwritten: Call[] = [];
  /** A row that was sent, and is not known to stand. */
  #sent: readonly Call[] | undefined;
  #calls = 0;
  #rows = 0;

  constructor(deps: LogDeps, address: PassAddress) {
    this.#deps = deps;
    this.#address = address;
  }

  /** Runs a call and takes it down, whatever comes of it. */
  async record<T extends object>(call: ToolCall, run: () => Promise<T>): Promise<T> {
    const place = { seq: ++this.#calls, atMs: this.#deps.clock.nowMs() };
    let answer: T;
    try {
      answer = await run();
    } catch (error) {
      this.#unwritten.push(recordOf(call, { thrown: error instanceof Error ? error.name : 'error' }, place));
      throw error;
    }
    this.#unwritten.push(recordOf(call, { answer }, place));
    if (isFull(this.#unwritten)) await this.note();
    return answer;
  }

  /** Writes what is not written; what cannot be written now is left to the next time. */
  async note(): Promise<void> {
    try {
      await this.flush();
    } catch (error) {
      this.#deps.log.error('calls of a pass could not be noted; they are sent again', error);
    }
  }

  /**
   * Writes what is not written. A pass of more calls than its rows hold goes on, and is taken down no further. Throws what
   * the store throws: nothing is lost then.
   */
  async flush(): Promise<void> {
    const { store, clock, ids } = this.#deps;
    while (this.#sent || this.#unwritten.length > 0) {
      const row = (this.#sent ??= this.#unwritten.splice(0, rowLength(this.#unwritten)));
      const [first, ...rest] = row;
      if (first && this.#rows < LIMITS.callRowsPerPassMax) {
        const calls = [first, ...rest] as const;
        await store.write(putCallPage(this.#address, { calls, nowMs: clock.nowMs(), op: ids.fresh() }));
      }
      // A tick and a call may send one row at once: whoever is first goes on to the next.
      if (this.#sent !== row) continue;
      this.#rows++;
      this.#sent = undefined;
    }
  }
}

const referencesOf = ({ asked = [], given = [], refused = [] }: Call): number =>
  asked.length + given.length + refused.length;

function isFull(calls: readonly Call[]): boolean {
  const references = calls.reduce((sum, call) => sum + referencesOf(call), 0);
  return calls.length >= LIMITS.callsPerRowMax || references >= LIMITS.callReferencesPerRowMax;
}

/** How many of the calls, from the first on, are of one row: it ends with the one that makes it full. */
function rowLength(calls: readonly Call[]): number {
  let length = 0;
  while (length < calls.length && !isFull(calls.slice(0, length))) length++;
  return length;
}
