import { beforeEach, describe, expect, it } from 'vitest';
import type { AttributeValue, Item } from '../../../../infra/local/dynamodb/attribute-value.ts';
import { item, type Main, openMain, refusalOf, typed } from './main-table.ts';

let main: Main;

beforeEach(() => {
  main = openMain();
});

type Plain = Parameters<typeof item>[0];

/** Puts `before`, updates it, and returns what it became without its key. */
function updated(before: Plain, expression: string, values?: Plain, names?: Record<string, string>): Item {
  main.put({ PK: 'u', SK: '1', ...before });
  const { Attributes } = main.update('u', '1', {
    UpdateExpression: expression,
    ...(values && { ExpressionAttributeValues: item(values) }),
    ...(names && { ExpressionAttributeNames: names }),
    ReturnValues: 'ALL_NEW',
  });
  expect(main.get('u', '1')).toEqual(Attributes);
  const { PK: _pk, SK: _sk, ...rest } = Attributes as Item;
  return rest;
}

describe('update expressions', () => {
  it.each<[string, Plain, string, Plain | undefined, Plain]>([
    ['SET replaces', { a: 1 }, 'SET a = :v', { ':v': 'x' }, { a: 'x' }],
    ['SET adds', { a: 1 }, 'SET b = :v', { ':v': 2 }, { a: 1, b: 2 }],
    ['SET swaps by the old values', { a: 1, b: 2 }, 'SET a = b, b = a', undefined, { a: 2, b: 1 }],
    ['SET counts up', { a: 1 }, 'SET a = a + :v', { ':v': 2 }, { a: 3 }],
    ['if_not_exists starts at its default', {}, 'SET a = if_not_exists(a, :z) + :v', { ':z': 0, ':v': 1 }, { a: 1 }],
    [
      'if_not_exists keeps what is there',
      { a: 5 },
      'SET a = if_not_exists(a, :z) + :v',
      { ':z': 0, ':v': 1 },
      { a: 6 },
    ],
    ['if_not_exists keeps false', { a: false }, 'SET a = if_not_exists(a, :z)', { ':z': true }, { a: false }],
    ['SET inside a map', { m: { a: 1, b: 2 } }, 'SET m.a = :v', { ':v': 9 }, { m: { a: 9, b: 2 } }],
    [
      'several changes inside one map',
      { m: { a: 1, n: { b: 2, c: 3 } } },
      'SET m.n.b = :v, m.a = m.n.c REMOVE m.n.c',
      { ':v': 9 },
      { m: { a: 3, n: { b: 9 } } },
    ],
    ['a copy is not an alias', { a: { x: 1 } }, 'SET b = a, a.x = :v', { ':v': 2 }, { a: { x: 2 }, b: { x: 1 } }],
    ['an attribute named valueOf', {}, 'SET valueOf = if_not_exists(valueOf, :v)', { ':v': 1 }, { valueOf: 1 }],
    ['REMOVE of an attribute', { a: 1, b: 2 }, 'REMOVE a', undefined, { b: 2 }],
    ['REMOVE of what is not there', { a: 1 }, 'REMOVE b', undefined, { a: 1 }],
    ['REMOVE of a map key', { m: { a: 1, b: 2 } }, 'REMOVE m.a', undefined, { m: { b: 2 } }],
    ['ADD of a number', { a: 1.5 }, 'ADD a :v', { ':v': 2 }, { a: 3.5 }],
    ['ADD starts at zero', {}, 'ADD a :v', { ':v': 2 }, { a: 2 }],
    ['ADD to a set', { s: new Set(['a']) }, 'ADD s :v', { ':v': new Set(['b', 'a']) }, { s: new Set(['a', 'b']) }],
    ['ADD makes a set', {}, 'ADD s :v', { ':v': new Set([1]) }, { s: new Set([1]) }],
    ['ADD inside a map', { m: { n: 1 } }, 'ADD m.n :v', { ':v': 1 }, { m: { n: 2 } }],
    [
      'all sections at once',
      { a: 1, b: 2, s: new Set(['x']) },
      'SET a = a + :v REMOVE b ADD n :v, s :y',
      { ':v': 1, ':y': new Set(['y']) },
      { a: 2, n: 1, s: new Set(['x', 'y']) },
    ],
  ])('%s', (_what, before, expression, values, after) => {
    expect(updated(before, expression, values)).toEqual(item(after));
  });

  it('resolves names, also with dots in them', () => {
    expect(updated({ 'a.b': 1 }, 'SET #n = #n + :v, #m = :v', { ':v': 1 }, { '#n': 'a.b', '#m': 'status' })).toEqual(
      item({ 'a.b': 2, status: 1 }),
    );
  });

  it('makes an item of its key when there is none, also without an expression', () => {
    main.update('u', 'new', {});
    main.update('u', 'counted', { UpdateExpression: 'ADD n :v', ExpressionAttributeValues: item({ ':v': 1 }) });
    expect(main.get('u', 'new')).toEqual(item({ PK: 'u', SK: 'new' }));
    expect(main.get('u', 'counted')).toEqual(item({ PK: 'u', SK: 'counted', n: 1 }));
  });

  it('pass over REMOVE of a nested path where there is no item, though not where the item lacks the parent', () => {
    main.put({ PK: 'u', SK: 'there' });
    expect(refusalOf(() => main.update('u', 'there', { UpdateExpression: 'REMOVE m.a' }))).toBe('ValidationException');
    main.update('u', 'absent', {
      UpdateExpression: 'REMOVE m.a SET b = :v',
      ExpressionAttributeValues: item({ ':v': 1 }),
    });
    expect(main.get('u', 'absent')).toEqual(item({ PK: 'u', SK: 'absent', b: 1 }));
  });

  it.each<[string, Plain, string, Plain | undefined]>([
    ['a path that leads nowhere', {}, 'SET no.such = :v', { ':v': 1 }],
    ['a step into a string', { a: 'x' }, 'SET a.b = :v', { ':v': 1 }],
    ['a key in a list', { l: [1] }, 'SET l.a = :v', { ':v': 1 }],
    ['a missing right side', {}, 'SET a = b', undefined],
    ['a missing number', {}, 'SET a = a + :v', { ':v': 1 }],
    ['adding to a string', { a: 'x' }, 'SET a = a + :v', { ':v': 1 }],
    ['ADD to a string', { a: 'x' }, 'ADD a :v', { ':v': 1 }],
    ['ADD of a string', {}, 'ADD a :v', { ':v': 'x' }],
    ['ADD of a set of another type', { s: new Set([1]) }, 'ADD s :v', { ':v': new Set(['1']) }],
    ['a reserved word', {}, 'SET status = :v', { ':v': 1 }],
    ['an unused value', {}, 'SET a = :v', { ':v': 1, ':w': 1 }],
    ['overlapping paths', { q: {} }, 'SET q = :v, q.a = :v', { ':v': 1 }],
    ['a section twice', {}, 'SET a = :v SET b = :v', { ':v': 1 }],
    ['a key attribute', {}, 'SET SK = :v', { ':v': 'x' }],
    ['removing a key attribute', {}, 'REMOVE SK', undefined],
    ['an index key of another type', {}, 'SET GSI1PK = :v', { ':v': 5 }],
    ['an empty index key', {}, 'SET GSI1PK = :v', { ':v': '' }],
    ['a path inside an index key', { GSI1PK: 'x' }, 'SET GSI1PK.a = :v', { ':v': 'x' }],
  ])('refuse %s and leave the item alone', (_what, before, expression, values) => {
    main.put({ PK: 'u', SK: '1', ...before });
    const stored = main.get('u', '1');
    const parameters = { UpdateExpression: expression, ...(values && { ExpressionAttributeValues: item(values) }) };
    expect(refusalOf(() => main.update('u', '1', parameters))).toBe('ValidationException');
    expect(main.get('u', '1')).toEqual(stored);
  });

  it.each([
    ['SET a = a - :v', 'SET with -'],
    ['SET l = list_append(l, :w)', 'The function list_append'],
    ['SET l = if_not_exists(l, list_append(l, :w))', 'The function list_append'],
    ['SET l[0] = :v', 'The place [0] in the list l'],
    ['SET a = l[1]', 'The place [1] in the list l'],
    ['SET a = if_not_exists(l[1], :v)', 'The place [1] in the list l'],
    ['REMOVE m.l[2].k', 'The place [2] in the list m.l'],
    ['DELETE s :s', 'DELETE in an update expression'],
  ])('refuse by name what lies outside the subset: %s', (expression, what) => {
    const known: Record<string, AttributeValue> = { ':v': typed(1), ':w': typed([1]), ':s': typed(new Set(['x'])) };
    const values = Object.fromEntries(Object.entries(known).filter(([name]) => expression.includes(name)));
    main.put({ PK: 'u', SK: '1', a: 1, l: [1, 2], s: new Set(['x', 'y']), m: { l: [1, 2, { k: 1 }] } });
    const stored = main.get('u', '1');
    const parameters = {
      UpdateExpression: expression,
      ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
    };
    expect(() => main.update('u', '1', parameters)).toThrow(
      `${what} is not emulated by the embedded engine. Expressions keep to =, `,
    );
    expect(main.get('u', '1')).toEqual(stored);
  });

  it('change nothing when a later action fails', () => {
    main.put({ PK: 'u', SK: '1', m: { a: 1 }, n: 'x' });
    const parameters = { UpdateExpression: 'SET m.a = :v ADD n :v', ExpressionAttributeValues: item({ ':v': 2 }) };
    expect(refusalOf(() => main.update('u', '1', parameters))).toBe('ValidationException');
    expect(main.get('u', '1')?.['m']).toEqual(typed({ a: 1 }));
  });
});

