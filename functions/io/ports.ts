/**
 * The ways out of a run: what its deps record is made of. Types only; `deps.ts` makes the real ones, the tests and the
 * simulation their own. A run touches the world through nothing else (design rules 6 and 7).
 */
import type { TriggerMessage, WorkEvent } from '../../schema/messages.ts';
import type { MetricName } from '../../schema/metrics.ts';
import type { BatchGet, Get, Item, Outcome, Query, Write } from '../../schema/request.ts';

export interface QueryPage {
  readonly items: readonly Item[];
  /** Present when more rows may follow. */
  readonly lastKey: Item | undefined;
}

export interface Store {
  /** Sends a conditional write. Losing is a value; throttling and network errors throw. */
  write(write: Write): Promise<Outcome>;
  get(read: Get): Promise<Item | undefined>;
  query(read: Query): Promise<QueryPage>;
  /** Items that exist, in no order; unprocessed keys are asked for again. */
  batchGet(read: BatchGet): Promise<readonly Item[]>;
}

export interface Clock {
  nowMs(): number;
  /** Resolves after `ms`, or at once when the signal aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Ids {
  /** A fresh id, for an `op` or an attempt. */
  fresh(): string;
}

export interface TriggerQueue {
  send(message: TriggerMessage): Promise<void>;
}

export interface WorkerInvoker {
  /** Asks for one asynchronous invocation; the answer only says that the event was taken. */
  invoke(event: WorkEvent): Promise<void>;
}

type Fields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Log {
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, error: unknown, fields?: Fields): void;
  count(metric: MetricName, value: number): void;
}
