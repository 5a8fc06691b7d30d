import { describe, expect, it } from 'vitest';
import { CLAIM_MUTANTS } from './claim-mutants.ts';
import { runClaimSchedule } from './claim-schedule.ts';

const SCHEDULES = 400;

describe('claims under faults', () => {
  it(`${SCHEDULES} schedules end with heads, attentions and citations that are right`, {
    timeout: 60_000,
  }, async () => {
    let crashes = 0;
    for (let seed = 1; seed <= SCHEDULES; seed++) {
      const result = await runClaimSchedule(seed);
      crashes += result.crashes;
      expect(result.violation?.message, `seed ${seed}`).toBeUndefined();
    }
    expect(crashes).toBeGreaterThan(100);
  });

  it('a seed is one schedule', async () => {
    const traces = [await runClaimSchedule(7, { keepTrace: true }), await runClaimSchedule(7, { keepTrace: true })];
    expect(traces[0]?.trace).toEqual(traces[1]?.trace);
  });
});

describe('every protection of claims is missed when it is gone', () => {
  it.each(CLAIM_MUTANTS)('$name: within $within schedules', { timeout: 60_000 }, async (mutant) => {
    let caught: string | undefined;
    for (let seed = 1; seed <= mutant.within && caught === undefined; seed++) {
      caught = (await runClaimSchedule(seed, { mutant })).violation?.invariant;
    }
    expect(mutant.caughtBy).toContain(caught);
  });
});
