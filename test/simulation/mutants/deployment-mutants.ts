/** Mutants of how a deployment is run: its pools, its clocks, its releases, and a person who raises an attention. */
import { planAdmissions } from '../../../functions/core/admission.ts';
import type { Store } from '../../../functions/io/ports.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { expiredLeasesEnd } from '../../../schema/queue.ts';
import type { Query, Write } from '../../../schema/request.ts';
import { IN_POOL } from '../../../schema/scope.ts';
import type { SettingOverrides } from '../../../schema/settings.ts';
import { timeOfKey } from '../../../schema/time.ts';
import { forPools, type PlannedDeployment } from '../plans/deployment-plan.ts';
import { START_MS } from '../engine/kernel.ts';
import { modelOf } from '../executors/model.ts';
import { type Mutant, onWrite, rewriting, without } from './mutant.ts';
import type { Plan } from '../plans/plan.ts';
import { QUIET } from './quiet-scenes.ts';
import { fed } from './scope-move-mutants.ts';
import { outbid, OUTBID_SLOW, SIDE_BY_SIDE } from './working-scenes.ts';
import type { World } from '../engine/world.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const POOLS = 3;

/** People who ask for a look at each scope in turn, so often. */
const asking = (plan: Plan, everyMs: number, count: number): Plan['requests'] =>
  Array.from({ length: count }, (_, k) => ({
    atMs: START_MS + 2 * SECOND_MS + k * everyMs,
    scope: plan.scopes[k % plan.scopes.length] ?? '',
    origin: 'trigger',
    parallel: undefined,
    idempotencyKey: undefined,
  }));

/** Three pools of which at least two have scopes, and nothing else about it that is odd. */
const pooled =
  (more: Partial<Plan> = {}, deployment: Partial<PlannedDeployment> = {}) =>
  (plan: Plan): Plan => ({
    ...plan,
    settings: plan.deployment.pools > 1 ? plan.settings : forPools(plan.settings, POOLS),
    deployment: { pools: POOLS, skewMaxMs: undefined, release: undefined, mistake: undefined, ...deployment },
    erasing: undefined,
    requests: asking(plan, 4 * SECOND_MS, 40),
    ...more,
  });

/** Dead passes whose leases nobody gives back, clocks far apart, and people who ask all the time, where much is left to read. */
const deadAndAsked = (plan: Plan): Plan => {
  const faults = { killAtRandom: 0.3, failureDrop: 1, tickDrop: 1, executorSkip: 0.9, executorSlow: 0.3 };
  const room = { ...SIDE_BY_SIDE, passTimeoutMs: 30 * SECOND_MS, maxConcurrentPasses: 16, maxPassesPerScope: 5 };
  return {
    ...fed(faults, room)(plan),
    ...QUIET,
    deployment: { pools: 1, skewMaxMs: 20 * SECOND_MS, release: undefined, mistake: undefined },
    skewMaxMs: 20 * SECOND_MS,
    executorDelayMs: 500,
    requests: asking(plan, 2 * SECOND_MS, 175),
  };
};

/** By what a process read first it goes for ever. */
const firstRead = new WeakMap<World, SettingOverrides>();

/** An expiry is over for whoever takes a lease as soon as it is by their clock. */
function atOnce(write: Write): Write {
  const { ExpressionAttributeValues: values } = write.input;
  const before = values?.[':expiredBefore'];
  if (typeof before !== 'number') return write;
  const moved = { ...values, ':expiredBefore': before + LIMITS.leaseMarginMs };
  return { ...write, input: { ...write.input, ExpressionAttributeValues: moved } } as Write;
}

/** The index names them as early: it is asked for leases that ended before a time. */
function namesAtOnce(read: Query): Query {
  const { ExpressionAttributeValues: values, IndexName } = read.input;
  const end = values?.[':to'];
  if (IndexName !== 'queue' || values?.[':from'] !== '4' || typeof end !== 'string') return read;
  const moved = { ...values, ':to': expiredLeasesEnd(timeOfKey(end.slice('4#'.length)) + LIMITS.leaseMarginMs) };
  return { ...read, input: { ...read.input, ExpressionAttributeValues: moved } };
}

/** Plans of the first pool are outdated, and of no other. */
const sparingOthers = (store: Store): Store =>
  onWrite(store, async (write, name, pass) => {
    const isOther = write.kind === 'update' && write.input.Key?.pk !== 'POOL#0';
    return name === 'ledger:switch' && isOther ? { kind: 'won', item: undefined } : pass(write);
  });

