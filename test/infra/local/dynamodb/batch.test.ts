import { beforeEach, describe, expect, it } from 'vitest';
import { item, type Main, openMain, refusalOf, TABLE } from './main-table.ts';

let main: Main;

beforeEach(() => {
  main = openMain();
});

const key = (at: number) => item({ PK: 'b', SK: `k${at}` });
const puts = (count: number) => Array.from({ length: count }, (_, at) => ({ PutRequest: { Item: key(at) } }));
const write = (requests: object[]) => main.engine.dispatch('BatchWriteItem', { RequestItems: { [TABLE]: requests } });
const read = (keys: object) => main.engine.dispatch('BatchGetItem', { RequestItems: { [TABLE]: keys } });

describe('BatchWriteItem', () => {
  it('puts and deletes', () => {
    expect(write(puts(25))).toEqual({ UnprocessedItems: {} });
    write([{ DeleteRequest: { Key: key(0) } }, { PutRequest: { Item: { ...key(1), n: { N: '1' } } } }]);
    expect(main.engine.items(TABLE)).toHaveLength(24);
    expect(main.get('b', 'k1')).toEqual(item({ PK: 'b', SK: 'k1', n: 1 }));
  });

  it.each<[string, object[]]>([
    ['26 requests', puts(26)],
    ['an item twice', [...puts(1), ...puts(1)]],
    ['a put and a delete of one item', [...puts(1), { DeleteRequest: { Key: key(0) } }]],
    ['no request', []],
    ['neither put nor delete', [{}]],
    ['both', [{ ...puts(1)[0], DeleteRequest: { Key: key(2) } }]],
    ['a bad item among good ones', [...puts(3), { PutRequest: { Item: item({ PK: 'b' }) } }]],
  ])('writes nothing when it refuses %s', (_what, requests) => {
    expect(refusalOf(() => write(requests))).toBe('ValidationException');
    expect(main.engine.items(TABLE)).toEqual([]);
  });

  it('counts the 25 over all tables', () => {
    const { engine } = main;
    const KeySchema = [
      { AttributeName: 'PK', KeyType: 'HASH' },
      { AttributeName: 'SK', KeyType: 'RANGE' },
    ];
    const AttributeDefinitions = ['PK', 'SK'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' }));
    engine.dispatch('CreateTable', {
      TableName: 'Other',
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema,
      AttributeDefinitions,
    });
    const both = (count: number) =>
      engine.dispatch('BatchWriteItem', { RequestItems: { [TABLE]: puts(13), Other: puts(count) } });
    expect(refusalOf(() => both(13))).toBe('ValidationException');
    expect(refusalOf(() => both(12))).toBe('none');
    expect(engine.items('Other')).toHaveLength(12);
  });
});

describe('BatchGetItem', () => {
  it('returns what is there, projected', () => {
    write(puts(25));
    main.put({ PK: 'b', SK: 'k3', status: 'S', more: 1 });
    const Keys = Array.from({ length: 100 }, (_, at) => key(at));
    expect((read({ Keys })['Responses'] as Record<string, unknown[]>)[TABLE]).toHaveLength(25);
    const projected = read({
      Keys: [key(3), key(99)],
      ProjectionExpression: '#s',
      ExpressionAttributeNames: { '#s': 'status' },
    });
    expect(projected).toEqual({ Responses: { [TABLE]: [item({ status: 'S' })] }, UnprocessedKeys: {} });
  });

  it.each<[string, object]>([
    ['101 keys', { Keys: Array.from({ length: 101 }, (_, at) => key(at)) }],
    ['a key twice', { Keys: [key(1), key(1)] }],
    ['no key', { Keys: [] }],
    ['a legacy parameter', { Keys: [key(1)], AttributesToGet: ['SK'] }],
    ['a key of another shape', { Keys: [item({ PK: 'b' })] }],
  ])('refuses %s', (_what, keys) => {
    expect(refusalOf(() => read(keys))).toBe('ValidationException');
  });

  it('stops at 16 MB and hands back the keys that are left, with what was asked of them', () => {
    for (let at = 0; at < 45; at++) main.put({ PK: 'b', SK: `k${at}`, filler: 'x'.repeat(390_000) });
    const Keys = Array.from({ length: 45 }, (_, at) => key(at));
    const { Responses, UnprocessedKeys } = read({ Keys, ConsistentRead: true, ProjectionExpression: 'SK' }) as {
      Responses: Record<string, unknown[]>;
      UnprocessedKeys: Record<string, object>;
    };
    expect(Responses[TABLE]).toHaveLength(43);
    expect(UnprocessedKeys).toEqual({
      [TABLE]: { Keys: [key(43), key(44)], ConsistentRead: true, ProjectionExpression: 'SK' },
    });
  });
});
