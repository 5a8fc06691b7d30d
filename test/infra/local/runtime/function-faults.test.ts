/** Faults of a function: its environment is killed in mid-invocation, its clock goes wrong; and indexes served late. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Runtime } from '../../../../infra/local/runtime/contract.ts';
import type { FaultOptions } from '../../../../infra/local/runtime/fault-options.ts';
import { startRuntime } from '../../../../infra/local/runtime/runtime.ts';
import { itemsOf, listJobs } from './fixtures/jobs.ts';
import { TEMPLATE } from './fixtures/template.ts';

const open: Runtime[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((runtime) => runtime.stop()));
});

async function start(faults: FaultOptions): Promise<Runtime> {
  const runtime = await startRuntime({
    template: TEMPLATE,
    root: `${import.meta.dirname}/fixtures`,
    schedules: 'manual',
    retryDelayMs: () => 5,
    faults,
  });
  open.push(runtime);
  return runtime;
}

const doing = (runtime: Runtime, job: object) =>
  fetch(`${runtime.url}/doings`, { method: 'POST', body: JSON.stringify(job) });

const failures = (runtime: Runtime) =>
  (runtime.sqs.queue('FailedDoings')?.drain() ?? []).map(({ body }) => JSON.parse(body) as object);

describe('a kill', () => {
  it('ends an invocation as a crash does, and the next one finds a new environment', async () => {
    const runtime = await start({ kills: [{ function: 'doer', share: 1, withinMs: 20, most: 1 }] });
    await doing(runtime, { id: 'k1', does: 'nap' });
    await runtime.idle();
    expect(failures(runtime)).toMatchObject([
      { requestPayload: { id: 'k1' }, responsePayload: { errorType: 'Runtime.ExitError' } },
    ]);
    expect(runtime.faults.counts).toEqual({ killed: 1 });
    await doing(runtime, { id: 'k2', does: 'nap' });
    await runtime.idle();
    expect(listJobs(runtime, 'JOB')).toEqual(['k2']);
  });

  it('spares other functions, and an invocation that has ended before', async () => {
    const runtime = await start({
      kills: [
        { function: 'taker', share: 1, withinMs: 0 },
        { function: 'doer', share: 1, withinMs: 1_000_000, most: 1 },
      ],
    });
    await doing(runtime, { id: 'k3' });
    await runtime.idle();
    expect(listJobs(runtime, 'JOB')).toEqual(['k3']);
    expect(runtime.faults.counts).toEqual({});
  });
});

describe('a skewed clock', () => {
  const HOUR_MS = 3_600_000;

  it.each([HOUR_MS, -HOUR_MS])('of one function is %i ms off, also when it is set while it runs', async (skewMs) => {
    const runtime = await start({ clocks: { doer: skewMs } });
    const offset = async (id: string) => {
      const beforeMs = Date.now();
      await doing(runtime, { id });
      await runtime.idle();
      const { writtenAtMs, writtenOn } = itemsOf(runtime, id).JOB ?? {};
      expect(Math.abs(Date.parse(writtenOn?.S ?? '') - Number(writtenAtMs?.N))).toBeLessThan(1000);
      return Math.round((Number(writtenAtMs?.N) - beforeMs) / HOUR_MS);
    };
    expect(await offset('c1')).toBe(skewMs / HOUR_MS);
    runtime.faults.clear();
    expect(await offset('c2')).toBe(0);
    runtime.faults.set({ clocks: { taker: skewMs } });
    expect(await offset('c3')).toBe(0);
    runtime.faults.set({ clocks: { doer: 2 * skewMs } });
    expect(await offset('c4')).toBe((2 * skewMs) / HOUR_MS);
  });
});

describe('a late index', () => {
  it('is asked of the engine, and given up with the faults', async () => {
    const runtime = await start({ indexesLateMs: 60_000 });
    const { dynamodb } = runtime;
    dynamodb.dispatch('CreateTable', INDEXED);
    const count = () =>
      dynamodb.dispatch('Query', {
        TableName: 'Indexed',
        IndexName: 'byKind',
        KeyConditionExpression: 'kind = :k',
        ExpressionAttributeValues: { ':k': { S: 'a' } },
      }).Count;
    dynamodb.dispatch('PutItem', { TableName: 'Indexed', Item: { pk: { S: '1' }, kind: { S: 'a' } } });
    expect(count()).toBe(0);
    runtime.faults.clear();
    expect(count()).toBe(1);
  });
});

const INDEXED = {
  TableName: 'Indexed',
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: ['pk', 'kind'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'byKind',
      KeySchema: [{ AttributeName: 'kind', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
  ],
};
