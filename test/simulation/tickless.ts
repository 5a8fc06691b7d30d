/**
 * A storm of which the only fault is that no tick comes: what was given and asked for goes on by messages, invocations, the
 * stream and continuations alone, and is done before the first tick.
 */
import { endedEarly } from './executors/early-ends.ts';
import { START_MS } from './engine/kernel.ts';
import { findOwed } from './invariants/liveness.ts';
import type { Plan } from './plans/plan.ts';
import type { World } from './engine/world.ts';

const SECOND_MS = 1000;
const STORM_MS = 5 * 60 * SECOND_MS;

/** Passes of one page of one source, each of which has to be followed by the next; in directed scenarios alone. */
export function withoutTicks(plan: Plan, settings: Plan['settings'] = {}): Plan {
  const scopes = plan.scopes.slice(0, 1);
  return {
    ...endedEarly(plan),
    // Who finds no place for lack of capacity waits for a tick.
    scopes,
    faults: { tickDrop: 1 },
    settings: { ...plan.settings, batchTokens: 0, maxConcurrentPasses: 4, pageSources: 1, ...settings },
    deployment: { ...plan.deployment, release: undefined, mistake: undefined, skewMaxMs: undefined },
    skewMaxMs: 0,
    lagsMaxMs: [0, 0],
    executorDelayMs: 50,
    calmFromMs: START_MS + STORM_MS,
    ingests: plan.ingests
      .filter(({ scope }) => scopes.includes(scope))
      .map((call) => ({
        ...call,
        atMs: START_MS + (call.atMs % SECOND_MS),
        sources: call.sources.map((source) => ({ ...source, completed: true })),
      })),
    requests: scopes.map((scope) => ({
      atMs: START_MS + 5 * SECOND_MS,
      scope,
      origin: 'drain',
      parallel: 2,
      idempotencyKey: undefined,
    })),
    model: undefined,
    dispute: undefined,
    erasing: undefined,
    sessions: [],
    poison: undefined,
    undoing: [],
    slips: [],
    fragments: undefined,
  };
}

const isTickless = ({ faults }: Plan): boolean => faults.tickDrop === 1 && Object.keys(faults).length === 1;

/** Looks once, when the storm ends. */
export function watchTickless(world: World): void {
  const { kernel, plan } = world;
  if (!isTickless(plan)) return;
  kernel.at(plan.calmFromMs - 1, () => {
    const [first] = findOwed(world, 0, new Set());
    if (first !== undefined) kernel.fail('goes on without a tick', first);
    world.count('a storm without ticks is over');
  });
}
