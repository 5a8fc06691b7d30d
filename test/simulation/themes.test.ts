/** Goal: schedules with sessions that grow, texts that break their readers, erasures and dry runs hold, and get into what they are for. */
import { describe, expect, it } from 'vitest';
import { drawDryRuns } from './dry-run-plan.ts';
import { START_MS } from './kernel.ts';
import { drawPlan, type Plan } from './plan.ts';
import { drawPoison } from './poison-plan.ts';
import { runSchedule } from './schedule.ts';
import { drawSessions } from './session-plan.ts';

const UNTIL_MS = START_MS + 5 * 60_000;

interface Theme {
  readonly name: string;
  readonly isDrawn: (plan: Plan) => boolean;
  /** One seed in so many has it. */
  readonly share: number;
  /** What handlers did, or were answered, at least once in so many of its schedules. */
  readonly schedules: number;
  readonly reaches: readonly string[];
}

const THEMES: readonly Theme[] = [
  {
    name: 'sessions that grow',
    isDrawn: ({ sessions }) => sessions.length > 0,
    share: 15,
    schedules: 60,
    reaches: ['append revised', 'append unchanged', 'append turn_differs', 'file of a session revised'],
  },
  {
    name: 'a text that breaks its readers',
    isDrawn: ({ poison }) => poison !== undefined,
    share: 22,
    schedules: 40,
    reaches: [
      'a text breaks its reader: dies',
      'a text breaks its reader: throws',
      'finalizer says: source quarantined',
      'a given-up source is requeued',
      'a revision waits after broken-off passes',
    ],
  },
  {
    name: 'what is erased and forgotten',
    isDrawn: ({ erasing }) => erasing !== undefined,
    share: 10,
    schedules: 40,
    reaches: [
      'eraser answered source watching',
      'eraser answered scope watching',
      'eraser answered claim watching',
      'eraser answered erasure_running',
      'eraser lifted a source',
      'eraser lifted a claim',
      'what was lifted is ordered erased once more, soon',
      'what was lifted is ordered erased once more, at rest',
      'scope:move-on won',
      'source:tombstone won',
      'claim:erase won',
      'evidence:erase won',
      'text:erase won',
    ],
  },
  {
    name: 'dry runs',
    isDrawn: ({ requests }) => requests.some(({ kind }) => kind === 'dry-run'),
    share: 10,
    schedules: 40,
    reaches: ['a dry run tells what it would write'],
  },
];

describe.each(THEMES)('$name', ({ isDrawn, share, schedules, reaches }) => {
  it('come in the share of the seeds that is stated', () => {
    const seeds = 1000;
    const drawn = Array.from({ length: seeds }, (_, k) => drawPlan(k + 1)).filter(isDrawn).length;
    expect(drawn).toBeGreaterThan((0.7 * seeds) / share);
    expect(drawn).toBeLessThan((1.3 * seeds) / share);
  });

  it('hold, and get to what they are for', { timeout: 120_000 }, async () => {
    const reached = new Map<string, number>();
    for (let seed = 1, ran = 0; ran < schedules; seed++) {
      const plan = drawPlan(seed);
      if (!isDrawn(plan)) continue;
      ran++;
      const { violation, coverage } = await runSchedule(plan);
      expect(violation?.message, `seed ${seed}`).toBeUndefined();
      for (const [what, count] of coverage) reached.set(what, (reached.get(what) ?? 0) + count);
    }
    expect(reaches.filter((what) => !reached.get(what))).toEqual([]);
  });
});

/** Of the corpus, those that failed before these came. */
const EARLIER = [8, 54, 314, 291, 90268435, 35261];

describe('the seeds that failed before', () => {
  it.each(EARLIER)('run as they did: %i', (seed) => {
    expect(drawSessions(seed, ['a'], UNTIL_MS)).toEqual([]);
    expect(drawPoison(seed, ['a'], UNTIL_MS)).toBeUndefined();
    expect(drawDryRuns(seed, ['a'], UNTIL_MS)).toEqual([]);
  });
});
