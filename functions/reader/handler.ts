/** The reader: claims, sources, passes and status over HTTP. It writes nothing. */
import { ENVIRONMENT } from '../../schema/environment.ts';
import { parseSettingOverrides } from '../../schema/settings.ts';
import { systemClock } from '../io/clock.ts';
import { createDocumentClient, createStore } from '../io/dynamo.ts';
import { readEnvironment, readPoolCount } from '../io/environment.ts';
import { createLog } from '../io/log.ts';
import { createReaderApp } from './app.ts';
import { serveReader } from './unrouted.ts';

const variables = readEnvironment('reader');
const log = createLog('reader');
const app = createReaderApp({
  store: createStore(createDocumentClient(), { control: variables.controlTable }),
  clock: systemClock,
  log,
  pools: readPoolCount(variables),
  deploymentSettings: parseSettingOverrides(variables.settings, ENVIRONMENT.settings),
  executor: variables.executor,
});

export const handler = serveReader(app, log);
