/**
 * The queues. Every message is a hint (design rule 4): what a queue loses, the sweep finds again from the tables, so a
 * message that lands in a dead-letter queue asks for attention, never for a redrive.
 */
import { Duration, Validations } from 'aws-cdk-lib';
import { Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { FAILED_PASSES, TRIGGERS } from '../schema/edges.ts';

const ENCRYPTED: QueueProps = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true };

/**
 * A dead letter keeps the age it had in its source queue, so this must exceed the longest retention of a source: 14 days
 * is SQS's maximum.
 */
const DEAD_LETTER_RETENTION = Duration.seconds(TRIGGERS.dlqRetentionS);

export class Queues extends Construct {
  /** Requests to look at a scope. */
  readonly triggers: Queue;
  readonly triggersDeadLetters: Queue;
  /** Worker invocations that failed or aged out. */
  readonly failedPasses: Queue;
  readonly failedPassesDeadLetters: Queue;
  /** Positions of stream batches the finalizer gave up on: shard and sequence numbers, no records. */
  readonly streamFailures: Queue;
  /** Ticks that EventBridge Scheduler could not deliver. */
  readonly tickDeadLetters: Queue;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.triggersDeadLetters = this.#addDeadLetters('TriggersDeadLetters');
    this.triggers = new Queue(this, 'Triggers', {
      ...ENCRYPTED,
      visibilityTimeout: Duration.seconds(TRIGGERS.visibilityS),
      deadLetterQueue: { queue: this.triggersDeadLetters, maxReceiveCount: TRIGGERS.maxReceiveCount },
    });
    this.failedPassesDeadLetters = this.#addDeadLetters('FailedPassesDeadLetters');
    this.failedPasses = new Queue(this, 'FailedPasses', {
      ...ENCRYPTED,
      visibilityTimeout: Duration.seconds(FAILED_PASSES.visibilityS),
      retentionPeriod: Duration.seconds(FAILED_PASSES.retentionS),
      deadLetterQueue: { queue: this.failedPassesDeadLetters, maxReceiveCount: FAILED_PASSES.maxReceiveCount },
    });
    this.streamFailures = this.#addDeadLetters('StreamFailures');
    this.tickDeadLetters = this.#addDeadLetters('TickDeadLetters');
    for (const queue of [this.streamFailures, this.tickDeadLetters]) {
      Validations.of(queue).acknowledge({
        id: 'AwsSolutions-SQS3',
        reason: 'This queue is itself the dead-letter destination of an edge that is not a queue; nothing consumes it.',
      });
    }
  }

  /** Queues that end a path: a person looks at them, no function does. */
  get deadLetters(): Readonly<Record<string, Queue>> {
    return {
      triggersDeadLetters: this.triggersDeadLetters,
      failedPassesDeadLetters: this.failedPassesDeadLetters,
      streamFailures: this.streamFailures,
      tickDeadLetters: this.tickDeadLetters,
    };
  }

  #addDeadLetters(id: string): Queue {
    return new Queue(this, id, { ...ENCRYPTED, retentionPeriod: DEAD_LETTER_RETENTION });
  }
}
