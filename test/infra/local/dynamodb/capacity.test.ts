import { beforeEach, describe, expect, it } from 'vitest';
import { item, type Main, openMain, TABLE } from './main-table.ts';

let main: Main;

beforeEach(() => {
  main = openMain();
  main.put({ PK: 'c', SK: 'plain' });
  main.put({ PK: 'c', SK: 'indexed', GSI1PK: 'g', GSI1SK: 'a', status: 's' });
  main.put({ PK: 'c', SK: 'included', GSI2PK: 'g', GSI2SK: 1, status: 's', note: 'n' });
  main.put({ PK: 'c', SK: 'large', filler: 'x'.repeat(3500) });
  for (let at = 0; at < 25; at++) main.put({ PK: 'q', SK: String(at) });
});

const total = { ReturnConsumedCapacity: 'TOTAL' };
const byIndex = { ReturnConsumedCapacity: 'INDEXES' };
const set = (name: string, value: string | number) => ({
  UpdateExpression: 'SET #name = :v',
  ExpressionAttributeNames: { '#name': name },
  ExpressionAttributeValues: item({ ':v': value }),
});

describe('capacity of writes', () => {
  it.each<[string, number, Record<string, number>, (parameters: object) => Record<string, unknown>]>([
    ['a small put', 1, {}, (p) => main.put({ PK: 'c', SK: 'new' }, p)],
    ['a put into one index', 1, { GSI1: 1 }, (p) => main.put({ PK: 'c', SK: 'new', GSI1PK: 'g', GSI1SK: 'c' }, p)],
    [
      'a put into two indexes',
      1,
      { GSI1: 1, GSI2: 1 },
      (p) => main.put({ PK: 'c', SK: 'new', GSI1PK: 'g', GSI1SK: 'c', GSI2PK: 'g', GSI2SK: 1 }, p),
    ],
    ['a put of 3.5 KB', 4, {}, (p) => main.put({ PK: 'c', SK: 'new', filler: 'x'.repeat(3500) }, p)],
    [
      'a put of 3.5 KB into a full and a small index',
      4,
      { GSI1: 4, GSI2: 1 },
      (p) =>
        main.put({ PK: 'c', SK: 'new', GSI1PK: 'g', GSI1SK: 'c', GSI2PK: 'g', GSI2SK: 1, filler: 'x'.repeat(3500) }, p),
    ],
    ['replacing the large by the small', 4, {}, (p) => main.put({ PK: 'c', SK: 'large' }, p)],
    [
      'an update that moves an index entry',
      1,
      { GSI1: 2 },
      (p) => main.update('c', 'indexed', { ...set('GSI1SK', 'b'), ...p }),
    ],
    [
      'an update of what a full index holds',
      1,
      { GSI1: 1 },
      (p) => main.update('c', 'indexed', { ...set('note', 'b'), ...p }),
    ],
    [
      'an update of what an index includes',
      1,
      { GSI2: 1 },
      (p) => main.update('c', 'included', { ...set('status', 't'), ...p }),
    ],
    [
      'an update of what an index does not hold',
      1,
      {},
      (p) => main.update('c', 'included', { ...set('note', 'm'), ...p }),
    ],
    ['an update that changes nothing', 1, {}, (p) => main.update('c', 'indexed', { ...set('status', 's'), ...p })],
    [
      'an update that leaves an index',
      1,
      { GSI1: 1 },
      (p) => main.update('c', 'indexed', { UpdateExpression: 'REMOVE GSI1PK', ...p }),
    ],
    ['a delete', 1, {}, (p) => main.delete('c', 'plain', p)],
    ['a delete from an index', 1, { GSI1: 1 }, (p) => main.delete('c', 'indexed', p)],
    ['a delete of nothing', 1, {}, (p) => main.delete('c', 'none', p)],
    ['a large delete', 4, {}, (p) => main.delete('c', 'large', p)],
  ])('%s: %i and %j', (_what, table, indexes, act) => {
    const CapacityUnits = Object.values(indexes).reduce((sum, units) => sum + units, table);
    const charged = Object.entries(indexes).map(([name, units]) => [name, { CapacityUnits: units }]);
    expect(act(byIndex)['ConsumedCapacity']).toEqual({
      TableName: TABLE,
      CapacityUnits,
      Table: { CapacityUnits: table },
      ...(charged.length > 0 && { GlobalSecondaryIndexes: Object.fromEntries(charged) }),
    });
  });

  it('is the sum alone on TOTAL, and nothing when not asked', () => {
    expect(main.put({ PK: 'c', SK: 'n', GSI1PK: 'g', GSI1SK: 'c' }, total)['ConsumedCapacity']).toEqual({
      TableName: TABLE,
      CapacityUnits: 2,
    });
    expect(main.put({ PK: 'c', SK: 'm' })['ConsumedCapacity']).toBeUndefined();
    expect(main.put({ PK: 'c', SK: 'm' }, { ReturnConsumedCapacity: 'NONE' })['ConsumedCapacity']).toBeUndefined();
  });

  it('of a batch is one sum a table', () => {
    const puts = ['1', '2'].map((SK) => ({ PutRequest: { Item: item({ PK: 'b', SK, GSI1PK: 'g', GSI1SK: SK }) } }));
    const { ConsumedCapacity } = main.engine.dispatch('BatchWriteItem', {
      RequestItems: { [TABLE]: puts },
      ...byIndex,
    });
    expect(ConsumedCapacity).toEqual([
      {
        TableName: TABLE,
        CapacityUnits: 4,
        Table: { CapacityUnits: 2 },
        GlobalSecondaryIndexes: { GSI1: { CapacityUnits: 2 } },
      },
    ]);
  });
});

