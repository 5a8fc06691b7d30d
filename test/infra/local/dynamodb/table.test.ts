import { beforeEach, describe, expect, it } from 'vitest';
import { createDynamoDb, type DynamoDb } from '../../../../infra/local/dynamodb/engine.ts';
import { item, MAIN_TABLE, refusalOf, TABLE } from './main-table.ts';

const NOW_MS = Date.UTC(2030, 0, 2, 3, 4, 5, 678);

let engine: DynamoDb;

beforeEach(() => {
  engine = createDynamoDb({ now: () => NOW_MS, region: 'eu-west-1' });
});

const describeTable = (TableName = TABLE) =>
  engine.dispatch('DescribeTable', { TableName })['Table'] as Record<string, unknown>;

describe('a table', () => {
  it('is described as it was made, with its ARNs and its figures', () => {
    engine.dispatch('CreateTable', { ...MAIN_TABLE, Tags: [{ Key: 'a', Value: 'b' }] });
    engine.dispatch('PutItem', { TableName: TABLE, Item: item({ PK: 'a', SK: 'b' }) });
    expect(describeTable()).toMatchObject({
      TableName: TABLE,
      TableStatus: 'ACTIVE',
      TableArn: 'arn:aws:dynamodb:eu-west-1:000000000000:table/Main',
      LatestStreamArn: 'arn:aws:dynamodb:eu-west-1:000000000000:table/Main/stream/2030-01-02T03:04:05.678',
      CreationDateTime: NOW_MS / 1000,
      KeySchema: MAIN_TABLE.KeySchema,
      StreamSpecification: MAIN_TABLE.StreamSpecification,
      ItemCount: 1,
      TableSizeBytes: 6,
    });
    expect(engine.tableArn(TABLE)).toBe(describeTable()['TableArn']);
    expect(engine.streamArn(TABLE)).toBe(describeTable()['LatestStreamArn']);
  });

  it('is found by its ARN too', () => {
    engine.dispatch('CreateTable', MAIN_TABLE);
    engine.dispatch('PutItem', { TableName: engine.tableArn(TABLE), Item: item({ PK: 'a', SK: 'b' }) });
    expect(engine.items(TABLE)).toHaveLength(1);
  });

  it('is made once, and made anew it is empty and has another stream', () => {
    engine.dispatch('CreateTable', MAIN_TABLE);
    const streamArn = engine.streamArn(TABLE);
    engine.dispatch('PutItem', { TableName: TABLE, Item: item({ PK: 'a', SK: 'b' }) });
    expect(refusalOf(() => engine.dispatch('CreateTable', MAIN_TABLE))).toBe('ResourceInUseException');
    engine.dispatch('DeleteTable', { TableName: TABLE });
    expect(refusalOf(() => describeTable())).toBe('ResourceNotFoundException');
    engine.dispatch('CreateTable', MAIN_TABLE);
    expect(engine.items(TABLE)).toEqual([]);
    expect(engine.readStream(TABLE, 0, 10).records).toEqual([]);
    expect(engine.streamArn(TABLE)).not.toBe(streamArn);
  });

  it('is kept by its deletion protection', () => {
    engine.dispatch('CreateTable', { ...MAIN_TABLE, DeletionProtectionEnabled: true });
    expect(refusalOf(() => engine.dispatch('DeleteTable', { TableName: TABLE }))).toBe('ValidationException');
    expect(describeTable()['DeletionProtectionEnabled']).toBe(true);
  });

  it('is listed, in pages', () => {
    for (const TableName of ['ccc', 'aaa', 'bbb']) engine.dispatch('CreateTable', { ...MAIN_TABLE, TableName });
    expect(engine.dispatch('ListTables', {})).toEqual({ TableNames: ['aaa', 'bbb', 'ccc'] });
    expect(engine.dispatch('ListTables', { Limit: 2 })).toEqual({
      TableNames: ['aaa', 'bbb'],
      LastEvaluatedTableName: 'bbb',
    });
    expect(engine.dispatch('ListTables', { ExclusiveStartTableName: 'bbb' })).toEqual({ TableNames: ['ccc'] });
  });

  it.each([
    'GetItem',
    'PutItem',
    'UpdateItem',
    'DeleteItem',
    'Query',
    'DescribeTable',
    'DeleteTable',
    'DescribeTimeToLive',
  ])('that is not there is refused by %s', (operation) => {
    const all = {
      Key: item({ a: 'a' }),
      Item: item({ a: 'a' }),
      KeyConditionExpression: 'a = :a',
      ExpressionAttributeValues: item({ ':a': 'a' }),
    };
    const needs: Record<string, (keyof typeof all)[]> = {
      GetItem: ['Key'],
      PutItem: ['Item'],
      UpdateItem: ['Key'],
      DeleteItem: ['Key'],
      Query: ['KeyConditionExpression', 'ExpressionAttributeValues'],
    };
    const parameters = Object.fromEntries((needs[operation] ?? []).map((name) => [name, all[name]]));
    expect(refusalOf(() => engine.dispatch(operation, { TableName: 'None', ...parameters }))).toBe(
      'ResourceNotFoundException',
    );
  });

  it.each<[string, object]>([
    ['a key attribute without definition', { AttributeDefinitions: MAIN_TABLE.AttributeDefinitions.slice(1) }],
    [
      'a definition without use',
      { AttributeDefinitions: [...MAIN_TABLE.AttributeDefinitions, { AttributeName: 'x', AttributeType: 'S' }] },
    ],
    ['an unknown attribute type', { AttributeDefinitions: [{ AttributeName: 'PK', AttributeType: 'M' }] }],
    ['no key', { KeySchema: [] }],
    ['no billing', { BillingMode: undefined }],
    ['an unknown stream view', { StreamSpecification: { StreamEnabled: true, StreamViewType: 'ALL' } }],
    ['a stream without a view', { StreamSpecification: { StreamEnabled: true } }],
    [
      'INCLUDE of nothing',
      {
        GlobalSecondaryIndexes: [
          { ...MAIN_TABLE.GlobalSecondaryIndexes[1], Projection: { ProjectionType: 'INCLUDE' } },
          ...MAIN_TABLE.GlobalSecondaryIndexes.filter((_, at) => at !== 1),
        ],
      },
    ],
    [
      'an index twice',
      { GlobalSecondaryIndexes: [...MAIN_TABLE.GlobalSecondaryIndexes, MAIN_TABLE.GlobalSecondaryIndexes[0]] },
    ],
    ['a local index', { LocalSecondaryIndexes: [] }],
    ['provisioned throughput', { ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 } }],
    ['a resource policy', { ResourcePolicy: '{}' }],
    ['a short name', { TableName: 'ab' }],
  ])('with %s is refused', (_what, change) => {
    expect(refusalOf(() => engine.dispatch('CreateTable', { ...MAIN_TABLE, ...change }))).toBe('ValidationException');
    expect(engine.dispatch('ListTables', {})).toEqual({ TableNames: [] });
  });
});

