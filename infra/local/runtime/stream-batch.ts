/**
 * The life of one batch of stream records: tried, cut at the first failure, halved, tried again, given up.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { readFailedRecords } from './batch-response.ts';
import { describeBatchFailure, type SendToDestination } from './destination.ts';
import type { Delivery } from './delivery.ts';
import type { Invoker } from './function-pool.ts';
import type { StreamRecord } from './table-stream.ts';

/** The mapping's settings that decide what becomes of a batch. */
export interface BatchRules {
  readonly retriesMax: number;
  readonly recordAgeMaxMs: number;
  readonly isBisected: boolean;
  readonly isPartial: boolean;
  readonly destinationArn: string | undefined;
}

export interface BatchContext {
  readonly rules: BatchRules;
  readonly pool: Invoker;
  readonly delivery: Delivery;
  readonly streamArn: string;
  readonly now: () => number;
  readonly sendToDestination: SendToDestination;
  readonly retryDelayMs: (attempt: number) => number;
  readonly isStopped: () => boolean;
}

/**
 * Delivers records in order until each was handled or given up, or until the runtime stops.
 *
 * A partial failure moves on to the first reported record and costs no retry. A batch that fails at its very start is
 * halved when the mapping bisects (that costs no retry either, so one bad record ends up alone); otherwise it is tried
 * again, `retriesMax` times.
 */
export async function deliverBatch(context: BatchContext, batch: readonly StreamRecord[]): Promise<void> {
  const { rules, isStopped } = context;
  let records = batch;
  let attempt = 0;
  while (!isStopped()) {
    records = dropAged(context, records, attempt);
    if (records.length === 0) return;
    const rest = await invokeOnce(context, records);
    if (rest.length === 0 || isStopped()) return;
    if (rest.length < records.length) {
      records = rest;
      continue;
    }
    if (rules.isBisected && rest.length > 1) {
      const middle = rest.length >> 1;
      await deliverBatch(context, rest.slice(0, middle));
      records = rest.slice(middle);
      continue;
    }
    attempt += 1;
    if (attempt > rules.retriesMax) {
      giveUp(context, rest, 'RetryAttemptsExhausted', attempt);
      return;
    }
    // Unref'd: a retry that is due in half a minute must not hold a stopped process.
    await sleep(context.retryDelayMs(attempt), undefined, { ref: false });
  }
}

/** What is left to do of the records after one invocation, in the order in which they were delivered. */
async function invokeOnce(context: BatchContext, records: readonly StreamRecord[]): Promise<readonly StreamRecord[]> {
  const { delivery, pool, rules } = context;
  await delivery.wait();
  const delivered = delivery.arrange(records);
  const outcome = await pool.invoke({ requestId: randomUUID(), event: JSON.stringify({ Records: delivered }) });
  const ids = new Set(delivered.map(({ dynamodb }) => dynamodb.SequenceNumber));
  const failed = readFailedRecords(outcome, ids, rules.isPartial);
  if (failed === 'all') return delivered;
  const first = delivered.findIndex(({ dynamodb }) => failed.has(dynamodb.SequenceNumber));
  return first < 0 ? [] : delivered.slice(first);
}

function dropAged(context: BatchContext, records: readonly StreamRecord[], attempt: number): readonly StreamRecord[] {
  const { rules, now } = context;
  const bornAfterMs = now() - rules.recordAgeMaxMs;
  const isAged = ({ dynamodb }: StreamRecord) => dynamodb.ApproximateCreationDateTime * 1000 < bornAfterMs;
  const aged = records.filter(isAged);
  if (aged.length === 0) return records;
  giveUp(context, aged, 'RecordAgeExceeded', attempt);
  return records.filter((record) => !isAged(record));
}

function giveUp(
  context: BatchContext,
  records: readonly StreamRecord[],
  condition: 'RetryAttemptsExhausted' | 'RecordAgeExceeded',
  invokeCount: number,
): void {
  const { rules, pool, streamArn, now, sendToDestination } = context;
  if (rules.destinationArn === undefined) return;
  const functionArn = pool.definition.arn;
  const nowMs = now();
  sendToDestination(
    rules.destinationArn,
    describeBatchFailure({ requestId: randomUUID(), functionArn, condition, invokeCount, streamArn, records, nowMs }),
  );
}
