/**
 * A scope whose rows no scheduler can read, as those that another release wrote, or a pool whose ledger none can: as long as
 * the storm lasts. It stops nobody: the sweep and the admission of all others go on, and all of theirs is done by then.
 */
import { START_MS } from './engine/kernel.ts';
import type { FunctionRole } from './engine/actor.ts';
import { findOwed } from './invariants/liveness.ts';
import { listedPasses, poolNumberOf } from './invariants/pools.ts';
import type { Plan } from './plans/plan.ts';
import type { World } from './engine/world.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const STORM_MS = 25 * MINUTE_MS;

export interface PlannedUnreadable {
  readonly scope: string;
  /** The rows of the scope, or the ledger that lists its passes. */
  readonly of: 'scope' | 'pool';
  readonly fromMs: number;
}

/** Whether a read of this partition fails. */
export function isUnreadable(plan: Plan, role: FunctionRole, partition: string, nowMs: number): boolean {
  const { unreadable, deployment, calmFromMs } = plan;
  if (!unreadable || role !== 'scheduler' || nowMs < unreadable.fromMs || nowMs >= calmFromMs) return false;
  const { scope, of } = unreadable;
  if (of === 'pool') return partition === `POOL#${poolNumberOf(scope, deployment.pools)}`;
  return partition === `SCOPE#${scope}` || partition.startsWith(`SCOPE#${scope}#`);
}

/** The first scope is read before, and has a pass; all others are given their sources later. In directed scenarios alone. */
export function withUnreadable(plan: Plan, of: PlannedUnreadable['of'], scopes: readonly string[]): Plan {
  const [first = ''] = scopes;
  const pools = of === 'pool' ? scopes.length : 1;
  const ingests = scopes.flatMap((scope, k) =>
    Array.from({ length: 3 }, (_, n) => {
      const text = `Source ${scope}${n}, told once.\n@claim Ann | told | ${n}`;
      const source = { scope, id: `${scope}${n}`, text, capturedAtMs: START_MS - n * SECOND_MS, completed: true };
      return { atMs: START_MS + (k === 0 ? n : 60 + 40 * n) * SECOND_MS, scope, sources: [source] };
    }),
  );
  return {
    ...plan,
    scopes,
    ingests,
    requests: [
      {
        atMs: START_MS + 5 * SECOND_MS,
        scope: first,
        origin: 'trigger',
        parallel: undefined,
        idempotencyKey: undefined,
      },
    ],
    // Who is not invoked is found by the sweep alone.
    faults: { invokeDrop: 0.5 },
    slow: [],
    settings: {
      ...plan.settings,
      batchTokens: 0,
      maxConcurrentPasses: pools > 1 ? 2 * pools : 4,
      maxPassesPerScope: 1,
      passTimeoutMs: 30 * SECOND_MS,
      pageSources: 5,
    },
    deployment: { pools, release: undefined, mistake: undefined, skewMaxMs: undefined },
    skewMaxMs: 0,
    lagsMaxMs: [0, 0],
    calmFromMs: START_MS + STORM_MS,
    unreadable: { scope: first, of, fromMs: START_MS + 20 * SECOND_MS },
    model: undefined,
    dispute: undefined,
    erasing: undefined,
    hostile: undefined,
    sessions: [],
    poison: undefined,
    undoing: [],
    slips: [],
    setters: [],
    fragments: undefined,
    hasOrphans: false,
  };
}

/** Looks once, when the storm ends. */
export function watchUnreadable(world: World): void {
  const { kernel, plan } = world;
  const { unreadable } = plan;
  if (!unreadable) return;
  kernel.at(plan.calmFromMs - 1, () => {
    const listed = listedPasses(world).flatMap(([passId, { scope }]) => (scope === unreadable.scope ? passId : []));
    const isItsOwn = (owed: string): boolean =>
      owed.slice('V1 '.length).startsWith(`${unreadable.scope} `) || listed.some((passId) => owed.endsWith(passId));
    const first = findOwed(world, 0, new Set()).find((owed) => !isItsOwn(owed));
    if (first !== undefined) kernel.fail('what cannot be read stops nobody else', first);
    world.count('a storm with what cannot be read is over');
  });
}
