/** A batch of stream records: each names a pass to finalize. A record of anything else is passed over. */
import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type { Context, DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { passAddressOf } from '../../schema/pass.ts';
import { planReturn } from '../core/giving-back.ts';
import { planCount } from '../core/outcome.ts';
import { planSettlement } from '../core/settling.ts';
import { randomIds, systemClock } from '../io/clock.ts';
import { createDocumentClient, createStore } from '../io/dynamo.ts';
import { readEnvironment, readPoolCount } from '../io/environment.ts';
import { createLog } from '../io/log.ts';
import { createTriggerQueue } from '../io/messaging.ts';
import type { FinalizerDeps } from './deps.ts';
import { finalize } from './run.ts';

const environment = readEnvironment('finalizer');
const log = createLog('finalizer');
const deps: FinalizerDeps = {
  store: createStore(createDocumentClient(), { control: environment.controlTable }),
  clock: systemClock,
  ids: randomIds,
  log,
  pools: readPoolCount(environment),
  queue: createTriggerQueue(environment.triggersQueueUrl),
  decide: { planSettlement, planCount, planReturn },
};

async function finalizeRecord({ dynamodb }: DynamoDBRecord): Promise<void> {
  const address = passAddressOf(dynamodb?.Keys?.pk?.S ?? '', dynamodb?.Keys?.sk?.S ?? '');
  if (address) await finalize(deps, address);
}

export async function handler(event: DynamoDBStreamEvent, context: Context): Promise<DynamoDBBatchResponse> {
  const processor = new BatchProcessor(EventType.DynamoDBStreams);
  try {
    return await processPartialResponse(event, finalizeRecord, processor, { context, throwOnFullBatchFailure: false });
  } finally {
    log.flush();
  }
}
