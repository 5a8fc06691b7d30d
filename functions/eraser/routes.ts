/** The eraser's routes: each orders one erasure, goes on with it for a while, and answers how far it is. */
import type { Context, Hono } from 'hono';
import { eraseQuerySchema, forgetBodySchema, liftBodySchema } from '../../schema/erasure-api.ts';
import { sourceIdSchema, sourceKindSchema } from '../../schema/ids.ts';
import { createHttpApp, parseOr400, readJson, scopeOf } from '../io/http.ts';
import type { EraserDeps } from './deps.ts';
import { liftErasures } from './lift.ts';
import { type ErasedAnswer, eraseOneSource, eraseWholeScope, forgetClaim } from './order.ts';

/** 202 until the last look: nothing is readable any more, but something that was on its way may still be removed. */
async function answer(c: Context, order: Promise<ErasedAnswer>): Promise<Response> {
  const erased = await order;
  const isDone = erased.erasures.every(({ state }) => state === 'finished' || state === 'lifted');
  return c.json(erased, isDone ? 200 : 202);
}

const authorOf = (c: Context): string => parseOr400(eraseQuerySchema, c.req.query(), 'query').author;

export function createEraserApp(deps: EraserDeps): Hono {
  const app = createHttpApp(deps.log);
  const scoped = '/v1/scopes/:scope';
  app.delete(scoped, async (c) => answer(c, eraseWholeScope(deps, scopeOf(c), authorOf(c))));
  // A source's id may hold slashes, so it is all the rest of the path.
  app.delete(`${scoped}/sources/:kind/:id{.+}`, async (c) => {
    const kind = parseOr400(sourceKindSchema, c.req.param('kind'), 'kind in the path');
    const id = parseOr400(sourceIdSchema, c.req.param('id'), 'id in the path');
    return answer(c, eraseOneSource(deps, scopeOf(c), { kind, id }, authorOf(c)));
  });
  app.post(`${scoped}/claims/forget`, async (c) =>
    answer(c, forgetClaim(deps, scopeOf(c), await readJson(c, forgetBodySchema))),
  );
  app.post(`${scoped}/erasures/lift`, async (c) =>
    answer(c, liftErasures(deps, scopeOf(c), await readJson(c, liftBodySchema))),
  );
  return app;
}
