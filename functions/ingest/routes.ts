/** The routes of ingest: many sources in one call, a large one in parts, a session turn by turn. */
import type { Context, Hono } from 'hono';
import { appendBodySchema, completeBodySchema, ingestBodySchema } from '../../schema/source-api.ts';
import { createHttpApp, HttpError, readBytes, readJson, scopeOf } from '../io/http.ts';
import { appendTurns } from './append-turns.ts';
import type { DecidingIngestDeps } from './deps.ts';
import { ingestSources } from './run.ts';
import { partIn, readSourcePath, sha256In } from './source-path.ts';
import { completeUpload, putPart } from './upload.ts';

/**
 * POST sources answers 200 with one result for each source; 400 or 413 when the call as a whole cannot be read. The others
 * are about one source, and answer with an error when that is refused.
 */
export function createIngestApp(deps: DecidingIngestDeps): Hono {
  const app = createHttpApp(deps.log);
  app.post('/v1/scopes/:scope/sources', async (c) => {
    const scope = scopeOf(c);
    const body = await readJson(c, ingestBodySchema);
    return c.json(await ingestSources(deps, { scope, body }));
  });
  app.put('/v1/scopes/:scope/sources/:kind/:id{.+}', async (c) => {
    const path = readSourcePath(c, 'part');
    if (path === undefined) throw refusePath(c);
    const request = { ...path, sha256: sha256In(path), part: partIn(path) };
    return c.json(await putPart(deps, { ...request, bytes: await readBytes(c) }));
  });
  app.post('/v1/scopes/:scope/sources/:kind/:id{.+}', async (c) => {
    const complete = readSourcePath(c, 'complete');
    if (complete !== undefined) {
      const request = { ...complete, sha256: sha256In(complete) };
      return c.json(await completeUpload(deps, { ...request, body: await readJson(c, completeBodySchema) }));
    }
    const turns = readSourcePath(c, 'turns');
    if (turns === undefined) throw refusePath(c);
    if (turns.kind !== 'transcript') {
      throw new HttpError(
        400,
        'not_turns',
        `turns are appended to a transcript, not to a ${turns.kind}: send it whole`,
      );
    }
    return c.json(await appendTurns(deps, { ...turns, body: await readJson(c, appendBodySchema) }));
  });
  return app;
}

function refusePath(c: Context): HttpError {
  return new HttpError(404, 'not_found', `no such route: ${c.req.method} ${c.req.path}`);
}
