import { beforeEach, describe, expect, it } from 'vitest';
import type { AttributeValue } from '../../../../infra/local/dynamodb/attribute-value.ts';
import { item, type Main, openMain, refusalOf, TABLE, typed } from './main-table.ts';

const REFUSED = 'ConditionalCheckFailedException';

let main: Main;

beforeEach(() => {
  main = openMain();
  main.put({
    PK: 'a',
    SK: '1',
    words: 'hello',
    amount: 10.5,
    lit: true,
    off: false,
    nothing: null,
    blank: '',
    zero: 0,
    bytes: Buffer.from('abc'),
    mixed: [1, 'a', { k: 1 }, true],
    pair: [1, 2],
    box: { a: 1, b: 'x' },
    deep: { inside: { k: 1 } },
    tags: new Set(['x', 'y']),
    numbers: new Set([1, 2]),
    astral: '\u{1F600}',
    valueOf: 'own',
  });
});

/** Whether an update under this condition is let through. */
function holds(condition: string, values: Record<string, AttributeValue> = {}, sk = '1'): boolean {
  const refusal = refusalOf(() =>
    main.update('a', sk, {
      UpdateExpression: 'SET touched = :touched',
      ConditionExpression: condition,
      ExpressionAttributeValues: { ...values, ':touched': typed(1) },
    }),
  );
  if (refusal !== 'none' && refusal !== REFUSED) throw new Error(`${condition}: ${refusal}`);
  return refusal === 'none';
}

describe('conditions', () => {
  it.each<[boolean, string, Record<string, AttributeValue>]>([
    [true, 'attribute_exists(PK)', {}],
    [false, 'attribute_not_exists(PK)', {}],
    [true, 'attribute_not_exists(absent)', {}],
    [false, 'attribute_exists(absent)', {}],
    [
      true,
      'attribute_exists(off) AND attribute_exists(nothing) AND attribute_exists(blank) AND attribute_exists(zero)',
      {},
    ],
    [true, 'attribute_exists(deep.inside.k)', {}],
    [false, 'attribute_exists(deep.absent) OR attribute_exists(deep.inside.k.more) OR attribute_exists(gone.k)', {}],
    [false, 'attribute_exists(toString)', {}],
    [true, 'attribute_not_exists(hasOwnProperty) AND valueOf = :v', { ':v': typed('own') }],
    [true, 'words = :v', { ':v': typed('hello') }],
    [false, 'words = :v', { ':v': typed('hell') }],
    [true, ':v = words', { ':v': typed('hello') }],
    [true, 'zero = :v', { ':v': { N: '0.0' } }],
    [true, 'amount = :v', { ':v': { N: '10.50' } }],
    [false, 'words = :v', { ':v': typed(1) }],
    [true, 'off = :v', { ':v': typed(false) }],
    [false, 'lit = :v', { ':v': typed(false) }],
    [true, 'nothing = :v', { ':v': typed(null) }],
    [true, 'bytes = :v', { ':v': typed(Buffer.from('abc')) }],
    [true, 'pair = :v', { ':v': typed([1, 2]) }],
    [false, 'pair = :v', { ':v': typed([2, 1]) }],
    [false, 'pair = :v', { ':v': typed([1, 2, 3]) }],
    [true, 'box = :v', { ':v': typed({ b: 'x', a: 1 }) }],
    [false, 'box = :v', { ':v': typed({ b: 'x', a: 2 }) }],
    [false, 'box = :v', { ':v': typed({ b: 'x', c: 1 }) }],
    [true, 'tags = :v', { ':v': typed(new Set(['y', 'x'])) }],
    [false, 'tags = :v', { ':v': typed(new Set(['y', 'z'])) }],
    [true, 'numbers = :v', { ':v': { NS: ['2.0', '1'] } }],
    [true, 'words <> :v', { ':v': typed('x') }],
    [false, 'words <> :v', { ':v': typed('hello') }],
    [true, 'absent <> :v', { ':v': typed('x') }],
    [true, 'pair <> :v', { ':v': typed([1]) }],
    [false, 'pair <> :v', { ':v': typed([1, 2]) }],
    [false, 'absent < :v', { ':v': typed(1) }],
    [false, 'absent >= :v', { ':v': typed(1) }],
    [false, 'words < :v', { ':v': typed(1) }],
    [false, 'words > :v', { ':v': typed(1) }],
    [true, 'amount < :v', { ':v': typed(100) }],
    [false, 'amount < :v', { ':v': { N: '10.5' } }],
    [true, 'amount <= :v', { ':v': { N: '10.5' } }],
    [true, 'amount > :v', { ':v': typed(-100) }],
    [true, 'amount >= :v', { ':v': { N: '10.5' } }],
    [false, 'amount >= :v', { ':v': { N: '10.500000000000000000001' } }],
    [true, 'words < :v', { ':v': typed('hellp') }],
    [true, 'bytes < :v', { ':v': typed(Buffer.from([0xff])) }],
    [true, 'astral > :v', { ':v': typed('\uFF5E') }],
    [true, 'amount BETWEEN :a AND :b', { ':a': typed(10), ':b': typed(11) }],
    [false, 'amount BETWEEN :a AND :b', { ':a': typed(1), ':b': typed(9) }],
    [false, 'absent BETWEEN :a AND :b', { ':a': typed(1), ':b': typed(9) }],
    [true, 'words IN (:a, :b)', { ':a': typed('x'), ':b': typed('hello') }],
    [false, 'words IN (:a, :b)', { ':a': typed('x'), ':b': typed('y') }],
    [true, 'pair IN (:a)', { ':a': typed([1, 2]) }],
    [true, 'begins_with(words, :v)', { ':v': typed('he') }],
    [false, 'begins_with(words, :v)', { ':v': typed('el') }],
    [true, 'begins_with(bytes, :v)', { ':v': typed(Buffer.from('ab')) }],
    [false, 'begins_with(absent, :v)', { ':v': typed('x') }],
    [false, 'begins_with(numbers, :v)', { ':v': typed('1') }],
    [false, 'begins_with(words, :v)', { ':v': typed(Buffer.from('he')) }],
    [false, 'amount < words', {}],
    [false, 'lit < off', {}],
    [false, 'box = :v', { ':v': typed({ a: 1 }) }],
    [true, 'NOT words = :v', { ':v': typed('x') }],
    [true, 'words = :v OR amount > :n', { ':v': typed('x'), ':n': typed(1) }],
    [false, 'words = :v AND amount > :n', { ':v': typed('x'), ':n': typed(1) }],
    [
      true,
      'NOT (words = :v OR lit = :no) AND deep.inside.k = :one',
      { ':v': typed('x'), ':no': typed(false), ':one': typed(1) },
    ],
  ])('%s: %s', (expected, condition, values) => {
    expect(holds(condition, values)).toBe(expected);
  });

  it('takes an absent item for an empty one', () => {
    expect(holds('attribute_exists(PK)', {}, 'none')).toBe(false);
    expect(holds('attribute_not_exists(PK)', {}, 'none')).toBe(true);
  });

  it('leaves the item alone when refused', () => {
    expect(holds('words = :v', { ':v': typed('x') })).toBe(false);
    expect(main.get('a', '1')?.['touched']).toBeUndefined();
  });
});

