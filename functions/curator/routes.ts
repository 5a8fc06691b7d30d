/** The curator's routes: each parses what it was told, runs one change and answers with what came of it. */
import type { Context, Hono } from 'hono';
import {
  continueBodySchema,
  correctBodySchema,
  mergeBodySchema,
  protectBodySchema,
  retractBodySchema,
  typeBodySchema,
  unprotectBodySchema,
  withdrawBodySchema,
} from '../../schema/memory-api.ts';
import { SlotBusyError, SlotTooLargeError } from '../io/heads.ts';
import { createHttpApp, HttpError, readJson, readText, scopeOf } from '../io/http.ts';
import type { CuratorDeps } from './deps.ts';
import { importMemory } from './import-memory.ts';
import { mergeEntities, unmergeEntities } from './merge.ts';
import { repairHeads } from './repair.ts';
import { correctClaim, protectClaim, retractClaim, unprotectClaims } from './state-claim.ts';
import { sayType } from './type-entity.ts';
import { undoPass, withdraw } from './withdraw.ts';

/** Runs a change; what it says of a claim slot it could not finish goes to the caller. */
async function answer<T>(c: Context, change: Promise<T>): Promise<Response> {
  try {
    return c.json(await change);
  } catch (error) {
    if (error instanceof SlotBusyError) throw new HttpError(409, 'slot_busy', error.message);
    if (error instanceof SlotTooLargeError) throw new HttpError(409, 'slot_too_large', error.message);
    throw error;
  }
}

export function createCuratorApp(deps: CuratorDeps): Hono {
  const app = createHttpApp(deps.log);
  const scoped = '/v1/scopes/:scope';
  app.post(`${scoped}/claims/correct`, async (c) =>
    answer(c, correctClaim(deps, scopeOf(c), await readJson(c, correctBodySchema))),
  );
  app.post(`${scoped}/claims/retract`, async (c) =>
    answer(c, retractClaim(deps, scopeOf(c), await readJson(c, retractBodySchema))),
  );
  app.post(`${scoped}/claims/protect`, async (c) =>
    answer(c, protectClaim(deps, scopeOf(c), await readJson(c, protectBodySchema))),
  );
  app.post(`${scoped}/claims/unprotect`, async (c) =>
    answer(c, unprotectClaims(deps, scopeOf(c), await readJson(c, unprotectBodySchema))),
  );
  app.post(`${scoped}/claims/withdraw`, async (c) =>
    answer(c, withdraw(deps, scopeOf(c), await readJson(c, withdrawBodySchema))),
  );
  app.post(`${scoped}/claims/repair`, async (c) =>
    answer(c, repairHeads(deps, scopeOf(c), await readJson(c, continueBodySchema))),
  );
  app.post(`${scoped}/passes/:passId/undo`, async (c) => {
    const { cursor } = await readJson(c, continueBodySchema);
    return answer(c, undoPass(deps, scopeOf(c), { passId: c.req.param('passId'), cursor }));
  });
  app.post(`${scoped}/entities/merge`, async (c) =>
    answer(c, mergeEntities(deps, scopeOf(c), await readJson(c, mergeBodySchema))),
  );
  app.post(`${scoped}/entities/type`, async (c) =>
    answer(c, sayType(deps, scopeOf(c), await readJson(c, typeBodySchema))),
  );
  app.post(`${scoped}/entities/unmerge`, async (c) =>
    answer(c, unmergeEntities(deps, scopeOf(c), await readJson(c, mergeBodySchema))),
  );
  app.post(`${scoped}/import`, async (c) => answer(c, importMemory(deps, scopeOf(c), await readText(c))));
  return app;
}
