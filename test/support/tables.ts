/**
 * Both tables behind the real store. `createTestStore` is always the embedded engine, without network and SDK, and shows
 * all items; `createTestTables` runs the real SDK client on any DynamoDB endpoint: the embedded engine, or the one that
 * AWS_ENDPOINT_URL_DYNAMODB names, where it creates tables with fresh names and deletes them at the end.
 */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
  DynamoDBClient,
  type DynamoDBClientConfig,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { createStore } from '../../functions/io/dynamo.ts';
import type { Store } from '../../functions/io/ports.ts';
import { createDynamoDb, type DynamoDb } from '../../infra/local/dynamodb/engine.ts';
import type { Item } from '../../schema/request.ts';
import { INDEXES, type IndexShape, PARTITION_KEY, SORT_KEY, type TableName } from '../../schema/table.ts';
import { createDirectStore } from './direct-store.ts';

export interface TestStore {
  readonly store: Store;
  readonly engine: DynamoDb;
  /** All items of a table as plain objects, in key order. */
  readonly items: (table: TableName) => Item[];
  readonly close: () => void;
}

const BASE_KEYS = [
  { AttributeName: PARTITION_KEY, KeyType: 'HASH' as const },
  { AttributeName: SORT_KEY, KeyType: 'RANGE' as const },
];
const BASE_ATTRIBUTES = [
  { AttributeName: PARTITION_KEY, AttributeType: 'S' as const },
  { AttributeName: SORT_KEY, AttributeType: 'S' as const },
];

function describeIndex([IndexName, { partition, sort, include }]: [string, IndexShape]) {
  return {
    IndexName,
    KeySchema: [
      { AttributeName: partition.name, KeyType: 'HASH' as const },
      { AttributeName: sort.name, KeyType: 'RANGE' as const },
    ],
    Projection:
      include.length > 0
        ? { ProjectionType: 'INCLUDE' as const, NonKeyAttributes: [...include] }
        : { ProjectionType: 'KEYS_ONLY' as const },
  };
}

type Names = Readonly<Record<TableName, string>>;

/** `control` with its stream and every index of `schema/table.ts`, and `text`. */
function describeTables({ control, text }: Names): readonly CreateTableCommandInput[] {
  const indexes: readonly { name: string; type: 'S' | 'N' }[] = Object.values(INDEXES).flatMap(
    ({ partition, sort }) => [partition, sort],
  );
  const indexAttributes = new Map(indexes.map(({ name, type }) => [name, type]));
  const shared = { BillingMode: 'PAY_PER_REQUEST' as const, KeySchema: BASE_KEYS };
  return [
    {
      ...shared,
      TableName: control,
      AttributeDefinitions: [
        ...BASE_ATTRIBUTES,
        ...[...indexAttributes].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
      ],
      GlobalSecondaryIndexes: Object.entries(INDEXES).map(describeIndex),
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
    },
    { ...shared, TableName: text, AttributeDefinitions: BASE_ATTRIBUTES },
  ];
}

const EMBEDDED_NAMES: Names = { control: 'control', text: 'text' };

function createTables(engine: DynamoDb): void {
  for (const table of describeTables(EMBEDDED_NAMES)) engine.dispatch('CreateTable', table);
}

type RequestHandler = Extract<DynamoDBClientConfig['requestHandler'], { handle: unknown }>;

/** Hands each request to the engine and its answer back, without a socket. */
function createInProcessHandler(engine: DynamoDb): RequestHandler {
  return {
    metadata: { handlerProtocol: 'in-process' },
    updateHttpClientConfig() {},
    httpHandlerConfigs: () => ({}),
    destroy() {},
    async handle(request: { headers: Record<string, string>; body?: string | Uint8Array }) {
      const text = typeof request.body === 'string' ? request.body : new TextDecoder().decode(request.body);
      const { status, body } = engine.respond(request.headers['x-amz-target'] ?? '', text);
      const headers = { 'content-type': 'application/x-amz-json-1.0' };
      return { response: { statusCode: status, headers, body: Readable.from([Buffer.from(body)]) } };
    },
  } as unknown as RequestHandler;
}

const TEST_CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'test' };

function createClient(config: DynamoDBClientConfig): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(new DynamoDBClient(config), { marshallOptions: { removeUndefinedValues: true } });
}

function createEmbeddedClient(engine: DynamoDb): DynamoDBDocumentClient {
  const requestHandler = createInProcessHandler(engine);
  return createClient({
    region: 'us-east-1',
    credentials: TEST_CREDENTIALS,
    ...(requestHandler && { requestHandler }),
  });
}

/** Without a network the SDK answers within one turn of the event loop: `Deployment.quiesce` counts on that. */
const TURNS_OF_REQUEST = 0;

/** Fresh, empty tables `control` and `text`. `now` is the engine's clock, for TTL and the stream. */
export function createTestStore(options: { readonly now?: () => number } = {}): TestStore {
  const engine = createDynamoDb(options);
  createTables(engine);
  const keyOf = (item: Item) => `${String(item[PARTITION_KEY])} ${String(item[SORT_KEY])}`;
  return {
    store: createDirectStore(engine, () => TURNS_OF_REQUEST),
    engine,
    items: (table) =>
      engine
        .items(table)
        .map((item) => unmarshall(item as Parameters<typeof unmarshall>[0]) as Item)
        .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
    close: () => engine.close(),
  };
}

export interface TestTables {
  readonly store: Store;
  readonly client: DynamoDBDocumentClient;
  readonly names: Names;
  /** Deletes the tables where they outlive the client. */
  close(): Promise<void>;
}

/** A real table with six indexes takes about half a minute to stand. */
export const TABLES_TIMEOUT_MS = 180_000;

/** Fresh, empty tables wherever the environment says. */
export async function createTestTables(): Promise<TestTables> {
  if (!process.env['AWS_ENDPOINT_URL_DYNAMODB']) return createEmbeddedTables();
  const client = createClient({
    region: process.env['AWS_REGION'] ?? 'us-east-1',
    ...(!process.env['AWS_ACCESS_KEY_ID'] && !process.env['AWS_PROFILE'] && { credentials: TEST_CREDENTIALS }),
  });
  const run = randomUUID().slice(0, 8);
  const names: Names = { control: `nightjar-test-${run}-control`, text: `nightjar-test-${run}-text` };
  for (const table of describeTables(names)) await client.send(new CreateTableCommand(table));
  for (const TableName of Object.values(names)) {
    await waitUntilTableExists({ client, maxWaitTime: TABLES_TIMEOUT_MS / 1000, minDelay: 1 }, { TableName });
  }
  return {
    store: createStore(client, names),
    client,
    names,
    async close() {
      for (const TableName of Object.values(names)) await client.send(new DeleteTableCommand({ TableName }));
      client.destroy();
    },
  };
}

function createEmbeddedTables(): TestTables {
  const engine = createDynamoDb();
  createTables(engine);
  const client = createEmbeddedClient(engine);
  return {
    store: createStore(client, EMBEDDED_NAMES),
    client,
    names: EMBEDDED_NAMES,
    async close() {
      client.destroy();
      engine.close();
    },
  };
}
