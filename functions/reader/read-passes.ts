/** Reads passes: a page of a scope's, newest first, and one by its id. */
import type { z } from 'zod';
import type { passesQuerySchema, passQuerySchema } from '../../schema/api.ts';
import { callPageSchema, callPrefix, queryCallPages } from '../../schema/call-page.ts';
import { passIdSchema } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';
import { getPass, passAddressOf, type PassItem, passItemSchema, passKey } from '../../schema/pass.ts';
import { queryPasses } from '../../schema/pass-list.ts';
import type { Item } from '../../schema/request.ts';
import { scopePartition } from '../../schema/scope.ts';
import { HttpError } from '../io/http.ts';
import type { ReaderDeps } from './deps.ts';
import { isoOf, isoOrNone } from './iso-time.ts';
import { decodeKeyCursor, encodeCursor, refuseCursor } from '../io/page-cursor.ts';
import { loadScope } from '../io/scope-row.ts';
import { loadPagedScope, readRowPage } from './row-page.ts';

/** A pass as the API shows it: times in ISO 8601, what did not happen yet is absent. */
export function passBody(pass: PassItem): Record<string, unknown> {
  const { passId, kind, lane, status, slotNumber, triggerId, origin, executor, counters, settled, released } = pass;
  return {
    id: passId,
    kind,
    lane,
    status,
    slotNumber,
    triggerId,
    origin,
    executor,
    admittedAt: isoOf(pass.admittedAtMs),
    startedAt: isoOrNone(pass.startedAtMs),
    heartbeatAt: isoOrNone(pass.heartbeatAtMs),
    deadlineAt: isoOrNone(pass.deadlineAtMs),
    endedAt: isoOrNone(pass.endedAtMs),
    finalizedAt: isoOrNone(pass.finalizedAtMs),
    attention: pass.attention,
    counters,
    settled,
    released,
    failure: pass.failure,
    settings: {
      pageSources: pass.pageSources,
      pageCharacters: pass.pageCharacters,
      passTimeoutMs: pass.passTimeoutMs,
    },
  };
}

export interface PassesAnswer {
  readonly scope: string;
  readonly known: boolean;
  readonly passes: readonly Record<string, unknown>[];
  /** Present when there may be more. */
  readonly cursor?: string;
}

/** A pass's LEASE, REVIEW and CALL rows stand between it and the next: rows read in one query, and in one call at most. */
const ROWS_PER_QUERY = 1_000;
const QUERIES_MAX = 1 + Math.ceil((2 * LIMITS.pagesPerPassMax + LIMITS.callRowsPerPassMax) / ROWS_PER_QUERY);

/** One page of a scope's passes, newest first. Throws a 400 for a cursor of another query. */
export async function readPasses(
  { store }: ReaderDeps,
  scope: string,
  { limit, cursor }: z.infer<typeof passesQuerySchema>,
): Promise<PassesAnswer> {
  const row = await loadPagedScope({ store }, scope, cursor);
  if (!row) return { scope, known: false, passes: [] };
  const { generation } = row;
  let startKey = cursor === undefined ? undefined : startOf(cursor, scope, generation);
  const passes: PassItem[] = [];
  let lastKey: string | undefined;
  for (let queries = 0; queries < QUERIES_MAX; queries++) {
    const page = await store.query(queryPasses(scope, generation, ROWS_PER_QUERY, startKey));
    for (const item of page.items) {
      const pass = passItemSchema.safeParse(item).data;
      if (pass && passes.length === limit) return answer(scope, passes, lastKey);
      if (pass) {
        passes.push(pass);
        lastKey = passKey({ scope, generation, passId: pass.passId }).sk;
      }
    }
    startKey = page.lastKey;
    if (!startKey) return answer(scope, passes, undefined);
  }
  return answer(scope, passes, String(startKey?.sk));
}

function answer(scope: string, passes: readonly PassItem[], lastKey: string | undefined): PassesAnswer {
  return {
    scope,
    known: true,
    passes: passes.map(passBody),
    ...(lastKey !== undefined && { cursor: encodeCursor(lastKey) }),
  };
}

function startOf(cursor: string, scope: string, generation: number): Item {
  const pk = scopePartition(scope, generation);
  const sk = decodeKeyCursor(cursor);
  if (!passAddressOf(pk, sk)) throw refuseCursor();
  return { pk, sk };
}

/**
 * One pass, with a page of its tool calls where they are asked for. Throws a 404 when the scope has none of that id, and
 * before that a 400 for a cursor that is none of its calls.
 */
export async function readPass(
  { store }: ReaderDeps,
  scope: string,
  id: string,
  { calls, cursor }: z.infer<typeof passQuerySchema>,
): Promise<Record<string, unknown>> {
  if (cursor !== undefined && !decodeKeyCursor(cursor).startsWith(callPrefix(id))) throw refuseCursor();
  const row = await loadScope({ store }, scope);
  const passId = passIdSchema.safeParse(id);
  const stored = row && passId.success && (await store.get(getPass({ scope, generation: row.generation, passId: id })));
  const pass = stored ? passItemSchema.safeParse(stored).data : undefined;
  if (!pass) {
    const rule = passId.success ? '' : '; a pass id is 15 digits, a hyphen and 22 characters';
    throw new HttpError(404, 'not_found', `scope ${scope} has no pass ${JSON.stringify(id)}${rule}`);
  }
  return { scope, ...passBody(pass), ...(calls && (await readCalls({ store }, pass, cursor))) };
}

/** Up to 25 rows of calls, in order: at most 400 calls. Throws a 400 for a cursor of another query. */
async function readCalls(
  { store }: Pick<ReaderDeps, 'store'>,
  pass: PassItem,
  cursor: string | undefined,
): Promise<{ readonly calls: readonly Record<string, unknown>[]; readonly cursor?: string }> {
  const page = await readRowPage(
    { store },
    {
      address: pass,
      prefix: callPrefix(pass.passId),
      cursor,
      queryOf: (startKey) => queryCallPages(pass, LIMITS.callRowsPerPageMax, startKey),
    },
  );
  const calls = page.rows
    .flatMap((row) => callPageSchema.safeParse(row).data?.calls ?? [])
    .map(({ atMs, ...call }) => ({ ...call, at: isoOf(atMs) }));
  return { calls, ...(page.cursor !== undefined && { cursor: page.cursor }) };
}
