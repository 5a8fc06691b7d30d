/** What the SQS engine's log keeps when its process is killed: the log is read again as it stands on the disk. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSqs, type SqsEngine } from '../../../../infra/local/sqs/engine.ts';
import { receiptHandle } from '../../../../infra/local/sqs/message.ts';

let folder: string;
let logPath: string;
let nowMs: number;

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nightjar-sqs-'));
  logPath = path.join(folder, 'queues.jsonl');
  nowMs = 1_000_000;
});

afterEach(() => fs.rmSync(folder, { recursive: true }));

/** An engine on the log; the one before is left as it is, as a killed process leaves it. */
function open(): SqsEngine {
  const sqs = createSqs({ now: () => nowMs, logPath });
  sqs.createQueue('dlq');
  sqs.createQueue('q', {
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: sqs.queue('dlq')?.arn, maxReceiveCount: 2 }),
  });
  return sqs;
}

async function send(sqs: SqsEngine, MessageBody: string): Promise<void> {
  await sqs.call('SendMessage', { QueueUrl: 'q', MessageBody });
}

describe('after a restart', () => {
  it('what was sent is there, what was deleted is not, in the order of sending', async () => {
    const before = open();
    for (const body of ['a', 'b', 'c']) await send(before, body);
    const [first] = before.queue('q')?.take(1) ?? [];
    before.queue('q')?.remove(receiptHandle(first as NonNullable<typeof first>));
    expect(
      open()
        .queue('q')
        ?.take(10)
        .map(({ body }) => body),
    ).toEqual(['b', 'c']);
  });

  it('a message in flight stays hidden for the rest of its time, its handle works, and its receives count', async () => {
    const before = open();
    await send(before, 'x');
    const [taken] = before.queue('q')?.take(1) ?? [];
    const after = open();
    expect(after.queue('q')?.depth()).toEqual({ visible: 0, inFlight: 1, delayed: 0 });
    nowMs += 30_000;
    expect(after.queue('q')?.take(1)).toMatchObject([{ receiveCount: 2 }]);
    nowMs += 30_000;
    expect(after.queue('q')?.take(1)).toEqual([]);
    expect(after.queue('dlq')?.depth().visible).toBe(1);
    const third = open();
    expect(third.queue('q')?.depth()).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
    expect(third.queue('dlq')?.take(1)).toMatchObject([{ id: taken?.id, body: 'x' }]);
  });

  it('a torn last line is cut off, and the log goes on behind it', async () => {
    await send(open(), 'whole');
    fs.appendFileSync(logPath, '["put","q",{"id":"to');
    const after = open();
    await send(after, 'next');
    expect(
      open()
        .queue('q')
        ?.take(10)
        .map(({ body }) => body),
    ).toEqual(['whole', 'next']);
  });

  it('a broken line before the end is an error that names file and line', async () => {
    await send(open(), 'x');
    fs.appendFileSync(logPath, 'nonsense\n["purge","q"]\n');
    expect(open).toThrow(/Line 2 of .*queues\.jsonl is not JSON/);
  });

  it('a queue that is gone from the template keeps its messages for when it comes back', async () => {
    await send(open(), 'x');
    const other = createSqs({ now: () => nowMs, logPath });
    other.createQueue('unrelated');
    other.close();
    expect(open().queue('q')?.depth().visible).toBe(1);
  });
});

describe('the log', () => {
  it('is rewritten when most of it is about messages that are gone', async () => {
    const before = open();
    await send(before, 'stays');
    const [stays] = before.queue('q')?.take(1, 3_600_000) ?? [];
    for (let n = 0; n < 600; n += 1) {
      await send(before, `goes ${n}`);
      const [message] = before.queue('q')?.take(1) ?? [];
      if (message !== undefined) before.queue('q')?.remove(receiptHandle(message));
    }
    const lines = fs.readFileSync(logPath, 'utf8').split('\n').length;
    expect(lines).toBeLessThan(1100);
    const after = open();
    expect(after.queue('q')?.depth()).toEqual({ visible: 0, inFlight: 1, delayed: 0 });
    after.queue('q')?.remove(receiptHandle(stays as NonNullable<typeof stays>));
    expect(after.queue('q')?.messageCount).toBe(0);
  });
});
