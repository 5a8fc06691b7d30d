/** Goal: who names no figure there is sees which there are, area by area, and not forty names in one line. */
import { describe, expect, it } from 'vitest';
import { parseBench } from '../../../../infra/local/bench.ts';
import { UsageError } from '../../../../infra/local/usage.ts';

describe('an area of the bench', () => {
  it.each([
    ['drain', 'drain'],
    ['drain.speedup', 'drain.speedup'],
    ['admission.idleReads', 'admission.idleReads'],
  ])('may be %s', (given, area) => {
    expect(parseBench([given])).toEqual({ area, json: false });
  });

  it.each(['nonsense', 'drain.', 'drai', 'speedup'])(
    'that there is none of is refused, with those there are: %s',
    (given) => {
      expect(() => parseBench([given])).toThrow(UsageError);
      try {
        parseBench([given]);
      } catch (error) {
        const [first, ...areas] = (error as Error).message.split('\n');
        expect(first).toBe(`There is no area ${JSON.stringify(given)}. Areas and their figures:`);
        expect(areas.map((line) => line.trim().split(/ +/)[0])).toEqual([
          'drain',
          'evidence',
          'admission',
          'claims',
          'bundle',
          'cold',
        ]);
        expect(areas[2]).toMatch(/^ {2}admission +idleReads, idleWrites,/);
        return;
      }
    },
  );
});
