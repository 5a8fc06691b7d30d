/** Filter patterns on stream records, and the project's own constant on golden records. */
import { describe, expect, it } from 'vitest';
import { compileFilters } from '../../../../infra/local/runtime/filter-pattern.ts';
import { STREAM_FILTERS } from '../../../../schema/edges.ts';

const passes = (pattern: object, record: object) => compileFilters([JSON.stringify(pattern)])(record);

describe('a rule', () => {
  it.each<[string, unknown, unknown, boolean]>([
    ['an exact value', ['a', 'b'], 'b', true],
    ['another value', ['a', 'b'], 'c', false],
    ['null', [null], null, true],
    ['a number against its text', [1], '1', false],
    ['an element of a list', ['b'], ['a', 'b'], true],
    ['a prefix', [{ prefix: 'PASS#' }], 'PASS#1', true],
    ['a prefix that is elsewhere', [{ prefix: 'PASS#' }], 'A PASS#1', false],
    ['a prefix of nothing', [{ prefix: 'u' }], undefined, false],
    ['a suffix', [{ suffix: '.txt' }], 'a.txt', true],
    ['exists', [{ exists: true }], 'x', true],
    ['exists on nothing', [{ exists: true }], undefined, false],
    ['exists on an object, which is no leaf', [{ exists: true }], { a: 1 }, false],
    ['absence', [{ exists: false }], undefined, true],
    ['absence of what is there', [{ exists: false }], 'x', false],
    ['anything but', [{ 'anything-but': ['a', 'b'] }], 'c', true],
    ['anything but this', [{ 'anything-but': ['a', 'b'] }], 'a', false],
    ['anything but, on nothing', [{ 'anything-but': 'a' }], undefined, false],
    ['anything but a prefix', [{ 'anything-but': { prefix: 'a' } }], 'ab', false],
  ])('%s', (_, rules, value, expected) => {
    expect(passes({ field: rules }, { field: value })).toBe(expected);
  });

  it.each([
    [{ a: [{ numeric: ['>', 1] }] }, /the rule numeric is not emulated/],
    [{ a: 'x' }, /must be matched by a list/],
    [{ $or: [{ a: [1] }] }, /\$or is not emulated/],
  ])('%j is refused when it is compiled', (pattern, message) => {
    expect(() => passes(pattern, {})).toThrow(message);
  });

  it('needs every field of one pattern, or one of several patterns, or no pattern at all', () => {
    expect(passes({ a: [1], b: [2] }, { a: 1, b: 3 })).toBe(false);
    expect(compileFilters(['{"a":[1]}', '{"b":[3]}'])({ a: 2, b: 3 })).toBe(true);
    expect(compileFilters([])({})).toBe(true);
  });
});

describe('the filter of the control table', () => {
  const filter = compileFilters(STREAM_FILTERS.map((pattern) => JSON.stringify(pattern)));
  const Keys = { pk: { S: 'SCOPE#a#0' }, sk: { S: 'PASS#1' } };
  const ttl = { type: 'Service', principalId: 'dynamodb.amazonaws.com' };

  it.each<[string, object, boolean]>([
    ['a failed pass', { eventName: 'MODIFY', dynamodb: { Keys, NewImage: { status: { S: 'failed' } } } }, true],
    ['a running pass', { eventName: 'MODIFY', dynamodb: { Keys, NewImage: { status: { S: 'running' } } } }, false],
    [
      'a finalized pass',
      { eventName: 'MODIFY', dynamodb: { Keys, NewImage: { status: { S: 'failed' }, finalizedAtMs: { N: '1' } } } },
      false,
    ],
    ['a row removed by TTL', { eventName: 'REMOVE', userIdentity: ttl, dynamodb: { Keys } }, true],
    ['a row removed by the finalizer', { eventName: 'REMOVE', dynamodb: { Keys } }, false],
  ])('%s', (_, record, expected) => {
    expect(filter(record)).toBe(expected);
  });
});
