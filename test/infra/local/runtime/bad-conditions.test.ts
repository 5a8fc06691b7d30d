/** The runtime under bad conditions: few environments, handlers that cannot be loaded, bad templates. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Runtime, RuntimeOptions } from '../../../../infra/local/runtime/contract.ts';
import { startRuntime } from '../../../../infra/local/runtime/runtime.ts';
import type { Template, TemplateResource } from '../../../../infra/local/runtime/template.ts';
import { listJobs } from './fixtures/jobs.ts';
import { TEMPLATE } from './fixtures/template.ts';

const root = `${import.meta.dirname}/fixtures`;
const open: Runtime[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((runtime) => runtime.stop()));
});

async function start(options: Partial<RuntimeOptions> = {}): Promise<Runtime> {
  const runtime = await startRuntime({
    template: TEMPLATE,
    root,
    schedules: 'manual',
    retryDelayMs: () => 5,
    ...options,
  });
  open.push(runtime);
  return runtime;
}

function change(logicalId: string, resource: Partial<TemplateResource>): Template {
  const base = TEMPLATE.Resources[logicalId] as TemplateResource;
  return { ...TEMPLATE, Resources: { ...TEMPLATE.Resources, [logicalId]: { ...base, ...resource } } };
}

const post = (runtime: Runtime, path: string, body: object) =>
  fetch(runtime.url + path, { method: 'POST', body: JSON.stringify(body) });

describe('with one environment', () => {
  it('events wait their turn, and a warmed environment is the one that is used', async () => {
    const environments = new Set<number | undefined>();
    const runtime = await start({
      environmentsMax: { doer: 1 },
      onRequest: ({ functionName, environment }) => functionName === 'doer' && environments.add(environment),
    });
    await runtime.warm('doer', 4);
    await Promise.all(['a', 'b', 'c', 'd'].map((id) => post(runtime, '/doings', { id, does: 'nap' })));
    await runtime.idle();
    expect(listJobs(runtime, 'JOB')).toEqual(['a', 'b', 'c', 'd']);
    expect([...environments]).toEqual([1]);
  });
});

describe('a handler', () => {
  it('that loops for ever is ended with its thread at its timeout, and the next event finds a new one', async () => {
    const environments: (number | undefined)[] = [];
    const Properties = { ...TEMPLATE.Resources.Doer?.Properties, Timeout: 1 };
    const runtime = await start({
      template: change('Doer', { Properties }),
      onRequest: ({ functionName, environment }) => functionName === 'doer' && environments.push(environment),
    });
    await post(runtime, '/doings', { id: 'l1', does: 'loop' });
    await runtime.idle();
    const [failure] = runtime.sqs.queue('FailedDoings')?.drain() ?? [];
    expect(JSON.parse(failure?.body ?? 'null')).toMatchObject({
      responsePayload: {
        errorType: 'Sandbox.Timedout',
        errorMessage: expect.stringMatching(/Task timed out after 1\.00 seconds/),
      },
    });
    await post(runtime, '/doings', { id: 'l2' });
    await runtime.idle();
    expect([listJobs(runtime, 'JOB'), environments]).toEqual([['l2'], [2]]);
  });

  it('that cannot be loaded fails each invocation with the reason', async () => {
    const lines: string[] = [];
    const template = change('Door', { Metadata: { 'local:entry': 'functions/missing/handler.ts' } });
    const runtime = await start({ template, onLog: (_, line) => lines.push(line) });
    for (let round = 0; round < 2; round += 1) expect((await fetch(`${runtime.url}/open`)).status).toBe(500);
    expect(
      lines.filter((line) => line.includes('ERR_MODULE_NOT_FOUND') || line.includes('Cannot find module')),
    ).not.toEqual([]);
  });

  it('that cannot be loaded fails an event once, as a failed attempt', async () => {
    const runtime = await start({
      template: change('Doer', { Metadata: { 'local:entry': 'functions/missing/handler.ts' } }),
    });
    const headers = { 'x-amz-invocation-type': 'Event' };
    await fetch(`${runtime.url}/2015-03-31/functions/missing/invocations`, {
      method: 'POST',
      headers,
      body: '{"id":"m"}',
    });
    await runtime.idle();
    const failures = runtime.sqs
      .queue('FailedDoings')
      ?.drain()
      .map(({ body }) => JSON.parse(body));
    expect(failures).toMatchObject([{ requestContext: { approximateInvokeCount: 1 }, requestPayload: { id: 'm' } }]);
  });

  it('whose environment is killed while it starts loses nothing that still waits', async () => {
    const runtime = await start();
    await post(runtime, '/doings', { id: 's' });
    expect(runtime.terminate('doer')).toBe(0);
    await runtime.idle();
    expect(listJobs(runtime, 'JOB')).toEqual(['s']);
  });

  it('that exports no handler says what it exports', async () => {
    const lines: string[] = [];
    const runtime = await start({
      template: change('Door', { Metadata: { 'local:entry': 'template.ts' } }),
      onLog: (_, line) => lines.push(line),
    });
    expect((await fetch(`${runtime.url}/open`)).status).toBe(500);
    expect(lines.join('\n')).toMatch(/exports no function named handler\. It exports: TEMPLATE/);
  });
});

describe('a template', () => {
  it.each<[string, string, Partial<TemplateResource>, RegExp]>([
    ['a FIFO queue', 'Work', { Properties: { FifoQueue: true } }, /FIFO queues are not emulated/],
    ['a schedule by cron', 'Tick', { Properties: { ScheduleExpression: 'cron(0 1 * * ? *)' } }, /only rate/],
    ['another payload format', 'DoorIntegration', { Properties: { PayloadFormatVersion: '1.0' } }, /only 2\.0/],
    ['a stage under a path', 'Stage', { Properties: { StageName: 'v1' } }, /only \$default/],
    ['a queue that hides too short', 'Work', { Properties: { VisibilityTimeout: 9 } }, /may run 10 s/],
    ['a condition function', 'Jobs', { Properties: { KeySchema: { 'Fn::If': ['a', [], []] } } }, /Jobs uses Fn::If/],
  ])('with %s is refused, and the port is free again', async (_, logicalId, resource, message) => {
    const first = await start();
    await first.stop();
    const port = Number(new URL(first.url).port);
    await expect(start({ port, template: change(logicalId, resource) })).rejects.toThrow(message);
    expect((await start({ port })).url).toBe(first.url);
  });

  it('and parameters it does not have are refused', async () => {
    await expect(start({ parameters: { Nothing: '1' } })).rejects.toThrow(/no parameter Nothing/);
  });

  it('ticks at the start when it is told to, and by the clock unless it is told not to', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const runtime = await start({ tickAtStart: true, schedules: 'automatic', now: () => Date.UTC(2026, 0, 1) });
      await runtime.idle();
      const ticks = () => runtime.requests.operations.dynamodb.PutItem ?? 0;
      expect(ticks()).toBe(1);
      vi.advanceTimersByTime(60_000);
      await runtime.idle();
      expect(ticks()).toBe(2);
      const manual = await start();
      vi.advanceTimersByTime(60_000);
      await manual.idle();
      expect(manual.requests.operations.dynamodb).toEqual({});
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a stop', () => {
  it('ends what waits for quiet, and may be asked for twice', async () => {
    const runtime = await start();
    await post(runtime, '/doings', { id: 'w', does: 'wait' });
    const quiet = runtime.idle();
    await Promise.all([runtime.stop(), runtime.stop(), expect(quiet).rejects.toThrow(/stopped/)]);
    await expect(fetch(runtime.url)).rejects.toThrow();
    await expect(runtime.idle()).rejects.toThrow(/stopped/);
  });
});
