/** Asynchronous events over a fake function: retries, age, destinations, and what the log is good for. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AsyncInvocations } from '../../../../infra/local/runtime/async-invocations.ts';
import type { FunctionDefinition, Outcome } from '../../../../infra/local/runtime/environment.ts';
import { ON_TIME } from '../../../../infra/local/runtime/delivery.ts';
import { openEventLog } from '../../../../infra/local/runtime/event-log.ts';
import type { InvokeOptions, Invoker } from '../../../../infra/local/runtime/function-pool.ts';

const DLQ_ARN = 'arn:aws:sqs:us-east-1:000000000000:dlq';
const FAILED: Outcome = { kind: 'failed', payload: '{"errorType":"Error","errorMessage":"no"}' };
const DONE: Outcome = { kind: 'succeeded', payload: 'null' };

let folder: string;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_767_225_600_000 });
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nightjar-events-'));
});

afterEach(() => {
  vi.useRealTimers();
  fs.rmSync(folder, { recursive: true });
});

interface Options {
  readonly config?: object;
  /** Outcomes of the invocations in order; none: the function is still running. */
  readonly outcomes?: Outcome[];
  /** The function has no free environment. */
  readonly isFull?: boolean;
}

function open({ config, outcomes = [], isFull = false }: Options = {}) {
  const started: string[] = [];
  const dead: { arn: string; body: Record<string, unknown> }[] = [];
  const waiting = new Map<string, (outcome: Outcome) => void>();
  const pool: Invoker = {
    definition: { name: 'worker', arn: 'arn:worker' } as FunctionDefinition,
    withdraw(requestId) {
      waiting.get(requestId)?.({ kind: 'abandoned' });
      return waiting.delete(requestId);
    },
    invoke({ requestId, admit }: InvokeOptions): Promise<Outcome> {
      if (isFull) return new Promise((resolve) => waiting.set(requestId, resolve));
      if (admit?.() === false) return Promise.resolve({ kind: 'abandoned' });
      started.push(requestId);
      const outcome = outcomes.shift();
      return outcome === undefined ? new Promise(() => {}) : Promise.resolve(outcome);
    },
  };
  const properties = {
    FunctionName: 'worker',
    Qualifier: '$LATEST',
    DestinationConfig: { OnFailure: { Destination: DLQ_ARN } },
    ...config,
  };
  const events = new AsyncInvocations({
    pools: new Map([['worker', pool]]),
    configs: [{ logicalId: 'Config', type: '', ref: '', name: '', entry: undefined, properties }],
    log: openEventLog(path.join(folder, 'events.jsonl')),
    delivery: ON_TIME,
    now: Date.now,
    sendToDestination: (arn, body) => dead.push({ arn, body: body as Record<string, unknown> }),
    retryDelayMs: (attempt) => attempt * 60_000,
    onSettled() {},
  });
  return { events, started, dead };
}

const settle = () => vi.advanceTimersByTimeAsync(0);

