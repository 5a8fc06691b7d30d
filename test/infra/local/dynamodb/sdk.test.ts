/**
 * Goal: the engine speaks the SDK's language. Method: the real document client against it, over HTTP on the loopback.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  ConditionalCheckFailedException,
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  NumberValue,
  PutCommand,
  QueryCommand,
  ScanCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDynamoDb } from '../../../../infra/local/dynamodb/engine.ts';
import { MAIN_TABLE, TABLE } from './main-table.ts';

let server: Server;
let client: DynamoDBClient;
let documents: DynamoDBDocumentClient;

beforeAll(async () => {
  const engine = createDynamoDb();
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { status, body } = engine.respond(
        String(request.headers['x-amz-target']),
        Buffer.concat(chunks).toString(),
      );
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  client = openClient();
  documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  await client.send(new CreateTableCommand(MAIN_TABLE as unknown as CreateTableCommandInput));
});

function openClient(): DynamoDBClient {
  return new DynamoDBClient({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  });
}

afterAll(async () => {
  client.destroy();
  await new Promise((resolve) => server.close(resolve));
});

const key = { PK: 'sdk', SK: '1' };
const document = {
  ...key,
  text: 'é',
  n: 1.5,
  yes: true,
  nothing: null,
  list: [1, { a: 'b' }],
  tags: new Set(['x']),
  bytes: new Uint8Array([1, 2]),
};

describe('the document client', () => {
  it('reads back what it wrote, of every type', async () => {
    await documents.send(new PutCommand({ TableName: TABLE, Item: document }));
    const { Item } = await documents.send(new GetCommand({ TableName: TABLE, Key: key, ConsistentRead: true }));
    expect(Item).toEqual(document);
  });

  it('keeps all digits of a number', async () => {
    const exact = '12345678901234567890123456789012345678';
    await documents.send(
      new PutCommand({ TableName: TABLE, Item: { ...key, SK: 'exact', n: NumberValue.from(exact) } }),
    );
    // A client of its own: document clients over one client share their options.
    const wrapping = DynamoDBDocumentClient.from(openClient(), { unmarshallOptions: { wrapNumbers: true } });
    const { Item } = await wrapping.send(new GetCommand({ TableName: TABLE, Key: { ...key, SK: 'exact' } }));
    wrapping.destroy();
    expect(String(Item?.['n'])).toBe(exact);
  });

  it('gets the stored item with a refused condition', async () => {
    await documents.send(new PutCommand({ TableName: TABLE, Item: document }));
    const losing = new UpdateCommand({
      TableName: TABLE,
      Key: key,
      UpdateExpression: 'SET n = :n',
      ConditionExpression: 'n > :n',
      ExpressionAttributeValues: { ':n': 9 },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    const error = await documents.send(losing).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConditionalCheckFailedException);
    expect(unmarshall((error as ConditionalCheckFailedException).Item ?? {})).toEqual(document);
  });

  it('updates, queries by pages, and deletes', async () => {
    for (let at = 0; at < 5; at++) {
      await documents.send(
        new UpdateCommand({
          TableName: TABLE,
          Key: { PK: 'pages', SK: `s${at}` },
          UpdateExpression: 'SET #s = :s, n = if_not_exists(n, :z) + :one',
          ExpressionAttributeNames: { '#s': 'status' },
          ExpressionAttributeValues: { ':s': 'S', ':z': 0, ':one': 1 },
        }),
      );
    }
    const query = {
      TableName: TABLE,
      KeyConditionExpression: 'PK = :p',
      ExpressionAttributeValues: { ':p': 'pages' },
      Limit: 3,
    };
    const first = await documents.send(new QueryCommand({ ...query, ReturnConsumedCapacity: 'TOTAL' }));
    const second = await documents.send(new QueryCommand({ ...query, ExclusiveStartKey: first.LastEvaluatedKey }));
    expect([...(first.Items ?? []), ...(second.Items ?? [])].map(({ SK, n }) => [SK, n])).toEqual(
      Array.from({ length: 5 }, (_, at) => [`s${at}`, 1]),
    );
    expect(first.ConsumedCapacity?.CapacityUnits).toBe(0.5);
    const { Attributes } = await documents.send(
      new DeleteCommand({ TableName: TABLE, Key: { PK: 'pages', SK: 's0' }, ReturnValues: 'ALL_OLD' }),
    );
    expect(Attributes).toMatchObject({ SK: 's0', status: 'S' });
  });

  it('writes and reads batches', async () => {
    const requests = ['a', 'b'].map((SK) => ({ PutRequest: { Item: { PK: 'batch', SK } } }));
    const written = await documents.send(new BatchWriteCommand({ RequestItems: { [TABLE]: requests } }));
    expect(written.UnprocessedItems).toEqual({});
    const Keys = ['a', 'b', 'c'].map((SK) => ({ PK: 'batch', SK }));
    const read = await documents.send(new BatchGetCommand({ RequestItems: { [TABLE]: { Keys } } }));
    expect(read.Responses?.[TABLE]).toEqual(Keys.slice(0, 2));
  });

  it('sees the table and the names of refusals', async () => {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: TABLE }));
    expect([
      Table?.TableStatus,
      Table?.CreationDateTime instanceof Date,
      Table?.GlobalSecondaryIndexes?.length,
    ]).toEqual(['ACTIVE', true, 3]);
    await expect(documents.send(new GetCommand({ TableName: 'None', Key: key }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
    await expect(documents.send(new ScanCommand({ TableName: TABLE }))).rejects.toMatchObject({
      name: 'UnknownOperationException',
    });
    await expect(documents.send(new GetCommand({ TableName: TABLE, Key: { PK: 'x' } }))).rejects.toMatchObject({
      name: 'ValidationException',
    });
  });
});
