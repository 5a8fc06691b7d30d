/** The eraser, the only function that deletes what a person gave: over HTTP when they ask, by schedule to go on with it. */
import { tickEventSchema } from '../../schema/messages.ts';
import { planNextLook } from '../core/erasing.ts';
import { randomIds, systemClock } from '../io/clock.ts';
import { createDocumentClient, createStore } from '../io/dynamo.ts';
import { readEnvironment, readPoolCount } from '../io/environment.ts';
import { serveApp } from '../io/http.ts';
import { createLog } from '../io/log.ts';
import type { EraserDeps } from './deps.ts';
import { createEraserApp } from './routes.ts';
import { runDueErasures } from './run.ts';

const environment = readEnvironment('eraser');
const log = createLog('eraser');
const deps: EraserDeps = {
  store: createStore(createDocumentClient(), { control: environment.controlTable, text: environment.textTable }),
  clock: systemClock,
  ids: randomIds,
  log,
  pools: readPoolCount(environment),
  decide: { planNextLook },
};
const respond = serveApp(createEraserApp(deps), log);

export async function handler(event: object, context: object): Promise<unknown> {
  if (!tickEventSchema.safeParse(event).success) return respond(event, context);
  try {
    await runDueErasures(deps);
    return undefined;
  } finally {
    log.flush();
  }
}
