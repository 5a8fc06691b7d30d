/**
 * The asynchronous edges between the parts, with their settings from `schema/edges.ts` and the rights each one needs.
 * A pass can end because of four of them: the stream wakes the finalizer, the worker's failures reach a queue, the
 * scheduler consumes that queue, and the scheduler may invoke the worker again.
 */
import { type CfnElement, Duration, Stack, Validations } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import {
  EventInvokeConfig,
  EventSourceMapping,
  type Function as LambdaFunction,
  type IDestination,
  type IEventSourceDlq,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { ERASE, FAILED_PASSES, STREAM, STREAM_FILTERS, TICK, TRIGGERS, WORK } from '../schema/edges.ts';
import type { Functions } from './compute.ts';
import { allow } from './grants.ts';
import type { Queues } from './queues.ts';
import type { Storage } from './storage.ts';

export interface EdgesProps {
  readonly storage: Storage;
  readonly queues: Queues;
  readonly functions: Functions;
}

/** A queue as a failure destination with one right, sqs:SendMessage; CDK's own classes grant three. */
function destinationOf(queue: IQueue): IDestination & IEventSourceDlq {
  return { bind: () => ({ destination: queue.queueArn }) };
}

/** Maps a queue to a function with the three rights Lambda's poller uses. */
function consumeQueue(
  scope: Construct,
  id: string,
  queue: IQueue,
  target: LambdaFunction,
  settings: { batchSize: number; maxConcurrency: number },
): void {
  allow(target, ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'], [queue.queueArn]);
  new EventSourceMapping(scope, id, {
    target,
    eventSourceArn: queue.queueArn,
    reportBatchItemFailures: true,
    ...settings,
  });
}

function connectScheduler(scope: Construct, { queues, functions }: EdgesProps): void {
  const { scheduler, worker } = functions;
  consumeQueue(scope, 'Triggers', queues.triggers, scheduler, {
    batchSize: TRIGGERS.batchSize,
    maxConcurrency: TRIGGERS.maxConcurrency,
  });
  consumeQueue(scope, 'FailedPasses', queues.failedPasses, scheduler, {
    batchSize: FAILED_PASSES.batchSize,
    maxConcurrency: TRIGGERS.maxConcurrency,
  });
  new EventInvokeConfig(scope, 'Tick', {
    function: scheduler,
    retryAttempts: TICK.asyncRetries,
    maxEventAge: Duration.seconds(TICK.asyncMaxEventAgeS),
  });
  for (const sender of [functions.trigger, functions.worker, functions.finalizer]) {
    allow(sender, ['sqs:SendMessage'], [queues.triggers.queueArn]);
  }
  allow(scheduler, ['lambda:InvokeFunction'], [worker.functionArn]);
}

function connectEraser(scope: Construct, { functions }: EdgesProps): void {
  new EventInvokeConfig(scope, 'EraserTick', {
    function: functions.eraser,
    retryAttempts: ERASE.asyncRetries,
    maxEventAge: Duration.seconds(ERASE.asyncMaxEventAgeS),
  });
}

function connectWorker(scope: Construct, { queues, functions }: EdgesProps): void {
  // Of the unpublished version, `$LATEST`: the scheduler invokes by name. Lambda sends with the worker's own role.
  allow(functions.worker, ['sqs:SendMessage'], [queues.failedPasses.queueArn]);
  new EventInvokeConfig(scope, 'Work', {
    function: functions.worker,
    retryAttempts: WORK.retries,
    maxEventAge: Duration.seconds(WORK.maxEventAgeS),
    onFailure: destinationOf(queues.failedPasses),
  });
}

/**
 * Lambda lists the streams of the table when the mapping is made, and AWS's own example binds that right to the table's
 * streams, not to one of them: the one wildcard of this stack.
 */
function allowListStreams(finalizer: LambdaFunction, table: TableV2): void {
  allow(finalizer, ['dynamodb:ListStreams'], [`${table.tableArn}/stream/*`]);
  const logicalId = Stack.of(table).getLogicalId(table.node.defaultChild as CfnElement);
  Validations.of(finalizer.role ?? finalizer).acknowledge({
    id: `AwsSolutions-IAM5[Resource::<${logicalId}.Arn>/stream/*]`,
    reason: 'dynamodb:ListStreams cannot be bound to one stream; it is bound to the streams of the control table.',
  });
}

function connectFinalizer(scope: Construct, { storage, queues, functions }: EdgesProps): void {
  const { finalizer } = functions;
  const streamArn = storage.control.tableStreamArn;
  if (streamArn === undefined) throw new Error('The control table has no stream; the finalizer would never be woken.');
  allow(finalizer, ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'], [streamArn]);
  allowListStreams(finalizer, storage.control);
  allow(finalizer, ['sqs:SendMessage'], [queues.streamFailures.queueArn]);
  new EventSourceMapping(scope, 'Stream', {
    target: finalizer,
    eventSourceArn: streamArn,
    startingPosition: StartingPosition.TRIM_HORIZON,
    batchSize: STREAM.batchSize,
    parallelizationFactor: STREAM.parallelization,
    bisectBatchOnError: true,
    retryAttempts: STREAM.retries,
    maxRecordAge: Duration.seconds(STREAM.maxRecordAgeS),
    reportBatchItemFailures: true,
    onFailure: destinationOf(queues.streamFailures),
    filters: STREAM_FILTERS.map((pattern) => ({ pattern: JSON.stringify(pattern) })),
  });
}

/** Adds every edge but the schedule and the HTTP API, which have files of their own. */
export function connectEdges(scope: Construct, props: EdgesProps): void {
  const edges = new Construct(scope, 'Edges');
  connectScheduler(edges, props);
  connectEraser(edges, props);
  connectWorker(edges, props);
  connectFinalizer(edges, props);
}
