import { describe, expect, it } from 'vitest';
import { put, update } from '../../schema/request.ts';
import { clausesOf, withoutClause } from './without-clause.ts';

const KEY = { pk: 'p', sk: 's' };

function twoClauses() {
  return update({
    key: KEY,
    op: 'op-1',
    set: { state: 'b' },
    when: ['#state = :a', 'attribute_not_exists(#lease) OR #lease = :me'],
    values: { ':a': 'a', ':me': 'me' },
  });
}

describe('withoutClause', () => {
  it('tells clauses apart although they hold parentheses of their own', () => {
    expect(clausesOf(twoClauses())).toEqual(['#state = :a', 'attribute_not_exists(#lease) OR #lease = :me']);
  });

  it('takes out the clause with the names and values only it used, and nothing else', () => {
    const { input } = withoutClause(twoClauses(), 'attribute_not_exists(#lease) OR #lease = :me');
    expect(input).toEqual({
      Key: KEY,
      UpdateExpression: 'SET #state = :set_state, #op = :set_op',
      ConditionExpression: '(#state = :a)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      ExpressionAttributeNames: { '#state': 'state', '#op': 'op' },
      ExpressionAttributeValues: { ':a': 'a', ':set_state': 'b', ':set_op': 'op-1' },
    });
  });

  it('leaves an unconditional write when the only clause goes', () => {
    const write = put({ op: 'op-1', item: KEY, when: ['attribute_not_exists(#pk)'] });
    expect(withoutClause(write, 'attribute_not_exists(#pk)').input).toEqual({ Item: { ...KEY, op: 'op-1' } });
  });

  it.each(['#state = :b', 'attribute_not_exists(#lease)', ''])(
    'throws when the clause is not there: "%s"',
    (clause) => {
      expect(() => withoutClause(twoClauses(), clause)).toThrow(/no clause/);
    },
  );
});
