/** The runtime whole: the fixture's template, its handlers in threads, every edge once. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Runtime } from '../../../../infra/local/runtime/contract.ts';
import type { Observation } from '../../../../infra/local/runtime/request-counts.ts';
import { startRuntime } from '../../../../infra/local/runtime/runtime.ts';
import { itemsOf as readItems } from './fixtures/jobs.ts';
import { TEMPLATE } from './fixtures/template.ts';

const root = `${import.meta.dirname}/fixtures`;
/** A busy machine starts a thread in seconds. */
const WAIT = { timeout: 15_000, interval: 5 };
let runtime: Runtime;
let lines: string[] = [];
let observations: Observation[] = [];
/** How far the services' clock is ahead of the machine's. */
let aheadMs = 0;

beforeAll(async () => {
  runtime = await startRuntime({
    template: TEMPLATE,
    parameters: { Greeting: 'good evening' },
    root,
    now: () => Date.now() + aheadMs,
    schedules: 'manual',
    retryDelayMs: () => 5,
    onLog: (functionName, line) => lines.push(`${functionName}: ${line}`),
    onRequest: (observation) => observations.push(observation),
  });
});

afterAll(() => runtime.stop());

beforeEach(() => {
  lines = [];
  observations = [];
});

const post = (path: string, body: object) => fetch(runtime.url + path, { method: 'POST', body: JSON.stringify(body) });

const itemsOf = (id: string) => readItems(runtime, id);

/** Takes the one message a queue must hold. */
function takeOnly(queueName: string): Record<string, Record<string, unknown>> {
  const queue = runtime.sqs.queue(queueName);
  expect(queue?.depth().visible).toBe(1);
  const [message] = queue?.drain() ?? [];
  return JSON.parse(message?.body ?? 'null');
}

const credentials = { accessKeyId: 'outside', secretAccessKey: 'x' };
const client = () => ({ endpoint: runtime.url, region: 'us-east-1', credentials, maxAttempts: 1 });