describe('ReturnValues', () => {
  const change = {
    UpdateExpression: 'SET a = :v, m.x = :v, added = :v REMOVE gone',
    ExpressionAttributeValues: item({ ':v': 9 }),
  };
  const before = { PK: 'r', SK: '1', a: 1, m: { x: 1, y: 2 }, gone: true, kept: 'k' };
  const after = { PK: 'r', SK: '1', a: 9, m: { x: 9, y: 2 }, kept: 'k', added: 9 };

  it.each<[string, Plain | undefined]>([
    ['NONE', undefined],
    ['ALL_OLD', before],
    ['ALL_NEW', after],
    ['UPDATED_OLD', { a: 1, m: { x: 1 }, gone: true }],
    ['UPDATED_NEW', { a: 9, m: { x: 9 }, added: 9 }],
  ])('of an update: %s', (ReturnValues, expected) => {
    main.put(before);
    expect(main.update('r', '1', { ...change, ReturnValues })['Attributes']).toEqual(expected && item(expected));
  });

  it('of an update that makes the item: nothing old, everything new', () => {
    const add = { UpdateExpression: 'ADD n :v', ExpressionAttributeValues: item({ ':v': 1 }) };
    expect(main.update('r', 'a', { ...add, ReturnValues: 'ALL_OLD' })['Attributes']).toBeUndefined();
    expect(main.update('r', 'b', { ...add, ReturnValues: 'UPDATED_OLD' })['Attributes']).toBeUndefined();
    expect(main.update('r', 'c', { ...add, ReturnValues: 'ALL_NEW' })['Attributes']).toEqual(
      item({ PK: 'r', SK: 'c', n: 1 }),
    );
  });

  it('of a put and a delete: the old item, or refused', () => {
    main.put(before);
    expect(main.put({ PK: 'r', SK: '1', a: 2 }, { ReturnValues: 'ALL_OLD' })['Attributes']).toEqual(item(before));
    expect(main.delete('r', '1', { ReturnValues: 'ALL_OLD' })['Attributes']).toEqual(item({ PK: 'r', SK: '1', a: 2 }));
    expect(main.delete('r', '1', { ReturnValues: 'ALL_OLD' })['Attributes']).toBeUndefined();
    expect(refusalOf(() => main.put(before, { ReturnValues: 'ALL_NEW' }))).toBe('ValidationException');
    expect(refusalOf(() => main.delete('r', '1', { ReturnValues: 'UPDATED_NEW' }))).toBe('ValidationException');
  });
});

describe('what a caller holds', () => {
  it('is never the stored item', () => {
    const given: { TableName: string; Item: Record<string, { L: AttributeValue[] } | { S: string }> } = {
      TableName: 'Main',
      Item: { PK: { S: 'c' }, SK: { S: '1' }, l: { L: [typed(1)] } },
    };
    main.engine.dispatch('PutItem', given);
    (given.Item['l'] as { L: AttributeValue[] }).L.push(typed(2));
    const read = main.get('c', '1') as { l: { L: AttributeValue[] } };
    read.l.L.push(typed(3));
    const listed = main.engine.items('Main')[0] as { l: { L: AttributeValue[] } };
    listed.l.L.push(typed(4));
    expect(main.get('c', '1')?.['l']).toEqual(typed([1]));
  });
});
