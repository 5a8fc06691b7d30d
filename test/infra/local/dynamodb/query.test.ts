import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Item } from '../../../../infra/local/dynamodb/attribute-value.ts';
import { item, type Main, openMain, type QueryResult, refusalOf, typed } from './main-table.ts';

let main: Main;

const upTo = (count: number, from = 0) => Array.from({ length: count - from }, (_, at) => at + from);
const numbers = (result: QueryResult) => result.Items.map((found) => Number((found['i'] as { N: string }).N));
const sortKeys = (result: QueryResult) => result.Items.map((found) => (found['SK'] as { S: string }).S);

/** All pages of one query, and how many there were. */
function readPages(
  condition: string,
  values: Parameters<typeof item>[0],
  parameters: object,
): { items: Item[]; pages: number } {
  const items: Item[] = [];
  let pages = 0;
  let start: Item | undefined;
  do {
    const page = main.query(condition, values, { ...parameters, ...(start && { ExclusiveStartKey: start }) });
    items.push(...page.Items);
    start = page.LastEvaluatedKey;
    // A page that does not get on would repeat for ever.
    if (++pages > 100) throw new Error(`More than 100 pages of ${condition}.`);
  } while (start !== undefined);
  return { items, pages };
}

describe('sort key conditions', () => {
  beforeAll(() => {
    main = openMain();
    for (const i of upTo(25)) main.put({ PK: 'p', SK: `E#${String(i).padStart(3, '0')}`, i, odd: i % 2 });
    main.put({ PK: 'p', SK: 'F#000', i: 99 });
    main.put({ PK: 'q', SK: 'E#003', i: 100 });
  });

  it.each<[string, Parameters<typeof item>[0], number[]]>([
    ['SK < :a', { ':a': 'E#003' }, [0, 1, 2]],
    ['SK <= :a', { ':a': 'E#003' }, [0, 1, 2, 3]],
    ['SK > :a', { ':a': 'E#022' }, [23, 24, 99]],
    ['SK >= :a', { ':a': 'E#022' }, [22, 23, 24, 99]],
    ['SK = :a', { ':a': 'E#003' }, [3]],
    ['SK = :a', { ':a': 'E#0030' }, []],
    ['SK BETWEEN :a AND :b', { ':a': 'E#003', ':b': 'E#005' }, [3, 4, 5]],
    ['SK BETWEEN :a AND :b', { ':a': 'E#0025', ':b': 'E#005~' }, [3, 4, 5]],
    ['begins_with(SK, :a)', { ':a': 'E#00' }, upTo(10)],
    ['begins_with(SK, :a)', { ':a': 'X' }, []],
    [':a > SK', { ':a': 'E#002' }, [0, 1]],
  ])('%s %j', (condition, values, expected) => {
    const result = main.query(`PK = :p AND ${condition}`, { ':p': 'p', ...values });
    expect(numbers(result)).toEqual(expected);
    const backward = main.query(`PK = :p AND ${condition}`, { ':p': 'p', ...values }, { ScanIndexForward: false });
    expect(numbers(backward)).toEqual(expected.toReversed());
  });

  it.each(['SK <= :a', 'SK > :a', 'begins_with(SK, :a)', 'SK BETWEEN :a AND :a', 'SK >= :a'])(
    'give the same rows in pages of any size, both ways: %s',
    (condition) => {
      const whole = numbers(main.query(`PK = :p AND ${condition}`, { ':p': 'p', ':a': 'E#01' }));
      for (const Limit of [1, 2, 7, 10]) {
        for (const ScanIndexForward of [true, false]) {
          const { items } = readPages(
            `PK = :p AND ${condition}`,
            { ':p': 'p', ':a': 'E#01' },
            { Limit, ScanIndexForward },
          );
          const found = items.map((row) => Number((row['i'] as { N: string }).N));
          expect(ScanIndexForward ? found : found.toReversed()).toEqual(whole);
        }
      }
    },
  );

  it('cut into pages by Limit before the filter', () => {
    const page = main.query('PK = :p', { ':p': 'p', ':o': 1 }, { FilterExpression: 'odd = :o', Limit: 10 });
    expect([page.Count, page.ScannedCount, page.LastEvaluatedKey]).toEqual([5, 10, item({ PK: 'p', SK: 'E#009' })]);
  });

  it('name a last key when Limit ends exactly at the end, and then an empty page without one', () => {
    const page = main.query('PK = :p', { ':p': 'q' }, { Limit: 1 });
    expect([page.Count, page.LastEvaluatedKey]).toEqual([1, item({ PK: 'q', SK: 'E#003' })]);
    const rest = main.query('PK = :p', { ':p': 'q' }, { Limit: 1, ExclusiveStartKey: page.LastEvaluatedKey });
    expect([rest.Count, rest.LastEvaluatedKey]).toEqual([0, undefined]);
  });

  it('go on after a key that has been deleted since', () => {
    const page = main.query('PK = :p', { ':p': 'p' }, { ExclusiveStartKey: item({ PK: 'p', SK: 'E#0205' }) });
    expect(numbers(page)).toEqual([21, 22, 23, 24, 99]);
  });

  it('count without items, and project', () => {
    const counted = main.query('PK = :p', { ':p': 'p' }, { Select: 'COUNT' });
    expect([counted.Count, counted.Items]).toEqual([26, undefined]);
    const projected = main.query('PK = :p AND SK = :s', { ':p': 'p', ':s': 'E#003' }, { ProjectionExpression: 'odd' });
    expect(projected.Items).toEqual([item({ odd: 1 })]);
  });

  it.each<[string, string, object]>([
    ['no partition key', 'SK = :p', {}],
    ['a partition key that is not =', 'PK > :p', {}],
    ['another attribute', 'PK = :p AND odd = :p', {}],
    ['OR', 'PK = :p OR SK = :p', {}],
    ['a condition twice', 'SK > :p AND SK < :p', {}],
    ['contains', 'PK = :p AND contains(SK, :p)', {}],
    ['no condition', '', {}],
    ['a start key of another partition', 'PK = :p', { ExclusiveStartKey: item({ PK: 'x', SK: 'E#003' }) }],
    ['a start key outside the range', 'PK = :p AND SK > :p', { ExclusiveStartKey: item({ PK: 'p', SK: 'E#003' }) }],
    ['a start key without the sort key', 'PK = :p', { ExclusiveStartKey: item({ PK: 'p' }) }],
    ['a start key with more', 'PK = :p', { ExclusiveStartKey: item({ PK: 'p', SK: 'E', i: 1 }) }],
    ['an unknown index', 'PK = :p', { IndexName: 'GSI9' }],
    ['a consistent read of an index', 'GSI1PK = :p', { IndexName: 'GSI1', ConsistentRead: true }],
    ['all attributes of an index that lacks them', 'GSI2PK = :p', { IndexName: 'GSI2', Select: 'ALL_ATTRIBUTES' }],
    ['an attribute the index lacks', 'GSI2PK = :p', { IndexName: 'GSI2', ProjectionExpression: 'secret' }],
    ['a filter on the sort key', 'PK = :p', { FilterExpression: 'SK = :p' }],
    ['a limit of 0', 'PK = :p', { Limit: 0 }],
    ['specific attributes unnamed', 'PK = :p', { Select: 'SPECIFIC_ATTRIBUTES' }],
  ])('are refused with %s', (_what, condition, parameters) => {
    expect(refusalOf(() => main.query(condition, { ':p': 'p' }, parameters))).toBe('ValidationException');
  });

  it.each([
    ['a number for a string', { ':p': typed('p'), ':a': typed(1) }],
    ['bounds in the wrong order', { ':p': typed('p'), ':a': typed('b'), ':b': typed('a') }],
    ['an empty partition key', { ':p': typed('') }],
  ])('are refused with %s, also after an accepted request of the same text', (_what, values) => {
    const condition = ['PK = :p', ':a' in values && (':b' in values ? 'SK BETWEEN :a AND :b' : 'SK = :a')]
      .filter(Boolean)
      .join(' AND ');
    const good = Object.fromEntries(Object.keys(values).map((name) => [name, typed(name)]));
    const parameters = { TableName: 'Main', KeyConditionExpression: condition };
    expect(refusalOf(() => main.engine.dispatch('Query', { ...parameters, ExpressionAttributeValues: good }))).toBe(
      'none',
    );
    expect(refusalOf(() => main.engine.dispatch('Query', { ...parameters, ExpressionAttributeValues: values }))).toBe(
      'ValidationException',
    );
  });
});

