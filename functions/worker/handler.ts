/** One asynchronous invocation: one pass. */
import type { Context } from 'aws-lambda';
import { workEventSchema } from '../../schema/messages.ts';
import { planDraft } from '../core/claim-plan.ts';
import { choosePage } from '../core/paging.ts';
import { planReview } from '../core/review-plan.ts';
import { randomIds, systemClock } from '../io/clock.ts';
import { createDocumentClient, createStore } from '../io/dynamo.ts';
import { readEnvironment, readPoolCount } from '../io/environment.ts';
import { createLog } from '../io/log.ts';
import { createTriggerQueue } from '../io/messaging.ts';
import type { WorkerDeps } from './deps.ts';
import { loadExecutor } from './executor/load.ts';
import { runPass } from './run.ts';

const environment = readEnvironment('worker');
const log = createLog('worker');
const deps: WorkerDeps = {
  store: createStore(createDocumentClient(), { control: environment.controlTable, text: environment.textTable }),
  clock: systemClock,
  ids: randomIds,
  log,
  pools: readPoolCount(environment),
  loadExecutor: (name) => loadExecutor(name, () => environment.stub),
  queue: createTriggerQueue(environment.triggersQueueUrl),
  decide: { choosePage, planReview, planDraft },
};

export async function handler(event: unknown, context: Context): Promise<void> {
  try {
    const invocation = { requestId: context.awsRequestId, remainingMs: () => context.getRemainingTimeInMillis() };
    await runPass(deps, workEventSchema.parse(event), invocation);
  } finally {
    log.flush();
  }
}
