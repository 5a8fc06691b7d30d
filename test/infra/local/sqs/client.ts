/** A small client of the SQS engine for its tests. */
import { createSqs, type SqsEngine } from '../../../../infra/local/sqs/engine.ts';

export interface Received {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly MD5OfBody: string;
  readonly Attributes: Record<string, string>;
  readonly MessageAttributes?: Record<string, { StringValue?: string }>;
}

export class SqsTestClient {
  readonly sqs: SqsEngine = createSqs();

  /** Creates a queue and returns its URL. */
  makeQueue(name: string, attributes: Record<string, string> = {}): string {
    this.sqs.createQueue(name, attributes);
    return this.sqs.queueUrl(name);
  }

  /** Runs one operation; a fault is thrown under its own name. */
  async run(operation: string, input: object): Promise<Record<string, unknown>> {
    const { status, output } = await this.sqs.call(operation, input as Record<string, unknown>);
    if (status === 200) return output as Record<string, unknown>;
    const { __type: type, message } = output as { __type: string; message: string };
    throw Object.assign(new Error(message), { name: type.split('#')[1] });
  }

  async send(QueueUrl: string, MessageBody: string, more: object = {}): Promise<Record<string, unknown>> {
    return await this.run('SendMessage', { QueueUrl, MessageBody, ...more });
  }

  /** Receives up to ten messages with all their attributes. */
  async receive(QueueUrl: string, more: object = {}): Promise<Received[]> {
    const all = { MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['All'], MessageAttributeNames: ['All'] };
    return ((await this.run('ReceiveMessage', { QueueUrl, ...all, ...more })).Messages ?? []) as Received[];
  }

  /** Messages visible, in flight and delayed. */
  async depths(QueueUrl: string): Promise<number[]> {
    const answer = await this.run('GetQueueAttributes', { QueueUrl, AttributeNames: ['All'] });
    const attributes = answer.Attributes as Record<string, string>;
    return ['', 'NotVisible', 'Delayed'].map((kind) => Number(attributes[`ApproximateNumberOfMessages${kind}`]));
  }

  /** Attributes of a queue whose messages are visible at once and die after so many receives. */
  withDeadLetters(dlqName: string, maxReceiveCount: number): Record<string, string> {
    const deadLetterTargetArn = this.sqs.queue(dlqName)?.arn;
    return { VisibilityTimeout: '0', RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount }) };
  }
}
