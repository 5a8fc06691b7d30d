/** SendMessage and its batch: limits, delays, and what a message is worth in bytes. */
import { createHash, randomUUID } from 'node:crypto';
import { MESSAGE_MAX_BYTES } from './attributes.ts';
import { invalidValue, readInteger, SqsFault } from './fault.ts';
import type { Message, MessageAttribute } from './message.ts';
import type { Queue } from './queue.ts';

/** A request or one entry of a batch, as parsed JSON. */
export type Input = Readonly<Record<string, unknown>>;

/** AWS takes at most this many entries in one batch request. */
const ENTRIES_MAX = 10;
const DELAY_MAX_S = 900;
const ATTRIBUTES_MAX = 10;

export interface BatchAnswer {
  readonly Successful: Record<string, unknown>[];
  readonly Failed: { Id: string; SenderFault: true; Code: string; Message: string }[];
}

/** Puts one message on a queue. Returns its id and digest; throws for an empty, oversized or FIFO-only request. */
export function sendMessage(
  queue: Queue,
  input: Input,
  nowMs: number,
): { MessageId: string; MD5OfMessageBody: string } {
  const body = input.MessageBody;
  if (typeof body !== 'string' || body === '') {
    throw new SqsFault('MissingParameter', 'The request must contain the parameter MessageBody.');
  }
  if (input.MessageDeduplicationId !== undefined) {
    throw invalidValue('MessageDeduplicationId belongs to FIFO queues, which are not emulated; leave it out.');
  }
  const sizeBytes = measureMessage(input);
  if (sizeBytes > queue.settings.messageMaxBytes) {
    throw invalidValue(
      `One or more parameters are invalid. Reason: Message must be shorter than ${queue.settings.messageMaxBytes} bytes; it has ${sizeBytes}.`,
    );
  }
  const attributes = readAttributes(input.MessageAttributes);
  const delayS = readInteger('DelaySeconds', input.DelaySeconds, {
    min: 0,
    max: DELAY_MAX_S,
    absent: queue.settings.delayS,
  });
  const message: Message = {
    id: randomUUID(),
    body,
    ...(attributes === undefined ? {} : { attributes }),
    ...(typeof input.MessageGroupId === 'string' ? { groupId: input.MessageGroupId } : {}),
    sentAtMs: nowMs,
    receiveCount: 0,
    takeCount: 0,
    firstReceivedAtMs: 0,
    visibleAtMs: nowMs + delayS * 1000,
  };
  queue.put(message);
  return { MessageId: message.id, MD5OfMessageBody: digest(body) };
}

/** Sends each entry of a batch; the whole batch is held to the size of one message. */
export function sendBatch(queue: Queue, input: Input, nowMs: number): BatchAnswer {
  const entries = readEntries(input);
  const sizeBytes = entries.reduce((sum, entry) => sum + measureMessage(entry), 0);
  if (sizeBytes > MESSAGE_MAX_BYTES) {
    throw new SqsFault(
      'BatchRequestTooLong',
      `Batch requests cannot be longer than ${MESSAGE_MAX_BYTES} bytes. You have sent ${sizeBytes} bytes.`,
    );
  }
  return runBatch(entries, (entry) => sendMessage(queue, entry, nowMs));
}

/** Runs `act` on each entry; an entry's fault fails that entry alone. */
export function runBatch(entries: readonly Input[], act: (entry: Input) => Record<string, unknown>): BatchAnswer {
  const answer: BatchAnswer = { Successful: [], Failed: [] };
  for (const entry of entries) {
    const Id = entry.Id as string;
    try {
      answer.Successful.push({ Id, ...act(entry) });
    } catch (error) {
      if (!(error instanceof SqsFault)) throw error;
      answer.Failed.push({ Id, SenderFault: true, Code: error.code, Message: error.message });
    }
  }
  return answer;
}

/** A batch's entries. Throws when there are none, more than ten, or two with one id. */
export function readEntries(input: Input): Input[] {
  const entries = (Array.isArray(input.Entries) ? input.Entries : []) as Input[];
  if (entries.length === 0) {
    throw new SqsFault('EmptyBatchRequest', 'There should be at least one entry in the request.');
  }
  if (entries.length > ENTRIES_MAX) {
    throw new SqsFault('TooManyEntriesInBatchRequest', `Maximum number of entries per request are ${ENTRIES_MAX}.`);
  }
  const ids = entries.map((entry) => entry.Id);
  if (ids.some((id) => typeof id !== 'string' || id === '')) {
    throw new SqsFault('InvalidBatchEntryId', 'Each entry needs a non-empty Id.');
  }
  if (new Set(ids).size !== ids.length) {
    throw new SqsFault('BatchEntryIdsNotDistinct', 'Two entries of the batch have the same Id.');
  }
  return entries;
}

/** MD5 in hex, which the SDK compares with what it sent. */
export function digest(body: string): string {
  return createHash('md5').update(body).digest('hex');
}

function measureMessage(input: Input): number {
  let sizeBytes = typeof input.MessageBody === 'string' ? Buffer.byteLength(input.MessageBody) : 0;
  for (const [name, attribute] of Object.entries(readAttributes(input.MessageAttributes) ?? {})) {
    sizeBytes += Buffer.byteLength(name) + Buffer.byteLength(attribute.DataType);
    sizeBytes += Buffer.byteLength(attribute.StringValue ?? '');
    sizeBytes += Buffer.byteLength(attribute.BinaryValue ?? '', 'base64');
  }
  return sizeBytes;
}

function readAttributes(value: unknown): Record<string, MessageAttribute> | undefined {
  if (value === undefined || value === null) return undefined;
  const attributes = value as Record<string, MessageAttribute>;
  const names = Object.keys(attributes);
  if (names.length === 0) return undefined;
  if (names.length > ATTRIBUTES_MAX) {
    throw invalidValue(
      `Number of message attributes [${names.length}] exceeds the allowed maximum [${ATTRIBUTES_MAX}].`,
    );
  }
  for (const name of names) {
    if (typeof attributes[name]?.DataType !== 'string') {
      throw invalidValue(`The message attribute ${name} must contain a non-empty DataType.`);
    }
  }
  return attributes;
}
