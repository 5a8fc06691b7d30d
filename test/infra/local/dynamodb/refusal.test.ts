import { beforeEach, describe, expect, it } from 'vitest';
import { item, type Main, openMain, TABLE } from './main-table.ts';

let main: Main;

beforeEach(() => {
  main = openMain();
});

/** Status and exception of an answer, and its message. */
function ask(target: string, body: string): { status: number; name: string; message: string } {
  const answer = main.engine.respond(target, body);
  const { __type = '', message = '' } = JSON.parse(answer.body) as { __type?: string; message?: string };
  return { status: answer.status, name: __type.slice(__type.indexOf('#') + 1), message };
}

const key = { PK: 'a', SK: '1' };

describe('what is not emulated', () => {
  it.each([
    'Scan',
    'TransactWriteItems',
    'TransactGetItems',
    'ExecuteStatement',
    'BatchExecuteStatement',
    'ExecuteTransaction',
    'UpdateTable',
    'CreateGlobalTable',
    'DescribeContinuousBackups',
    'TagResource',
    'constructor',
    '',
  ])('is refused by name as an operation: %s', (operation) => {
    const answer = ask(`DynamoDB_20120810.${operation}`, JSON.stringify({ TableName: TABLE }));
    expect(answer).toMatchObject({ status: 400, name: 'UnknownOperationException' });
    expect(answer.message).toContain(`${operation} is not emulated`);
  });

  it.each(['DynamoDBStreams_20120810.GetRecords', 'GetItem', '', 'DynamoDB_20111205.GetItem'])(
    'is refused as a target: %s',
    (target) => {
      expect(ask(target, '{}')).toMatchObject({ status: 400, name: 'UnknownOperationException' });
    },
  );

  it.each<[string, string, unknown]>([
    ['PutItem', 'Expected', { v: { Exists: false } }],
    ['PutItem', 'ConditionalOperator', 'AND'],
    ['PutItem', 'ReturnItemCollectionMetrics', 'SIZE'],
    ['UpdateItem', 'AttributeUpdates', {}],
    ['UpdateItem', 'Expected', {}],
    ['DeleteItem', 'Expected', {}],
    ['GetItem', 'AttributesToGet', ['PK']],
    ['Query', 'KeyConditions', {}],
    ['Query', 'QueryFilter', {}],
    ['Query', 'AttributesToGet', ['PK']],
    ['GetItem', 'SomethingNew', 1],
  ])('is refused by name as a parameter: %s with %s', (operation, name, value) => {
    const required = operation === 'PutItem' ? { Item: item(key) } : operation === 'Query' ? {} : { Key: item(key) };
    const answer = ask(
      `DynamoDB_20120810.${operation}`,
      JSON.stringify({ TableName: TABLE, ...required, [name]: value }),
    );
    expect(answer).toMatchObject({ status: 400, name: 'ValidationException' });
    expect(answer.message).toContain(name);
    expect(main.engine.items(TABLE)).toEqual([]);
  });

  it('is refused as an attribute name: __proto__', () => {
    const body = JSON.stringify({ TableName: TABLE, Item: item(key) }).replace('"PK"', '"__proto__":{"S":"x"},"PK"');
    expect(ask('DynamoDB_20120810.PutItem', body)).toMatchObject({ status: 400, name: 'ValidationException' });
    const asText = JSON.stringify({ TableName: TABLE, Item: item({ ...key, note: '__proto__' }) });
    expect(main.engine.respond('DynamoDB_20120810.PutItem', asText).status).toBe(200);
  });
});

describe('a malformed request', () => {
  it.each(['', 'null', '1', '"x"', '[]', '{', '{"TableName":', '\u0000'])('is refused and never thrown: %j', (body) => {
    expect(ask('DynamoDB_20120810.GetItem', body)).toMatchObject({ status: 400, name: 'SerializationException' });
  });

  it.each<[string, object, string]>([
    ['a key that is text', { TableName: TABLE, Key: 'x' }, 'SerializationException'],
    ['a key that is a list', { TableName: TABLE, Key: [] }, 'SerializationException'],
    ['a table that is a number', { TableName: 1, Key: item(key) }, 'SerializationException'],
    ['no key', { TableName: TABLE }, 'ValidationException'],
    ['no table', { Key: item(key) }, 'ValidationException'],
    ['an unknown capacity', { TableName: TABLE, Key: item(key), ReturnConsumedCapacity: 'ALL' }, 'ValidationException'],
    [
      'names without an expression',
      { TableName: TABLE, Key: item(key), ExpressionAttributeNames: { '#a': 'a' } },
      'ValidationException',
    ],
    [
      'an empty table of names',
      { TableName: TABLE, Key: item(key), ProjectionExpression: 'a', ExpressionAttributeNames: {} },
      'ValidationException',
    ],
    [
      'a bad name',
      { TableName: TABLE, Key: item(key), ProjectionExpression: '#-', ExpressionAttributeNames: { '#-': 'a' } },
      'ValidationException',
    ],
  ])('is refused: %s', (_what, body, name) => {
    expect(ask('DynamoDB_20120810.GetItem', JSON.stringify(body))).toMatchObject({ status: 400, name });
  });

  it('of thousands of nested lists is refused, not a crash', () => {
    const depth = 50_000;
    const body = `{"TableName":"${TABLE}","Item":{"PK":{"S":"a"},"SK":{"S":"b"},"v":${'{"L":['.repeat(depth)}${']}'.repeat(depth)}}}`;
    expect(main.engine.respond('DynamoDB_20120810.PutItem', body).status).toBeGreaterThanOrEqual(400);
    expect(main.engine.items(TABLE)).toEqual([]);
  });
});
