/** Three ways in: a batch of trigger messages, a batch of failed invocations, a tick. */
import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { tickEventSchema, triggerMessageSchema } from '../../schema/messages.ts';
import { parseSettingOverrides } from '../../schema/settings.ts';
import { planAdmissions } from '../core/admission.ts';
import { judgeDue } from '../core/backlog.ts';
import { judgeEntry } from '../core/sweeping.ts';
import { randomIds, systemClock } from '../io/clock.ts';
import { createDocumentClient, createStore } from '../io/dynamo.ts';
import { readEnvironment, readExecutorName, readPoolCount } from '../io/environment.ts';
import { createLog } from '../io/log.ts';
import { createWorkerInvoker } from '../io/messaging.ts';
import type { SchedulerDeps } from './deps.ts';
import { runFailedInvocation, runTick, runTrigger } from './run.ts';

const environment = readEnvironment('scheduler');
const log = createLog('scheduler');
const deps: SchedulerDeps = {
  store: createStore(createDocumentClient(), { control: environment.controlTable }),
  clock: systemClock,
  ids: randomIds,
  log,
  pools: readPoolCount(environment),
  invoker: createWorkerInvoker(environment.workerFunction),
  deploymentSettings: parseSettingOverrides(environment.settings, 'the deployment parameter Settings'),
  executor: readExecutorName(environment),
  decide: { planAdmissions, judgeEntry, judgeDue },
};

async function handleMessage({ body }: SQSRecord): Promise<void> {
  const message: unknown = JSON.parse(body);
  const isFailure = typeof message === 'object' && message !== null && 'requestContext' in message;
  if (isFailure) await runFailedInvocation(deps, message);
  else await runTrigger(deps, triggerMessageSchema.parse(message));
}

export async function handler(event: SQSEvent | object, context: Context): Promise<SQSBatchResponse | undefined> {
  try {
    if (!('Records' in event)) {
      await runTick(deps, tickEventSchema.parse(event));
      return undefined;
    }
    // One after another: messages of one batch would only lose the ledger to each other.
    const options = { context, throwOnFullBatchFailure: false, processInParallel: false };
    return await processPartialResponse(event, handleMessage, new BatchProcessor(EventType.SQS), options);
  } finally {
    log.flush();
  }
}
