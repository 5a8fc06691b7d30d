/**
 * An embedded DynamoDB for development, tests and the bench. It is never a store: no replicas, no fsync, no
 * permissions, no throttling.
 *
 * Every operation runs in one turn of the event loop, so a conditional write is atomic by construction and there are no
 * locks. The clock is an argument. What is not emulated is refused by name. dynalite checks the requests and parses the
 * expressions; the rest is ours, because dynalite loses index rows with equal keys, corrupts some updates and miscounts
 * sizes.
 */
import type { Item } from './attribute-value.ts';
import { createExpressionResolver } from './expression.ts';
import { DynamoDbFault, serializationFault, unknownOperationFault, validationFault } from './fault.ts';
import { LateIndexes } from './late-indexes.ts';
import { openLog } from './log.ts';
import { query } from './query.ts';
import { batchGetItem, getItem } from './read.ts';
import type { RequestBody } from './request.ts';
import { findTable, type Store } from './store.ts';
import type { StreamPage, StreamRecord, TableStream } from './stream.ts';
import { tableArn } from './table-description.ts';
import {
  createTable,
  deleteTable,
  describeTable,
  describeTimeToLive,
  listTables,
  updateTimeToLive,
} from './table-operations.ts';
import { sweepTtl } from './ttl.ts';
import { batchWriteItem, deleteItem, putItem, updateItem } from './write.ts';

export interface DynamoDbOptions {
  /** Epoch milliseconds. Default: the machine's clock. */
  readonly now?: () => number;
  /** Keeps the tables in this file across restarts. Default: memory only. */
  readonly logPath?: string;
  /** Only shows in ARNs and stream records. Default: us-east-1. */
  readonly region?: string;
}

export interface DynamoDb {
  /** Answers one request of the JSON protocol; `target` is the x-amz-target header. Never throws. */
  respond(target: string, body: string): { readonly status: number; readonly body: string };
  /** Runs one operation on a copy of `input`. Throws a DynamoDbFault. */
  dispatch(operation: string, input: object): Record<string, unknown>;
  /** A copy of all items of a table, in no particular order: what a test has instead of Scan. */
  items(table: string): Item[];
  /**
   * Calls `listener` in the turn of each write that changes an item, after the write. Returns the function that stops
   * it.
   */
  onStream(table: string, listener: (record: StreamRecord) => void): () => void;
  /** Reads at most `limit` records from the index on (0 is the first ever); the next index goes into the next call. */
  readStream(table: string, fromIndex: number, limit: number): StreamPage;
  /**
   * Drops the records up to and including this SequenceNumber for good. With several readers: the lowest of their
   * positions. What is not acknowledged is there again after a restart on the same log.
   */
  ackStream(table: string, sequenceNumber: string): void;
  /** From now on queries of an index see a write only so long after it; 0 (the default) serves it at once. */
  setIndexLag(lagMs: number): void;
  /** Deletes what is due by TTL, in every table; returns how many items. */
  sweepTtl(): number;
  tableArn(table: string): string;
  /** Undefined for a table without a stream. */
  streamArn(table: string): string | undefined;
  /** Compacts and closes the log. The engine must not be used afterwards. */
  close(): void;
}

type Operation = (store: Store, body: RequestBody) => object;

const OPERATIONS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['CreateTable', createTable],
  ['DescribeTable', describeTable],
  ['ListTables', listTables],
  ['DeleteTable', deleteTable],
  ['UpdateTimeToLive', updateTimeToLive],
  ['DescribeTimeToLive', describeTimeToLive],
  ['PutItem', putItem],
  ['UpdateItem', updateItem],
  ['DeleteItem', deleteItem],
  ['GetItem', getItem],
  ['BatchGetItem', batchGetItem],
  ['BatchWriteItem', batchWriteItem],
  ['Query', query],
]);

const TARGET_PREFIX = 'DynamoDB_20120810.';
/** One for all engines of a process: what it keeps depends on no table, and tests open hundreds of engines. */
const resolveExpressions = createExpressionResolver();
/** dynalite's check copies by assignment, which would lose an attribute of this name without a word. */
const PROTOTYPE = '__proto__';

