/**
 * Messages of the SQS engine against the behaviour of the service: receives, long polls, visibility. Time is the fake
 * timers' time: nothing here waits.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SqsTestClient } from './client.ts';

const SECOND_MS = 1000;
let client: SqsTestClient;

beforeEach(() => {
  vi.useFakeTimers();
  client = new SqsTestClient();
});

afterEach(() => {
  client.sqs.close();
  vi.useRealTimers();
});

describe('a message', () => {
  it('is sent, received with its digest and attributes, and deleted', async () => {
    const queue = client.makeQueue('q');
    const attributes = { a: { DataType: 'String', StringValue: 'x' }, n: { DataType: 'Number', StringValue: '1' } };
    const sent = await client.send(queue, 'héllo', { MessageAttributes: attributes });
    const [message] = await client.receive(queue);
    expect(message).toMatchObject({
      MessageId: sent.MessageId,
      Body: 'héllo',
      MD5OfBody: sent.MD5OfMessageBody,
      MessageAttributes: attributes,
    });
    expect(message?.Attributes).toMatchObject({
      ApproximateReceiveCount: '1',
      SentTimestamp: String(Date.now()),
      SenderId: 'local',
    });
    await client.run('DeleteMessage', { QueueUrl: queue, ReceiptHandle: message?.ReceiptHandle });
    expect(await client.depths(queue)).toEqual([0, 0, 0]);
  });

  it('shows only the attributes that were asked for', async () => {
    const queue = client.makeQueue('q', { VisibilityTimeout: '0' });
    await client.send(queue, 'x', {
      MessageAttributes: {
        'trace.id': { DataType: 'String', StringValue: '1' },
        other: { DataType: 'String', StringValue: '2' },
      },
    });
    const [named] = await client.receive(queue, {
      MessageSystemAttributeNames: ['SentTimestamp'],
      MessageAttributeNames: ['trace.*'],
    });
    expect(Object.keys(named?.Attributes ?? {})).toEqual(['SentTimestamp']);
    expect(Object.keys(named?.MessageAttributes ?? {})).toEqual(['trace.id']);
    const [bare] = await client.receive(queue, { MessageSystemAttributeNames: [], MessageAttributeNames: [] });
    expect(bare).not.toHaveProperty('Attributes');
    expect(bare).not.toHaveProperty('MessageAttributes');
  });

  it('keeps the group of a fair queue', async () => {
    const queue = client.makeQueue('q');
    await client.send(queue, 'x', { MessageGroupId: 'tenant' });
    expect((await client.receive(queue))[0]?.Attributes.MessageGroupId).toBe('tenant');
  });

  it('of 1 MiB is taken, of one byte more refused', async () => {
    const queue = client.makeQueue('q');
    await client.send(queue, 'x'.repeat(1024 * 1024));
    await expect(client.send(queue, 'x'.repeat(1024 * 1024 + 1))).rejects.toThrow(/shorter than 1048576 bytes/);
    await expect(client.send(queue, 'é'.repeat(512 * 1024 + 1))).rejects.toThrow(/it has 1048578/);
  });

  it('is dropped when its retention ends', async () => {
    const queue = client.makeQueue('q', { MessageRetentionPeriod: '60' });
    await client.send(queue, 'x');
    await vi.advanceTimersByTimeAsync(60 * SECOND_MS);
    expect(await client.receive(queue, { VisibilityTimeout: 0 })).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await client.receive(queue)).toHaveLength(0);
    expect(await client.depths(queue)).toEqual([0, 0, 0]);
  });
});

describe('a long poll', () => {
  it('wakes at once on a message', async () => {
    const queue = client.makeQueue('q');
    const poll = client.receive(queue, { WaitTimeSeconds: 5 });
    await vi.advanceTimersByTimeAsync(300);
    await client.send(queue, 'x');
    expect(await poll).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(1); // The message's own visibility; the poll's timer is gone.
  });

  it('ends empty after its wait time, given or the queue its own', async () => {
    const ended = vi.fn();
    void client.receive(client.makeQueue('q'), { WaitTimeSeconds: 1 }).then(ended);
    void client.receive(client.makeQueue('r', { ReceiveMessageWaitTimeSeconds: '1' })).then(ended);
    await vi.advanceTimersByTimeAsync(999);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(ended.mock.calls).toEqual([[[]], [[]]]);
  });

  it('wakes when a visibility ends, and counts the second receive', async () => {
    const queue = client.makeQueue('q', { VisibilityTimeout: '1' });
    await client.send(queue, 'x');
    const [first] = await client.receive(queue);
    const poll = client.receive(queue, { WaitTimeSeconds: 5 });
    await vi.advanceTimersByTimeAsync(1001);
    const [second] = await poll;
    expect(second?.Attributes.ApproximateReceiveCount).toBe('2');
    const times = [first, second].map((message) => message?.Attributes.ApproximateFirstReceiveTimestamp);
    expect(times).toEqual([String(Date.now() - 1001), String(Date.now() - 1001)]);
  });

  it('starts the visibility when the message is taken, not when the poll began', async () => {
    const queue = client.makeQueue('q', { VisibilityTimeout: '2' });
    const poll = client.receive(queue, { WaitTimeSeconds: 10 });
    await vi.advanceTimersByTimeAsync(5 * SECOND_MS);
    await client.send(queue, 'x');
    await poll;
    await vi.advanceTimersByTimeAsync(1999);
    expect(await client.depths(queue)).toEqual([0, 1, 0]);
    await vi.advanceTimersByTimeAsync(2);
    expect(await client.depths(queue)).toEqual([1, 0, 0]);
  });

  it('takes nothing for a client that is gone', async () => {
    const queue = client.makeQueue('q');
    const gone = new AbortController();
    const poll = client.sqs.call('ReceiveMessage', { QueueUrl: queue, WaitTimeSeconds: 5 }, gone.signal);
    gone.abort();
    expect(await poll).toEqual({ status: 200, output: {} });
    await client.send(queue, 'x');
    await vi.advanceTimersByTimeAsync(0);
    expect(await client.depths(queue)).toEqual([1, 0, 0]);
  });

  it('gives each of 200 messages to one of 20 receivers', async () => {
    const queue = client.makeQueue('q');
    const polls = Array.from({ length: 20 }, () => client.receive(queue, { WaitTimeSeconds: 1 }));
    for (let first = 0; first < 200; first += 10) {
      const Entries = Array.from({ length: 10 }, (_, n) => ({ Id: `e${n}`, MessageBody: String(first + n) }));
      await client.run('SendMessageBatch', { QueueUrl: queue, Entries });
    }
    const bodies = (await Promise.all(polls)).flat().map(({ Body }) => Body);
    expect(new Set(bodies).size).toBe(200);
    expect(bodies).toHaveLength(200);
  });
});

describe('visibility', () => {
  it('hides for the time of the receive, which overrides the queue', async () => {
    const queue = client.makeQueue('q', { VisibilityTimeout: '30' });
    await client.send(queue, 'x');
    await client.receive(queue, { VisibilityTimeout: 1 });
    expect(await client.receive(queue)).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1001);
    expect(await client.receive(queue)).toHaveLength(1);
  });

  it('of 0 shows the message again, under another handle', async () => {
    const queue = client.makeQueue('q');
    await client.send(queue, 'x');
    const [first] = await client.receive(queue);
    await client.run('ChangeMessageVisibility', {
      QueueUrl: queue,
      ReceiptHandle: first?.ReceiptHandle,
      VisibilityTimeout: 0,
    });
    const [second] = await client.receive(queue);
    expect(second?.MessageId).toBe(first?.MessageId);
    expect(second?.ReceiptHandle).not.toBe(first?.ReceiptHandle);
    const late = { QueueUrl: queue, ReceiptHandle: first?.ReceiptHandle, VisibilityTimeout: 10 };
    await expect(client.run('ChangeMessageVisibility', late)).rejects.toThrow(/received again since/);
  });

  it('is extended while in flight, and refused afterwards', async () => {
    const queue = client.makeQueue('q', { VisibilityTimeout: '1' });
    await client.send(queue, 'x');
    const [message] = await client.receive(queue);
    const extend = { QueueUrl: queue, ReceiptHandle: message?.ReceiptHandle, VisibilityTimeout: 10 };
    await client.run('ChangeMessageVisibility', extend);
    await vi.advanceTimersByTimeAsync(9 * SECOND_MS);
    expect(await client.depths(queue)).toEqual([0, 1, 0]);
    await vi.advanceTimersByTimeAsync(2 * SECOND_MS);
    await expect(client.run('ChangeMessageVisibility', extend)).rejects.toMatchObject({ name: 'MessageNotInflight' });
  });

  it('does not let a stale handle delete what was received again', async () => {
    const queue = client.makeQueue('q', { VisibilityTimeout: '1' });
    await client.send(queue, 'x');
    const [stale] = await client.receive(queue);
    await vi.advanceTimersByTimeAsync(1001);
    const [fresh] = await client.receive(queue);
    await client.run('DeleteMessage', { QueueUrl: queue, ReceiptHandle: stale?.ReceiptHandle });
    expect(await client.depths(queue)).toEqual([0, 1, 0]);
    await client.run('DeleteMessage', { QueueUrl: queue, ReceiptHandle: fresh?.ReceiptHandle });
    expect(await client.depths(queue)).toEqual([0, 0, 0]);
    await expect(client.run('DeleteMessage', { QueueUrl: queue, ReceiptHandle: 'nonsense' })).rejects.toMatchObject({
      name: 'ReceiptHandleIsInvalid',
    });
  });

  it('delays a message by the request or by the queue', async () => {
    const queue = client.makeQueue('q');
    const slow = client.makeQueue('slow', { DelaySeconds: '1' });
    await client.send(queue, 'x', { DelaySeconds: 1 });
    await client.send(slow, 'x');
    expect(await client.depths(queue)).toEqual([0, 0, 1]);
    expect(await client.depths(slow)).toEqual([0, 0, 1]);
    const poll = client.receive(queue, { WaitTimeSeconds: 3 });
    await vi.advanceTimersByTimeAsync(1001);
    expect(await poll).toHaveLength(1);
    await expect(client.send(queue, 'x', { DelaySeconds: 901 })).rejects.toThrow(/between 0 and 900/);
  });
});
