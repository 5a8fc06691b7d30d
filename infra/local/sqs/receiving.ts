/** ReceiveMessage: long polls that wake, and messages as the protocol shows them. */
import { readInteger } from './fault.ts';
import { type Message, receiptHandle } from './message.ts';
import type { Queue } from './queue.ts';
import { digest, type Input } from './sending.ts';

const MESSAGES_MAX = 10;
const WAIT_MAX_S = 20;
const VISIBILITY_MAX_S = 43_200;

/**
 * Takes messages, waiting for the first one up to the wait time. The visibility starts when a message is taken, not when
 * the poll began, and an aborted poll (its client is gone) takes nothing any more.
 */
export async function receiveMessages(
  queue: Queue,
  input: Input,
  signal?: AbortSignal,
): Promise<{ Messages?: object[] }> {
  const max = readInteger('MaxNumberOfMessages', input.MaxNumberOfMessages, { min: 1, max: MESSAGES_MAX, absent: 1 });
  const visibilityS = readInteger('VisibilityTimeout', input.VisibilityTimeout, {
    min: 0,
    max: VISIBILITY_MAX_S,
    absent: -1,
  });
  const waitS = readInteger('WaitTimeSeconds', input.WaitTimeSeconds, {
    min: 0,
    max: WAIT_MAX_S,
    absent: queue.settings.waitS,
  });
  const take = () => queue.take(max, visibilityS < 0 ? undefined : visibilityS * 1000);
  let taken = take();
  if (taken.length === 0 && waitS > 0) taken = await waitForMessages(queue, take, waitS * 1000, signal);
  return taken.length === 0 ? {} : { Messages: taken.map((message) => showMessage(message, input)) };
}

function waitForMessages(
  queue: Queue,
  take: () => Message[],
  waitMs: number,
  signal?: AbortSignal,
): Promise<Message[]> {
  return new Promise((resolve) => {
    const finish = (messages: Message[]) => {
      clearTimeout(timer);
      stopListening();
      signal?.removeEventListener('abort', giveUp);
      resolve(messages);
    };
    const giveUp = () => finish([]);
    const timer = setTimeout(giveUp, waitMs);
    const stopListening = queue.onAvailable(() => {
      const messages = take();
      if (messages.length > 0) finish(messages);
    });
    signal?.addEventListener('abort', giveUp);
  });
}

/** A message's system attributes, all of them. */
export function systemAttributes(message: Message): Record<string, string> {
  return {
    SenderId: 'local',
    SentTimestamp: String(message.sentAtMs),
    ApproximateReceiveCount: String(message.receiveCount),
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAtMs),
    ...(message.groupId === undefined ? {} : { MessageGroupId: message.groupId }),
    ...(message.deadLetterSourceArn === undefined ? {} : { DeadLetterQueueSourceArn: message.deadLetterSourceArn }),
  };
}

function showMessage(message: Message, input: Input): object {
  const systemNames = [...readNames(input.MessageSystemAttributeNames), ...readNames(input.AttributeNames)];
  const system = pick(systemAttributes(message), systemNames);
  const attributes = pick(message.attributes ?? {}, readNames(input.MessageAttributeNames));
  return {
    MessageId: message.id,
    ReceiptHandle: receiptHandle(message),
    Body: message.body,
    MD5OfBody: digest(message.body),
    ...(system === undefined ? {} : { Attributes: system }),
    ...(attributes === undefined ? {} : { MessageAttributes: attributes }),
  };
}

function readNames(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** The entries asked for by name, by `All` or `.*`, or by a prefix such as `trace.*`; undefined when none is left. */
function pick<T>(all: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T> | undefined {
  if (names.length === 0) return undefined;
  const matches = (key: string) =>
    names.some(
      (name) =>
        name === 'All' || name === '.*' || name === key || (name.endsWith('.*') && key.startsWith(name.slice(0, -2))),
    );
  const kept = Object.entries(all).filter(([key]) => matches(key));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