describe('capacity of reads', () => {
  const get = (SK: string, parameters: object) =>
    main.engine.dispatch('GetItem', { TableName: TABLE, Key: item({ PK: 'c', SK }), ...total, ...parameters });
  const unitsOf = (response: { ConsumedCapacity?: unknown }) =>
    (response.ConsumedCapacity as { CapacityUnits: number }).CapacityUnits;

  it.each<[string, number, () => { ConsumedCapacity?: unknown }]>([
    ['a get', 0.5, () => get('large', {})],
    ['a consistent get', 1, () => get('large', { ConsistentRead: true })],
    ['a get of nothing', 0.5, () => get('none', {})],
    ['a consistent get of nothing', 1, () => get('none', { ConsistentRead: true })],
    ['a query of 25 small items', 0.5, () => main.query('PK = :p', { ':p': 'q' }, total)],
    [
      'a query of more than 4 KB',
      1,
      () => {
        main.put({ PK: 'c', SK: 'large2', filler: 'x'.repeat(3500) });
        return main.query('PK = :p', { ':p': 'c' }, total);
      },
    ],
    ['a query of nothing', 0.5, () => main.query('PK = :p', { ':p': 'none' }, total)],
    [
      'a consistent query of nothing',
      1,
      () => main.query('PK = :p', { ':p': 'none' }, { ...total, ConsistentRead: true }),
    ],
    [
      'a query that filters everything out',
      0.5,
      () => main.query('PK = :p', { ':p': 'q', ':v': 1 }, { ...total, FilterExpression: 'v = :v' }),
    ],
  ])('%s: %d', (_what, units, act) => {
    expect(unitsOf(act())).toBe(units);
  });

  it('names the index a query read', () => {
    const { ConsumedCapacity } = main.query('GSI1PK = :p', { ':p': 'g' }, { IndexName: 'GSI1', ...byIndex });
    expect(ConsumedCapacity).toEqual({
      TableName: TABLE,
      CapacityUnits: 0.5,
      Table: { CapacityUnits: 0 },
      GlobalSecondaryIndexes: { GSI1: { CapacityUnits: 0.5 } },
    });
  });

  it('of a batch counts each key', () => {
    const Keys = ['plain', 'large', 'none'].map((SK) => item({ PK: 'c', SK }));
    const { ConsumedCapacity } = main.engine.dispatch('BatchGetItem', {
      RequestItems: { [TABLE]: { Keys } },
      ...total,
    });
    expect(ConsumedCapacity).toEqual([{ TableName: TABLE, CapacityUnits: 1.5 }]);
  });
});
