import { setTimeout as delay } from 'node:timers/promises';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PassObserver } from '../../../infra/local/observer.ts';
import type { Runtime, RuntimeOptions } from '../../../infra/local/runtime/contract.ts';
import { startRuntime } from '../../../infra/local/runtime/runtime.ts';
import type { Template } from '../../../infra/local/runtime/template.ts';
import { loadTemplate, ROOT } from '../../../infra/local/template-cache.ts';
import type { Item } from '../../../schema/request.ts';

/** A case takes seconds, and many times that on a machine whose cores are shared. */
const TIMEOUT_MS = 180_000;
const WAIT_MAX_MS = 60_000;
/** Where no run before kept the template: two seconds, and many times that on a busy machine. */
const SYNTHESIS_TIMEOUT_MS = 120_000;
let template: Template;
beforeAll(async () => {
  template = await loadTemplate();
}, SYNTHESIS_TIMEOUT_MS);

interface Stack {
  readonly runtime: Runtime;
  readonly observer: PassObserver;
  readonly errors: string[];
}
const stacks: Stack[] = [];
afterEach(async () => {
  for (const { runtime } of stacks.splice(0)) await runtime.stop();
});

async function up(stub: object, options: Partial<RuntimeOptions> = {}): Promise<Stack> {
  const observer = new PassObserver();
  const errors: string[] = [];
  const runtime = await startRuntime({
    template,
    root: ROOT,
    parameters: {
      Executor: 'stub',
      Stub: JSON.stringify(stub),
      Settings: JSON.stringify({ maxPassesPerScope: 3, maxConcurrentPasses: 3 }),
    },
    schedules: 'manual',
    retryDelayMs: () => 50,
    onRequest: (observation) => observer.see(observation),
    onLog: (name, line) => {
      if (line.includes('"level":"ERROR"')) errors.push(`${name}: ${line}`);
    },
    ...options,
  });
  const stack = { runtime, observer, errors };
  stacks.push(stack);
  return stack;
}

async function call(runtime: Runtime, method: string, route: string, body?: object) {
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
  const response = await fetch(`${runtime.url}/v1/scopes/s/${route}`, init);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

function notes(count: number) {
  const sources = Array.from({ length: count }, (_, k) => ({
    kind: 'note',
    id: `n/${k}`,
    text: `A note. @claim Person ${k % 7} | lives_in | Town ${k}`,
    capturedAt: new Date(Date.UTC(2026, 0, 1, 0, k)).toISOString(),
  }));
  return { sources };
}

function rows(runtime: Runtime, prefix: string): Item[] {
  const [control] = Object.entries(runtime.tables).find(([id]) => id.includes('Control')) ?? [];
  const items = runtime.dynamodb.items(runtime.tables[control ?? ''] ?? '');
  return items
    .map((item) => unmarshall(item as Parameters<typeof unmarshall>[0]) as Item)
    .filter((item) => String(item.sk).startsWith(prefix));
}
const passes = (runtime: Runtime) => rows(runtime, 'PASS#').filter((item) => item.status !== undefined);
const leasesLeft = (runtime: Runtime) =>
  rows(runtime, 'EVIDENCE#').filter((item) => item.leasePass !== undefined).length +
  rows(runtime, 'PASS#').filter((item) => String(item.sk).includes('#LEASE#')).length;

async function until(holds: () => boolean, what: string): Promise<void> {
  const endMs = performance.now() + WAIT_MAX_MS;
  while (!holds()) {
    if (performance.now() > endMs) throw new Error(`waited in vain for: ${what}`);
    await delay(10);
  }
}

describe('the whole stack on one machine, over its HTTP routes', { timeout: TIMEOUT_MS }, () => {
  it('drains one scope with three passes at once: every source read by one of them', async () => {
    const { runtime, observer, errors } = await up({ delayMs: 60 });
    const taken = await call(runtime, 'POST', 'sources', notes(45));
    expect(taken.status).toBe(200);
    const drain = await call(runtime, 'POST', 'dream/drain', { parallel: 3 });
    expect(drain.status).toBe(202);
    await runtime.idle();
    expect(observer.figures).toMatchObject({
      doubleDeliveries: 0,
      settled: 45,
      delivered: 45,
      peakPasses: 3,
      running: 0,
    });
    expect(leasesLeft(runtime)).toBe(0);
    const claims = await call(runtime, 'GET', 'claims');
    expect((claims.body.claims as Item[]).map((claim) => String(claim.value)).sort()).toEqual(
      [38, 39, 40, 41, 42, 43, 44].map((k) => `Town ${k}`).sort(),
    );
    expect(errors).toEqual([]);
  });

  it('a worker killed in mid-page: its pass expires without waiting for a tick, everything settles once', async () => {
    const { runtime, observer } = await up({ delayMs: 400, limit: 10 });
    await call(runtime, 'POST', 'sources', notes(20));
    await call(runtime, 'POST', 'dream/trigger', {});
    await until(() => observer.figures.deliveries >= 10, 'the first page');
    expect(runtime.terminate('worker')).toBe(1);
    await until(
      () => passes(runtime).some((pass) => pass.finalizedAtMs !== undefined),
      'the expired pass to be finalized',
    );
    expect(passes(runtime).map((pass) => pass.status)).toEqual(['expired']);
    expect(leasesLeft(runtime)).toBe(0);
    expect((await call(runtime, 'POST', 'dream/drain', { parallel: 2 })).status).toBe(202);
    await runtime.idle();
    expect(observer.figures).toMatchObject({ settled: 20, doubleDeliveries: 0 });
    expect(leasesLeft(runtime)).toBe(0);
  });

  it('gives the same table whether batches come once and in order, or twice, late and in any order', async () => {
    const run = async (options: Partial<RuntimeOptions>) => {
      const { runtime, observer } = await up({ delayMs: 5 }, options);
      await call(runtime, 'POST', 'sources', notes(40));
      await call(runtime, 'POST', 'dream/drain', { parallel: 3 });
      await runtime.idle();
      expect(observer.figures.doubleDeliveries).toBe(0);
      return comparable(runtime);
    };
    const unruly = { twice: 1, outOfOrder: true, lateMs: 300 };
    const calm = await run({});
    const wild = await run({ faults: { messages: { queue: unruly, stream: unruly } } });
    expect(wild).toEqual(calm);
    expect(calm.evidence).toHaveLength(40);
  });
});

/** The table without times, ids of passes and writes, and what counts races: which pass read what is free. */
function comparable(runtime: Runtime) {
  const evidence = rows(runtime, 'EVIDENCE#').map(({ sk, state, cursor, stalls, attempts, leasePass, queueKey }) => ({
    sk,
    state,
    cursor,
    stalls,
    attempts,
    leased: leasePass !== undefined,
    queued: queueKey !== undefined,
  }));
  const claims = rows(runtime, 'CLAIM#').map(({ sk, value, quote, source, capturedAtMs }) => ({
    sk,
    value,
    quote,
    source,
    capturedAtMs,
  }));
  const heads = rows(runtime, 'HEAD#').map(({ sk, undatedKey }) => ({ sk, undatedKey }));
  const ledger = rows(runtime, 'LEDGER').map(({ passes: entries }) => entries);
  const [scope] = rows(runtime, 'SCOPE').map(({ failures, haltedAtMs, workPartition }) => ({
    failures,
    haltedAtMs,
    workPartition,
  }));
  return {
    evidence,
    claims,
    heads,
    ledger,
    scope,
    leasesLeft: leasesLeft(runtime),
    statuses: [...new Set(passes(runtime).map((pass) => pass.status))],
  };
}
