/**
 * A small SQS for one machine: standard queues over the JSON protocol, with long polls, visibility, delays, redrive to
 * a dead-letter queue, retention and the size limits of AWS. FIFO queues are refused by name.
 *
 * A development tool, never a store for production: with `logPath` its messages survive a killed process.
 */
import { parseSettings, refuseFifo } from './attributes.ts';
import { SqsFault } from './fault.ts';
import { type Journal, openJournal, shouldRewrite } from './journal.ts';
import type { Delivery, Message, QueueChange } from './message.ts';
import { type OperationContext, OPERATIONS } from './operations.ts';
import { Queue } from './queue.ts';
import type { Input } from './sending.ts';

export interface SqsOptions {
  /** Milliseconds since the epoch; default the machine's clock. */
  readonly now?: () => number;
  /** The file that keeps the messages; without it they live in memory alone. */
  readonly logPath?: string;
  /** Where clients reach this engine; queue URLs begin with it. */
  readonly baseUrl?: () => string;
}

export interface SqsAnswer {
  readonly status: number;
  readonly output: unknown;
}

export interface SqsEngine {
  /** Runs one operation. A fault of the caller is an answer with status 400, never an exception. */
  readonly call: (operation: string, input: Input, signal?: AbortSignal) => Promise<SqsAnswer>;
  /** The JSON protocol as text: `target` is the X-Amz-Target header. */
  readonly respond: (target: string, body: string, signal?: AbortSignal) => Promise<{ status: number; body: string }>;
  /** Creates a queue, which gets back the messages its log kept. */
  readonly createQueue: (name: string, attributes?: Readonly<Record<string, string>>) => Queue;
  readonly queue: (name: string) => Queue | undefined;
  readonly queueByArn: (arn: unknown) => Queue | undefined;
  readonly queueUrl: (name: string) => string;
  /** Lets every queue look at the clock again, after a clock was moved by hand. */
  readonly reconsider: () => void;
  /** Stops every timer and closes the log; a long poll still under way ends when its own wait does. */
  readonly close: () => void;
}

/** What the log kept of queues that were not created again yet, by queue and message id. */
type Restored = Map<string, Map<string, Message>>;

const REGION = 'us-east-1';
const ACCOUNT = '000000000000';
const TARGET_PREFIX = 'AmazonSQS.';
const NAME_PATTERN = /^[A-Za-z0-9_-]{1,80}$/;

/** Opens the engine. */
export function createSqs({ now = Date.now, logPath, baseUrl = () => 'http://localhost' }: SqsOptions = {}): SqsEngine {
  const restored: Restored = new Map();
  const journal =
    logPath === undefined ? undefined : openJournal(logPath, (entry) => replay(restored, entry as QueueChange));
  const queues = new Map<string, Queue>();
  const byArn = (arn: unknown) => queues.get(String(arn).split(':').at(-1) as string);
  const context: OperationContext = {
    now,
    queues,
    byArn,
    attributes: new Map(),
    url: (name) => `${baseUrl()}/${ACCOUNT}/${name}`,
    createQueue: (name, attributes) => openQueue(context, { name, attributes, restored, journal }),
  };
  const call = async (operation: string, input: Input, signal?: AbortSignal): Promise<SqsAnswer> => {
    const answer = await runOperation(context, operation, input, signal);
    if (journal !== undefined) compact(journal, queues, restored);
    return answer;
  };
  return {
    call,
    async respond(target, body, signal) {
      const operation = target.startsWith(TARGET_PREFIX) ? target.slice(TARGET_PREFIX.length) : target;
      const { status, output } = await call(operation, JSON.parse(body || '{}') as Input, signal);
      return { status, body: JSON.stringify(output) };
    },
    createQueue: (name, attributes = {}) => context.createQueue(name, attributes),
    queue: (name) => queues.get(name),
    queueByArn: byArn,
    queueUrl: context.url,
    reconsider() {
      for (const queue of queues.values()) queue.reconsider();
    },
    close() {
      for (const queue of queues.values()) queue.close();
      journal?.close();
    },
  };
}

async function runOperation(
  context: OperationContext,
  name: string,
  input: Input,
  signal?: AbortSignal,
): Promise<SqsAnswer> {
  try {
    const run = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined;
    if (run === undefined) {
      throw new SqsFault(
        'UnsupportedOperation',
        `${name} is not emulated. Known: ${Object.keys(OPERATIONS).join(', ')}.`,
      );
    }
    return { status: 200, output: await run(context, input, signal) };
  } catch (error) {
    if (!(error instanceof SqsFault)) throw error;
    return { status: 400, output: { __type: `com.amazonaws.sqs#${error.code}`, message: error.message } };
  }
}

interface NewQueue {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly restored: Restored;
  readonly journal: Journal | undefined;
}

function openQueue(context: OperationContext, { name, attributes, restored, journal }: NewQueue): Queue {
  if (name.endsWith('.fifo')) throw refuseFifo(`Queue ${name}`);
  if (!NAME_PATTERN.test(name)) {
    throw new SqsFault('InvalidParameterValue', `Queue name "${name}" is invalid: 1 to 80 letters, digits, - and _.`);
  }
  const queue = new Queue({
    name,
    arn: `arn:aws:sqs:${REGION}:${ACCOUNT}:${name}`,
    settings: parseSettings(attributes),
    now: context.now,
    record: (change) => journal?.append(change),
    deadLetter(arn, message) {
      const target = context.byArn(arn);
      target?.put(message);
      return target !== undefined;
    },
  });
  context.queues.set(name, queue);
  context.attributes.set(name, { ...attributes });
  for (const message of restored.get(name)?.values() ?? []) queue.restore(message);
  restored.delete(name);
  return queue;
}

function replay(restored: Restored, change: QueueChange): void {
  const [kind, name] = change;
  const messages = restored.get(name) ?? new Map<string, Message>();
  restored.set(name, messages);
  if (kind === 'put') messages.set(change[2].id, change[2]);
  else if (kind === 'deliver') redeliver(messages, change[2], change[3]);
  else if (kind === 'drop') messages.delete(change[2]);
  else messages.clear();
}

function redeliver(messages: Map<string, Message>, id: string, delivery: Delivery): void {
  const message = messages.get(id);
  if (message !== undefined) messages.set(id, { ...message, ...delivery });
}

function compact(journal: Journal, queues: Map<string, Queue>, restored: Restored): void {
  let liveCount = 0;
  for (const queue of queues.values()) liveCount += queue.messageCount;
  for (const messages of restored.values()) liveCount += messages.size;
  if (shouldRewrite(journal, liveCount)) journal.rewrite(listPuts(queues, restored));
}

function* listPuts(queues: Map<string, Queue>, restored: Restored): Iterable<QueueChange> {
  for (const queue of queues.values()) for (const message of queue.messages()) yield ['put', queue.name, message];
  for (const [name, messages] of restored) for (const message of messages.values()) yield ['put', name, message];
}
