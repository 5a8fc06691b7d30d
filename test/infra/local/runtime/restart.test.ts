/** What survives a process: the fixture's runtime is killed, or stopped in mid-invocation, and started again on its data. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startRuntime } from '../../../../infra/local/runtime/runtime.ts';
import { itemsOf, listJobs } from './fixtures/jobs.ts';
import { TEMPLATE } from './fixtures/template.ts';

const root = `${import.meta.dirname}/fixtures`;
/** A busy machine starts a thread in seconds. */
const WAIT = { timeout: 15_000, interval: 5 };
let dataDir: string;

beforeEach(() => {
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'nightjar-runtime-'));
});

afterEach(() => fs.rmSync(dataDir, { recursive: true }));

function run(mode: 'hold' | 'stop') {
  const child = spawn(process.execPath, [`${root}/process.ts`, dataDir, mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const line = once(child.stdout, 'data').then(([data]) => JSON.parse(String(data)) as { url: string; stopMs: number });
  return { child, exited, line };
}

const startAgain = () => startRuntime({ template: TEMPLATE, root, dataDir, schedules: 'manual' });
const isLogged = (text: string) => fs.readFileSync(path.join(dataDir, 'events.jsonl'), 'utf8').includes(text);

it('a killed process loses nothing it has answered for, and its running event is found dead at the next start', async () => {
  const { child, exited, line } = run('hold');
  const { url } = await line;
  const post = (target: string, job: object) => fetch(url + target, { method: 'POST', body: JSON.stringify(job) });
  await post('/doings', { id: 'written' });
  await vi.waitFor(() => expect(isLogged('"done"')).toBe(true), WAIT);
  await post('/doings', { id: 'running', does: 'wait' });
  await vi.waitFor(() =>
    expect(fs.readFileSync(path.join(dataDir, 'events.jsonl'), 'utf8').split('"started"')).toHaveLength(3),
  );
  await fetch(url, {
    method: 'POST',
    headers: { 'x-amz-target': 'AmazonSQS.SendMessage' },
    body: JSON.stringify({ QueueUrl: 'WorkDlq', MessageBody: 'kept' }),
  });
  child.kill('SIGKILL');
  await exited;

  const runtime = await startAgain();
  try {
    await runtime.idle();
    expect(listJobs(runtime, 'JOB')).toEqual(['written']);
    expect(
      runtime.sqs
        .queue('WorkDlq')
        ?.drain()
        .map(({ body }) => body),
    ).toEqual(['kept']);
    const [failure] = runtime.sqs.queue('FailedDoings')?.drain() ?? [];
    expect(JSON.parse(failure?.body ?? 'null')).toMatchObject({
      requestContext: { condition: 'RetriesExhausted', approximateInvokeCount: 1 },
      requestPayload: { id: 'running' },
    });
  } finally {
    await runtime.stop();
  }
});

it('a stop with busy threads takes less than two seconds, leaves no handle, and hands their events over at the next start', async () => {
  const { exited, line } = run('stop');
  const { stopMs } = await line;
  expect(stopMs).toBeLessThan(2000);
  expect(await exited).toEqual([0, null]);

  const runtime = await startAgain();
  try {
    await runtime.idle();
    const failures = runtime.sqs
      .queue('FailedDoings')
      ?.drain()
      .map(({ body }) => JSON.parse(body));
    expect(failures?.map(({ requestPayload }) => requestPayload.id).toSorted()).toEqual(['loops', 'waits']);
    for (const { requestContext } of failures ?? []) expect(requestContext.condition).toBe('RetriesExhausted');
  } finally {
    await runtime.stop();
  }
});

it('stream records that were not handled are delivered after a restart, those that were are not', async () => {
  const write = (id: string) => ({ TableName: 'Jobs', Item: { pk: { S: id }, sk: { S: 'JOB' } } });
  const first = await startAgain();
  first.dynamodb.dispatch('PutItem', write('before'));
  await first.idle();
  expect(listJobs(first, 'SEEN#JOB')).toEqual(['before']);
  first.dynamodb.dispatch('PutItem', write('unseen'));
  await first.stop();
  const second = await startAgain();
  try {
    await second.idle();
    expect(listJobs(second, 'SEEN#JOB')).toEqual(['before', 'unseen']);
    expect(itemsOf(second, 'before')['SEEN#JOB']?.seen?.N).toBe('1');
  } finally {
    await second.stop();
  }
});

it('a data folder with other keys than the template is refused', async () => {
  await (await startAgain()).stop();
  const { Jobs, ...rest } = TEMPLATE.Resources;
  const Properties = { ...Jobs?.Properties, KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }] };
  const template = { ...TEMPLATE, Resources: { ...rest, Jobs: { Type: 'AWS::DynamoDB::GlobalTable', Properties } } };
  await expect(startRuntime({ template, root, dataDir })).rejects.toThrow(/other keys or indexes than the template/);
});
