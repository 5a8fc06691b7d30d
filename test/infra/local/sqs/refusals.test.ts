/** What the SQS engine refuses of malformed requests, and the text protocol around it. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSqs } from '../../../../infra/local/sqs/engine.ts';
import { SqsTestClient } from './client.ts';

let client: SqsTestClient;
let queue: string;

beforeEach(() => {
  client = new SqsTestClient();
  queue = client.makeQueue('q');
});
afterEach(() => client.sqs.close());

const text = (StringValue: string) => ({ DataType: 'String', StringValue });
const many = Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`a${at}`, text('x')]));

describe('a malformed request is refused', () => {
  it.each<[string, string, object, RegExp]>([
    ['a redrive that is not JSON', 'CreateQueue', { Attributes: { RedrivePolicy: '{' } }, /it is not JSON/],
    ['a redrive to nowhere', 'CreateQueue', { Attributes: { RedrivePolicy: '{}' } }, /must be an ARN/],
    ['a timeout that is blank', 'CreateQueue', { Attributes: { VisibilityTimeout: ' ' } }, /between 0 and 43200/],
    ['a name with a dot', 'CreateQueue', { QueueName: 'a.b' }, /Queue name "a\.b" is invalid/],
    ['no queue', 'SendMessage', { QueueUrl: undefined, MessageBody: 'x' }, /does not exist/],
    ['more than ten attributes', 'SendMessage', { MessageBody: 'x', MessageAttributes: many }, /\[11\] exceeds/],
    [
      'an attribute without a type',
      'SendMessage',
      { MessageBody: 'x', MessageAttributes: { a: {} } },
      /non-empty DataType/,
    ],
    ['entries that are no list', 'SendMessageBatch', { Entries: 'x' }, /at least one entry/],
    ['an entry without an id', 'SendMessageBatch', { Entries: [{ MessageBody: 'x' }] }, /non-empty Id/],
    ['no visibility', 'ChangeMessageVisibility', { ReceiptHandle: 'a#1' }, /parameter VisibilityTimeout/],
    ['a handle that is no text', 'DeleteMessage', { ReceiptHandle: 7 }, /"7" is not a valid receipt handle/],
  ])('%s', async (_, operation, input, message) => {
    await expect(client.run(operation, { QueueName: 'new', QueueUrl: queue, ...input })).rejects.toThrow(message);
  });
});

describe('attributes of a message', () => {
  it('count for its size, bytes as bytes, and none at all are as if absent', async () => {
    const bytes = { DataType: 'Binary', BinaryValue: Buffer.alloc(1024 * 1024).toString('base64') };
    await expect(client.send(queue, 'x', { MessageAttributes: { a: bytes } })).rejects.toThrow(/it has 1048584/);
    await client.send(queue, 'x', { MessageAttributes: {} });
    expect((await client.receive(queue))[0]).not.toHaveProperty('MessageAttributes');
  });
});

describe('the text protocol', () => {
  it('takes the target of the SDK, and no body for an empty one', async () => {
    const answer = await client.sqs.respond('AmazonSQS.ListQueues', '');
    expect(answer).toEqual({ status: 200, body: JSON.stringify({ QueueUrls: [queue] }) });
    expect((await client.sqs.respond('Nonsense', '{}')).body).toContain('Nonsense is not emulated');
  });

  it('shows no attributes where none were asked for', async () => {
    expect(await client.run('GetQueueAttributes', { QueueUrl: queue })).toEqual({ Attributes: {} });
  });
});

describe('a message moved back', () => {
  it('stays where it is when nobody knows where it came from', async () => {
    await client.send(queue, 'x');
    await client.run('StartMessageMoveTask', { SourceArn: client.sqs.queue('q')?.arn });
    expect(await client.depths(queue)).toEqual([1, 0, 0]);
  });
});

describe('the log', () => {
  it('keeps a purge, and through a rewrite the messages of a queue that was not created again', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nightjar-sqs-'));
    const logPath = path.join(folder, 'queues.jsonl');
    const open = (...names: string[]) => {
      const sqs = createSqs({ logPath });
      for (const name of names) sqs.createQueue(name);
      return sqs;
    };
    const first = open('kept', 'purged');
    for (const QueueUrl of ['kept', 'purged']) await first.call('SendMessage', { QueueUrl, MessageBody: 'x' });
    await first.call('PurgeQueue', { QueueUrl: 'purged' });
    first.close();
    const second = open('other');
    for (let n = 0; n < 600; n += 1) {
      await second.call('SendMessage', { QueueUrl: 'other', MessageBody: 'x' });
      await second.call('PurgeQueue', { QueueUrl: 'other' });
    }
    expect(fs.readFileSync(logPath, 'utf8').split('\n').length).toBeLessThan(1100);
    second.close();
    second.close();
    await expect(second.call('SendMessage', { QueueUrl: 'other', MessageBody: 'x' })).rejects.toThrow(/is closed/);
    const third = open('kept', 'purged');
    expect(['kept', 'purged'].map((name) => third.queue(name)?.depth().visible)).toEqual([1, 0]);
    third.close();
    fs.rmSync(folder, { recursive: true });
  });
});

describe('a clock moved by hand', () => {
  it('shows what is due once the queues look again', async () => {
    let nowMs = 0;
    const sqs = createSqs({ now: () => nowMs });
    sqs.createQueue('q');
    await sqs.call('SendMessage', { QueueUrl: 'q', MessageBody: 'x', DelaySeconds: 5 });
    await sqs.call('SendMessage', { QueueUrl: 'q', MessageBody: 'y', DelaySeconds: 9 });
    const poll = sqs.call('ReceiveMessage', { QueueUrl: 'q', WaitTimeSeconds: 20 });
    nowMs = 5_001;
    expect(sqs.queue('q')?.depth()).toEqual({ visible: 1, inFlight: 0, delayed: 1 });
    sqs.reconsider();
    expect((await poll).output).toMatchObject({ Messages: [{ Body: 'x' }] });
    sqs.close();
  });
});
