/**
 * Goal: a drain under every fault at once ends as one without faults: no source in two live passes, everything settled,
 * no lease left, the same claims. Method: the whole stack with all faults of `faults.ts` drawn from a seed; whenever
 * nothing moves, the clocks of services and functions are put a minute on, the schedule ticks, and somebody asks for
 * passes again, since a scope whose passes were killed backs off.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PassObserver } from '../../../infra/local/observer.ts';
import type { Runtime } from '../../../infra/local/runtime/contract.ts';
import type { FaultOptions } from '../../../infra/local/runtime/fault-options.ts';
import { startRuntime } from '../../../infra/local/runtime/runtime.ts';
import type { Template } from '../../../infra/local/runtime/template.ts';
import { loadTemplate, ROOT } from '../../../infra/local/template-cache.ts';
import type { Item } from '../../../schema/request.ts';

/** Where no run before kept the template: two seconds, and many times that on a busy machine. */
const SYNTHESIS_TIMEOUT_MS = 120_000;
let template: Template;
beforeAll(async () => {
  template = await loadTemplate();
}, SYNTHESIS_TIMEOUT_MS);

const unruly = { twice: 0.4, never: 0.15, lateMs: 150, outOfOrder: true };
const MIX: FaultOptions = {
  messages: { queue: unruly, stream: unruly, event: unruly },
  indexesLateMs: 100,
  requests: [
    { kind: 'throttled', share: 0.02 },
    { kind: 'failed', share: 0.02 },
    { kind: 'failedAfter', share: 0.02 },
    { kind: 'replyLost', share: 0.02 },
  ],
};
/** Fewer than would take any source for poison. */
const KILLS_MAX = 2;
const KILL = { function: 'worker', share: 0.5, withinMs: 400 };
/** Below the margin of ten seconds that every expiry allows for. */
const SKEWS_MS: Readonly<Record<string, number>> = { worker: 3000, scheduler: -3000, finalizer: 1000, trigger: -500 };
const CALM: FaultOptions = {};
const SOURCES = 40;
const STEP_MS = 60_000;
/** Where a message is hidden and nobody asked a service anything for so long, what moves waits for a clock. */
const QUIET_MS = 1500;
const STEPS_MAX = 60;

class Mixed {
  readonly observer = new PassObserver();
  runtime!: Runtime;
  #aheadMs = 0;
  #faults: FaultOptions;
  #askedAtMs = 0;

  constructor(faults: FaultOptions) {
    this.#faults = faults;
  }

  async start(): Promise<void> {
    this.runtime = await startRuntime({
      template,
      root: ROOT,
      parameters: {
        Executor: 'stub',
        Stub: JSON.stringify({ delayMs: 20 }),
        Settings: JSON.stringify({ maxPassesPerScope: 3, maxConcurrentPasses: 3 }),
      },
      schedules: 'manual',
      now: () => Date.now() + this.#aheadMs,
      retryDelayMs: () => 50,
      onRequest: (observation) => {
        this.#askedAtMs = performance.now();
        this.observer.see(observation);
      },
    });
    this.#apply();
  }

  calm(): void {
    this.#faults = CALM;
    this.#apply();
  }

