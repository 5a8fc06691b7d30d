/** Each fault of a request to a service, with the real SDK as its caller: what it answers, and what the table holds. */
import { ConditionalCheckFailedException, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Runtime } from '../../../../infra/local/runtime/contract.ts';
import { faultOptionsSchema, type RequestFaultKind } from '../../../../infra/local/runtime/fault-options.ts';
import { startRuntime } from '../../../../infra/local/runtime/runtime.ts';
import { itemsOf, listJobs } from './fixtures/jobs.ts';
import { TEMPLATE } from './fixtures/template.ts';

let runtime: Runtime;
let config: { endpoint: string; region: string; credentials: { accessKeyId: string; secretAccessKey: string } };
beforeAll(async () => {
  runtime = await startRuntime({
    template: TEMPLATE,
    root: `${import.meta.dirname}/fixtures`,
    schedules: 'manual',
    retryDelayMs: () => 5,
  });
  config = { endpoint: runtime.url, region: 'us-east-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } };
});
afterAll(() => runtime.stop());
afterEach(() => runtime.faults.clear());

const once = (kind: RequestFaultKind, more: object = {}) =>
  runtime.faults.set({ requests: [{ kind, share: 1, most: 1, ...more }] });

/** Puts the item unless it is there; `attempts` is what the SDK may try. */
async function putOnce(id: string, attempts: number): Promise<unknown> {
  const client = new DynamoDBClient({ ...config, maxAttempts: attempts });
  try {
    const Item = { pk: { S: id }, sk: { S: 'ROW' }, op: { S: `op-${id}` } };
    const output = await client.send(
      new PutItemCommand({
        TableName: 'Jobs',
        Item,
        ConditionExpression: 'attribute_not_exists(pk)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return { attempts: output.$metadata.attempts };
  } catch (error) {
    return error;
  } finally {
    client.destroy();
  }
}

const isThere = (id: string) => itemsOf(runtime, id).ROW !== undefined;

describe('a request to DynamoDB', () => {
  it('without faults is carried out at the first attempt', async () => {
    expect(await putOnce('calm', 1)).toEqual({ attempts: 1 });
    expect(isThere('calm')).toBe(true);
  });

  it('that is throttled is not carried out, and the SDK tries again', async () => {
    once('throttled');
    expect(await putOnce('t1', 1)).toMatchObject({ name: 'ProvisionedThroughputExceededException' });
    expect(isThere('t1')).toBe(false);
    once('throttled');
    expect(await putOnce('t1', 3)).toEqual({ attempts: 2 });
    expect(isThere('t1')).toBe(true);
  });

  it('that fails is not carried out', async () => {
    once('failed');
    expect(await putOnce('f1', 1)).toMatchObject({ name: 'InternalServerError', $metadata: { httpStatusCode: 500 } });
    expect(isThere('f1')).toBe(false);
  });

  it('that fails afterwards is carried out all the same', async () => {
    once('failedAfter');
    expect(await putOnce('a1', 1)).toMatchObject({ name: 'InternalServerError', $metadata: { httpStatusCode: 500 } });
    expect(isThere('a1')).toBe(true);
  });

  it('whose reply is lost is carried out, and the SDK’s second attempt meets its own write', async () => {
    once('replyLost');
    expect(await putOnce('l1', 1)).toMatchObject({ code: 'ECONNRESET' });
    expect(isThere('l1')).toBe(true);
    once('replyLost');
    const refused = await putOnce('l2', 3);
    expect(refused).toBeInstanceOf(ConditionalCheckFailedException);
    expect((refused as ConditionalCheckFailedException).Item?.op).toEqual({ S: 'op-l2' });
    expect((refused as ConditionalCheckFailedException).$metadata.attempts).toBe(2);
  });

  it('is spared when the rule is for another operation, service or function, or has struck often enough', async () => {
    const others = [
      { operations: ['UpdateItem'] },
      { service: 'sqs' },
      { functions: ['doer'] },
      { share: 0 },
      { most: 0 },
    ];
    for (const [at, other] of others.entries()) {
      once('failed', other);
      expect(await putOnce(`spared-${at}`, 1)).toEqual({ attempts: 1 });
    }
    const before = runtime.faults.counts.failed;
    once('failed', { operations: ['PutItem'], service: 'dynamodb' });
    expect(await putOnce('struck', 1)).toBeInstanceOf(Error);
    expect(runtime.faults.counts.failed).toBe((before ?? 0) + 1);
  });
});

describe('a request to SQS or Lambda', () => {
  const message = () =>
    new SendMessageCommand({ QueueUrl: runtime.sqs.queueUrl('FailedDoings'), MessageBody: 'by hand' });
  const invocation = (id: string) =>
    new InvokeCommand({ FunctionName: 'doer', InvocationType: 'Event', Payload: Buffer.from(JSON.stringify({ id })) });

  it.each<[RequestFaultKind, string, number]>([
    ['throttled', 'RequestThrottled', 0],
    ['failed', 'InternalFailure', 0],
    ['failedAfter', 'InternalFailure', 1],
    ['replyLost', 'ECONNRESET', 1],
  ])('%s: SQS answers %s and keeps %i messages', async (kind, name, kept) => {
    const client = new SQSClient({ ...config, maxAttempts: 1 });
    once(kind, { service: 'sqs' });
    const error: unknown = await client.send(message()).catch((caught: unknown) => caught);
    const { name: errorName, code } = error as { name: string; code?: string };
    expect([errorName, code]).toContain(name);
    expect(runtime.sqs.queue('FailedDoings')?.drain()).toHaveLength(kept);
    client.destroy();
  });

  it.each<[RequestFaultKind, string, boolean]>([
    ['throttled', 'TooManyRequestsException', false],
    ['failed', 'ServiceException', false],
    ['failedAfter', 'ServiceException', true],
    ['replyLost', 'ECONNRESET', true],
  ])('%s: Lambda answers %s, invoked: %s', async (kind, name, isInvoked) => {
    const client = new LambdaClient({ ...config, maxAttempts: 1 });
    once(kind, { service: 'lambda' });
    const error: unknown = await client.send(invocation(`i-${kind}`)).catch((caught: unknown) => caught);
    const { name: errorName, code } = error as { name: string; code?: string };
    expect([errorName, code]).toContain(name);
    await runtime.idle();
    expect(listJobs(runtime, 'JOB').includes(`i-${kind}`)).toBe(isInvoked);
    client.destroy();
  });
});

describe('a list of faults', () => {
  it.each<[string, object]>([
    ['an unknown fault', { requests: [{ kind: 'slow', share: 1 }] }],
    ['a share above one', { messages: { queue: { twice: 2 } } }],
    ['an unknown edge', { messages: { topic: { twice: 1 } } }],
    ['a misspelt name', { indexLateMs: 5 }],
    ['a wait without end', { indexesLateMs: 1e9 }],
  ])('with %s is refused', (_, faults) => {
    expect(faultOptionsSchema.safeParse(faults).success).toBe(false);
  });

  it('with everything in it is taken', () => {
    const messages = { twice: 0.1, never: 0.1, lateMs: 10, outOfOrder: true };
    const all = {
      seed: 7,
      messages: { queue: messages, stream: messages, event: messages },
      indexesLateMs: 100,
      requests: [
        { kind: 'failed', share: 0.1, most: 2, service: 'sqs', operations: ['SendMessage'], functions: ['a'] },
      ],
      kills: [{ function: 'worker', share: 0.5, withinMs: 100, most: 3 }],
      clocks: { worker: -5000 },
    };
    expect(faultOptionsSchema.parse(all)).toEqual(all);
  });
});
