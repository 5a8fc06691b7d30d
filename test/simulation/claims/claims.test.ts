import { describe, expect, it } from 'vitest';
import { huntMutant } from '../campaign.ts';
import { CLAIM_MUTANTS } from './claim-mutants.ts';
import { runClaimSchedule } from './claim-schedule.ts';
import { ALL_MUTANTS } from '../mutants/mutants.ts';

const SCHEDULES = 400;
const FIRST_SEED = 1;
/** Of each directed scenario; each of its seeds is drawn with faults of its own. */
const HELD = 15;

describe('claims under faults', () => {
  it(`${SCHEDULES} schedules end with heads, attentions, entities and citations that are right`, {
    timeout: 60_000,
  }, async () => {
    let crashes = 0;
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SCHEDULES; seed++) {
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
    const verdict = await huntMutant(mutant, FIRST_SEED);
    expect(verdict).toMatchObject({ name: mutant.name, caught: true });
    expect(mutant.caughtBy).toContain(verdict.invariant);
  });

  it('and the directed scenarios hold while it is there', { timeout: 60_000 }, async () => {
    for (const scenario of CLAIM_MUTANTS.filter(({ deeds, direct }) => deeds ?? direct)) {
      for (let seed = FIRST_SEED; seed < FIRST_SEED + HELD; seed++) {
        const { violation } = await runClaimSchedule(seed, { scenario });
        expect(violation?.message, `${scenario.name}, seed ${seed}`).toBeUndefined();
      }
    }
  });

  it('each has a name of its own, by which it can be hunted', () => {
    const names = ALL_MUTANTS.map(({ name }) => name);
    expect(names.filter((name, k) => names.indexOf(name) !== k)).toEqual([]);
  });
});
