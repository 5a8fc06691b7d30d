/** A scope on the embedded engine, filled by the schema's own builders, and the reader's app over it. */
import type { Hono } from 'hono';
import type { ClaimDraft } from '../../../functions/core/claim-draft.ts';
import { makeCitation } from '../../../functions/core/claims.ts';
import type { Clock, Log } from '../../../functions/io/ports.ts';
import { createReaderApp } from '../../../functions/reader/app.ts';
import type { ClaimBody } from '../../../functions/reader/claim-body.ts';
import { type EventTime, putCitation } from '../../../schema/citation.ts';
import type { SourceRef } from '../../../schema/ids.ts';
import type { Get, Query, Write } from '../../../schema/request.ts';
import { markScopeDue } from '../../../schema/scope.ts';
import type { SettingOverrides } from '../../../schema/settings.ts';
import { inMonth } from '../../core/citation-samples.ts';
import { createTestStore, type TestStore } from '../../support/tables.ts';

export const NOW_MS = Date.UTC(2025, 0, 1);
export const ADDRESS = { scope: 'maya', generation: 1 };

export const CLAIMS = '/v1/scopes/maya/claims';

/** Where Maya lived first, and moved to: told in this order, and the second with its date. */
export const AUSTIN: ClaimRow = { value: 'Austin', captured: '2024-03-01T10:00:00Z' };
export const DENVER: ClaimRow = { value: 'Denver', captured: '2024-06-01T10:00:00Z', event: inMonth('2024-05') };

const silent: Log = { info() {}, warn() {}, error() {}, count() {} };

/** A clock that moves only when somebody sleeps; `onSleep` runs meanwhile. */
export interface ManualClock extends Clock {
  sleeps: number;
  onSleep: () => Promise<void> | void;
}

export function createClock(): ManualClock {
  let nowMs = NOW_MS;
  const clock: ManualClock = {
    sleeps: 0,
    onSleep() {},
    nowMs: () => nowMs,
    async sleep(ms) {
      clock.sleeps++;
      nowMs += ms;
      await clock.onSleep();
    },
  };
  return clock;
}

export interface ClaimRow {
  readonly value: string;
  /** ISO 8601. */
  readonly captured: string;
  readonly entity?: string;
  readonly attribute?: string;
  readonly cardinality?: 'one' | 'many';
  readonly event?: EventTime;
  readonly source?: SourceRef;
  readonly start?: number;
  readonly recordedAtMs?: number;
}

export interface Body {
  readonly [field: string]: unknown;
  readonly cursor?: string;
}

export interface Memory extends TestStore {
  readonly app: Hono;
  readonly clock: ManualClock;
  /** Requests sent to the store. */
  readonly queries: Query[];
  write(...writes: Write[]): Promise<void>;
  /** Stores citations of claims. */
  cite(...rows: ClaimRow[]): Promise<void>;
  /** GETs a path; answers status and body. */
  get(path: string): Promise<{ status: number; body: Body }>;
  /** The claims of one page of `CLAIMS`. */
  claims(query: string): Promise<readonly ClaimBody[]>;
  /** All pages of `CLAIMS`, one after the other. */
  pages(query: string): Promise<ClaimBody[][]>;
}

let ops = 0;
/** A fresh id for one write. */
export const nextOp = (): string => `op-${ops++}`;

/** A store with the scope `maya` known, and due since `NOW_MS`. */
export async function createMemory(deploymentSettings: SettingOverrides = {}): Promise<Memory> {
  const tables = createTestStore();
  const clock = createClock();
  const queries: Query[] = [];
  const store = {
    get: (read: Get) => tables.store.get(read),
    query(read: Query) {
      queries.push(read);
      return tables.store.query(read);
    },
  };
  const app = createReaderApp({ store, clock, log: silent, deploymentSettings, executor: 'rules' });
  const memory: Memory = {
    ...tables,
    app,
    clock,
    queries,
    async write(...writes) {
      for (const write of writes) {
        const { kind } = await tables.store.write(write);
        if (kind !== 'won') throw new Error('a row of the test was not written');
      }
    },
    cite: (...rows) => memory.write(...rows.map((row) => putCitation(ADDRESS, citationOf(row), 'pass-1', nextOp()))),
    async get(path) {
      const response = await app.request(path);
      return { status: response.status, body: (await response.json()) as Body };
    },
    claims: async (query) => (await memory.get(`${CLAIMS}?${query}`)).body.claims as ClaimBody[],
    async pages(query) {
      const pages: ClaimBody[][] = [];
      let cursor: string | undefined;
      do {
        const { body } = await memory.get(`${CLAIMS}?${query}${cursor === undefined ? '' : `&cursor=${cursor}`}`);
        pages.push(body.claims as ClaimBody[]);
        cursor = body.cursor;
      } while (cursor !== undefined && pages.length < 1000);
      return pages;
    },
  };
  await memory.write(markScopeDue({ scope: ADDRESS.scope, nowMs: NOW_MS, op: nextOp() }));
  return memory;
}

/** The citation of a row. */
export function citationOf({ value, captured, event, source, start = 0, recordedAtMs = NOW_MS, ...row }: ClaimRow) {
  const text = value === '' ? 'no longer' : `it is ${value}`;
  const draft: ClaimDraft = {
    entity: row.entity ?? 'Maya',
    attribute: row.attribute ?? 'lives_in',
    cardinality: row.cardinality ?? 'one',
    value,
    quote: { text, start, end: start + text.length },
    rule: 'rules-en/lives-in@1',
    confidence: 0.9,
    ...(event && { event }),
  };
  return makeCitation({
    draft,
    source: source ?? { kind: 'transcript', id: `session ${captured}`, revision: '0123456789abcdef' },
    capturedAtMs: Date.parse(captured),
    executor: 'rules',
    recordedAtMs,
  });
}
