/**
 * A visitor: reads whatever the API shows while everything else goes on, with good questions and odd ones. No answer may
 * be an error of the inside, whatever stands half-written; and when all is done, what is read page by page is just what
 * stands in the tables. Comes in some of the seeds, drawn from streams of its own.
 */
import { previewTick } from '../../../functions/core/plan-preview.ts';
import { readAttention } from '../../../functions/reader/read-attention.ts';
import { readChanges } from '../../../functions/reader/read-changes.ts';
import { readClaims } from '../../../functions/reader/read-claims.ts';
import { readEntities } from '../../../functions/reader/read-entities.ts';
import { readErasures } from '../../../functions/reader/read-erasures.ts';
import { readExport } from '../../../functions/reader/read-export.ts';
import { readHistory } from '../../../functions/reader/read-history.ts';
import { readPass, readPasses } from '../../../functions/reader/read-passes.ts';
import { readPreview } from '../../../functions/reader/read-preview.ts';
import { readRecall } from '../../../functions/reader/read-recall.ts';
import { readDeploymentSettings, readScopeSettings } from '../../../functions/reader/read-settings.ts';
import { readSnapshot } from '../../../functions/reader/read-snapshot.ts';
import { readSource } from '../../../functions/reader/read-source.ts';
import { readDeploymentStatus, readScopeStatus } from '../../../functions/reader/read-status.ts';
import type { ReaderDeps } from '../../../functions/reader/deps.ts';
import { HttpError, parseOr400 } from '../../../functions/io/http.ts';
import { claimsQuerySchema, passesQuerySchema, passQuerySchema, sourceQuerySchema } from '../../../schema/api.ts';
import { HTTP } from '../../../schema/edges.ts';
import { erasuresQuerySchema } from '../../../schema/erasure-api.ts';
import {
  attentionQuerySchema,
  changesQuerySchema,
  entitiesQuerySchema,
  exportQuerySchema,
  historyQuerySchema,
  previewBodySchema,
  recallQuerySchema,
} from '../../../schema/memory-api.ts';
import { scopeKey } from '../../../schema/scope.ts';
import { isEqual } from '../engine/expression.ts';
import { START_MS } from '../engine/kernel.ts';
import { Random } from '../engine/random.ts';
import type { World } from '../engine/world.ts';

const SECOND_MS = 1000;
const DAY_MS = 86_400_000;
/** One seed in so many has a visitor. */
const SHARE = 10;
const VISITS = 12;

const isVisited = (seed: number): boolean => new Random(seed, 'visitor').int(1, SHARE) === 1;

interface Visit {
  readonly deps: ReaderDeps;
  readonly scope: string;
  readonly random: Random;
  /** Of one of the scope's passes, or of none. */
  readonly passId: string;
}

const ENTITIES = ['Ann', 'Ben', 'ann', 'Nobody', 'a'.repeat(150), ' '];
const ATTRIBUTES = ['home', 'job', 'Not an attribute'];
const TIMES = [
  '2024-05-15T00:00:00Z',
  '2024-06-02T10:00:00+02:00',
  '2026-01-01T00:02:00Z',
  '2099-01-01T00:00:00Z',
  'May',
];
const CURSORS = [undefined, undefined, undefined, '', 'nonsense', 'eyJ4Ijoi', 'Q0xBSU0jQW5u'];

/** Some of a query's fields, as a client would give them: strings. */
function some(random: Random, fields: Record<string, readonly (string | undefined)[]>): Record<string, string> {
  const query: Record<string, string> = {};
  for (const [name, choices] of Object.entries(fields)) {
    const value = random.pick(choices);
    if (value !== undefined) query[name] = value;
  }
  return query;
}

const LIMITS_ASKED = [undefined, '1', '2', '50', '0', 'many'];
const paged = (random: Random) => some(random, { limit: LIMITS_ASKED, cursor: CURSORS });
const timed = { asOf: [undefined, ...TIMES], knownAt: [undefined, undefined, ...TIMES] };

const DRAFTS: readonly unknown[] = [
  { entity: 'Ann', attribute: 'home', value: 'north', quote: { text: 'Ann lives north', start: 0, end: 15 } },
  { entity: 'Ann', attribute: 'home', value: '', quote: { text: 'Ann lives', start: 0, end: 9 } },
  { entity: 'Ann', attribute: 'home', value: 'x', quote: { text: 'Ann lives south', start: 0, end: 15 } },
  { entity: 'Ann', attribute: 'home', value: 'y', quote: { text: 'never said', start: 3, end: 13 } },
  { entity: '', attribute: '?', value: 7 },
  'no draft',
];

