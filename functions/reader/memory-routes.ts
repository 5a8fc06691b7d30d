/** The routes about the memory: each parses what it was asked, runs one read and answers with its result. */
import type { Hono } from 'hono';
import { etag } from 'hono/etag';
import { claimsQuerySchema } from '../../schema/api.ts';
import { erasuresQuerySchema } from '../../schema/erasure-api.ts';
import {
  attentionQuerySchema,
  changesQuerySchema,
  entitiesQuerySchema,
  exportQuerySchema,
  historyQuerySchema,
  previewBodySchema,
  recallQuerySchema,
} from '../../schema/memory-api.ts';
import { parseOr400, readJson, scopeOf } from '../io/http.ts';
import type { ReaderDeps } from './deps.ts';
import { readAttention } from './read-attention.ts';
import { readChanges } from './read-changes.ts';
import { readClaims } from './read-claims.ts';
import { readEntities } from './read-entities.ts';
import { readErasures } from './read-erasures.ts';
import { readExport } from './read-export.ts';
import { readHistory } from './read-history.ts';
import { readPreview } from './read-preview.ts';
import { readRecall } from './read-recall.ts';

/** Where the next page of an export begins; the body is lines only, so that pages put together are the export. */
export const CURSOR_HEADER = 'nightjar-cursor';

/** Adds the routes. All answers that stay the same while the memory does carry an ETag and answer 304 to it. */
export function addMemoryRoutes(app: Hono, deps: ReaderDeps): void {
  const scoped = '/v1/scopes/:scope';
  for (const path of ['claims', 'claims/history', 'entities', 'attention', 'recall', 'export']) {
    app.use(`${scoped}/${path}`, etag());
  }
  app.get(`${scoped}/claims`, async (c) =>
    c.json(await readClaims(deps, scopeOf(c), parseOr400(claimsQuerySchema, c.req.query(), 'query'))),
  );
  app.get(`${scoped}/claims/history`, async (c) =>
    c.json(await readHistory(deps, scopeOf(c), parseOr400(historyQuerySchema, c.req.query(), 'query'))),
  );
  app.post(`${scoped}/claims/preview`, async (c) =>
    c.json(await readPreview(deps, scopeOf(c), await readJson(c, previewBodySchema))),
  );
  app.get(`${scoped}/entities`, async (c) =>
    c.json(await readEntities(deps, scopeOf(c), parseOr400(entitiesQuerySchema, c.req.query(), 'query'))),
  );
  app.get(`${scoped}/attention`, async (c) =>
    c.json(await readAttention(deps, scopeOf(c), parseOr400(attentionQuerySchema, c.req.query(), 'query'))),
  );
  app.get(`${scoped}/erasures`, async (c) =>
    c.json(await readErasures(deps, scopeOf(c), parseOr400(erasuresQuerySchema, c.req.query(), 'query'))),
  );
  app.get(`${scoped}/recall`, async (c) =>
    c.json(await readRecall(deps, scopeOf(c), parseOr400(recallQuerySchema, c.req.query(), 'query'))),
  );
  app.get(`${scoped}/passes/:passId/changes`, async (c) => {
    const { cursor } = parseOr400(changesQuerySchema, c.req.query(), 'query');
    return c.json(await readChanges(deps, scopeOf(c), { passId: c.req.param('passId'), cursor }));
  });
  app.get(`${scoped}/export`, async (c) => {
    const query = parseOr400(exportQuerySchema, c.req.query(), 'query');
    const { text, cursor } = await readExport(deps, scopeOf(c), query);
    if (cursor !== undefined) c.header(CURSOR_HEADER, cursor);
    return c.body(text, 200, { 'content-type': 'application/x-ndjson' });
  });
}
