/** The route of ingest. */
import type { Hono } from 'hono';
import { ingestBodySchema } from '../../schema/api.ts';
import { createHttpApp, readJson, scopeOf } from '../io/http.ts';
import type { IngestDeps } from './deps.ts';
import { ingestSources } from './run.ts';

/** Answers 200 with one result for each source; 400 or 413 when the call as a whole cannot be read. */
export function createIngestApp(deps: IngestDeps): Hono {
  const app = createHttpApp(deps.log);
  app.post('/v1/scopes/:scope/sources', async (c) => {
    const scope = scopeOf(c);
    const body = await readJson(c, ingestBodySchema);
    return c.json(await ingestSources(deps, { scope, body }));
  });
  return app;
}