export const DEPLOYMENT_MUTANTS: readonly Mutant[] = [
  {
    name: 'scope moved out of its pool',
    replaces: 'marks, switches and counts of a scope without IN_POOL: who was told of another number of pools moves it',
    caughtBy: ['a scope has one pool'],
    within: 50,
    direct: (plan) =>
      pooled(
        {},
        { mistake: { fromMs: START_MS + 10 * SECOND_MS, untilMs: plan.calmFromMs, pools: 1, share: 0.5 } },
      )(plan),
    wrapStore: rewriting(/^scope:/, without(IN_POOL)),
  },
  {
    name: 'whole limit for each pool',
    replaces: 'shareOf: a pool admits what all of them may have together',
    caughtBy: ['I4 capacity'],
    within: 50,
    direct: pooled(),
    decide: {
      planAdmissions: (snapshot, limits, ...given) =>
        planAdmissions(snapshot, { maxConcurrentPasses: POOLS * limits.maxConcurrentPasses }, ...given),
    },
  },
  {
    name: 'pause of all leaves plans of other pools standing',
    replaces: 'switchAll outdates the plans of the first pool alone',
    caughtBy: ['paused is paused'],
    within: 20,
    // Somebody pauses all while people ask.
    direct: (plan) => {
      const faults = { pauseAll: 1, outliveTimeout: 1, executorSkip: 1 };
      const scene = pooled({ ...QUIET, faults, calmFromMs: START_MS + 170 * SECOND_MS })(plan);
      return { ...scene, settings: { ...scene.settings, ...SIDE_BY_SIDE, maxConcurrentPasses: 4 * POOLS } };
    },
    slow: [{ name: 'ledger:admit', role: 'scheduler', forMs: 8 * SECOND_MS }],
    wrapStore: (store, { role }) => (role === 'operator' ? sparingOthers(store) : undefined),
  },
  {
    name: 'settings of all changed, plans of other pools left standing',
    replaces: 'changeLiveSettings outdates the plans of the first pool alone',
    caughtBy: ['I4 capacity'],
    within: 20,
    direct: (plan) => {
      const scene = pooled({ faults: { changeLimits: 1, outliveTimeout: 1, executorSkip: 1 } })(plan);
      const settings = { ...scene.settings, ...SIDE_BY_SIDE, maxConcurrentPasses: 4 * POOLS };
      const requests = scene.requests.map((request) => ({ ...request, origin: 'drain' as const, parallel: 3 }));
      const deployment = { ...scene.deployment, release: undefined };
      return { ...scene, settings, requests, deployment };
    },
    slow: [{ name: 'ledger:admit', role: 'scheduler', forMs: 8 * SECOND_MS }],
    wrapStore: (store, { role, scope }) =>
      role === 'operator' && scope === undefined ? sparingOthers(store) : undefined,
  },
  {
    name: 'takeover without the margin',
    replaces:
      'a lease is over when it is by the clock of who takes it, in the condition and in what the index is asked for',
    caughtBy: ['I3 one live lease'],
    within: 20,
    direct: deadAndAsked,
    wrapStore: (store, { role }) => {
      if (role !== 'worker') return undefined;
      const early = onWrite(store, (write, name, pass) => pass(name === 'evidence:lease' ? atOnce(write) : write));
      return { ...early, query: (read) => store.query(namesAtOnce(read)) };
    },
  },
  {
    name: 'settings read once for ever',
    replaces: 'every execution goes by the settings that the first one was started with, whatever was released since',
    caughtBy: ['I4 capacity'],
    within: 50,
    direct: (plan) => ({
      ...plan,
      deployment: {
        ...plan.deployment,
        pools: 1,
        mistake: undefined,
        release: {
          atMs: START_MS + 30 * SECOND_MS,
          overlapUntilMs: START_MS + 90 * SECOND_MS,
          settings: { maxConcurrentPasses: 1, maxPassesPerScope: 1 },
        },
      },
      erasing: undefined,
      settings: { ...plan.settings, maxConcurrentPasses: 4, maxPassesPerScope: 3, tokenThreshold: 1, batchTokens: 0 },
      requests: asking(plan, 4 * SECOND_MS, 40),
    }),
    startWith: (settings, world) => {
      const first = firstRead.get(world) ?? settings;
      firstRead.set(world, first);
      return first;
    },
  },
  {
    name: 'refused pass left open',
    replaces: 'refuseUsage closes nothing: what was refused for good may be reserved for and begin by the sweep',
    caughtBy: ['the ledger outlives the pass', 'I7 one end'],
    within: 20,
    direct: outbid,
    slow: OUTBID_SLOW,
    wrapStore: (store) =>
      onWrite(store, async (write, name, pass) =>
        name === 'usage:refuse' ? { kind: 'won', item: undefined } : pass(write),
      ),
  },
  {
    name: 'attention that wakes nobody',
    replaces: 'settleContests raises an attention without marking its scope before and after',
    caughtBy: ['an attention wakes its scope'],
    within: 20,
    // Nothing is left to do when the person speaks.
    direct: (plan) => ({
      ...plan,
      deployment: { ...plan.deployment, mistake: undefined },
      model: { ...modelOf(plan.seed, plan.calmFromMs), budgetPasses: 50, awayFromMs: START_MS, awayUntilMs: START_MS },
      erasing: undefined,
      dispute: { scope: plan.ingests[0]?.scope ?? '', atMs: START_MS + 14 * MINUTE_MS },
      calmFromMs: START_MS + 15 * MINUTE_MS,
      ingests: plan.ingests.map((call) => ({ ...call, atMs: START_MS })),
      requests: [],
      faults: {},
    }),
    wrapStore: (store, actor, world) =>
      actor.role === 'curator'
        ? onWrite(store, async (write, name, pass) =>
            /^scope:(mark|note)$/.test(name)
              ? { kind: 'won', item: world.tables.peek(`SCOPE#${actor.scope}`, 'SCOPE') }
              : pass(write),
          )
        : undefined,
  },
];
