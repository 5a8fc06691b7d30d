/** A message as a queue holds it, and the changes of its life as the journal keeps them. */
import { SqsFault } from './fault.ts';

export interface MessageAttribute {
  readonly DataType: string;
  readonly StringValue?: string;
  readonly BinaryValue?: string;
}

/** What changes when a message is received or hidden; the rest of a message never changes. */
export interface Delivery {
  /** Receives so far, as ApproximateReceiveCount shows them; a redrive starts again at 0. */
  readonly receiveCount: number;
  /** Receives in the message's whole life; a receipt handle names one of them. */
  readonly takeCount: number;
  /** 0 until the first receive. */
  readonly firstReceivedAtMs: number;
  readonly visibleAtMs: number;
}

export interface Message extends Delivery {
  readonly id: string;
  readonly body: string;
  readonly attributes?: Readonly<Record<string, MessageAttribute>>;
  readonly groupId?: string;
  /** First enqueue; kept when the message moves to a dead-letter queue, whose retention counts from here too. */
  readonly sentAtMs: number;
  readonly deadLetterSourceArn?: string;
}

/** One change of a queue, by the queue's name. */
export type QueueChange =
  | readonly ['put', string, Message]
  | readonly ['deliver', string, string, Delivery]
  | readonly ['drop', string, string]
  | readonly ['purge', string];

/** The receipt handle of a message's latest receive. */
export function receiptHandle(message: Message): string {
  return `${message.id}#${message.takeCount}`;
}

/** Splits a receipt handle. Throws `ReceiptHandleIsInvalid` when it has not the form of one. */
export function parseHandle(handle: unknown): { id: string; takeCount: number } {
  const [id, takeCount] = typeof handle === 'string' ? handle.split('#') : [];
  if (id === undefined || takeCount === undefined || !/^\d+$/.test(takeCount)) {
    throw new SqsFault(
      'ReceiptHandleIsInvalid',
      `The input receipt handle "${String(handle)}" is not a valid receipt handle.`,
    );
  }
  return { id, takeCount: Number(takeCount) };
}
