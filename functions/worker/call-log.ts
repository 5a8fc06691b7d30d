/**
 * The audit of one pass: its tool calls on their way into CALL rows, several a row. One row a call would be a tenth of a
 * write for each source; so they are gathered, and written when they are many, and at each tick of ten seconds.
 */
import { type Call, putCallPage } from '../../schema/call-page.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { PassAddress } from '../../schema/pass.ts';
import { recordOf, type ToolCall } from '../core/call-record.ts';
import type { WorkerDeps } from './deps.ts';

export class CallLog {
  readonly #deps: Pick<WorkerDeps, 'store' | 'clock' | 'ids'>;
  readonly #address: PassAddress;
  #unwritten: Call[] = [];
  #calls = 0;
  #rows = 0;

  constructor(deps: Pick<WorkerDeps, 'store' | 'clock' | 'ids'>, address: PassAddress) {
    this.#deps = deps;
    this.#address = address;
  }

  /** Runs a call and takes it down, whatever comes of it. */
  async record<T extends object>(call: ToolCall, run: () => Promise<T>): Promise<T> {
    const place = { seq: ++this.#calls, atMs: this.#deps.clock.nowMs() };
    try {
      const answer = await run();
      this.#unwritten.push(recordOf(call, { answer }, place));
      if (this.#isFull) await this.flush();
      return answer;
    } catch (error) {
      this.#unwritten.push(recordOf(call, { thrown: error instanceof Error ? error.name : 'error' }, place));
      throw error;
    }
  }

  get #isFull(): boolean {
    const references = this.#unwritten.reduce(
      (sum, { asked = [], given = [], refused = [] }) => sum + asked.length + given.length + refused.length,
      0,
    );
    return this.#unwritten.length >= LIMITS.callsPerRowMax || references >= LIMITS.callReferencesPerRowMax;
  }

  /** Writes what is not written. A pass of more calls than its rows hold goes on, and is taken down no further. */
  async flush(): Promise<void> {
    const [first, ...rest] = this.#unwritten.splice(0);
    if (!first || this.#rows >= LIMITS.callRowsPerPassMax) return;
    this.#rows++;
    const { store, clock, ids } = this.#deps;
    await store.write(putCallPage(this.#address, { calls: [first, ...rest], nowMs: clock.nowMs(), op: ids.fresh() }));
  }
}
