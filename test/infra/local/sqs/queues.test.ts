/** Queues of the SQS engine: dead letters, batches, attributes, refusals. Time is the fake timers' time. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SqsTestClient } from './client.ts';

let client: SqsTestClient;

beforeEach(() => {
  vi.useFakeTimers();
  client = new SqsTestClient();
});

afterEach(() => {
  client.sqs.close();
  vi.useRealTimers();
});

describe('a dead-letter queue', () => {
  it('gets the message after its last receive, with id, body and origin', async () => {
    const dlq = client.makeQueue('dlq');
    const queue = client.makeQueue('q', client.withDeadLetters('dlq', 2));
    const { MessageId } = await client.send(queue, 'poison');
    expect(await client.receive(queue)).toHaveLength(1);
    expect(await client.receive(queue)).toHaveLength(1);
    expect(await client.receive(queue)).toHaveLength(0);
    expect(await client.depths(dlq)).toEqual([1, 0, 0]);
    const [dead] = await client.receive(dlq);
    expect(dead).toMatchObject({
      MessageId,
      Body: 'poison',
      Attributes: { DeadLetterQueueSourceArn: client.sqs.queue('q')?.arn },
    });
  });

  it('gives its messages back, which then have all their receives again', async () => {
    const dlq = client.makeQueue('dlq');
    const queue = client.makeQueue('q', client.withDeadLetters('dlq', 1));
    await client.send(queue, 'poison');
    await client.receive(queue);
    await client.receive(queue);
    await client.run('StartMessageMoveTask', { SourceArn: client.sqs.queue('dlq')?.arn });
    expect(await client.depths(dlq)).toEqual([0, 0, 0]);
    expect((await client.receive(queue))[0]?.Attributes.ApproximateReceiveCount).toBe('1');
    const [again] = await client.receive(queue);
    expect(again).toBeUndefined();
    const other = client.makeQueue('other');
    await client.run('StartMessageMoveTask', {
      SourceArn: client.sqs.queue('dlq')?.arn,
      DestinationArn: client.sqs.queue('other')?.arn,
    });
    expect(await client.depths(other)).toEqual([1, 0, 0]);
    await expect(
      client.run('StartMessageMoveTask', { SourceArn: 'arn:aws:sqs:us-east-1:000000000000:none' }),
    ).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });
});

describe('a batch', () => {
  it('sends ten and deletes ten', async () => {
    const queue = client.makeQueue('q');
    const Entries = Array.from({ length: 10 }, (_, n) => ({ Id: `e${n}`, MessageBody: `b${n}` }));
    expect((await client.run('SendMessageBatch', { QueueUrl: queue, Entries })).Successful).toHaveLength(10);
    const handles = (await client.receive(queue)).map(({ ReceiptHandle }, n) => ({ Id: `d${n}`, ReceiptHandle }));
    expect((await client.run('DeleteMessageBatch', { QueueUrl: queue, Entries: handles })).Successful).toHaveLength(10);
    expect(await client.depths(queue)).toEqual([0, 0, 0]);
  });

  it('fails the bad entry alone', async () => {
    const queue = client.makeQueue('q');
    const Entries = [
      { Id: 'good', MessageBody: 'x' },
      { Id: 'bad', MessageBody: '' },
    ];
    const answer = await client.run('SendMessageBatch', { QueueUrl: queue, Entries });
    expect(answer).toMatchObject({
      Successful: [{ Id: 'good' }],
      Failed: [{ Id: 'bad', SenderFault: true, Code: 'MissingParameter' }],
    });
    const [message] = await client.receive(queue);
    const changes = [
      { Id: 'a', ReceiptHandle: message?.ReceiptHandle, VisibilityTimeout: 0 },
      { Id: 'b', ReceiptHandle: 'nonsense', VisibilityTimeout: 0 },
    ];
    const changed = await client.run('ChangeMessageVisibilityBatch', { QueueUrl: queue, Entries: changes });
    expect(changed).toMatchObject({ Successful: [{ Id: 'a' }], Failed: [{ Id: 'b', Code: 'ReceiptHandleIsInvalid' }] });
  });

  it.each([
    ['no entry', [], 'EmptyBatchRequest'],
    [
      'eleven',
      Array.from({ length: 11 }, (_, n) => ({ Id: `e${n}`, MessageBody: 'b' })),
      'TooManyEntriesInBatchRequest',
    ],
    [
      'one id twice',
      [
        { Id: 'a', MessageBody: 'b' },
        { Id: 'a', MessageBody: 'b' },
      ],
      'BatchEntryIdsNotDistinct',
    ],
    ['more than 1 MiB', ['a', 'b'].map((Id) => ({ Id, MessageBody: 'x'.repeat(600 * 1024) })), 'BatchRequestTooLong'],
  ])('is refused with %s', async (_, Entries, name) => {
    await expect(client.run('SendMessageBatch', { QueueUrl: client.makeQueue('q'), Entries })).rejects.toMatchObject({
      name,
    });
  });
});

describe('a queue', () => {
  it('counts what is visible, in flight and delayed, and is purged', async () => {
    const queue = client.makeQueue('q');
    for (let n = 0; n < 3; n += 1) await client.send(queue, 'x');
    await client.send(queue, 'd', { DelaySeconds: 30 });
    await client.receive(queue, { MaxNumberOfMessages: 1 });
    expect(await client.depths(queue)).toEqual([2, 1, 1]);
    await client.run('PurgeQueue', { QueueUrl: queue });
    expect(await client.depths(queue)).toEqual([0, 0, 0]);
  });

  it('is found by name, listed, described and set', async () => {
    const { QueueUrl } = await client.run('CreateQueue', { QueueName: 'q', Attributes: { VisibilityTimeout: '7' } });
    expect(await client.run('GetQueueUrl', { QueueName: 'q' })).toEqual({ QueueUrl });
    expect(await client.run('ListQueues', { QueueNamePrefix: 'q' })).toEqual({ QueueUrls: [QueueUrl] });
    expect(await client.run('CreateQueue', { QueueName: 'q', Attributes: { VisibilityTimeout: '7' } })).toEqual({
      QueueUrl,
    });
    await expect(
      client.run('CreateQueue', { QueueName: 'q', Attributes: { VisibilityTimeout: '8' } }),
    ).rejects.toMatchObject({
      name: 'QueueNameExists',
    });
    await client.run('SetQueueAttributes', { QueueUrl, Attributes: { DelaySeconds: '2' } });
    const asked = await client.run('GetQueueAttributes', {
      QueueUrl,
      AttributeNames: ['DelaySeconds', 'VisibilityTimeout', 'QueueArn'],
    });
    expect(asked.Attributes).toEqual({
      DelaySeconds: '2',
      VisibilityTimeout: '7',
      QueueArn: 'arn:aws:sqs:us-east-1:000000000000:q',
    });
  });

  it('that does not exist, an operation and an attribute that are not known, and FIFO are refused by name', async () => {
    await expect(client.send('http://localhost/000000000000/none', 'x')).rejects.toMatchObject({
      name: 'QueueDoesNotExist',
    });
    await expect(client.run('TagQueue', {})).rejects.toThrow(/TagQueue is not emulated/);
    expect(() => client.makeQueue('q', { Colour: 'red' })).toThrow(/Unknown queue attribute Colour/);
    expect(() => client.makeQueue('q.fifo')).toThrow(/FIFO queues are not emulated/);
    expect(() => client.makeQueue('q', { FifoQueue: 'true' })).toThrow(/FIFO queues are not emulated/);
    await expect(client.send(client.makeQueue('q'), 'x', { MessageDeduplicationId: '1' })).rejects.toThrow(/FIFO/);
  });

  it('leaves no timer behind when the engine is closed', async () => {
    const queue = client.makeQueue('q');
    await client.send(queue, 'x', { DelaySeconds: 30 });
    await client.send(queue, 'y');
    await client.receive(queue);
    expect(vi.getTimerCount()).toBeGreaterThan(0);
    client.sqs.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});
