/** The curator: what a person says to the memory itself, over HTTP. It writes claims and knows no text of sources. */
import { randomIds, systemClock } from '../io/clock.ts';
import { createDocumentClient, createStore } from '../io/dynamo.ts';
import { readEnvironment, readPoolCount } from '../io/environment.ts';
import { serveApp } from '../io/http.ts';
import { createLog } from '../io/log.ts';
import { createCuratorApp } from './routes.ts';

const environment = readEnvironment('curator');
const log = createLog('curator');
const store = createStore(createDocumentClient(), { control: environment.controlTable });

const pools = readPoolCount(environment);

export const handler = serveApp(createCuratorApp({ store, clock: systemClock, ids: randomIds, log, pools }), log);