describe('time to live of a table', () => {
  const update = (Enabled: unknown, AttributeName: unknown) =>
    engine.dispatch('UpdateTimeToLive', { TableName: TABLE, TimeToLiveSpecification: { Enabled, AttributeName } });
  const state = () => engine.dispatch('DescribeTimeToLive', { TableName: TABLE })['TimeToLiveDescription'];

  it('is enabled and disabled, each once', () => {
    engine.dispatch('CreateTable', MAIN_TABLE);
    expect(state()).toEqual({ TimeToLiveStatus: 'DISABLED' });
    expect(refusalOf(() => update(false, 'ttl'))).toBe('ValidationException');
    update(true, 'ttl');
    expect(state()).toEqual({ TimeToLiveStatus: 'ENABLED', AttributeName: 'ttl' });
    expect(refusalOf(() => update(true, 'ttl'))).toBe('ValidationException');
    expect(refusalOf(() => update(false, 'other'))).toBe('ValidationException');
    update(false, 'ttl');
    expect(state()).toEqual({ TimeToLiveStatus: 'DISABLED' });
  });

  it.each([
    ['no attribute', true, undefined],
    ['an empty attribute', true, ''],
    ['neither true nor false', 'yes', 'ttl'],
  ])('is refused with %s', (_what, enabled, attribute) => {
    engine.dispatch('CreateTable', MAIN_TABLE);
    expect(refusalOf(() => update(enabled, attribute))).toBe('ValidationException');
  });
});
