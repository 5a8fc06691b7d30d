/**
 * Clients that send a request again before they were answered: the same key, the same body, a moment later. Drawn from a
 * stream of its own for one seed in seventeen, so that all others stay as they are.
 */
import { START_MS } from '../engine/kernel.ts';
import type { Plan, PlannedRequest } from './plan.ts';
import { Random } from '../engine/random.ts';

const SECOND_MS = 1000;
const SHARE = 0.06;

export function drawTwins(seed: number, scopes: readonly string[], untilMs: number): readonly PlannedRequest[] {
  const random = new Random(seed, 'twins');
  if (!random.chance(SHARE)) return [];
  return Array.from({ length: random.int(1, 3) }, (_, k) => {
    const atMs = random.chance(0.5) ? START_MS + random.int(1, 20) * SECOND_MS : random.int(START_MS, untilMs);
    const request = {
      atMs,
      scope: random.pick(scopes),
      origin: random.pick(['trigger', 'drain'] as const),
      parallel: random.pick([undefined, 1, 2]),
      idempotencyKey: `twins-${k}`,
    };
    return sentAgain(request, random.int(1, 2), () => random.pick([random.int(5, 50), random.int(50, 3000)]));
  }).flat();
}

/** The request, and so many more of it, each some time after the one before. */
function sentAgain(request: PlannedRequest, times: number, waitMs: () => number): PlannedRequest[] {
  const sent = [request];
  for (let k = 0; k < times; k++) sent.push({ ...request, atMs: (sent.at(-1)?.atMs ?? request.atMs) + waitMs() });
  return sent;
}

const SOURCES = 6;
const PAIRS = 20;

/** Each key with the calls it is sent in, by the moment of the first. */
type Calls = (first: PlannedRequest, random: Random) => PlannedRequest[];

/**
 * One scope whose passes fail before they read, so that each pair of calls finds work for two, and room for both: each asks
 * for one. Neither back-off nor halt holds up who asks by name.
 */
const scene =
  (calls: Calls, faults: Plan['faults'], settings: Plan['settings'] = {}) =>
  (plan: Plan): Plan => {
    const random = new Random(plan.seed, 'directed twins');
    const scope = plan.scopes[0] ?? '';
    const sources = Array.from({ length: SOURCES }, (_, k) => {
      const text = `Source t${k}, told once.\n@claim Ann | told | ${k}`;
      return { scope, id: `t${k}`, text, capturedAtMs: START_MS - (SOURCES - k) * SECOND_MS, completed: true };
    });
    const requests = Array.from({ length: PAIRS }, (_, k) => {
      const atMs = START_MS + (2 + 5 * k) * SECOND_MS;
      const request = { atMs, scope, origin: 'drain' as const, parallel: 1, idempotencyKey: `twins-${k}` };
      return calls(request, random);
    }).flat();
    return {
      ...plan,
      ingests: [{ atMs: START_MS, scope, sources }],
      requests,
      settings: { ...plan.settings, maxConcurrentPasses: 4, maxPassesPerScope: 3, ...settings },
      faults: { executorFail: 1, ...faults },
      calmFromMs: START_MS + (PAIRS * 5 + 20) * SECOND_MS,
      model: undefined,
      dispute: undefined,
    };
  };

const SLOW = { pauseWrite: 0.05, outliveTimeout: 1 };

export const twinned = scene((first, random) => sentAgain(first, 1, () => random.int(1, 12)), SLOW);

/** Before anything is there a call is refused; when there is, two come at once. */
export const refusedFirst = scene((first, random) => {
  const early = { ...first, atMs: START_MS - SECOND_MS };
  return [early, ...sentAgain(first, 1, () => random.int(1, 12))];
}, SLOW);

/** Sent again when the first is long answered, or its message lost. */
export const sentLater = scene((first, random) => sentAgain(first, 1, () => random.int(3500, 5000)), {
  triggerDrop: 0.5,
});

/** The same while the pass that the first admitted runs, beside which there is no room. */
export const sentWhileItRuns = scene(
  (first, random) => sentAgain(first, 1, () => random.int(3500, 5000)),
  { executorFail: 0, executorSilent: 1 },
  { maxPassesPerScope: 1 },
);

/** A key that is used for another request. */
export const otherBodies = scene(
  (first, random) => [first, { ...first, atMs: first.atMs + random.int(3500, 5000), parallel: 2 }],
  {},
);
