/**
 * Sends the requests of `schema/` to DynamoDB. A failed condition becomes a value, with the item that refused it; when
 * that item already shows this very write, the reply was lost and the write won (design rule 2).
 */
import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  type BatchGetCommandOutput,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { LIMITS } from '../../schema/limits.ts';
import type { BatchGet, Item, Outcome, Write } from '../../schema/request.ts';
import type { TableName } from '../../schema/table.ts';
import type { Store } from './ports.ts';

export type TableNames = Readonly<Partial<Record<TableName, string>>>;

/** One client per execution environment; endpoint and region come from the SDK's standard variables. */
export function createDocumentClient(): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(new DynamoDBClient({}), { marshallOptions: { removeUndefinedValues: true } });
}

/** A store over real tables. Asking for a table the function was not given throws with the table's name. */
export function createStore(client: DynamoDBDocumentClient, tables: TableNames): Store {
  const nameOf = (table: TableName): string => {
    const name = tables[table];
    if (name === undefined) throw new Error(`this function was given no ${table} table`);
    return name;
  };
  return {
    write: (write) => sendWrite(client, nameOf(write.table), write),
    async get(read) {
      const { Item: item } = await client.send(new GetCommand({ ...read.input, TableName: nameOf(read.table) }));
      return item;
    },
    async query(read) {
      const page = await client.send(new QueryCommand({ ...read.input, TableName: nameOf(read.table) }));
      return { items: page.Items ?? [], lastKey: page.LastEvaluatedKey };
    },
    batchGet: (read) => sendBatchGet(client, nameOf(read.table), read),
  };
}

async function sendWrite(client: DynamoDBDocumentClient, TableName: string, write: Write): Promise<Outcome> {
  try {
    if (write.kind === 'put') {
      await client.send(new PutCommand({ ...write.input, TableName }));
      return { kind: 'won', item: write.input.Item };
    }
    if (write.kind === 'delete') {
      await client.send(new DeleteCommand({ ...write.input, TableName }));
      return { kind: 'won', item: undefined };
    }
    const { Attributes } = await client.send(new UpdateCommand({ ...write.input, TableName }));
    return { kind: 'won', item: Attributes };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const stored: Item | undefined = error.Item && unmarshall(error.Item);
    return stored && write.isMine(stored) ? { kind: 'won', item: stored } : { kind: 'held', stored };
  }
}

// A BatchGetItem may leave keys unprocessed under load; each round waits for the SDK's own back-off, never more than this.
const BATCH_ROUNDS_MAX = 8;

async function sendBatchGet(client: DynamoDBDocumentClient, table: string, read: BatchGet): Promise<readonly Item[]> {
  const items: Item[] = [];
  let keys: Item[] | undefined = [...read.keys];
  for (let round = 0; round < BATCH_ROUNDS_MAX && keys && keys.length > 0; round++) {
    const request = { RequestItems: { [table]: { Keys: keys, ConsistentRead: true } } };
    const answer: BatchGetCommandOutput = await client.send(new BatchGetCommand(request));
    items.push(...(answer.Responses?.[table] ?? []));
    keys = answer.UnprocessedKeys?.[table]?.Keys;
  }
  if (keys && keys.length > 0) {
    throw new Error(
      `${keys.length} of at most ${LIMITS.batchGetKeysMax} text parts stayed unread after ${BATCH_ROUNDS_MAX} rounds`,
    );
  }
  return items;
}
