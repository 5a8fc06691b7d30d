/** A scope on the embedded engine with what writes claims around it: passes, a person, repairs; and what came of it. */
import { setImmediate as turn } from 'node:timers/promises';
import { createCuratorApp } from '../../functions/curator/routes.ts';
import { viewSlot } from '../../functions/core/slot-view.ts';
import { type ClaimDeps, rebuildSlot } from '../../functions/io/heads.ts';
import type { Log, Store } from '../../functions/io/ports.ts';
import { createReaderApp } from '../../functions/reader/app.ts';
import { attentionItemSchema } from '../../schema/attention.ts';
import { type CitationItem, citationItemSchema, type ScopeAddress, slotKeyOf } from '../../schema/citation.ts';
import { headItemSchema } from '../../schema/head.ts';
import type { Item } from '../../schema/request.ts';
import { markScopeDue } from '../../schema/scope.ts';
import { createTestStore, type TestStore } from '../support/tables.ts';

const silent: Log = { info() {}, warn() {}, error() {}, count() {} };

export interface ClaimScene extends TestStore {
  readonly address: ScopeAddress;
  /** What now is; moved by hand. */
  nowMs: number;
  deps(store?: Store): ClaimDeps;
  /** Sends to the curator's app; answers status and body. */
  post(path: string, body: unknown): Promise<{ status: number; body: Record<string, unknown> }>;
  /** Reads by the reader's app. */
  get(path: string): Promise<Record<string, unknown>>;
  fetch(path: string, headers?: Record<string, string>): Promise<Response>;
  rowsOf(prefix: string): Item[];
  citations(): CitationItem[];
}

let scenes = 0;

export async function createClaimScene(nowMs: number, tables: TestStore = createTestStore()): Promise<ClaimScene> {
  const scope = `scene-${scenes++}`;
  let ops = 0;
  const ids = { fresh: () => `${scope}-op-${ops++}` };
  const clock = { nowMs: () => scene.nowMs, sleep: () => Promise.resolve() };
  const rowsOf = (prefix: string): Item[] =>
    tables.items('control').filter(({ pk, sk }) => pk === `SCOPE#${scope}#1` && String(sk).startsWith(prefix));
  const reader = { store: tables.store, clock, log: silent, deploymentSettings: {}, executor: 'rules' };
  const apps = {
    curator: createCuratorApp({ store: tables.store, clock, ids, log: silent }),
    reader: createReaderApp(reader),
  };
  const scene: ClaimScene = {
    ...tables,
    address: { scope, generation: 1 },
    nowMs,
    deps: (store = tables.store) => ({ store, clock, ids }),
    async post(path, body) {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const response = await apps.curator.request(`/v1/scopes/${scope}/${path}`, { method: 'POST', body: text });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
    fetch: async (path, headers = {}) => apps.reader.request(`/v1/scopes/${scope}/${path}`, { headers }),
    async get(path) {
      const response = await scene.fetch(path);
      return (await response.json()) as Record<string, unknown>;
    },
    rowsOf,
    citations: () => rowsOf('CLAIM#').map((row) => citationItemSchema.parse(row)),
  };
  await tables.store.write(markScopeDue({ scope, nowMs, op: ids.fresh() }));
  return scene;
}

/** A store whose requests wait for as many turns of the event loop as `turns` says: concurrent writers interleave. */
export function slowed(store: Store, turns: () => number): Store {
  const wait = async () => {
    for (let left = turns(); left > 0; left--) await turn();
  };
  return {
    write: async (write) => {
      await wait();
      return store.write(write);
    },
    get: async (read) => {
      await wait();
      return store.get(read);
    },
    query: async (read) => {
      await wait();
      return store.query(read);
    },
    batchGet: (read) => store.batchGet(read),
  };
}

/** A small generator of whole numbers, the same for the same seed. */
export function countsFrom(seed: number, most: number): () => number {
  let state = seed % 2_147_483_647 || 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state % (most + 1);
  };
}

/** A register as it stands, of heads that hold any: what a head must be, without what counts its writes. */
export function headsOf(scene: ClaimScene): Record<string, object> {
  return Object.fromEntries(
    scene.rowsOf('HEAD#').flatMap((row) => {
      const {
        datedKey,
        dated,
        undatedKey,
        undated,
        protectedKey,
        protected: held,
        retracted,
      } = headItemSchema.parse(row);
      const registers = { datedKey, dated, undatedKey, undated, protectedKey, held, retracted };
      return Object.values(registers).some((one) => one !== undefined) ? [[String(row['sk']), registers]] : [];
    }),
  );
}

/** A citation without what tells of its recording: when, and by which pass. */
export function withoutRecording(row: CitationItem): object {
  const { recordedAtMs: _, passes, undone, ...said } = row;
  return { ...said, passes: Object.keys(passes).sort(), undone: Object.keys(undone).sort() };
}

/** Everything that must not depend on the order of writing. */
export function outcomeOf(scene: ClaimScene): object {
  const bySlot = Map.groupBy(scene.citations(), ({ slot }) => slotKeyOf(slot));
  return {
    heads: headsOf(scene),
    citations: scene.citations().map(withoutRecording),
    views: [...bySlot].map(([key, rows]) => [
      key,
      viewSlot(rows).claims.map((claim) => ({ ...claim, citations: claim.citations.map(withoutRecording) })),
    ]),
    entities: scene.rowsOf('ENTITY#').map((row) => [row['sk'], row['name'], row['nameKey']]),
    attention: scene
      .rowsOf('ATTENTION#')
      .map((row) => attentionItemSchema.parse(row))
      .filter(({ resolvedAtMs }) => resolvedAtMs === undefined)
      .map(({ subject, subjectKey, details }) => ({ subject, subjectKey, details })),
  };
}

/** Heads that a repair finds to be wrong. */
export async function countRepairs(scene: ClaimScene): Promise<number> {
  const slots = new Map(scene.citations().map(({ slot }) => [slotKeyOf(slot), slot]));
  let repairs = 0;
  for (const slot of slots.values()) if (await rebuildSlot(scene.deps(), scene.address, slot)) repairs++;
  return repairs;
}
