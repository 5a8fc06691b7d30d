/** The routes by which an operator changes what may run: settings, pause, resume, cancel, requeue. */
import type { Hono } from 'hono';
import * as z from 'zod';
import { readJson, scopeOf } from '../io/http.ts';
import { requeueBodySchema, requeueClassBodySchema } from '../../schema/api.ts';
import { cancel } from './cancel.ts';
import type { TriggerDeps } from './deps.ts';
import { requeue } from './requeue.ts';
import { requeueClass } from './requeue-class.ts';
import { changeLiveSettings, changeScopeSettings, pauseOne, resumeOne, switchAll } from './switches.ts';

/** Read as it is: which settings there are, and their ranges, is told by `schema/settings.ts` in its own words. */
const patchSchema = z.unknown();

const requeueSchema = z.union([requeueBodySchema, requeueClassBodySchema]);

export function addSwitchRoutes(app: Hono, deps: TriggerDeps): void {
  app.patch('/v1/settings', async (c) => c.json(await changeLiveSettings(deps, await readJson(c, patchSchema))));
  app.patch('/v1/scopes/:scope/settings', async (c) =>
    c.json(await changeScopeSettings(deps, scopeOf(c), await readJson(c, patchSchema))),
  );
  app.post('/v1/pause', async (c) => c.json(await switchAll(deps, true)));
  app.post('/v1/resume', async (c) => c.json(await switchAll(deps, false)));
  app.post('/v1/scopes/:scope/pause', async (c) => c.json(await pauseOne(deps, scopeOf(c))));
  app.post('/v1/scopes/:scope/resume', async (c) => c.json(await resumeOne(deps, scopeOf(c))));
  app.post('/v1/scopes/:scope/passes/:passId/cancel', async (c) =>
    c.json(await cancel(deps, scopeOf(c), c.req.param('passId'))),
  );
  // In the body, not in the path: a source's id may hold slashes, and what is behind it belongs to ingest.
  app.post('/v1/scopes/:scope/sources/requeue', async (c) => {
    const body = await readJson(c, requeueSchema);
    const scope = scopeOf(c);
    return c.json('class' in body ? await requeueClass(deps, scope, body) : await requeue(deps, scope, body));
  });
}