describe('an event', () => {
  it('that succeeds is done and leaves nothing', async () => {
    const { events, dead, started } = open({ outcomes: [DONE] });
    const { requestId, done } = events.accept('worker', undefined, '{"passId":"p"}');
    await done;
    expect([started, dead, events.pendingCount]).toEqual([[requestId], [], 0]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that fails is tried again after one and two minutes under its own id, then given up', async () => {
    const { events, dead, started } = open({ outcomes: [FAILED, FAILED, FAILED] });
    const { requestId } = events.accept('worker', undefined, '{"passId":"p"}');
    await settle();
    expect(started).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(started).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(119_999);
    expect(started).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(started).toEqual([requestId, requestId, requestId]);
    expect(dead).toEqual([
      {
        arn: DLQ_ARN,
        body: {
          version: '1.0',
          timestamp: new Date().toISOString(),
          requestContext: {
            requestId,
            functionArn: 'arn:worker:$LATEST',
            condition: 'RetriesExhausted',
            approximateInvokeCount: 3,
          },
          requestPayload: { passId: 'p' },
          responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
          responsePayload: { errorType: 'Error', errorMessage: 'no' },
        },
      },
    ]);
  });

  it('with no retries goes to the destination after one failure', async () => {
    const { events, dead, started } = open({ config: { MaximumRetryAttempts: 0 }, outcomes: [FAILED] });
    await events.accept('worker', undefined, '{}').done;
    expect(started).toHaveLength(1);
    expect(dead[0]?.body.requestContext).toMatchObject({ condition: 'RetriesExhausted', approximateInvokeCount: 1 });
  });

  it('that waits too long for room is given up without an attempt', async () => {
    const { events, dead } = open({ config: { MaximumEventAgeInSeconds: 300 }, isFull: true });
    events.accept('worker', undefined, '{}');
    await vi.advanceTimersByTimeAsync(299_999);
    expect([dead, events.pendingCount]).toEqual([[], 1]);
    await vi.advanceTimersByTimeAsync(1);
    expect(dead[0]?.body.requestContext).toMatchObject({ condition: 'EventAgeExceeded', approximateInvokeCount: 0 });
    expect(dead[0]?.body).not.toHaveProperty('responseContext');
    expect(events.pendingCount).toBe(0);
  });

  it('whose next attempt would come too late is given up now', async () => {
    const { events, dead } = open({ config: { MaximumEventAgeInSeconds: 60 }, outcomes: [FAILED, FAILED] });
    events.accept('worker', undefined, '{}');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(dead).toHaveLength(1);
    expect(dead[0]?.body.requestContext).toMatchObject({ condition: 'EventAgeExceeded', approximateInvokeCount: 1 });
  });

  it('for another qualifier has that one’s settings, else AWS’s defaults', async () => {
    const { events, dead } = open({
      config: { Qualifier: 'live', MaximumRetryAttempts: 0 },
      outcomes: [FAILED, FAILED],
    });
    await events.accept('worker', 'live', '{}').done;
    expect(dead[0]?.body.requestContext).toMatchObject({ functionArn: 'arn:worker:live', approximateInvokeCount: 1 });
    events.accept('worker', undefined, '{}');
    await settle();
    expect([dead.length, events.pendingCount]).toEqual([1, 1]);
  });
});

describe('after a killed process', () => {
  it('an event that had not started is delivered, one that had is a failed attempt', async () => {
    open({ isFull: true }).events.accept('worker', undefined, '{"passId":"waited"}');
    const { events, started, dead } = open({ config: { MaximumRetryAttempts: 0 } });
    events.resume();
    expect([started.length, dead.length, events.pendingCount]).toEqual([1, 0, 1]);
    // It runs and never ends: this process is killed too.
    const next = open({ config: { MaximumRetryAttempts: 0 } });
    next.events.resume();
    expect(next.started).toEqual([]);
    expect(next.dead[0]?.body).toMatchObject({
      requestContext: { requestId: started[0], condition: 'RetriesExhausted', approximateInvokeCount: 1 },
      requestPayload: { passId: 'waited' },
      responsePayload: { errorType: 'Runtime.ExitError' },
    });
    expect(open().events.pendingCount).toBe(0);
  });

  it('one that had started and has retries left is tried again', async () => {
    open().events.accept('worker', undefined, '{}');
    const { events, started, dead } = open({ outcomes: [DONE] });
    events.resume();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([started.length, dead.length, events.pendingCount]).toEqual([1, 0, 0]);
  });

  it('a stopped runtime has handed nothing to the destination', async () => {
    const { events, dead } = open({ config: { MaximumRetryAttempts: 0 } });
    events.accept('worker', undefined, '{}');
    events.stop();
    await settle();
    expect(dead).toEqual([]);
    const next = open({ config: { MaximumRetryAttempts: 0 } });
    next.events.resume();
    expect(next.dead).toHaveLength(1);
  });

  it('the log is rewritten when most of it is done', async () => {
    const outcomes = Array.from({ length: 600 }, () => DONE);
    const { events } = open({ outcomes });
    for (let n = 0; n < 600; n += 1) await events.accept('worker', undefined, `{"n":${n}}`).done;
    const lines = fs.readFileSync(path.join(folder, 'events.jsonl'), 'utf8').split('\n').length;
    expect(lines).toBeLessThan(1100);
  });
});
