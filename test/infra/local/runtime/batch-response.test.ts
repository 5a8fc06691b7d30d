/** What a batch function's answer means for its records (traps S2 and Q4). */
import { describe, expect, it } from 'vitest';
import { readFailedRecords } from '../../../../infra/local/runtime/batch-response.ts';

const IDS = new Set(['a', 'b']);
const answer = (payload: unknown) => ({ kind: 'succeeded', payload: JSON.stringify(payload) }) as const;

describe('with partial failures', () => {
  it.each<[string, unknown, 'all' | string[]]>([
    ['an empty list is success', { batchItemFailures: [] }, []],
    ['null is success', null, []],
    ['an object without the list is success', {}, []],
    ['a null list is success', { batchItemFailures: null }, []],
    ['a known id fails alone', { batchItemFailures: [{ itemIdentifier: 'b' }] }, ['b']],
    ['an unknown id fails all', { batchItemFailures: [{ itemIdentifier: 'b' }, { itemIdentifier: 'c' }] }, 'all'],
    ['an empty id fails all', { batchItemFailures: [{ itemIdentifier: '' }] }, 'all'],
    ['a wrongly named id fails all', { batchItemFailures: [{ id: 'a' }] }, 'all'],
    ['a null entry fails all', { batchItemFailures: [null] }, 'all'],
  ])('%s', (_, payload, expected) => {
    const failed = readFailedRecords(answer(payload), IDS, true);
    expect(failed === 'all' ? failed : [...failed]).toEqual(expected);
  });

  it('an error and an invocation that never ran fail all', () => {
    expect(readFailedRecords({ kind: 'failed', payload: '{}' }, IDS, true)).toBe('all');
    expect(readFailedRecords({ kind: 'abandoned' }, IDS, true)).toBe('all');
  });
});

it('without partial failures any answer is success, an error is none', () => {
  expect(readFailedRecords(answer({ batchItemFailures: [{ itemIdentifier: 'a' }] }), IDS, false)).toEqual(new Set());
  expect(readFailedRecords({ kind: 'failed', payload: '{}' }, IDS, false)).toBe('all');
});