describe('order', () => {
  beforeEach(() => {
    main = openMain();
  });

  it('of string keys is that of their UTF-8 bytes', () => {
    const keys = ['\u{1F600}', 'a', '\uFF5E', '#', 'é', 'A', '~', '/', 'a#', '\uE000', '\uD7FF', '\u{10FFFF}', 'ab'];
    for (const SK of keys) main.put({ PK: 'u', SK });
    const byBytes = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect(sortKeys(main.query('PK = :p', { ':p': 'u' }))).toEqual(byBytes);
    expect(sortKeys(main.query('PK = :p AND SK > :s', { ':p': 'u', ':s': '\uFF5E' }))).toEqual([
      '\u{1F600}',
      '\u{10FFFF}',
    ]);
    expect(sortKeys(main.query('PK = :p AND begins_with(SK, :s)', { ':p': 'u', ':s': 'a' }))).toEqual([
      'a',
      'a#',
      'ab',
    ]);
  });

  it('of number keys is numeric', () => {
    const sorted = [
      '-1e20',
      '-100',
      '-10',
      '-9.5',
      '-2.5',
      '-1',
      '-0.001',
      '0',
      '1e-10',
      '0.001',
      '1',
      '1.5',
      '9',
      '10',
      '100',
      '123456789012345678',
      '123456789012345679',
      '1e30',
    ];
    for (const N of sorted.toReversed()) {
      main.engine.dispatch('PutItem', {
        TableName: 'Main',
        Item: { ...item({ PK: 'n', SK: N, GSI2PK: 'num' }), GSI2SK: { N } },
      });
    }
    const inOrder = main.query('GSI2PK = :p', { ':p': 'num' }, { IndexName: 'GSI2' });
    expect(sortKeys(inOrder)).toEqual(sorted);
    const range = main.query(
      'GSI2PK = :p AND GSI2SK BETWEEN :a AND :b',
      { ':p': 'num', ':a': -2.5, ':b': 9 },
      { IndexName: 'GSI2' },
    );
    expect(sortKeys(range)).toEqual(sorted.slice(4, 13));
  });

  it('of binary keys is that of their bytes', () => {
    const engine = main.engine;
    const AttributeDefinitions = [
      { AttributeName: 'p', AttributeType: 'S' },
      { AttributeName: 's', AttributeType: 'B' },
    ];
    const KeySchema = [
      { AttributeName: 'p', KeyType: 'HASH' },
      { AttributeName: 's', KeyType: 'RANGE' },
    ];
    engine.dispatch('CreateTable', {
      TableName: 'Bytes',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions,
      KeySchema,
    });
    const keys = [[0xff], [0x00], [0x7f, 0x01], [0x7f], [0x80]].map((bytes) => Buffer.from(bytes));
    for (const s of keys) engine.dispatch('PutItem', { TableName: 'Bytes', Item: item({ p: 'p', s }) });
    const { Items } = engine.dispatch('Query', {
      TableName: 'Bytes',
      KeyConditionExpression: 'p = :p',
      ExpressionAttributeValues: item({ ':p': 'p' }),
    });
    expect((Items as Item[]).map((row) => row['s'])).toEqual(
      keys.toSorted((a, b) => Buffer.compare(a, b)).map((s) => typed(s)),
    );
  });
});

