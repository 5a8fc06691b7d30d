/** The HTTP function that takes sources in. */
import { parseSettingOverrides } from '../../schema/settings.ts';
import { randomIds, systemClock } from '../io/clock.ts';
import { createDocumentClient, createStore } from '../io/dynamo.ts';
import { readEnvironment, readPoolCount } from '../io/environment.ts';
import { serveApp } from '../io/http.ts';
import { createLog } from '../io/log.ts';
import { INGEST_DECISIONS } from './deps.ts';
import { createIngestApp } from './routes.ts';

const environment = readEnvironment('ingest');
const log = createLog('ingest');

export const handler = serveApp(
  createIngestApp({
    store: createStore(createDocumentClient(), { control: environment.controlTable, text: environment.textTable }),
    clock: systemClock,
    ids: randomIds,
    log,
    pools: readPoolCount(environment),
    decide: INGEST_DECISIONS,
    deploymentSettings: parseSettingOverrides(environment.settings, 'the deployment parameter Settings'),
  }),
  log,
);
