/** The operations of the SQS protocol that are emulated, by name. */
import { describeSettings, parseSettings } from './attributes.ts';
import { readInteger, SqsFault } from './fault.ts';
import type { Queue } from './queue.ts';
import { receiveMessages } from './receiving.ts';
import { type Input, readEntries, runBatch, sendBatch, sendMessage } from './sending.ts';

export interface OperationContext {
  readonly now: () => number;
  readonly queues: Map<string, Queue>;
  readonly byArn: (arn: unknown) => Queue | undefined;
  readonly createQueue: (name: string, attributes: Readonly<Record<string, string>>) => Queue;
  /** The attributes each queue was given, as text, by its name. */
  readonly attributes: Map<string, Record<string, string>>;
  readonly url: (name: string) => string;
}

type Operation = (context: OperationContext, input: Input, signal?: AbortSignal) => object | Promise<object>;

const VISIBILITY_MAX_S = 43_200;

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  CreateQueue(context, input) {
    const name = String(input.QueueName);
    const attributes = (input.Attributes ?? {}) as Record<string, string>;
    const existing = context.queues.get(name);
    if (existing === undefined) {
      context.createQueue(name, attributes);
    } else if (Object.entries(attributes).some(([key, value]) => describe(context, existing)[key] !== value)) {
      throw new SqsFault('QueueNameExists', `A queue named ${name} exists with other attributes.`);
    }
    return { QueueUrl: context.url(name) };
  },
  GetQueueUrl: (context, input) => ({ QueueUrl: context.url(findByName(context, input.QueueName).name) }),
  ListQueues(context, input) {
    const prefix = typeof input.QueueNamePrefix === 'string' ? input.QueueNamePrefix : '';
    return { QueueUrls: [...context.queues.keys()].filter((name) => name.startsWith(prefix)).map(context.url) };
  },
  GetQueueAttributes(context, input) {
    const shown = describe(context, findByUrl(context, input));
    const names = Array.isArray(input.AttributeNames) ? input.AttributeNames.map(String) : [];
    const isAsked = (name: string) => names.includes('All') || names.includes(name);
    return { Attributes: Object.fromEntries(Object.entries(shown).filter(([name]) => isAsked(name))) };
  },
  SetQueueAttributes(context, input) {
    const queue = findByUrl(context, input);
    const attributes = { ...context.attributes.get(queue.name), ...(input.Attributes as Record<string, string>) };
    queue.settings = parseSettings(attributes);
    context.attributes.set(queue.name, attributes);
    return {};
  },
  SendMessage: (context, input) => sendMessage(findByUrl(context, input), input, context.now()),
  SendMessageBatch: (context, input) => sendBatch(findByUrl(context, input), input, context.now()),
  ReceiveMessage: (context, input, signal) => receiveMessages(findByUrl(context, input), input, signal),
  DeleteMessage(context, input) {
    findByUrl(context, input).remove(input.ReceiptHandle);
    return {};
  },
  DeleteMessageBatch(context, input) {
    const queue = findByUrl(context, input);
    return runBatch(readEntries(input), (entry) => {
      queue.remove(entry.ReceiptHandle);
      return {};
    });
  },
  ChangeMessageVisibility(context, input) {
    changeVisibility(findByUrl(context, input), input);
    return {};
  },
  ChangeMessageVisibilityBatch(context, input) {
    const queue = findByUrl(context, input);
    return runBatch(readEntries(input), (entry) => {
      changeVisibility(queue, entry);
      return {};
    });
  },
  PurgeQueue(context, input) {
    findByUrl(context, input).purge();
    return {};
  },
  StartMessageMoveTask: (context, input) => moveMessages(context, input),
};

/** Moves a dead-letter queue's visible messages back to where they came from, or to the destination that is named. */
function moveMessages(context: OperationContext, input: Input): object {
  const source = context.byArn(input.SourceArn);
  if (source === undefined) {
    throw new SqsFault('ResourceNotFoundException', `There is no queue with the ARN ${String(input.SourceArn)}.`);
  }
  const visibleAtMs = context.now();
  let movedCount = 0;
  for (const message of source.drain()) {
    const { deadLetterSourceArn, ...rest } = message;
    const target = context.byArn(input.DestinationArn ?? deadLetterSourceArn);
    if (target === undefined) {
      source.put(message);
      continue;
    }
    target.put({ ...rest, receiveCount: 0, firstReceivedAtMs: 0, sentAtMs: visibleAtMs, visibleAtMs });
    movedCount += 1;
  }
  return { TaskHandle: `${source.name}:${visibleAtMs}:${movedCount}` };
}

function changeVisibility(queue: Queue, input: Input): void {
  const visibilityS = readInteger('VisibilityTimeout', input.VisibilityTimeout, {
    min: 0,
    max: VISIBILITY_MAX_S,
    absent: -1,
  });
  if (visibilityS < 0) {
    throw new SqsFault('MissingParameter', 'The request must contain the parameter VisibilityTimeout.');
  }
  queue.hide(input.ReceiptHandle, visibilityS * 1000);
}

function describe(context: OperationContext, queue: Queue): Record<string, string> {
  const { visible, inFlight, delayed } = queue.depth();
  return {
    ...describeSettings(context.attributes.get(queue.name) ?? {}),
    QueueArn: queue.arn,
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesNotVisible: String(inFlight),
    ApproximateNumberOfMessagesDelayed: String(delayed),
  };
}

/** Only the URL's last part counts: a port may differ between two runs over one data folder. */
function findByUrl(context: OperationContext, { QueueUrl: url }: Input): Queue {
  return findByName(context, typeof url === 'string' ? url.split('/').pop() : undefined);
}

function findByName(context: OperationContext, name: unknown): Queue {
  const queue = context.queues.get(String(name));
  if (queue === undefined) throw new SqsFault('QueueDoesNotExist', `The queue "${String(name)}" does not exist.`);
  return queue;
}
