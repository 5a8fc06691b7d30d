/** People who ask what a pass would write: drawn from a stream of its own for one seed in ten, so that all others stay as they are. */
import { START_MS } from '../engine/kernel.ts';
import type { PlannedRequest } from './plan.ts';
import { Random } from '../engine/random.ts';

const SECOND_MS = 1000;
/** Of the seeds in which nothing is erased: one in ten of all. */
const SHARE = 0.12;

export function drawDryRuns(seed: number, scopes: readonly string[], untilMs: number): readonly PlannedRequest[] {
  const random = new Random(seed, 'rehearsals');
  return random.chance(SHARE) ? planDryRuns(random, scopes, untilMs) : [];
}

/** The dry runs of a seed that would have none, for a directed scenario. */
export function dryRunsOf(seed: number, scopes: readonly string[], untilMs: number): readonly PlannedRequest[] {
  return planDryRuns(new Random(seed, 'directed dry runs'), scopes, untilMs);
}

/** Most soon after the first sources came in, as there is something to read then. */
function planDryRuns(random: Random, scopes: readonly string[], untilMs: number): PlannedRequest[] {
  return Array.from({ length: random.int(1, 4) }, () => ({
    atMs: random.chance(0.7) ? START_MS + random.int(1, 20) * SECOND_MS : random.int(START_MS, untilMs),
    scope: random.pick(scopes),
    origin: 'trigger',
    kind: 'dry-run',
    parallel: undefined,
    idempotencyKey: undefined,
  }));
}