/** What the API shows, each asked as its route would. */
const VIEWS: readonly ((visit: Visit) => Promise<unknown>)[] = [
  ({ deps, scope }) => readScopeStatus(deps, scope),
  ({ deps }) => readDeploymentStatus(deps),
  async ({ deps, random }) => {
    const snapshot = await readSnapshot(deps);
    const set = random.pick([{}, { maxConcurrentPasses: 1 }, { maxPassesPerScope: 4, batchTokens: 0 }]);
    const lines = previewTick(snapshot, set);
    if (lines.length !== snapshot.scopes.length) throw new Error('a scope of the snapshot has no line in its preview');
  },
  ({ deps, scope }) => readScopeSettings(deps, scope),
  ({ deps }) => readDeploymentSettings(deps),
  ({ deps, scope, random }) => {
    const fields = {
      entity: [undefined, undefined, ...ENTITIES],
      attribute: [undefined, undefined, ...ATTRIBUTES],
      state: [undefined, 'all', 'superseded', 'planned', 'retracted', 'odd'],
      detail: [undefined, 'full'],
    };
    const query = { ...paged(random), ...some(random, { ...timed, ...fields }) };
    return readClaims(deps, scope, parseOr400(claimsQuerySchema, query, 'query'));
  },
  ({ deps, scope, random }) => {
    const fields = { entity: ENTITIES, attribute: ATTRIBUTES, value: [undefined, undefined, 'north'] };
    const query = { ...paged(random), ...some(random, { ...timed, ...fields }) };
    return readHistory(deps, scope, parseOr400(historyQuerySchema, query, 'query'));
  },
  ({ deps, scope, random }) => readEntities(deps, scope, parseOr400(entitiesQuerySchema, paged(random), 'query')),
  ({ deps, scope, random }) => {
    const query = { ...paged(random), ...some(random, { state: [undefined, 'all'] }) };
    return readAttention(deps, scope, parseOr400(attentionQuerySchema, query, 'query'));
  },
  ({ deps, scope, random }) => readErasures(deps, scope, parseOr400(erasuresQuerySchema, paged(random), 'query')),
  ({ deps, scope, random }) => readExport(deps, scope, parseOr400(exportQuerySchema, paged(random), 'query')),
  ({ deps, scope, random }) => {
    const q = random.pick(['where does Ann live?', 'Ben', 'home', '?', '', 'nobody at all']);
    const query = { q, ...some(random, { tokens: [undefined, '1', '20', '-1'] }) };
    return readRecall(deps, scope, parseOr400(recallQuerySchema, query, 'query'));
  },
  ({ deps, scope, random }) => readPasses(deps, scope, parseOr400(passesQuerySchema, paged(random), 'query')),
  ({ deps, scope, random, passId }) => {
    const query = some(random, { calls: [undefined, '1'], cursor: CURSORS });
    return readPass(deps, scope, passId, parseOr400(passQuerySchema, query, 'query'));
  },
  ({ deps, scope, random, passId }) => {
    const { cursor } = parseOr400(changesQuerySchema, some(random, { cursor: CURSORS }), 'query');
    return readChanges(deps, scope, { passId, cursor });
  },
  ({ deps, scope, random }) => {
    const query = some(random, { wait: [undefined, '2s', '1', 'long'], revision: [undefined, 'f'.repeat(16)] });
    const { wait: waitMs, revision } = parseOr400(sourceQuerySchema, query, 'query');
    return readSource(deps, { scope, kind: 'note', id: `s${random.int(0, 9)}`, revision, waitMs });
  },
  ({ deps, scope, random }) => {
    const text = 'Ann lives north. She said so.';
    const claims = Array.from({ length: random.int(1, 3) }, () => random.pick(DRAFTS));
    const body = { source: { id: 'preview' }, text, claims, ...some(random, { capturedAt: [undefined, ...TIMES] }) };
    return readPreview(deps, scope, parseOr400(previewBodySchema, body, 'body'));
  },
];

export class Visitor {
  readonly #world: World;
  readonly #random: Random;
  readonly #isThere: boolean;

  constructor(world: World) {
    this.#world = world;
    this.#random = new Random(world.plan.seed, 'visits');
    this.#isThere = isVisited(world.plan.seed);
  }

