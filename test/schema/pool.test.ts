/** Pools: which scope belongs to which, what each may use, and what is refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../schema/limits.ts';
import { allPools, findShareless, parsePools, poolOf, shareOf } from '../../schema/pool.ts';
import type { Item } from '../../schema/request.ts';
import { markScopeDue } from '../../schema/scope.ts';
import { countOutcome } from '../../schema/scope-outcome.ts';
import { pauseScope, resumeScope } from '../../schema/scope-switches.ts';
import { createTestTables, TABLES_TIMEOUT_MS, type TestTables } from '../support/tables.ts';
import { itRefuses, winAll } from './guards.ts';
import { freshOp, NOW_MS, passIdAt } from './samples.ts';

const COUNTS = Array.from({ length: LIMITS.poolsMax }, (_, k) => k + 1);

describe('a scope', () => {
  it('has one pool, whoever asks; the only one there is where there is one', () => {
    expect(poolOf('s')).toEqual({ number: 0, of: 1 });
    expect(poolOf('s', 5)).toEqual(poolOf('s', 5));
  });

  it.each(COUNTS)('of a thousand is in one of %i pools, none of which has more than twice its part', (pools) => {
    const numbers = Array.from({ length: 1000 }, (_, k) => poolOf(`scope-${k}`, pools).number);
    expect(numbers.every((number) => number >= 0 && number < pools)).toBe(true);
    for (const own of Map.groupBy(numbers, (it) => it).values()) expect(own.length).toBeLessThan(2000 / pools + 1);
  });
});

describe('the shares of all pools', () => {
  it.each(COUNTS)('of %i add up to the whole, and differ by one at most', (pools) => {
    for (const whole of [pools, pools + 1, 37, 200]) {
      const limits = { maxConcurrentPasses: whole, maxModelConcurrency: whole };
      const shares = allPools(pools).map((pool) => shareOf(limits, pool).maxConcurrentPasses);
      expect(shares.reduce((sum, share) => sum + share)).toBe(whole);
      expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
    }
  });

  it('leave none without one, or it is said which setting is too small', () => {
    expect(findShareless({ maxConcurrentPasses: 3, maxModelConcurrency: 3 }, 3)).toBeUndefined();
    expect(findShareless({ maxConcurrentPasses: 3, maxModelConcurrency: 2 }, 3)).toBe(
      'maxModelConcurrency must be at least 3: each of the 3 pools needs a share of it, and it is 2',
    );
  });
});

describe('the parameter', () => {
  it.each(['0', '17', '1.5', '-1', '', 'two', '1e1'])('"%s" is refused with the range', (text) => {
    expect(() => parsePools(text, {})).toThrow(`must be a whole number from 1 to 16, not ${JSON.stringify(text)}`);
  });

  it('is read, and refused where a setting is too small for it', () => {
    expect(parsePools('1', {})).toBe(1);
    expect(parsePools('16', { maxConcurrentPasses: 16, maxModelConcurrency: 16 })).toBe(16);
    expect(() => parsePools('3', {})).toThrow('maxConcurrentPasses must be at least 3');
  });
});

describe('a row of another pool', () => {
  let tables: TestTables;
  beforeAll(async () => {
    tables = await createTestTables();
  }, TABLES_TIMEOUT_MS);
  afterAll(() => tables.close());
  const open = (): TestTables => tables;
  const [mine, other] = allPools(2);
  let scopes = 0;
  const isMoved = (after: Item): boolean => String(after.workPartition).endsWith('#1');

  /** A scope that stands in the first pool. */
  async function standing(): Promise<string> {
    const scope = `pool-scope-${++scopes}`;
    await winAll(tables, [markScopeDue({ scope, nowMs: NOW_MS, op: freshOp(), ...(mine && { pool: mine }) })]);
    return scope;
  }
  const named = (scope: string) => ({ scope, nowMs: NOW_MS, op: freshOp(), ...(other && { pool: other }) });
  const clause = 'attribute_not_exists(#workPartition) OR #workPartition IN (:due, :idle, :parked)';
  const refuses = 'a scope that stands in another pool';

  itRefuses(open, 'markScopeDue', [
    { refuses, clause, arrange: async () => markScopeDue(named(await standing())), broken: isMoved },
  ]);
  itRefuses(open, 'pauseScope', [
    { refuses, clause, arrange: async () => pauseScope(named(await standing())), broken: isMoved },
  ]);
  itRefuses(open, 'countOutcome', [
    {
      refuses,
      clause,
      arrange: async () =>
        countOutcome({
          ...named(await standing()),
          passId: passIdAt(1),
          statsVersion: 0,
          failures: 0,
          failureTimesMs: [],
          counted: {},
          lastPassAtMs: NOW_MS,
          move: { kind: 'due', atMs: NOW_MS },
        }),
      broken: isMoved,
    },
  ]);
  itRefuses(open, 'resumeScope', [
    {
      refuses,
      clause,
      arrange: async () => {
        const scope = await standing();
        await winAll(tables, [
          countOutcome({
            scope,
            op: freshOp(),
            passId: passIdAt(2),
            statsVersion: 0,
            failures: 1,
            failureTimesMs: [NOW_MS],
            counted: {},
            lastPassAtMs: NOW_MS,
            move: { kind: 'stay' },
          }),
        ]);
        return resumeScope(named(scope));
      },
      broken: isMoved,
    },
  ]);
});
