import { describe, expect, it } from 'vitest';
import { addResult, emptyTally } from './campaign.ts';
import corpus from './corpus.json' with { type: 'json' };
import { FAULT_NAMES } from './engine/faults.ts';
import { citationsIn, viewMemory } from './invariants/memory.ts';
import { drawPlan, type Plan } from './plans/plan.ts';
import { runSchedule } from './schedule.ts';
import { isSloppy } from './people/sloppy-lines.ts';

/** The fixed share of every test run; more come by `npm run simulate`. */
const SCHEDULES = 1000;
const FIRST_SEED = 1;

describe('the simulation', () => {
  it(`keeps every invariant in ${SCHEDULES} schedules, and meets every fault on the way`, {
    timeout: 300_000,
  }, async () => {
    const tally = emptyTally();
    for (let k = 0; k < SCHEDULES; k++) addResult(tally, await runSchedule(FIRST_SEED + k));
    expect(tally.violations).toEqual([]);
    expect(FAULT_NAMES.filter((name) => !tally.faults[name])).toEqual([]);
    expect(tally.crashes).toBeGreaterThan(SCHEDULES / 2);
    // E2: what a won lease may cost in refused ones, stale indexes included.
    expect(tally.leasesLost / tally.leasesWon).toBeLessThan(3);
    for (const repair of ['carry-forward', 'expire-running', 'expire-unstarted', 'invoke-again', 'kick', 'remove']) {
      expect(tally.coverage[`scheduler says: sweep repairs a pass (${repair})`], repair).toBeGreaterThan(0);
    }
    expect(tally.coverage['a lease that ran out is taken over']).toBeGreaterThan(0);
  });

  it('runs the same seed the same way twice, and another one another way', async () => {
    const hashes = new Set<number>();
    for (let seed = 1; seed <= 40; seed++) {
      const [once, twice] = [await runSchedule(seed), await runSchedule(seed)];
      expect([twice.traceHash, twice.steps]).toEqual([once.traceHash, once.steps]);
      hashes.add(once.traceHash);
    }
    expect(hashes.size).toBe(40);
  });

  it.each(corpus)('holds where it once failed: seed $seed, $invariant', async ({ seed }) => {
    expect((await runSchedule(seed)).violation).toBeUndefined();
  });
});

/** One source a call, one pass at a time, nothing breaks: the run that all others are compared with. */
function sequential(plan: Plan): Plan {
  return {
    ...plan,
    faults: {},
    requests: [],
    skewMaxMs: 0,
    lagsMaxMs: [0, 0],
    // One of each pool: a limit is shared by all of them.
    settings: { ...plan.settings, maxConcurrentPasses: plan.deployment.pools, maxPassesPerScope: 1, pageSources: 1 },
  };
}

describe('the memory a schedule leaves', () => {
  it('is the same as that of a sequential run, whatever happened on the way', async () => {
    let compared = 0;
    for (let seed = 1; compared < 25; seed++) {
      const plan = drawPlan(seed);
      // What was under way when something was erased may be in or out: there, too, the schedule's own check decides.
      if (plan.erasing) continue;
      const sources = plan.ingests.flatMap((call) => call.sources);
      // With revisions, what of an older one is read depends on when, and so does where a turn stands in its session:
      // there the schedule's own check decides.
      if (plan.sessions.length > 0) continue;
      if (new Set(sources.map(({ scope, id }) => `${scope} ${id}`)).size < sources.length) continue;
      const [stormy, calm] = [await runSchedule(plan), await runSchedule(sequential(plan))];
      expect(stormy.violation ?? calm.violation).toBeUndefined();
      // A source that was given up says nothing: there, too, the schedule's own check decides.
      const evidence = plan.scopes.flatMap((scope) => stormy.world.tables.list(`SCOPE#${scope}#1`, 'EVIDENCE#'));
      if (evidence.some((item) => item.state === 'quarantined')) continue;
      for (const scope of plan.scopes) {
        // What a sloppy caller says depends on what they find: its deeds are held against their answers.
        const [ours, theirs] = [stormy, calm].map(({ world }) =>
          viewMemory(citationsIn(world.tables, scope).filter((citation) => !isSloppy(citation))),
        );
        expect(ours).toEqual(theirs);
      }
      compared++;
    }
  });
});
