/** Requests that few callers make, one for each branch of the engine that no other test goes through. */
import { beforeEach, describe, expect, it } from 'vitest';
import { item, type Main, MAIN_TABLE, openMain, type Plain, refusalOf, TABLE, typed } from './main-table.ts';

let main: Main;
beforeEach(() => {
  main = openMain();
});

const text = { ':a': { S: 'a' } };
const bytes = (...values: number[]) => ({ B: Buffer.from(values).toString('base64') });

describe('a request that is refused', () => {
  it.each<[string, string, object, RegExp]>([
    [
      'three key conditions',
      'Query',
      { KeyConditionExpression: 'PK = :a AND SK = :a AND x = :a', ExpressionAttributeValues: text },
      /1 or 2 only/,
    ],
    ['no key condition', 'Query', {}, /must be specified/],
    [
      'counting what is projected',
      'Query',
      {
        Select: 'COUNT',
        ProjectionExpression: 'a',
        KeyConditionExpression: 'PK = :a',
        ExpressionAttributeValues: text,
      },
      /Cannot specify the ProjectionExpression/,
    ],
    [
      'what an index projects, without an index',
      'Query',
      {
        Select: 'ALL_PROJECTED_ATTRIBUTES',
        KeyConditionExpression: 'PK = :a',
        ExpressionAttributeValues: text,
      },
      /only when Querying using an IndexName/,
    ],
    [
      'a filter on a part of a key',
      'Query',
      {
        FilterExpression: 'GSI1PK.x = :a',
        KeyConditionExpression: 'PK = :a',
        ExpressionAttributeValues: text,
      },
      /must be scalars/,
    ],
    [
      'begins_with of a number',
      'Query',
      {
        IndexName: 'GSI2',
        KeyConditionExpression: 'GSI2PK = :a AND begins_with(GSI2SK, :n)',
        ExpressionAttributeValues: { ...text, ':n': { N: '1' } },
      },
      /begins_with, operand type: N/,
    ],
    ['an empty binary key', 'PutItem', { TableName: 'Bytes', Item: { p: { B: '' } } }, /empty binary value/],
    ['a key of another type', 'PutItem', { Item: { PK: { S: 'a' }, SK: { N: '1' } } }, /Type mismatch for key SK/],
    [
      'a number that is too small',
      'UpdateItem',
      {
        Key: item({ PK: 'a', SK: 'b' }),
        UpdateExpression: 'SET a = :a + :b',
        ExpressionAttributeValues: { ':a': { N: '1.1e-130' }, ':b': { N: '-1e-130' } },
      },
      /Number underflow/,
    ],
  ])('%s', (_, operation, input, message) => {
    main.engine.dispatch('CreateTable', {
      TableName: 'Bytes',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'p', AttributeType: 'B' }],
      KeySchema: [{ AttributeName: 'p', KeyType: 'HASH' }],
    });
    expect(() => main.engine.dispatch(operation, { TableName: TABLE, ...input })).toThrow(message);
  });

  it('two key conditions where there is one key, more keys over two tables, time to live of no table', () => {
    const KeySchema = [{ AttributeName: 'PK', KeyType: 'HASH' }];
    const AttributeDefinitions = [{ AttributeName: 'PK', AttributeType: 'S' }];
    main.engine.dispatch('CreateTable', {
      TableName: 'Hash',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions,
      KeySchema,
      StreamSpecification: { StreamEnabled: false },
    });
    const query = { TableName: 'Hash', KeyConditionExpression: 'PK = :a AND SK = :a', ExpressionAttributeValues: text };
    expect(() => main.engine.dispatch('Query', query)).toThrow(/not supported/);
    const keys = (make: (at: number) => object) => ({ Keys: Array.from({ length: 60 }, (_, at) => make(at)) });
    const RequestItems = {
      Hash: keys((at) => item({ PK: String(at) })),
      [TABLE]: keys((at) => item({ PK: 'a', SK: String(at) })),
    };
    expect(() => main.engine.dispatch('BatchGetItem', { RequestItems })).toThrow(/Too many items/);
    expect(() => main.engine.dispatch('DescribeTimeToLive', {})).toThrow(/'TableName' is required/);
    expect(() => main.engine.dispatch('UpdateTimeToLive', { TableName: TABLE })).toThrow(/is not valid/);
    const { Table: table } = main.engine.dispatch('DescribeTable', { TableName: 'Hash' });
    expect(table).not.toHaveProperty('LatestStreamArn');
  });
});

