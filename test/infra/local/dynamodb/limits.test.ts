import { beforeEach, describe, expect, it } from 'vitest';
import type { AttributeValue, Item } from '../../../../infra/local/dynamodb/attribute-value.ts';
import { item, type Main, openMain, refusalOf, TABLE, typed } from './main-table.ts';

let main: Main;

beforeEach(() => {
  main = openMain();
});

const ITEM_BYTES_MAX = 409_600;
/** What `PK`, `SK`, `b` and one-byte keys take. */
const OVERHEAD_BYTES = 'PK'.length + 'SK'.length + 'b'.length + 2;

describe('the size of an item', () => {
  it.each<[string, string, number]>([
    ['x', 'x', ITEM_BYTES_MAX - OVERHEAD_BYTES],
    ['é', 'é', (ITEM_BYTES_MAX - OVERHEAD_BYTES) >> 1],
  ])('is bounded in bytes: %s', (_what, character, count) => {
    main.put({ PK: 'l', SK: '1', b: character.repeat(count) });
    expect(refusalOf(() => main.put({ PK: 'l', SK: '1', b: character.repeat(count + 1) }))).toBe('ValidationException');
    const puts = [{ PutRequest: { Item: item({ PK: 'l', SK: '1', b: character.repeat(count + 1) }) } }];
    expect(refusalOf(() => main.engine.dispatch('BatchWriteItem', { RequestItems: { [TABLE]: puts } }))).toBe(
      'ValidationException',
    );
  });

  it('is bounded for what an update makes', () => {
    main.put({ PK: 'l', SK: '1', b: 'x'.repeat(ITEM_BYTES_MAX - OVERHEAD_BYTES) });
    const grow = { UpdateExpression: 'SET c = :c', ExpressionAttributeValues: item({ ':c': 'y' }) };
    expect(refusalOf(() => main.update('l', '1', grow))).toBe('ValidationException');
    expect(refusalOf(() => main.update('l', '1', { ...grow, UpdateExpression: 'SET b = :c' }))).toBe('none');
  });

  it.each<[string, AttributeValue, number]>([
    ['a string in bytes', typed('é€\u{1F600}'), 9],
    ['a binary in its own bytes', typed(Buffer.alloc(10)), 10],
    ['a short number', typed(1), 2],
    ['a negative number', typed(-1), 3],
    ['zero', typed(0), 1],
    ['38 digits', { N: '12345678901234567890123456789012345678' }, 20],
    ['a boolean', typed(true), 1],
    ['null', typed(null), 1],
    ['a set', typed(new Set(['a', 'bc'])), 3],
    ['an empty list', typed([]), 3],
    ['a list', typed(['a', 'b']), 3 + 2 + 2],
    ['an empty map', typed({}), 3],
    ['a map', typed({ ab: 'c' }), 3 + 1 + 3],
  ])('counts %s', (_what, value, bytes) => {
    const sizeBytes = () =>
      (main.engine.dispatch('DescribeTable', { TableName: TABLE })['Table'] as { TableSizeBytes: number })
        .TableSizeBytes;
    main.put({ PK: 'l', SK: '1' });
    const empty = sizeBytes();
    main.engine.dispatch('PutItem', { TableName: TABLE, Item: { ...item({ PK: 'l', SK: '1' }), v: value } });
    expect(sizeBytes() - empty - 'v'.length).toBe(bytes);
    main.delete('l', '1');
    expect(sizeBytes()).toBe(0);
  });
});

describe('keys', () => {
  it.each<[string, string, string, string]>([
    ['2,048 and 1,024 bytes', 'x'.repeat(2048), 'x'.repeat(1024), 'none'],
    ['a longer partition key', 'x'.repeat(2049), '1', 'ValidationException'],
    ['a longer sort key', 'x', 'x'.repeat(1025), 'ValidationException'],
    ['a partition key longer in bytes', 'é'.repeat(1025), '1', 'ValidationException'],
    ['a sort key longer in bytes', 'x', 'é'.repeat(513), 'ValidationException'],
    ['an empty partition key', '', '1', 'ValidationException'],
    ['an empty sort key', 'x', '', 'ValidationException'],
  ])('%s', (_what, PK, SK, expected) => {
    expect(refusalOf(() => main.put({ PK, SK }))).toBe(expected);
    expect(refusalOf(() => main.get(PK, SK))).toBe(expected);
    expect(refusalOf(() => main.update(PK, SK, {}))).toBe(expected);
    expect(refusalOf(() => main.delete(PK, SK))).toBe(expected);
  });

  it.each<[string, Item]>([
    ['a missing sort key', item({ PK: 'x' })],
    ['a number for a string', item({ PK: 'x', SK: 1 })],
    ['another attribute', item({ PK: 'x', SK: '1', more: 1 })],
    ['other names', item({ pk: 'x', sk: '1' })],
  ])('of a read must be exactly the key: %s', (_what, Key) => {
    expect(refusalOf(() => main.engine.dispatch('GetItem', { TableName: TABLE, Key }))).toBe('ValidationException');
  });

  it('that only differ in where one part ends are different keys', () => {
    main.put({ PK: 'a', SK: 'bc' });
    main.put({ PK: 'ab', SK: 'c' });
    expect(main.engine.items(TABLE)).toHaveLength(2);
    const Keys = [item({ PK: 'a', SK: 'bc' }), item({ PK: 'ab', SK: 'c' })];
    expect(refusalOf(() => main.engine.dispatch('BatchGetItem', { RequestItems: { [TABLE]: { Keys } } }))).toBe('none');
  });
});