  start(): void {
    if (!this.#isThere) return;
    const { kernel, plan } = this.#world;
    for (let k = 0; k < VISITS; k++) {
      const atMs = this.#random.int(START_MS, plan.calmFromMs);
      kernel.at(atMs, () => this.#visit());
    }
  }

  #visit(): void {
    const { tables, plan } = this.#world;
    // One in ten asks for a scope that nobody ever fed.
    const scope = this.#random.chance(0.1) ? 'unknown' : this.#random.pick(plan.scopes);
    const generation = Number(tables.peek(scopeKey(scope).pk, scopeKey(scope).sk)?.generation ?? 1);
    const passes = tables
      .list(`SCOPE#${scope}#${generation}`, 'PASS#')
      .flatMap(({ passId }) => (typeof passId === 'string' ? [passId] : []));
    const passId = passes.length > 0 && this.#random.chance(0.9) ? this.#random.pick(passes) : 'no pass';
    const view = this.#random.pick(VIEWS);
    const random = new Random(this.#random.int(0, 2 ** 31), 'question');
    this.#read(scope, (deps) => view({ deps, scope, random, passId }));
  }

  #read(scope: string, view: (deps: ReaderDeps) => Promise<unknown>): void {
    this.#world.spawn({ role: 'reader', timeoutMs: HTTP.timeoutS * SECOND_MS }, async (actor) => {
      try {
        await view(this.#world.readerDeps(actor));
        this.#world.count('a visitor is answered');
      } catch (error) {
        if (!(error instanceof HttpError) || error.status >= 500) throw error;
        this.#world.count(`a visitor is answered ${error.code}`);
      }
    });
  }

  /** When all is done: what is read page by page is what stands. */
  async checkPages(): Promise<void> {
    if (!this.#isThere) return;
    const { kernel, plan } = this.#world;
    let open = plan.scopes.length;
    for (const scope of plan.scopes) {
      this.#read(scope, async (deps) => {
        await this.#compare(deps, scope);
        open--;
      });
    }
    await kernel.run(kernel.nowMs + DAY_MS, () => open === 0);
    if (open > 0) kernel.fail('a page loses nothing', `${open} scopes could not be read to their end`);
  }

  async #compare(deps: ReaderDeps, scope: string): Promise<void> {
    const { tables } = this.#world;
    const row = tables.peek(scopeKey(scope).pk, scopeKey(scope).sk);
    const partition = `SCOPE#${scope}#${Number(row?.generation ?? 1)}`;
    const limit = this.#random.int(1, 3);
    const passes = await walk(
      (cursor) => readPasses(deps, scope, { limit, cursor }),
      (page) => page.passes,
    );
    const stored = tables.list(partition, 'PASS#').filter(({ status }) => status !== undefined);
    this.#expectSame(
      scope,
      'passes',
      passes.map((pass) => String(pass.id)),
      stored.map((pass) => String(pass.passId)),
    );
    const entities = await walk(
      (cursor) => readEntities(deps, scope, { limit, cursor }),
      (page) => page.entities,
    );
    const slugs = tables.list(partition, 'ENTITY#').flatMap(({ slug }) => (typeof slug === 'string' ? [slug] : []));
    this.#expectSame(
      scope,
      'entities',
      entities.map(({ slug }) => slug),
      slugs,
    );
    const lines = await walk(
      (cursor) => readExport(deps, scope, { limit, cursor }),
      ({ text }) => text.split('\n'),
    );
    const citations = lines.filter((line) => line.includes('"citation"')).map((line) => JSON.parse(line) as object);
    if (citations.length !== tables.list(partition, 'CLAIM#').length)
      this.#world.kernel.fail(
        'a page loses nothing',
        `${scope}: the export holds ${citations.length} citations, not those that stand`,
      );
  }

  #expectSame(scope: string, what: string, read: readonly string[], stored: readonly string[]): void {
    if (isEqual([...read].sort(), [...stored].sort())) return;
    this.#world.kernel.fail(
      'a page loses nothing',
      `${scope}: its ${what} read as ${read.join()}, and are ${stored.join()}`,
    );
  }
}

/** All that the pages hold, one after the other. */
async function walk<Page extends { readonly cursor?: string }, Row>(
  read: (cursor: string | undefined) => Promise<Page>,
  rowsOf: (page: Page) => readonly Row[],
): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    rows.push(...rowsOf(page));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return rows;
}
