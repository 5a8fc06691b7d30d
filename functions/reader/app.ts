/** The reader's routes: each parses what it was asked, runs one read and answers with its result. */
import type { Context, Hono } from 'hono';
import { passesQuerySchema, passQuerySchema, sourceQuerySchema, statusQuerySchema } from '../../schema/api.ts';
import { revisionSchema, sourceIdSchema, sourceKindSchema } from '../../schema/ids.ts';
import { createHttpApp, parseOr400, scopeOf } from '../io/http.ts';
import type { ReaderDeps } from './deps.ts';
import { addMemoryRoutes } from './memory-routes.ts';
import { readPass, readPasses } from './read-passes.ts';
import { readSource, type SourceRequest } from './read-source.ts';
import { readDeploymentSettings, readScopeSettings } from './read-settings.ts';
import { readSnapshot } from './read-snapshot.ts';
import { readDeploymentStatus, readScopeStatus } from './read-status.ts';

export function createReaderApp(deps: ReaderDeps): Hono {
  const app = createHttpApp(deps.log);
  app.get('/v1/status', async (c) => {
    const { snapshot } = parseOr400(statusQuerySchema, c.req.query(), 'query');
    return c.json(snapshot ? await readSnapshot(deps) : await readDeploymentStatus(deps));
  });
  app.get('/v1/settings', async (c) => c.json(await readDeploymentSettings(deps)));
  app.get('/v1/scopes/:scope/settings', async (c) => c.json(await readScopeSettings(deps, scopeOf(c))));
  app.get('/v1/scopes/:scope/status', async (c) => c.json(await readScopeStatus(deps, scopeOf(c))));
  addMemoryRoutes(app, deps);
  app.get('/v1/scopes/:scope/passes', async (c) =>
    c.json(await readPasses(deps, scopeOf(c), parseOr400(passesQuerySchema, c.req.query(), 'query'))),
  );
  app.get('/v1/scopes/:scope/passes/:passId', async (c) =>
    c.json(
      await readPass(deps, scopeOf(c), c.req.param('passId'), parseOr400(passQuerySchema, c.req.query(), 'query')),
    ),
  );
  // A source's id may hold slashes, so it is all the rest of the path.
  app.get('/v1/scopes/:scope/sources/:kind/:id{.+}', async (c) => c.json(await readSource(deps, sourceRequestOf(c))));
  return app;
}

function sourceRequestOf(c: Context): SourceRequest {
  const { revision, wait } = parseOr400(sourceQuerySchema, c.req.query(), 'query');
  return {
    scope: scopeOf(c),
    kind: parseOr400(sourceKindSchema, c.req.param('kind'), 'kind in the path'),
    id: parseOr400(sourceIdSchema, c.req.param('id'), 'id in the path'),
    revision: revision === undefined ? undefined : parseOr400(revisionSchema, revision, 'revision'),
    waitMs: wait,
  };
}