describe('sets of numbers and of bytes', () => {
  const change = (before: Plain, expression: string, value: object) => {
    main.engine.dispatch('PutItem', { TableName: TABLE, Item: { ...item({ PK: 'u', SK: '1' }), s: before as object } });
    main.update('u', '1', { UpdateExpression: expression, ExpressionAttributeValues: { ':v': value } });
    return main.get('u', '1')?.['s'];
  };
  const BS = (...members: number[]) => ({ BS: members.map((member) => bytes(member).B) });

  it.each<[string, object, string, object, object | undefined]>([
    ['ADD numbers', { NS: ['1', '2'] }, 'ADD s :v', { NS: ['2', '3'] }, { NS: ['1', '2', '3'] }],
    ['ADD bytes', BS(1), 'ADD s :v', BS(1, 2), BS(1, 2)],
  ])('%s', (_, before, expression, value, after) => {
    expect(change(before as Plain, expression, value)).toEqual(after);
  });

  it('of bytes are equal in any order', () => {
    const stored = { ...item({ PK: 'u', SK: '1' }), b: BS(1, 2) };
    main.engine.dispatch('PutItem', { TableName: TABLE, Item: stored });
    const update = (value: object) => () =>
      main.update('u', '1', {
        ConditionExpression: 'b = :v',
        UpdateExpression: 'REMOVE x',
        ExpressionAttributeValues: { ':v': value },
      });
    expect(refusalOf(update(BS(2, 1)))).toBe('none');
    expect(refusalOf(update(BS(1)))).toBe('ConditionalCheckFailedException');
    expect(refusalOf(update({ S: 'x' }))).toBe('ConditionalCheckFailedException');
  });

  it('ADD of a map is refused', () => {
    const parameters = { UpdateExpression: 'ADD s :v', ExpressionAttributeValues: { ':v': typed({}) } };
    expect(refusalOf(() => main.update('u', '1', parameters))).toBe('ValidationException');
  });
});

describe('more shapes of expressions than are kept', () => {
  it('begin the collection anew, and are answered as before', () => {
    for (let at = 0; at < 2100; at += 1) {
      main.update('u', '1', {
        UpdateExpression: `SET a${at % 2} = :v${at}`,
        ExpressionAttributeValues: { [`:v${at}`]: typed(at) },
      });
    }
    expect(main.get('u', '1')).toMatchObject(item({ a0: 2098, a1: 2099 }));
  });
});

describe('keys beyond the basic plane', () => {
  it('are in the order of their bytes, mixed with plain ones', () => {
    for (const sort of ['a😀b', 'a\uff5eb', 'ab', 'aé']) main.put({ PK: 'p', SK: sort });
    const found = main.query('PK = :p', { ':p': 'p' }).Items.map(({ SK }) => (SK as { S: string }).S);
    const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
    expect(found).toEqual(['a😀b', 'a\uff5eb', 'ab', 'aé'].toSorted(byBytes));
  });
});

describe('an index that came after its lag', () => {
  it('begins empty and is late as the others are', () => {
    let nowMs = 1000;
    const late = openMain({ now: () => nowMs });
    late.engine.setIndexLag(50);
    late.engine.dispatch('CreateTable', { ...MAIN_TABLE, TableName: 'Later' });
    late.engine.dispatch('PutItem', { TableName: 'Later', Item: item({ PK: 'p', SK: 's', GSI3PK: 'k' }) });
    const count = () => late.query('GSI3PK = :k', { ':k': 'k' }, { TableName: 'Later', IndexName: 'GSI3' }).Count;
    expect(count()).toBe(0);
    nowMs += 50;
    expect(count()).toBe(1);
  });
});