describe('a request', () => {
  it('goes from the route through the queue, an asynchronous invocation and the stream, each in its own function', async () => {
    runtime.resetRequests();
    const answer = await post('/jobs', { id: 'j1' });
    expect([answer.status, answer.headers.get('x-greeting'), answer.headers.getSetCookie()]).toEqual([
      202,
      'good evening',
      ['a=1'],
    ]);
    expect(await answer.json()).toMatchObject({ MessageId: expect.any(String) });
    await runtime.idle();
    expect(itemsOf('j1')).toMatchObject({
      JOB: { requestId: { S: expect.stringMatching(/^[0-9a-f-]{36}$/) } },
      'SEEN#JOB': { seen: { N: '1' } },
    });
    expect(runtime.queues).toMatchObject({ Work: { visible: 0, inFlight: 0 }, WorkDlq: { visible: 0 } });
    expect(runtime.requests).toEqual({
      operations: { sqs: { SendMessage: 1 }, lambda: { Invoke: 1 }, dynamodb: { PutItem: 1, UpdateItem: 1 } },
      units: { Jobs: { read: 0, write: 2 } },
      conditionFailures: {},
    });
    expect(
      observations.map(({ functionName, environment, operation, status }) => [
        functionName,
        environment,
        operation,
        status,
      ]),
    ).toEqual([
      ['door', 1, 'SendMessage', 200],
      ['taker', 1, 'Invoke', 202],
      ['doer', 1, 'PutItem', 200],
      ['watcher', 1, 'UpdateItem', 200],
    ]);
    expect(observations[1]).toMatchObject({
      service: 'lambda',
      input: { FunctionName: 'doer', InvocationType: 'Event', Payload: { id: 'j1' } },
    });
    expect(observations[2]).toMatchObject({
      input: { TableName: 'Jobs', Item: { pk: { S: 'j1' } } },
      output: {},
      consumed: [{ TableName: 'Jobs', CapacityUnits: 1 }],
    });
  });

  it('reaches the handler as an event of payload format 2.0, and its lines reach the log', async () => {
    const answer = await fetch(`${runtime.url}/echo/note/a%20b/c?x=1`, { headers: { 'X-Trace': 't' } });
    expect(await answer.json()).toMatchObject({
      event: {
        routeKey: 'GET /echo/{kind}/{id+}',
        pathParameters: { kind: 'note', id: 'a b/c' },
        headers: { 'x-trace': 't' },
        requestContext: { authorizer: { iam: { userArn: 'arn:aws:iam::000000000000:user/local' } } },
      },
    });
    await vi.waitFor(() => expect(lines).toContain('door: echo by door'), WAIT);
  });

  it('takes the more specific route, an open one has no identity, an unknown one no function', async () => {
    const list = (await (await fetch(`${runtime.url}/echo/note/list`)).json()) as { event: { routeKey: string } };
    expect(list.event.routeKey).toBe('GET /echo/{kind}/list');
    const open = (await (await fetch(`${runtime.url}/open`)).json()) as { event: { requestContext: object } };
    expect(open.event.requestContext).not.toHaveProperty('authorizer');
    const unknown = await fetch(`${runtime.url}/nothing`);
    expect([unknown.status, await unknown.text()]).toEqual([404, '{"message":"Not Found"}']);
  });

  it('whose handler throws gets a 500, and the error is in the log', async () => {
    const answer = await fetch(`${runtime.url}/failure`);
    expect([answer.status, await answer.text()]).toEqual([500, '{"message":"Internal Server Error"}']);
    expect(lines.find((line) => line.includes('the door is stuck'))).toMatch(/^door: \{"errorType":"RangeError"/);
  });

  it('that is given up by its client does not end the runtime', async () => {
    await expect(fetch(`${runtime.url}/echo/a/b`, { signal: AbortSignal.timeout(1) })).rejects.toThrow();
    expect((await fetch(`${runtime.url}/open`)).status).toBe(200);
  });

  it.each(['/echo/a/b HTTP/1.1', '/ HTTP/1.1\r\nx-amz-target: DynamoDB_20120810.GetItem'])(
    'that is given up in mid-body by its client does not end the runtime: %j',
    async (target) => {
      const socket = connect(Number(new URL(runtime.url).port), '127.0.0.1');
      await once(socket, 'connect');
      const head = `POST ${target}\r\nhost: x\r\ncontent-length: 999\r\n\r\n`;
      await new Promise((sent) => socket.write(`${head}{"half":`, sent));
      socket.destroy();
      await once(socket, 'close');
      expect((await fetch(`${runtime.url}/open`)).status).toBe(200);
    },
  );
});

describe('a failure', () => {
  it('of one message of a batch sends it alone to the dead-letter queue after its last receive', async () => {
    const jobs = [{ id: 'p1' }, { id: 'p2', poison: true }, { id: 'p3' }];
    const Entries = jobs.map((job) => ({ Id: job.id, MessageBody: JSON.stringify(job) }));
    await runtime.sqs.call('SendMessageBatch', { QueueUrl: 'Work', Entries });
    for (let receives = 1; receives <= 2; receives += 1) {
      await vi.waitFor(() => expect(lines.filter((line) => line === 'taker: refused 1')).toHaveLength(receives), WAIT);
      await vi.waitFor(() => expect(runtime.queues.Work).toEqual({ visible: 0, inFlight: 1, delayed: 0 }), WAIT);
      // Its visibility of a minute ends at once on the services' clock.
      aheadMs += 60_001;
      runtime.sqs.reconsider();
    }
    await runtime.idle();
    expect(takeOnly('WorkDlq')).toEqual({ id: 'p2', poison: true });
    expect([itemsOf('p1'), itemsOf('p2'), itemsOf('p3')].map((items) => 'JOB' in items)).toEqual([true, false, true]);
  });

  it('of one stream record is bisected down to that record, and the others are handled', async () => {
    for (const sk of ['JOB1', 'JOB2', 'JOB3']) {
      const boom = sk === 'JOB2' ? { boom: { BOOL: true } } : {};
      runtime.dynamodb.dispatch('PutItem', {
        TableName: 'Jobs',
        Item: { pk: { S: 'bisected' }, sk: { S: sk }, ...boom },
      });
    }
    await runtime.idle();
    expect(Object.keys(itemsOf('bisected')).toSorted()).toEqual(['JOB1', 'JOB2', 'JOB3', 'SEEN#JOB1', 'SEEN#JOB3']);
    expect(takeOnly('FailedBatches')).toMatchObject({
      requestContext: { condition: 'RetryAttemptsExhausted' },
      DDBStreamBatchInfo: {
        batchSize: 1,
        streamArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/Jobs/stream/local',
      },
    });
  });

  it('of an asynchronous invocation goes to its destination, with event and error', async () => {
    await post('/doings', { id: 'f1', does: 'fail' });
    await runtime.idle();
    expect(takeOnly('FailedDoings')).toMatchObject({
      requestContext: { condition: 'RetriesExhausted', approximateInvokeCount: 1 },
      requestPayload: { id: 'f1' },
      responsePayload: { errorType: 'TypeError', errorMessage: 'cannot do f1' },
    });
  });

  it('by a kill in mid-invocation hits the invocation that matches and no other', async () => {
    await post('/doings', { id: 'k1', does: 'wait' });
    const isKilled = ({ event }: { event: string }) => event.includes('k1');
    await vi.waitFor(() => expect(lines.some((line) => line.startsWith('doer: doing k1'))).toBe(true), WAIT);
    expect(runtime.terminate('doer', ({ event }) => event.includes('other'))).toBe(0);
    expect(runtime.terminate('doer', isKilled)).toBe(1);
    await runtime.idle();
    expect(takeOnly('FailedDoings')).toMatchObject({
      requestPayload: { id: 'k1' },
      responsePayload: { errorType: 'Runtime.ExitError' },
    });
    expect(itemsOf('k1')).toEqual({});
    expect(() => runtime.terminate('nobody')).toThrow(/no function nobody\. There are: door, taker/);
  });
});

describe('the schedule', () => {
  it('invokes its target for the time it is given', async () => {
    await runtime.tick(Date.UTC(2026, 0, 1));
    expect(itemsOf('tick')).toHaveProperty('2026-01-01T00:00:00Z');
  });
});

describe('a client outside the functions', () => {
  it('invokes synchronously and sees answer, function error and unknown function', async () => {
    const lambda = new LambdaClient(client());
    const invoke = async (FunctionName: string, job: object) => {
      const { Payload, FunctionError } = await lambda.send(
        new InvokeCommand({ FunctionName, Payload: Buffer.from(JSON.stringify(job)) }),
      );
      return [JSON.parse(Buffer.from(Payload ?? []).toString()), FunctionError];
    };
    expect(await invoke('doer', { id: 'o1' })).toEqual([{ did: 'o1' }, undefined]);
    const [error, kind] = await invoke('arn:aws:lambda:us-east-1:000000000000:function:doer', {
      id: 'o2',
      does: 'fail',
    });
    expect([error.errorType, kind]).toEqual(['TypeError', 'Unhandled']);
    await expect(invoke('nobody', {})).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    expect(observations.at(-1)).toMatchObject({ functionName: undefined, environment: undefined });
  });

  it('meets Lambda’s limits', async () => {
    const invoke = (sizeBytes: number, type: string) =>
      fetch(`${runtime.url}/2015-03-31/functions/doer/invocations`, {
        method: 'POST',
        headers: { 'x-amz-invocation-type': type },
        body: `"${'x'.repeat(sizeBytes - 2)}"`,
      });
    expect((await invoke(6 * 1024 * 1024 + 1, 'RequestResponse')).status).toBe(413);
    const tooLarge = await invoke(1024 * 1024 + 1, 'Event');
    expect([tooLarge.status, tooLarge.headers.get('x-amzn-errortype')]).toEqual([413, 'RequestTooLargeException']);
    expect((await invoke(1024 * 1024 + 1, 'RequestResponse')).status).toBe(200);
    const broken = await fetch(`${runtime.url}/2015-03-31/functions/doer/invocations`, { method: 'POST', body: '{' });
    expect(broken.headers.get('x-amzn-errortype')).toBe('InvalidRequestContentException');
  });

  it('sees consumed capacity only when it asks', async () => {
    const dynamodb = new DynamoDBClient(client());
    const key = { pk: { S: 'capacity' }, sk: { S: 'x' } };
    const put = (level?: 'TOTAL' | 'INDEXES' | 'NONE') =>
      dynamodb.send(
        new PutItemCommand({ TableName: 'Jobs', Item: key, ...(level && { ReturnConsumedCapacity: level }) }),
      );
    expect(await put()).not.toHaveProperty('ConsumedCapacity');
    expect(await put('NONE')).not.toHaveProperty('ConsumedCapacity');
    expect((await put('TOTAL')).ConsumedCapacity).toEqual({ TableName: 'Jobs', CapacityUnits: 1 });
    expect((await put('INDEXES')).ConsumedCapacity).toEqual({
      TableName: 'Jobs',
      CapacityUnits: 1,
      Table: { CapacityUnits: 1 },
    });
    const text = { ...key, note: { S: '"ReturnConsumedCapacity"' } };
    const sneaky = await dynamodb.send(new PutItemCommand({ TableName: 'Jobs', Item: text }));
    expect(sneaky).not.toHaveProperty('ConsumedCapacity');
    runtime.resetRequests();
    await dynamodb.send(new GetItemCommand({ TableName: 'Jobs', Key: key, ConsistentRead: true }));
    const refused = new PutItemCommand({
      TableName: 'Jobs',
      Item: key,
      ConditionExpression: 'attribute_not_exists(pk)',
    });
    await expect(dynamodb.send(refused)).rejects.toMatchObject({ name: 'ConditionalCheckFailedException' });
    expect(runtime.requests).toMatchObject({
      units: { Jobs: { read: 1, write: 0 } },
      conditionFailures: { PutItem: 1 },
    });
  });

  it('sends and receives messages, and knows the errors of SQS by their names', async () => {
    const sqs = new SQSClient(client());
    const QueueUrl = runtime.sqs.queueUrl('WorkDlq');
    const { MessageId } = await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'héllo' }));
    const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MessageSystemAttributeNames: ['All'] }));
    expect(Messages).toMatchObject([{ MessageId, Body: 'héllo', Attributes: { ApproximateReceiveCount: '1' } }]);
    runtime.sqs.queue('WorkDlq')?.purge();
    const nowhere = new SendMessageCommand({ QueueUrl: `${runtime.url}/000000000000/none`, MessageBody: 'x' });
    await expect(sqs.send(nowhere)).rejects.toMatchObject({ name: 'QueueDoesNotExist' });
  });
});