/** Opens an engine, empty or as its log left it. Throws an Error when the log cannot be read. */
export function createDynamoDb(options: DynamoDbOptions = {}): DynamoDb {
  const { now = Date.now, logPath, region = 'us-east-1' } = options;
  const tables: Store['tables'] = new Map();
  const log = logPath === undefined ? undefined : openLog(logPath, tables);
  let lastCreationMs = Math.max(
    0,
    ...[...tables.values()].map(({ description }) => description.CreationDateTime * 1000),
  );
  const store: Store = {
    tables,
    now,
    region,
    resolveExpressions,
    lateIndexes: new LateIndexes(now, tables),
    takeCreationTimeMs: () => (lastCreationMs = Math.max(Math.round(lastCreationMs) + 1, now())),
    appendLog: (entry) => log?.append(entry),
  };
  const settle = <Result>(result: Result): Result => {
    log?.compactIfGrown();
    return result;
  };
  return {
    respond: (target, body) => settle(respond(store, target, body)),
    dispatch: (operation, input) =>
      settle(copyJson(runOperation(store, operation, copyJson(input) as RequestBody)) as Record<string, unknown>),
    items: (table) => [...findTable(store, table).rows.rows()].map(({ item }) => copyJson(item)),
    onStream: (table, listener) => {
      const { listeners } = findStream(store, table);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    readStream: (table, fromIndex, limit) => findStream(store, table).read(fromIndex, limit),
    ackStream: (table, sequenceNumber) => {
      const isNew = findStream(store, table).acknowledge(sequenceNumber);
      if (isNew) store.appendLog({ kind: 'ack', table, sequenceNumber });
      settle(undefined);
    },
    setIndexLag: (lagMs) => store.lateIndexes.setLag(lagMs),
    sweepTtl: () => settle(sweepTtl(store)),
    tableArn: (table) => tableArn(region, table),
    streamArn: (table) => findTable(store, table).description.LatestStreamArn,
    close: () => log?.close(),
  };
}

/** The answer is text before anything else can run, so no caller ever holds a stored item. */
function respond(store: Store, target: string, text: string): { status: number; body: string } {
  try {
    if (!target.startsWith(TARGET_PREFIX)) throw unknownOperationFault(`${target} is no operation of ${TARGET_PREFIX}`);
    const answer = runOperation(store, target.slice(TARGET_PREFIX.length), readBody(text));
    return { status: 200, body: JSON.stringify(answer) };
  } catch (error) {
    if (error instanceof DynamoDbFault) return { status: 400, body: JSON.stringify(error.body) };
    const message = (error as Error).stack;
    return {
      status: 500,
      body: JSON.stringify({ __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError', message }),
    };
  }
}

function readBody(text: string): RequestBody {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw serializationFault('The request body is not JSON.');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw serializationFault('The request body is not a JSON object.');
  }
  if (text.includes(PROTOTYPE)) refusePrototype(body);
  return body as RequestBody;
}

function refusePrototype(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (Object.hasOwn(value, PROTOTYPE)) {
    throw validationFault(`The name ${PROTOTYPE} is not emulated by the embedded engine. Use another attribute name.`);
  }
  for (const inner of Object.values(value)) refusePrototype(inner);
}

function runOperation(store: Store, name: string, body: RequestBody): object {
  const operation = OPERATIONS.get(name);
  if (operation === undefined) {
    throw unknownOperationFault(
      `${name} is not emulated by the embedded engine: the design does without it. Emulated operations: ${[...OPERATIONS.keys()].join(', ')}.`,
    );
  }
  return operation(store, body);
}

/** Everything in and out is JSON; copied by its text in half the time `structuredClone` takes. */
function copyJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

function findStream(store: Store, name: string): TableStream {
  const { stream } = findTable(store, name);
  if (stream === undefined) {
    throw validationFault(
      `Table ${name} has no stream. Create it with StreamSpecification { StreamEnabled: true, StreamViewType }.`,
    );
  }
  return stream;
}