describe('a page', () => {
  it('ends with the item that reaches 1 MB', () => {
    main = openMain();
    for (const i of upTo(4)) main.put({ PK: 'm', SK: String(i), i, filler: 'x'.repeat(350 * 1024) });
    const first = main.query('PK = :p', { ':p': 'm' });
    expect([numbers(first), first.LastEvaluatedKey]).toEqual([[0, 1, 2], item({ PK: 'm', SK: '2' })]);
    const rest = main.query('PK = :p', { ':p': 'm' }, { ExclusiveStartKey: first.LastEvaluatedKey });
    expect([numbers(rest), rest.LastEvaluatedKey]).toEqual([[3], undefined]);
  });
});

describe('projection', () => {
  it.each<[string, Parameters<typeof item>[0]]>([
    ['a.b.c', { a: { b: { c: 3 } } }],
    ['a.d, a.b.c', { a: { b: { c: 3 }, d: 4 } }],
    ['a.b', { a: { b: { c: 3, e: 5 } } }],
    ['a.nothing', {}],
    ['a.d.more, a.b.nothing', {}],
    ['z, PK', { z: 1, PK: 'pr' }],
  ])('%s', (ProjectionExpression, expected) => {
    main = openMain();
    main.put({ PK: 'pr', SK: '1', a: { b: { c: 3, e: 5 }, d: 4 }, z: 1 });
    expect(main.query('PK = :p', { ':p': 'pr' }, { ProjectionExpression }).Items).toEqual([item(expected)]);
    const read = main.engine.dispatch('GetItem', {
      TableName: 'Main',
      Key: item({ PK: 'pr', SK: '1' }),
      ProjectionExpression,
    });
    expect(read['Item']).toEqual(item(expected));
  });

  it('of a place in a list is refused by name', () => {
    const parameters = { ProjectionExpression: 'z, a.b[2].c' };
    expect(() => main.query('PK = :p', { ':p': 'pr' }, parameters)).toThrow(
      'The place [2] in the list a.b is not emulated by the embedded engine.',
    );
  });
});
