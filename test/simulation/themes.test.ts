/** Goal: schedules with sessions that grow, texts that break their readers, erasures, dry runs and undone passes hold, and get into what they are for. */
import { describe, expect, it } from 'vitest';
import { drawDryRuns } from './plans/dry-run-plan.ts';
import { START_MS } from './engine/kernel.ts';
import { drawPlan, type Plan } from './plans/plan.ts';
import { drawPoison } from './plans/poison-plan.ts';
import { runSchedule } from './schedule.ts';
import { drawSessions } from './plans/session-plan.ts';
import { drawUndoing } from './plans/undo-plan.ts';

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
    isDrawn: ({ sessions, erasing }) => sessions.length > 0 && !erasing,
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
    name: 'sessions that grow while they are erased',
    isDrawn: ({ sessions, erasing }) => sessions.length > 0 && erasing !== undefined,
    share: 67,
    schedules: 40,
    reaches: [
      'a turn is told in the generation after an erase',
      'append created',
      'append source_erased',
      'file of a session source_erased',
    ],
  },
  {
    name: 'dry runs',
    isDrawn: ({ requests }) => requests.some(({ kind }) => kind === 'dry-run'),
    share: 10,
    schedules: 40,
    reaches: ['a dry run tells what it would write'],
  },
  {
    name: 'passes that are undone',
    isDrawn: ({ undoing }) => undoing.length > 0,
    share: 20,
    schedules: 60,
    reaches: [
      'a person undoes a pass: listed',
      'a person undoes a pass: ended',
      'a person undoes a pass: stopped',
      'an undo is refused: the pass runs',
      'an undo has to be sent again',
      'a pass is undone',
    ],
  },
  {
    name: 'callers who do not read the manual',
    isDrawn: ({ slips }) => slips.length > 0,
    share: 18,
    schedules: 60,
    reaches: [
      'malformed: correct: invalid_request',
      'malformed: requeue: invalid_request',
      'settings out of range: invalid_settings',
      'sources that are none: refused',
      'turns that cannot be appended: turn_differs',
      'lines that are no memory: no_memory_lines',
      'a kind of pass that there is not: unknown_kind',
      'a statement of an odd time: taken',
      'an import with damaged lines: taken',
      'turns for a transcript that is none: not_turns',
      'a plan of a strange snapshot: taken',
    ],
  },
  {
    name: 'uploads in parts',
    isDrawn: ({ ingests }) => ingests.some(({ upload }) => upload !== undefined),
    share: 25,
    schedules: 40,
    reaches: [
      'upload utf-8 created',
      'upload utf-8 parts_missing',
      'upload utf-8 sha256_differs',
      'upload utf-16le created',
      'upload utf-16be created',
      'upload damaged created',
      'upload latin-1 not_text',
    ],
  },
  {
    name: 'small pages',
    isDrawn: ({ fragments }) => fragments !== undefined,
    share: 28,
    schedules: 30,
    reaches: ['a fragment is given', 'the rest of a source is given'],
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
    expect(drawUndoing(seed, ['a'], UNTIL_MS)).toEqual([]);
  });
});
