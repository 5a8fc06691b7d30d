/** The table the engine's tests work on, and short ways to speak to it in DynamoDB's own JSON. */
import { createDynamoDb, type DynamoDb, type DynamoDbOptions } from '../../../../infra/local/dynamodb/engine.ts';
import type { AttributeValue, Item } from '../../../../infra/local/dynamodb/attribute-value.ts';

export const TABLE = 'Main';

/**
 * Composite string key, a GSI with a string sort key that holds everything, one with a numeric sort key, one of keys
 * only.
 */
export const MAIN_TABLE = {
  TableName: TABLE,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [
    ...['PK', 'SK', 'GSI1PK', 'GSI1SK', 'GSI2PK', 'GSI3PK'].map((AttributeName) => ({
      AttributeName,
      AttributeType: 'S',
    })),
    { AttributeName: 'GSI2SK', AttributeType: 'N' },
  ],
  KeySchema: keySchema('PK', 'SK'),
  GlobalSecondaryIndexes: [
    { IndexName: 'GSI1', KeySchema: keySchema('GSI1PK', 'GSI1SK'), Projection: { ProjectionType: 'ALL' } },
    {
      IndexName: 'GSI2',
      KeySchema: keySchema('GSI2PK', 'GSI2SK'),
      Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['status'] },
    },
    { IndexName: 'GSI3', KeySchema: keySchema('GSI3PK'), Projection: { ProjectionType: 'KEYS_ONLY' } },
  ],
  StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
};

function keySchema(partition: string, sort?: string): object[] {
  const schema = [{ AttributeName: partition, KeyType: 'HASH' }];
  return sort === undefined ? schema : [...schema, { AttributeName: sort, KeyType: 'RANGE' }];
}

export type Plain =
  | string
  | number
  | boolean
  | null
  | Uint8Array
  | Set<string>
  | Set<number>
  | Plain[]
  | { [name: string]: Plain };

/** The typed form of a plain value; numbers as exact text by `{ N: '...' }` written by hand. */
export function typed(plain: Plain): AttributeValue {
  if (typeof plain === 'string') return { S: plain };
  if (typeof plain === 'number') return { N: String(plain) };
  if (typeof plain === 'boolean') return { BOOL: plain };
  if (plain === null) return { NULL: true };
  if (plain instanceof Uint8Array) return { B: Buffer.from(plain).toString('base64') };
  if (plain instanceof Set) {
    const members = [...plain];
    return typeof members[0] === 'number' ? { NS: members.map(String) } : { SS: members.map(String) };
  }
  if (Array.isArray(plain)) return { L: plain.map(typed) };
  return { M: item(plain) };
}

export function item(plain: { [name: string]: Plain }): Item {
  return Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, typed(value)]));
}

export interface Main {
  readonly engine: DynamoDb;
  put(plain: { [name: string]: Plain }, parameters?: object): Record<string, unknown>;
  get(pk: string, sk: string): Item | undefined;
  update(pk: string, sk: string, parameters: object): Record<string, unknown>;
  delete(pk: string, sk: string, parameters?: object): Record<string, unknown>;
  query(keyCondition: string, values: { [name: string]: Plain }, parameters?: object): QueryResult;
}

export interface QueryResult {
  readonly Items: Item[];
  readonly Count: number;
  readonly ScannedCount: number;
  readonly LastEvaluatedKey?: Item;
  readonly ConsumedCapacity?: { CapacityUnits: number };
}

/** An engine with the table in it, or with the table its log holds. */
export function openMain(options: DynamoDbOptions = {}): Main {
  const engine = createDynamoDb(options);
  const { TableNames } = engine.dispatch('ListTables', {});
  if (!(TableNames as string[]).includes(TABLE)) engine.dispatch('CreateTable', MAIN_TABLE);
  const key = (PK: string, SK: string) => ({ TableName: TABLE, Key: item({ PK, SK }) });
  return {
    engine,
    put: (plain, parameters = {}) => engine.dispatch('PutItem', { TableName: TABLE, Item: item(plain), ...parameters }),
    get: (pk, sk) => engine.dispatch('GetItem', { ...key(pk, sk), ConsistentRead: true })['Item'] as Item | undefined,
    update: (pk, sk, parameters) => engine.dispatch('UpdateItem', { ...key(pk, sk), ...parameters }),
    delete: (pk, sk, parameters = {}) => engine.dispatch('DeleteItem', { ...key(pk, sk), ...parameters }),
    query: (KeyConditionExpression, values, parameters = {}) =>
      engine.dispatch('Query', {
        TableName: TABLE,
        KeyConditionExpression,
        ExpressionAttributeValues: item(values),
        ...parameters,
      }) as unknown as QueryResult,
  };
}

/** The name of the exception `act` throws, or 'none'. */
export function refusalOf(act: () => unknown): string {
  try {
    act();
    return 'none';
  } catch (error) {
    return (error as Error).name;
  }
}