describe('numbers', () => {
  const putNumber = (N: string) =>
    main.engine.dispatch('PutItem', { TableName: TABLE, Item: { ...item({ PK: 'n', SK: '1' }), n: { N } } });

  it.each([
    ['12345678901234567890123456789012345678', '12345678901234567890123456789012345678'],
    ['0.00000000000000000000000000000000000001', '0.00000000000000000000000000000000000001'],
    ['1.500', '1.5'],
    ['1e3', '1000'],
    ['-0', '0'],
    ['+7', undefined],
    ['007', '7'],
    ['9.9e125', `99${'0'.repeat(124)}`],
    ['1e126', undefined],
    ['1e-131', undefined],
    ['123456789012345678901234567890123456789', undefined],
    ['', undefined],
    ['one', undefined],
    ['NaN', undefined],
    ['Infinity', undefined],
  ])('%s becomes %s', (given, stored) => {
    expect(refusalOf(() => putNumber(given))).toBe(stored === undefined ? 'ValidationException' : 'none');
    expect(main.get('n', '1')?.['n']).toEqual(stored === undefined ? undefined : { N: stored });
  });

  it.each<[string, string, string | undefined]>([
    ['0.1', '0.2', '0.3'],
    ['1', '-1', '0'],
    ['0.5', '-1', '-0.5'],
    ['99999999999999999999999999999999999999', '1', `1${'0'.repeat(38)}`],
    ['99999999999999999999999999999999999999', '0.1', undefined],
    ['12345678901234567890123456789012345678', '-12345678901234567890123456789012345677', '1'],
    ['999999999999999', '1', '1000000000000000'],
    ['9007199254740993', '2', '9007199254740995'],
    [`9${'0'.repeat(125)}`, `9${'0'.repeat(125)}`, undefined],
  ])('%s + %s = %s, exactly', (a, b, sum) => {
    putNumber(a);
    const add = (UpdateExpression: string, N: string) => () =>
      main.update('n', '1', { UpdateExpression, ExpressionAttributeValues: { ':b': { N } } });
    expect(refusalOf(add('ADD n :b', b))).toBe(sum === undefined ? 'ValidationException' : 'none');
    expect(main.get('n', '1')?.['n']).toEqual({ N: sum ?? a });
    if (sum === undefined) return;
    const opposite = b.startsWith('-') ? b.slice(1) : `-${b}`;
    expect(refusalOf(add('SET n = n + :b', opposite))).toBe('none');
    expect(main.get('n', '1')?.['n']).toEqual({ N: a });
  });
});

describe('values', () => {
  const nested = (levels: number): AttributeValue => (levels === 0 ? typed(1) : { L: [nested(levels - 1)] });

  it.each<[string, unknown, string]>([
    ['an empty string', { S: '' }, 'none'],
    ['an empty set', { SS: [] }, 'ValidationException'],
    ['a set with a member twice', { SS: ['a', 'a'] }, 'ValidationException'],
    ['a number set with a number twice', { NS: ['1', '1.0'] }, 'ValidationException'],
    ['a set with null', { SS: [null] }, 'ValidationException'],
    ['no type', {}, 'ValidationException'],
    ['null', null, 'ValidationException'],
    ['null in a map', { M: { a: null } }, 'ValidationException'],
    ['null in a list', { L: [null] }, 'ValidationException'],
    ['two types', { S: 'a', N: '1' }, 'ValidationException'],
    ['NULL false', { NULL: false }, 'ValidationException'],
    ['base64 that is none', { B: 'a' }, 'SerializationException'],
    ['a number that is not text', { N: 1 }, 'SerializationException'],
    ['32 levels', nested(32), 'none'],
    ['33 levels', nested(33), 'ValidationException'],
  ])('%s: %s', (_what, value, expected) => {
    const put = { TableName: TABLE, Item: { ...item({ PK: 'v', SK: '1' }), v: value } };
    const condition = { ConditionExpression: 'v <> :v', ExpressionAttributeValues: { ':v': value } };
    expect(refusalOf(() => main.engine.dispatch('PutItem', put))).toBe(expected);
    expect(refusalOf(() => main.update('v', '2', condition))).toBe(expected);
  });
});
