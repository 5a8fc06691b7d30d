import { describe, expect, it } from 'vitest';
import { mapConcurrently } from '../../../functions/ingest/concurrency.ts';

describe('mapConcurrently', () => {
  const turns = async (count: number) => {
    for (let k = 0; k < count; k++) await Promise.resolve();
  };

  it('answers in the order of the items, whatever finishes first, with at most so many at once', async () => {
    let running = 0;
    let peak = 0;
    const results = await mapConcurrently([5, 1, 4, 2, 3], 2, async (item, index) => {
      peak = Math.max(peak, ++running);
      await turns(item);
      running--;
      return [item, index];
    });
    expect(results).toEqual([
      [5, 0],
      [1, 1],
      [4, 2],
      [2, 3],
      [3, 4],
    ]);
    expect(peak).toBe(2);
  });

  it('begins nothing after a failure, and awaits what it began before it throws', async () => {
    const ended: number[] = [];
    const begun: number[] = [];
    const task = async (item: number) => {
      begun.push(item);
      await turns(item === 1 ? 1 : 20);
      if (item === 1) throw new Error('one');
      ended.push(item);
    };
    await expect(mapConcurrently([1, 2, 3, 4], 2, task)).rejects.toThrow('one');
    expect({ begun, ended }).toEqual({ begun: [1, 2], ended: [2] });
  });

  it('of nothing is nothing', async () => {
    expect(await mapConcurrently([], 8, async () => 1)).toEqual([]);
  });
});
