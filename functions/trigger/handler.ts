/** The HTTP function that takes triggers and drains. */
import { parseSettingOverrides } from '../../schema/settings.ts';
import { randomIds, systemClock } from '../io/clock.ts';
import { createDocumentClient, createStore } from '../io/dynamo.ts';
import { readEnvironment, readExecutorName, readPoolCount } from '../io/environment.ts';
import { serveApp } from '../io/http.ts';
import { createLog } from '../io/log.ts';
import { createTriggerQueue } from '../io/messaging.ts';
import { createTriggerApp } from './routes.ts';

const environment = readEnvironment('trigger');
const log = createLog('trigger');

export const handler = serveApp(
  createTriggerApp({
    store: createStore(createDocumentClient(), { control: environment.controlTable }),
    clock: systemClock,
    ids: randomIds,
    log,
    pools: readPoolCount(environment),
    queue: createTriggerQueue(environment.triggersQueueUrl),
    deploymentSettings: parseSettingOverrides(environment.settings, 'the deployment parameter Settings'),
    executor: readExecutorName(environment),
  }),
  log,
);
