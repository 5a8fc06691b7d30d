import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareRows, type Row, SortedRows } from '../../../../infra/local/dynamodb/sorted-rows.ts';

const row = (sort: string, tie: string, sizeBytes = 0): Row => ({ sort, tie, item: {}, sizeBytes });

describe('sorted rows', () => {
  it('hold what an ordinary map holds, in order, from any point, both ways', () => {
    const place = fc.tuple(fc.nat(60).map(String), fc.constantFrom('', 'a', 'b'));
    const action = fc.tuple(fc.constantFrom('set', 'set', 'set', 'delete'), place);
    fc.assert(
      fc.property(fc.array(action, { maxLength: 300 }), place, (actions, [sort, tie]) => {
        const rows = new SortedRows();
        const model = new Map<string, Row>();
        actions.forEach(([kind, [s, t]], at) => {
          if (kind === 'delete') rows.delete(s, t);
          else rows.set(row(s, t, at));
          if (kind === 'delete') model.delete(`${s}|${t}`);
          else model.set(`${s}|${t}`, row(s, t, at));
        });
        const sorted = [...model.values()].toSorted(compareRows);
        const isBefore = (other: Row) => compareRows(other, { sort, tie }) < 0;
        expect(rows.isEmpty).toBe(sorted.length === 0);
        expect([...rows.forwardFrom(() => false)]).toEqual(sorted);
        expect([...rows.forwardFrom(isBefore)]).toEqual(sorted.filter((other) => !isBefore(other)));
        expect([...rows.backwardFrom(isBefore)]).toEqual(sorted.filter(isBefore).toReversed());
        expect(rows.get(sort, tie)).toEqual(model.get(`${sort}|${tie}`));
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['ascending', (at: number) => at],
    ['descending', (at: number) => 99_999 - at],
    ['scattered', (at: number) => (at * 7919) % 100_000],
  ])('hold 100,000 rows put %s, and let them go', (_order, placeOf) => {
    const rows = new SortedRows();
    const sortOf = (at: number) => String(placeOf(at)).padStart(6, '0');
    for (let at = 0; at < 100_000; at++) rows.set(row(sortOf(at), ''));
    const all = [...rows.forwardFrom(() => false)];
    expect(all).toHaveLength(100_000);
    expect(all.every(({ sort }, at) => Number(sort) === at)).toBe(true);
    for (let at = 0; at < 100_000; at++) rows.delete(sortOf(at), '');
    expect(rows.isEmpty).toBe(true);
  });
});
