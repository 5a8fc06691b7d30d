/** The routes of the trigger function: looks asked for, and by `switch-routes.ts` what an operator changes. */
import type { Hono } from 'hono';
import * as z from 'zod';
import { drainBodySchema, triggerBodySchema } from '../../schema/api.ts';
import { triggerIdSchema } from '../../schema/ids.ts';
import { createHttpApp, HttpError, parseOr400, readJson, scopeOf } from '../io/http.ts';
import type { TriggerDeps } from './deps.ts';
import { loadTrigger, requestLook, type TriggerAnswer } from './run.ts';
import { addSwitchRoutes } from './switch-routes.ts';

const idempotencyKeySchema = z.string().min(1).max(255, 'an Idempotency-Key is 1 to 255 characters').optional();

export function createTriggerApp(deps: TriggerDeps): Hono {
  const app = createHttpApp(deps.log);
  app.post('/v1/scopes/:scope/dream/trigger', async (c) => {
    const { kind } = await readJson(c, triggerBodySchema);
    const idempotencyKey = parseOr400(idempotencyKeySchema, c.req.header('idempotency-key'), 'Idempotency-Key');
    const request = { scope: scopeOf(c), origin: 'trigger' as const, kind, ...(idempotencyKey && { idempotencyKey }) };
    return respond(request.scope, await requestLook(deps, request));
  });
  app.post('/v1/scopes/:scope/dream/drain', async (c) => {
    const { kind, parallel } = await readJson(c, drainBodySchema);
    const idempotencyKey = parseOr400(idempotencyKeySchema, c.req.header('idempotency-key'), 'Idempotency-Key');
    const request = {
      scope: scopeOf(c),
      origin: 'drain' as const,
      kind,
      ...(parallel !== undefined && { parallel }),
      ...(idempotencyKey && { idempotencyKey }),
    };
    return respond(request.scope, await requestLook(deps, request));
  });
  app.get('/v1/scopes/:scope/dream/triggers/:triggerId', async (c) => {
    const scope = scopeOf(c);
    const triggerId = parseOr400(triggerIdSchema, c.req.param('triggerId'), 'trigger id');
    const trigger = await loadTrigger(deps, triggerId);
    if (!trigger || trigger.scope !== scope) {
      throw new HttpError(404, 'unknown_trigger', `no trigger ${triggerId} in this scope; triggers are kept for a day`);
    }
    const { origin, kind, requestedAtMs, outcome } = trigger;
    const status = !outcome ? 'queued' : outcome.passIds.length > 0 ? 'admitted' : 'refused';
    return c.json({ triggerId, status, origin, kind, requestedAt: new Date(requestedAtMs).toISOString(), ...outcome });
  });
  addSwitchRoutes(app, deps);
  return app;
}

/** A refusal is an error by shape too: code and message are those of the reason that goes first. */
function respond(scope: string, { status, body, retryAfterS }: TriggerAnswer): Response {
  const headers: Record<string, string> = { 'idempotency-key': body.idempotencyKey };
  if (retryAfterS !== undefined) headers['retry-after'] = String(retryAfterS);
  if (body.status === 'queued') headers.location = `/v1/scopes/${scope}/dream/triggers/${body.triggerId}`;
  const first = body.refused?.[0];
  if (status === 202 || !first) return Response.json(body, { status, headers });
  const error = { code: first.reason, message: first.message, details: body };
  return Response.json({ error }, { status, headers });
}
