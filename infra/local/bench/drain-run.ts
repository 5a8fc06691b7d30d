/** One drain on a fresh stack, from the request for passes to the last source settled. */
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FunctionName } from '../../../schema/environment.ts';
import { openStack } from '../local-stack.ts';
import type { ObservedFigures } from '../observer.ts';
import type { Observation } from '../runtime/request-counts.ts';
import { ScopeClient } from '../scope-client.ts';
import { Shutdown } from '../shutdown.ts';
import { type Load, makeBodies } from './load.ts';
import { RequestTally, type Tally } from './request-tally.ts';

export interface DrainPlan {
  readonly load: Load;
  readonly passes: number;
  /** What each reply of the stub takes. */
  readonly delayMs: number;
  /** Sources the stub asks for at once. */
  readonly pageSources: number;
  readonly onRequest?: (observation: Observation) => void;
}

export interface DrainResult {
  /** From the request to the last settlement. */
  readonly wallMs: number;
  /** Share of the machine's processors that was busy, by whatever: 0 to 1. */
  readonly busy: number;
  readonly observed: ObservedFigures;
  readonly tally: Tally;
}

const SCOPE = 'bench';
/** Half of it is for reading: one pass on the longest load takes about three minutes. */
const PASS_TIMEOUT_MS = 600_000;
const LOOK_EVERY_MS = 5;
/** A pass settles all at its end; so long without any sign of life means that nothing will come. */
const SILENCE_MAX_MS = 60_000;
/** Every function a drain needs, besides the workers; two schedulers and four finalizers may run at once. */
const WARM: readonly (readonly [FunctionName, number])[] = [
  ['trigger', 1],
  ['scheduler', 2],
  ['finalizer', 4],
];

/** Runs it. Throws when the drain does not come to its end. */
export async function runDrain({ load, passes, delayMs, pageSources, onRequest }: DrainPlan): Promise<DrainResult> {
  const shutdown = new Shutdown();
  const tally = new RequestTally();
  try {
    const stack = await openStack(
      {
        settings: { maxPassesPerScope: passes, maxConcurrentPasses: passes, passTimeoutMs: PASS_TIMEOUT_MS },
        executor: 'stub',
        stub: { delayMs, limit: pageSources },
        // Taking ten thousand sources in lasts longer than a minute: a tick would begin before the clock does.
        schedules: 'manual',
        onRequest: (observation) => {
          tally.see(observation);
          onRequest?.(observation);
        },
      },
      shutdown,
      () => {},
    );
    const client = new ScopeClient(stack.url, SCOPE);
    for (const body of makeBodies(load)) await client.putSources(body);
    for (const [name, count] of [...WARM, ['worker', passes] as const]) await stack.runtime.warm(name, count);
    tally.begin();
    const before = os.cpus();
    const startedAtMs = performance.now();
    const answer = await client.drain(passes);
    if (answer.kind === 'refused') throw new Error(`The drain was refused: ${answer.message}`);
    await untilSettled(() => stack.observer.figures, load.sources);
    const wallMs = performance.now() - startedAtMs;
    const busy = busyShare(before, os.cpus());
    await stack.runtime.idle();
    return { wallMs, busy, observed: stack.observer.figures, tally: tally.tally };
  } finally {
    await shutdown.close();
  }
}

async function untilSettled(look: () => ObservedFigures, sources: number): Promise<void> {
  let seen = look();
  let seenAtMs = performance.now();
  for (;;) {
    const figures = look();
    if (figures.settled >= sources) return;
    if (figures.deliveries !== seen.deliveries || figures.settled !== seen.settled) seenAtMs = performance.now();
    seen = figures;
    if (performance.now() - seenAtMs > SILENCE_MAX_MS) {
      throw new Error(
        `The drain stands still: ${figures.settled} of ${sources} settled, ${figures.running} passes running.`,
      );
    }
    await sleep(LOOK_EVERY_MS);
  }
}

function busyShare(before: readonly os.CpuInfo[], after: readonly os.CpuInfo[]): number {
  const sum = (cpus: readonly os.CpuInfo[], pick: (times: os.CpuInfo['times']) => number): number =>
    cpus.reduce((total, { times }) => total + pick(times), 0);
  const all = (times: os.CpuInfo['times']): number => times.user + times.nice + times.sys + times.idle + times.irq;
  const idle = (times: os.CpuInfo['times']): number => times.idle;
  const total = sum(after, all) - sum(before, all);
  return total === 0 ? 0 : 1 - (sum(after, idle) - sum(before, idle)) / total;
}
