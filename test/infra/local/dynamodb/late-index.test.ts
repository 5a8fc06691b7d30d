/** Indexes that are served late: a query sees the index as it was, the table and the capacity are always true. */
import { describe, expect, it } from 'vitest';
import { item, openMain, TABLE } from './main-table.ts';

const LAG_MS = 200;

function open() {
  const clock = { nowMs: 1_000_000 };
  const main = openMain({ now: () => clock.nowMs });
  const find = (value: string) =>
    main.query('GSI1PK = :v', { ':v': value }, { IndexName: 'GSI1' }).Items.map(({ SK }) => SK);
  const pass = (ms: number) => (clock.nowMs += ms);
  return { main, find, pass };
}

const rows = (...keys: string[]) => keys.map((key) => ({ S: key }));

describe('an index with a lag', () => {
  it('shows an item so long after it was put, and its deletion so long after that', () => {
    const { main, find, pass } = open();
    main.engine.setIndexLag(LAG_MS);
    main.put({ PK: 'p', SK: 's', GSI1PK: 'g', GSI1SK: '1' });
    expect([find('g'), main.get('p', 's')]).toEqual([[], expect.anything()]);
    pass(LAG_MS - 1);
    expect(find('g')).toEqual([]);
    pass(1);
    expect(find('g')).toEqual(rows('s'));
    main.delete('p', 's');
    expect([find('g'), main.get('p', 's')]).toEqual([rows('s'), undefined]);
    pass(LAG_MS);
    expect(find('g')).toEqual([]);
  });

  it('shows an item under its old key with its old attributes until the move arrives, and never twice', () => {
    const { main, find, pass } = open();
    main.put({ PK: 'p', SK: 's', GSI1PK: 'g', GSI1SK: '1', v: 1 });
    main.engine.setIndexLag(LAG_MS);
    const move = { UpdateExpression: 'SET GSI1PK = :h, v = :two' };
    main.update('p', 's', { ...move, ExpressionAttributeValues: item({ ':h': 'h', ':two': 2 }) });
    const seen = () => main.query('GSI1PK = :v', { ':v': 'g' }, { IndexName: 'GSI1' }).Items;
    expect([seen().map(({ v }) => v), find('h')]).toEqual([[{ N: '1' }], []]);
    pass(LAG_MS);
    expect([find('g'), find('h')]).toEqual([[], rows('s')]);
  });

  it('applies changes in their order', () => {
    const { main, find, pass } = open();
    main.engine.setIndexLag(LAG_MS);
    for (const group of ['g', 'h', 'g', 'h']) {
      main.put({ PK: 'p', SK: 's', GSI1PK: group, GSI1SK: '1' });
      pass(LAG_MS / 4);
    }
    expect([find('g'), find('h')]).toEqual([rows('s'), []]);
    pass(LAG_MS / 4);
    expect([find('g'), find('h')]).toEqual([[], rows('s')]);
    pass(LAG_MS / 2);
    expect([find('g'), find('h')]).toEqual([[], rows('s')]);
  });

  it('costs a write what it costs without one', () => {
    const costs = [0, LAG_MS].map((lagMs) => {
      const { main } = open();
      main.engine.setIndexLag(lagMs);
      return ['g', 'h', 'h'].map(
        (group) =>
          main.put({ PK: 'p', SK: 's', GSI1PK: group, GSI1SK: '1' }, { ReturnConsumedCapacity: 'INDEXES' })
            .ConsumedCapacity,
      );
    });
    expect(costs[1]).toEqual(costs[0]);
  });

  it('is true again at once when the lag is taken away, and without one it is never late', () => {
    const { main, find } = open();
    main.put({ PK: 'p', SK: '1', GSI1PK: 'g', GSI1SK: '1' });
    expect(find('g')).toEqual(rows('1'));
    main.engine.setIndexLag(LAG_MS);
    main.put({ PK: 'p', SK: '2', GSI1PK: 'g', GSI1SK: '2' });
    expect(find('g')).toEqual(rows('1'));
    main.engine.setIndexLag(0);
    expect(find('g')).toEqual(rows('1', '2'));
  });

  it('pages and ends like any index while rows arrive', () => {
    const { main, pass } = open();
    main.engine.setIndexLag(LAG_MS);
    for (let at = 0; at < 6; at++) {
      main.put({ PK: 'p', SK: `s${at}`, GSI1PK: 'g', GSI1SK: `${at}` });
      pass(LAG_MS / 4);
    }
    const page = (start?: object) =>
      main.query(
        'GSI1PK = :v',
        { ':v': 'g' },
        { IndexName: 'GSI1', Limit: 2, ...(start && { ExclusiveStartKey: start }) },
      );
    const first = page();
    pass(LAG_MS);
    const second = page(first.LastEvaluatedKey);
    expect([first, second].map(({ Items }) => Items.map(({ SK }) => SK?.valueOf()))).toEqual([
      rows('s0', 's1'),
      rows('s2', 's3'),
    ]);
    expect(main.engine.items(TABLE)).toHaveLength(6);
  });
});
