import { describe, expect, it } from 'vitest';
import { huntMutant } from '../campaign.ts';
import { MUTANTS } from './mutants.ts';
import { drawPlan, type Plan } from '../plans/plan.ts';
import { runSchedule } from '../schedule.ts';
import { shrink } from '../shrink.ts';
import { sceneOf } from '../engine/slow-writes.ts';

const FIRST_SEED = 1;
/** Of each scene; a scene is made to hold for twenty. */
const SCENE_SEEDS = 10;

describe('every protection is missed when it is gone', () => {
  it.each(MUTANTS)('$name: within $within schedules', { timeout: 120_000 }, async (mutant) => {
    const verdict = await huntMutant(mutant, FIRST_SEED);
    expect(verdict).toMatchObject({ name: mutant.name, caught: true });
    expect(mutant.caughtBy).toContain(verdict.invariant);
  });

  const scenes = MUTANTS.filter(({ direct, slow }) => direct ?? slow);
  it.each(scenes)('$name: its scene holds while it is there', { timeout: 120_000 }, async (mutant) => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SCENE_SEEDS; seed++) {
      const { violation } = await runSchedule(sceneOf(mutant, drawPlan(seed)));
      expect(violation, `seed ${seed}`).toBeUndefined();
    }
  });
});

describe('a failure is made small', () => {
  it('by leaving out what it does not need, with a trace that ends in what broke', { timeout: 120_000 }, async () => {
    const mutant = MUTANTS.find(({ name }) => name === 'blind release');
    if (!mutant) throw new Error('the mutant this test breaks things with is gone');
    let seed = FIRST_SEED;
    let broken = await runSchedule(seed, { mutant });
    while (!broken.violation) broken = await runSchedule(++seed, { mutant });
    const { invariant } = broken.violation;
    const { plan, result } = await shrink(drawPlan(seed), invariant, mutant);
    expect(result.violation?.invariant).toBe(invariant);
    expect(result.trace?.some((line) => line.includes('VIOLATION'))).toBe(true);
    const sizeOf = ({ faults, ingests, requests }: Plan): number =>
      Object.keys(faults).length + ingests.flatMap(({ sources }) => sources).length + requests.length;
    expect(sizeOf(plan)).toBeLessThan(sizeOf(drawPlan(seed)));
  });
});
