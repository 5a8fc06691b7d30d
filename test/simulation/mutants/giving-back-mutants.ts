/** Mutants of what a finalizer settles, and of what it gives back that its pass got nowhere with. */
import { planReturn } from '../../../functions/core/giving-back.ts';
import { planReview } from '../../../functions/core/review-plan.ts';
import { stalledKey } from '../../../schema/queue.ts';
import type { Write } from '../../../schema/request.ts';
import type { Plan } from '../plans/plan.ts';
import type { Mutant } from './mutant.ts';
import { fragmented, losing, skipped } from './working-scenes.ts';

const SECOND_MS = 1000;
const STALLING = ['who gets nowhere is told of'];

const valuesOf = (write: Write): Readonly<Record<string, unknown>> => write.input.ExpressionAttributeValues ?? {};

/** An attention that is raised of what waits behind all that is fresh. */
const tellsOfStalled = (write: Write, name: string): boolean =>
  name === 'attention:update' &&
  (valuesOf(write)[':set_details'] as { state?: string } | undefined)?.state === 'stalled';

/** An attention that is closed because another revision came. */
const closesReplaced = (write: Write, name: string): boolean =>
  name === 'attention:update' && valuesOf(write)[':set_resolution'] === 'a newer revision came';

export const GIVING_BACK_MUTANTS: readonly Mutant[] = [
  {
    name: 'never found to stall',
    replaces: 'planReturn counts no pass that got nowhere with a source: it is given to pass after pass, in no view',
    caughtBy: STALLING,
    within: 20,
    direct: skipped,
    decide: {
      planReturn: (row, sourceKey, unsettled, nowMs) =>
        planReturn(
          unsettled.kind === 'stalled' ? { ...row, stalls: row.stalls - 1 } : row,
          sourceKey,
          unsettled,
          nowMs,
        ),
    },
  },
  {
    name: 'stalled among the fresh',
    replaces: 'planReturn leaves what stalled where it stood: it is taken again before what is fresh',
    caughtBy: STALLING,
    within: 20,
    direct: skipped,
    decide: {
      planReturn: (row, sourceKey, unsettled, nowMs) => {
        const plan = planReturn(row, sourceKey, unsettled, nowMs);
        if (unsettled.kind !== 'stalled' || plan.kind !== 'release') return plan;
        const { homeKey: _, ...marks } = plan.marks;
        return { ...plan, marks };
      },
    },
  },
  {
    name: 'stalled, and nobody told',
    replaces: 'raiseWhereOwed raises nothing of what stalled, before it is given up',
    caughtBy: STALLING,
    within: 20,
    direct: skipped,
    wrapStore: losing('finalizer', tellsOfStalled),
  },
  {
    name: 'stalled for ever',
    replaces: 'planReturn gives up nothing that stalls: pass after pass is spent on it',
    caughtBy: STALLING,
    within: 20,
    direct: skipped,
    decide: {
      planReturn: (row, sourceKey, unsettled, nowMs) => {
        const plan = planReturn(row, sourceKey, unsettled, nowMs);
        if (plan.kind !== 'quarantine' || plan.why !== 'stalled') return plan;
        const homeKey = stalledKey(row.capturedAtMs, sourceKey);
        return { kind: 'release', orderly: true, marks: { ...plan.marks, homeKey } };
      },
    },
  },
  {
    name: 'acknowledged over a gap',
    replaces:
      'joinRanges: what is acknowledged behind a gap counts at once, and so does what stands in the gap, read by nobody',
    caughtBy: ['memory'],
    within: 20,
    direct: fragmented,
    decide: {
      planReview: (standing, acknowledged) => {
        const plan = planReview(standing, acknowledged);
        return plan.kind === 'take' ? { ...plan, from: Math.min(plan.from, standing.reviewedTo) } : plan;
      },
    },
  },
  {
    name: 'attention raised of what was replaced',
    replaces:
      'clearWhereOver: a newer revision came while a pass got nowhere with this one, and nobody closes what is said',
    caughtBy: ['an attention stands as long as its cause'],
    within: 20,
    direct: replacedWhileHeld,
    slow: [{ name: 'evidence:release', role: 'finalizer', forMs: 8 * SECOND_MS }],
    wrapStore: losing('finalizer', closesReplaced),
  },
];

/** What passes get nowhere with is edited once, so late that it has stalled by then. */
function replacedWhileHeld(plan: Plan): Plan {
  const scene = skipped(plan);
  const { calmFromMs } = scene;
  const first = scene.ingests.flatMap(({ sources }) => sources.slice(0, 1));
  const known = new Map(first.map((source) => [source.id, source]));
  const edits = [...known.values()].map((source, k) => ({
    atMs: calmFromMs - (30 + 7 * k) * SECOND_MS,
    scope: source.scope,
    sources: [{ ...source, text: `${source.text}\nAn edit.`, capturedAtMs: source.capturedAtMs + 3600 * SECOND_MS }],
  }));
  return { ...scene, faults: { executorSkip: 1 }, ingests: [...scene.ingests, ...edits] };
}
