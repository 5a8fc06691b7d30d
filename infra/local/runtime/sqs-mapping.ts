/**
 * An SQS event source mapping: takes batches from a queue while its concurrency allows and deletes what the function has
 * handled. What failed stays in flight and comes back when its visibility ends. It sleeps until the queue has something.
 */
import { randomUUID } from 'node:crypto';
import { type Message, receiptHandle } from '../sqs/message.ts';
import type { Queue } from '../sqs/queue.ts';
import { systemAttributes } from '../sqs/receiving.ts';
import { digest } from '../sqs/sending.ts';
import { readFailedRecords } from './batch-response.ts';
import type { Delivery } from './delivery.ts';
import type { Invoker } from './function-pool.ts';
import { readNumber, reportsItemFailures } from './properties.ts';
import { REGION, type Resource } from './template.ts';

export interface SqsMappingOptions {
  readonly mapping: Resource;
  readonly queue: Queue;
  readonly pool: Invoker;
  readonly delivery: Delivery;
  readonly onSettled: () => void;
}

/** AWS's default, and its largest batch without a window. */
const BATCH_SIZE = 10;
/** AWS starts with five pollers when nothing is set. */
const CONCURRENCY = 5;

export class SqsMapping {
  readonly queue: Queue;
  readonly #options: SqsMappingOptions;
  readonly #batchSize: number;
  readonly #concurrencyMax: number;
  readonly #isPartial: boolean;
  readonly #stopListening: () => void;
  #activeCount = 0;
  #isStopped = false;

  constructor(options: SqsMappingOptions) {
    const { properties } = options.mapping;
    this.#options = options;
    this.queue = options.queue;
    this.#batchSize = Math.min(readNumber(options.mapping, 'BatchSize', BATCH_SIZE), BATCH_SIZE);
    const scaling = properties.ScalingConfig as { MaximumConcurrency?: number } | undefined;
    this.#concurrencyMax = Number(scaling?.MaximumConcurrency ?? CONCURRENCY);
    checkVisibility(options);
    this.#isPartial = reportsItemFailures(options.mapping);
    this.#stopListening = this.queue.onAvailable(() => this.#pump());
  }

  /** Messages of the queue that this mapping will still deliver by itself, now or later. */
  get isBusy(): boolean {
    return this.#activeCount > 0 || this.queue.messageCount > 0;
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopListening();
  }

  #pump(): void {
    while (!this.#isStopped && this.#activeCount < this.#concurrencyMax) {
      const messages = this.queue.take(this.#batchSize);
      if (messages.length === 0) return;
      void this.#deliver(messages);
    }
  }

  async #deliver(taken: readonly Message[]): Promise<void> {
    this.#activeCount += 1;
    const { delivery } = this.#options;
    const messages = taken.filter((message) => {
      if (!delivery.isLost()) return true;
      this.queue.remove(receiptHandle(message));
      return false;
    });
    const times = messages.length === 0 ? 0 : delivery.times();
    const rounds = Array.from({ length: times }, () => this.#invoke(messages));
    // A message of a doubled batch is done when either delivery handled it.
    for (const failed of await Promise.all(rounds)) {
      if (failed === 'all' || this.#isStopped) continue;
      for (const message of messages) if (!failed.has(message.id)) this.queue.remove(receiptHandle(message));
    }
    this.#activeCount -= 1;
    this.#pump();
    this.#options.onSettled();
  }

  async #invoke(messages: readonly Message[]): Promise<ReturnType<typeof readFailedRecords>> {
    const { delivery, pool } = this.#options;
    await delivery.wait();
    const Records = delivery.arrange(messages).map((message) => this.#describe(message));
    const outcome = await pool.invoke({ requestId: randomUUID(), event: JSON.stringify({ Records }) });
    return readFailedRecords(outcome, new Set(messages.map((message) => message.id)), this.#isPartial);
  }

  #describe(message: Message): object {
    return {
      messageId: message.id,
      receiptHandle: receiptHandle(message),
      body: message.body,
      attributes: systemAttributes(message),
      messageAttributes: Object.fromEntries(
        Object.entries(message.attributes ?? {}).map(([name, { DataType, StringValue, BinaryValue }]) => [
          name,
          { dataType: DataType, stringValue: StringValue, binaryValue: BinaryValue },
        ]),
      ),
      md5OfBody: digest(message.body),
      eventSource: 'aws:sqs',
      eventSourceARN: this.queue.arn,
      awsRegion: REGION,
    };
  }
}

/** AWS refuses such a mapping: a message would be delivered again while its function still runs (trap Q2). */
function checkVisibility({ mapping, queue, pool }: SqsMappingOptions): void {
  const { visibilityTimeoutS } = queue.settings;
  if (pool.definition.timeoutMs <= visibilityTimeoutS * 1000) return;
  throw new Error(
    `${mapping.logicalId}: queue ${queue.name} hides a message for ${visibilityTimeoutS} s, function ${pool.definition.name} may run ${pool.definition.timeoutMs / 1000} s. The queue's visibility must not be shorter.`,
  );
}
