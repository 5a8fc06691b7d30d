/** What Lambda sends to a failure destination: the records of failed asynchronous events and of failed stream batches. */
import type { SqsEngine } from '../sqs/engine.ts';
import { sendMessage } from '../sqs/sending.ts';
import type { StreamRecord } from './table-stream.ts';
import type { Resource } from './template.ts';

/** Sends a JSON document to the queue a destination's ARN names. */
export type SendToDestination = (arn: string, body: object) => void;

/** Destinations are SQS queues; a template with another kind is refused when the runtime starts. */
export function openDestinations(sqs: SqsEngine, now: () => number, onLog: (line: string) => void): SendToDestination {
  return (arn, body) => {
    const queue = sqs.queueByArn(arn);
    if (queue === undefined) throw new Error(`The destination ${arn} is no queue of the template.`);
    try {
      sendMessage(queue, { MessageBody: JSON.stringify(body) }, now());
    } catch (error) {
      // AWS drops a record that its destination refuses, and counts it; a message over 1 MiB is the one such case here.
      onLog(`A record for the destination ${arn} was dropped: ${String(error)}`);
    }
  };
}

/** Reads an OnFailure destination of a resource. Throws when it is something else than a queue. */
export function readFailureDestination({ logicalId, properties }: Resource): string | undefined {
  const config = properties.DestinationConfig as { OnFailure?: { Destination?: unknown } } | undefined;
  const destination = config?.OnFailure?.Destination;
  if (destination === undefined) return undefined;
  if (typeof destination === 'string' && destination.includes(':sqs:')) return destination;
  throw new Error(
    `${logicalId} has the failure destination ${JSON.stringify(destination)}; only SQS queues are emulated.`,
  );
}

export type AsyncFailureCondition = 'RetriesExhausted' | 'EventAgeExceeded';

export interface AsyncFailure {
  readonly requestId: string;
  readonly functionArn: string;
  readonly condition: AsyncFailureCondition;
  readonly invokeCount: number;
  readonly requestPayload: unknown;
  /** JSON of the last failure; absent when the event was never started. */
  readonly responsePayload: unknown;
  readonly nowMs: number;
}

/** The record of an asynchronous event that Lambda gave up. */
export function describeAsyncFailure(failure: AsyncFailure): object {
  const { requestId, functionArn, condition, invokeCount, requestPayload, responsePayload, nowMs } = failure;
  const response =
    responsePayload === undefined
      ? {}
      : {
          responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
          responsePayload,
        };
  return {
    version: '1.0',
    timestamp: new Date(nowMs).toISOString(),
    requestContext: { requestId, functionArn, condition, approximateInvokeCount: invokeCount },
    requestPayload,
    ...response,
  };
}

export interface BatchFailure {
  readonly requestId: string;
  readonly functionArn: string;
  readonly condition: 'RetryAttemptsExhausted' | 'RecordAgeExceeded';
  readonly invokeCount: number;
  readonly streamArn: string;
  readonly records: readonly StreamRecord[];
  readonly nowMs: number;
}

/** The record of stream records that Lambda gave up: where they stand in the stream, not what they hold (trap S3). */
export function describeBatchFailure(failure: BatchFailure): object {
  const { requestId, functionArn, condition, invokeCount, streamArn, records, nowMs } = failure;
  const arrival = (record: StreamRecord | undefined) =>
    new Date((record?.dynamodb.ApproximateCreationDateTime ?? 0) * 1000).toISOString();
  return {
    version: '1.0',
    timestamp: new Date(nowMs).toISOString(),
    requestContext: { requestId, functionArn, condition, approximateInvokeCount: invokeCount },
    responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
    DDBStreamBatchInfo: {
      shardId: 'shardId-00000000000000000000-00000000',
      startSequenceNumber: records[0]?.dynamodb.SequenceNumber,
      endSequenceNumber: records.at(-1)?.dynamodb.SequenceNumber,
      approximateArrivalOfFirstRecord: arrival(records[0]),
      approximateArrivalOfLastRecord: arrival(records.at(-1)),
      batchSize: records.length,
      streamArn,
    },
  };
}