  /** Waits until it holds; puts the clocks on whenever nothing moves. */
  async until(holds: () => boolean, what: string): Promise<void> {
    for (let step = 0; step < STEPS_MAX; step += 1) {
      await this.#quiet();
      if (holds()) return;
      this.#aheadMs += STEP_MS;
      this.#apply();
      this.runtime.sqs.reconsider();
      void this.runtime.tick();
      if (this.#faults !== CALM) void this.call('POST', 'dream/drain', { parallel: 3 }).catch(() => {});
    }
    throw new Error(`In vain for ${(STEPS_MAX * STEP_MS) / 60_000} minutes: ${what}`);
  }

  /** Until nothing goes on, or only a message that is hidden until a clock moves. */
  async #quiet(): Promise<void> {
    const idle = this.runtime.idle();
    for (;;) {
      if (await Promise.race([idle.then(() => true), delay(QUIET_MS).then(() => false)])) return;
      const isHidden = Object.values(this.runtime.queues).some(({ inFlight }) => inFlight > 0);
      if (isHidden && performance.now() - this.#askedAtMs > QUIET_MS) return;
    }
  }

  /** Another seed at each step, or a clock's step would repeat the same bad luck for ever. */
  #apply(): void {
    const clocks = Object.fromEntries(
      this.runtime.functions.map((name) => [name, this.#aheadMs + (SKEWS_MS[name] ?? 0)]),
    );
    const most = KILLS_MAX - (this.runtime.faults.counts.killed ?? 0);
    const kills = this.#faults === CALM ? [] : [{ ...KILL, most }];
    this.runtime.faults.set({ ...this.#faults, seed: 7 + this.#aheadMs, kills, clocks });
  }

  async call(method: string, route: string, body?: object): Promise<Record<string, unknown>> {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    for (let attempt = 1; ; attempt += 1) {
      const response = await fetch(`${this.runtime.url}/v1/scopes/s/${route}`, init);
      if (response.status < 500) return (await response.json()) as Record<string, unknown>;
      if (attempt === 20) throw new Error(`${method} ${route} answered ${response.status} 20 times.`);
    }
  }

  rows(prefix: string): Item[] {
    const [control = ''] = Object.entries(this.runtime.tables)
      .filter(([id]) => id.includes('Control'))
      .map(([, name]) => name);
    return this.runtime.dynamodb
      .items(control)
      .map((item) => unmarshall(item as Parameters<typeof unmarshall>[0]) as Item)
      .filter(({ sk }) => String(sk).startsWith(prefix));
  }

  /** What a drained scope has none of: leases, LEASE rows, ledger entries, passes not finalized. */
  leftovers(): string[] {
    const leased = this.rows('EVIDENCE#').filter(({ leasePass }) => leasePass !== undefined);
    const leaseRows = this.rows('PASS#').filter(({ sk }) => String(sk).includes('#LEASE#'));
    const open = this.rows('PASS#').filter(
      ({ status, finalizedAtMs }) => status !== undefined && finalizedAtMs === undefined,
    );
    const owed = this.rows('LEDGER').flatMap(({ passes }) => Object.keys(passes as object));
    return [...[...leased, ...leaseRows, ...open].map(({ sk }) => String(sk)), ...owed];
  }
}

const running: Mixed[] = [];
afterEach(async () => {
  for (const { runtime } of running.splice(0)) await runtime.stop();
});

const sources = Array.from({ length: SOURCES }, (_, k) => ({
  kind: 'note',
  id: `n/${k}`,
  text: `A note. @claim Person ${k % 7} | lives_in | Town ${k}`,
  capturedAt: new Date(Date.UTC(2026, 0, 1, 0, k)).toISOString(),
}));

/** What has to have happened before the mix counts as one; whether a batch has two messages to exchange is luck. */
const STRIKES = [
  'throttled',
  'failed',
  'failedAfter',
  'replyLost',
  'killed',
  'queue',
  'stream',
  'event',
  'twice',
  'late',
  'never',
];

function listMissing(counts: Readonly<Record<string, number>>): string[] {
  const struck = new Set(Object.keys(counts).flatMap((name) => name.split('.')));
  return STRIKES.filter((name) => !struck.has(name));
}

async function drain(faults: FaultOptions) {
  const mixed = new Mixed(faults);
  await mixed.start();
  running.push(mixed);
  await mixed.call('POST', 'sources', { sources });
  await mixed.call('POST', 'dream/drain', { parallel: 3 });
  const isStruck = () => faults === CALM || listMissing(mixed.runtime.faults.counts).length === 0;
  await mixed.until(() => mixed.observer.figures.settled === SOURCES && isStruck(), 'all settled, every fault seen');
  const { counts } = mixed.runtime.faults;
  mixed.calm();
  await mixed.until(() => mixed.leftovers().length === 0, 'nothing owed any more');
  const { claims } = await mixed.call('GET', 'claims');
  const values = (claims as Item[]).map(({ entity, value }) => `${String(entity)} ${String(value)}`).toSorted();
  const states = mixed.rows('EVIDENCE#').map(({ state }) => state);
  return { mixed, counts, values, states };
}

describe('a drain under every fault at once', () => {
  it('ends like one without: no double delivery, everything settled, no lease left, the same claims', async () => {
    const calm = await drain(CALM);
    expect(calm.counts).toEqual({});
    const wild = await drain(MIX);
    expect(wild.mixed.observer.figures).toMatchObject({ settled: SOURCES, delivered: SOURCES, doubleDeliveries: 0 });
    expect(wild.states).toEqual(Array.from({ length: SOURCES }, () => 'settled'));
    expect(wild.values).toEqual(calm.values);
    expect(calm.values).toHaveLength(7);
  }, 120_000);
});