describe('a refused condition', () => {
  const failing = { ConditionExpression: 'zero > :v', ExpressionAttributeValues: { ':v': typed(5) } };
  const asking = { ...failing, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' };
  const update = { UpdateExpression: 'REMOVE zero' };

  it.each<[string, (parameters: object) => unknown]>([
    ['PutItem', (parameters) => main.put({ PK: 'a', SK: '1' }, parameters)],
    ['UpdateItem', (parameters) => main.update('a', '1', { ...update, ...parameters })],
    ['DeleteItem', (parameters) => main.delete('a', '1', parameters)],
  ])('returns the stored item from %s only when asked', (_operation, act) => {
    expect(() => act(asking)).toThrow(
      expect.objectContaining({ name: REFUSED, body: expect.objectContaining({ Item: main.get('a', '1') }) }),
    );
    expect(() => act(failing)).toThrow(
      expect.objectContaining({ name: REFUSED, body: expect.not.objectContaining({ Item: expect.anything() }) }),
    );
  });

  it('has no item to return when there is none', () => {
    expect(() => main.delete('a', 'none', asking)).toThrow(
      expect.objectContaining({ name: REFUSED, body: expect.not.objectContaining({ Item: expect.anything() }) }),
    );
  });

  it('refuses an unknown answer to the question', () => {
    expect(refusalOf(() => main.delete('a', '1', { ...failing, ReturnValuesOnConditionCheckFailure: 'ALL' }))).toBe(
      'ValidationException',
    );
  });
});

describe('kept expressions', () => {
  const condition = (text: string, values: object, names?: object) => ({
    ConditionExpression: text,
    ExpressionAttributeValues: values,
    ...(names && { ExpressionAttributeNames: names }),
  });

  it('use the values and names of the request at hand', () => {
    const text = '#n = :v';
    expect(refusalOf(() => main.delete('a', '1', condition(text, { ':v': typed('other') }, { '#n': 'words' })))).toBe(
      REFUSED,
    );
    expect(refusalOf(() => main.delete('a', '1', condition(text, { ':v': typed('hello') }, { '#n': 'blank' })))).toBe(
      REFUSED,
    );
    expect(refusalOf(() => main.delete('a', '1', condition(text, { ':v': typed('hello') }, { '#n': 'words' })))).toBe(
      'none',
    );
  });

  it.each<[string, string, AttributeValue[], AttributeValue[]]>([
    ['bounds in the wrong order', 'amount BETWEEN :a AND :b', [typed(1), typed(20)], [typed(20), typed(1)]],
    [
      'a prefix of another type',
      'begins_with(words, :a) AND words = :b',
      [typed('h'), typed('hello')],
      [typed(1), typed('hello')],
    ],
    ['a value without content', 'words = :b AND amount > :a', [typed(1), typed('hello')], [{ N: '' }, typed('hello')]],
  ])('are checked again for %s', (_what, text, good, bad) => {
    const values = ([a, b]: AttributeValue[]) => ({ ':a': a, ':b': b });
    const attempt = (given: AttributeValue[]) =>
      refusalOf(() => main.delete('a', 'x', condition(`${text} AND attribute_exists(PK)`, values(given))));
    expect(attempt(good)).toBe(REFUSED);
    expect(attempt(bad)).toBe('ValidationException');
    expect(attempt(good)).toBe(REFUSED);
  });

  it('still refuse what a request does not use', () => {
    const text = 'words = :v';
    expect(refusalOf(() => main.delete('a', 'x', condition(text, { ':v': typed('x') })))).toBe(REFUSED);
    expect(refusalOf(() => main.delete('a', 'x', condition(text, { ':v': typed('x'), ':w': typed(1) })))).toBe(
      'ValidationException',
    );
    expect(refusalOf(() => main.delete('a', 'x', condition(text, { ':v': typed('x') }, { '#n': 'words' })))).toBe(
      'ValidationException',
    );
  });
});

describe('what lies outside the subset', () => {
  it.each([
    ['contains(tags, :v)', 'The function contains'],
    ['words = :v AND NOT contains(words, :v)', 'The function contains'],
    ['attribute_type(words, :t)', 'The function attribute_type'],
    ['size(words) > :n', 'The function size'],
    ['words IN (:v, size(words))', 'The function size'],
    ['amount BETWEEN :n AND size(words)', 'The function size'],
    ['mixed[0] = :n', 'The place [0] in the list mixed'],
    ['attribute_exists(deep.inside[1].k)', 'The place [1] in the list deep.inside'],
    ['begins_with(mixed[1], :v)', 'The place [1] in the list mixed'],
  ])('is refused by name in a condition and in a filter: %s', (text, what) => {
    const known = { ':v': typed('x'), ':n': typed(1), ':t': typed('S') };
    const used = Object.fromEntries(Object.entries(known).filter(([name]) => text.includes(name)));
    const condition = {
      ConditionExpression: `${text} AND :v = PK`,
      ExpressionAttributeValues: { ':v': known[':v'], ...used },
    };
    const sentence = `${what} is not emulated by the embedded engine. Expressions keep to =, `;
    expect(() => main.delete('a', '1', condition)).toThrow(sentence);
    const filter = { KeyConditionExpression: 'PK = :p', FilterExpression: text };
    const query = { TableName: TABLE, ...filter, ExpressionAttributeValues: { ...used, ':p': typed('a') } };
    expect(() => main.engine.dispatch('Query', query)).toThrow(sentence);
    expect(main.get('a', '1')).toBeDefined();
  });
});

describe('malformed conditions', () => {
  it.each([
    ['a reserved word', 'status = :v'],
    ['an unknown function', 'starts_with(words, :v)'],
    ['an undefined value', 'words = :w'],
    ['an undefined name', '#n = :v'],
    ['a syntax error', 'words == :v'],
    ['an empty text', ''],
    ['redundant parentheses', '((words = :v))'],
    ['more than 4,096 bytes', `words = :v${' OR words = :v'.repeat(400)}`],
    ['more than 100 operands of IN', `words IN (${Array.from({ length: 101 }, () => ':v').join(', ')})`],
  ])('are refused: %s', (_what, text) => {
    const parameters = { ConditionExpression: text, ExpressionAttributeValues: item({ ':v': 'x' }) };
    expect(refusalOf(() => main.delete('a', '1', parameters))).toBe('ValidationException');
  });
});
