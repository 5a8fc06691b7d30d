/** An ingest over both tables on the embedded engine, with a clock to set, writes to count, and crashes to order. */
import { type DecidingIngestDeps, INGEST_DECISIONS, type IngestStore } from '../../../functions/ingest/deps.ts';
import type { IngestAnswer } from '../../../functions/ingest/answer.ts';
import { ingestSources } from '../../../functions/ingest/run.ts';
import type { Store } from '../../../functions/io/ports.ts';
import { type EvidenceItem, evidenceItemSchema } from '../../../schema/evidence.ts';
import type { Item, Write } from '../../../schema/request.ts';
import { isDue, type ScopeItem, scopeItemSchema } from '../../../schema/scope.ts';
import { type SourceItem, sourceItemSchema } from '../../../schema/source.ts';
import { createTestStore } from '../../support/tables.ts';

export const SCOPE = 'alice';
export const START_MS = Date.parse('2024-06-01T00:00:00Z');

export interface IngestBench {
  readonly store: Store;
  readonly deps: DecidingIngestDeps;
  /** Metrics counted so far, by name. */
  readonly metrics: Map<string, number>;
  nowMs: number;
  /** Writes sent so far, won or lost. */
  readonly writes: Write[];
  ingest(sources: readonly unknown[], store?: IngestStore): Promise<IngestAnswer>;
  evidence(): EvidenceItem[];
  sources(): SourceItem[];
  scopeRow(): ScopeItem;
  isDue(): boolean;
  /** Both tables without what differs between two histories of the same outcome. */
  snapshot(): Item[];
  close(): void;
}

/** Fresh ids of writes, and counts of how often something moved. */
const OF_THE_HISTORY = new Set(['op', 'seq', 'backlogVersion']);

export function createIngestBench(): IngestBench {
  const { store: raw, items, close } = createTestStore();
  let ids = 0;
  const writes: Write[] = [];
  const metrics = new Map<string, number>();
  const store: Store = {
    ...raw,
    write(write) {
      writes.push(write);
      return raw.write(write);
    },
  };
  const deps: DecidingIngestDeps = {
    store,
    clock: { nowMs: () => bench.nowMs },
    ids: { fresh: () => `op-${++ids}` },
    log: {
      info() {},
      warn() {},
      error() {},
      count: (metric, value) => metrics.set(metric, (metrics.get(metric) ?? 0) + value),
    },
    deploymentSettings: {},
    decide: INGEST_DECISIONS,
  };
  const rowsOf = (prefix: string) => items('control').filter(({ sk }) => String(sk).startsWith(prefix));
  const bench: IngestBench = {
    store,
    deps,
    metrics,
    writes,
    nowMs: START_MS,
    ingest: (sources, by = store) => ingestSources({ ...deps, store: by }, { scope: SCOPE, body: { sources } }),
    evidence: () => rowsOf('EVIDENCE#').map((row) => evidenceItemSchema.parse(row)),
    sources: () => rowsOf('SOURCE#').map((row) => sourceItemSchema.parse(row)),
    scopeRow: () => scopeItemSchema.parse(rowsOf('SCOPE')[0]),
    isDue: () => isDue(bench.scopeRow()),
    snapshot: () =>
      [...items('control'), ...items('text')].map((row) =>
        Object.fromEntries(Object.entries(row).filter(([name]) => !OF_THE_HISTORY.has(name))),
      ),
    close,
  };
  return bench;
}

export class Crash extends Error {}

/** A store that dies after its n-th write was done; the writer never hears of it. */
export function crashAfter(store: Store, n: number): IngestStore {
  let done = 0;
  return {
    get: (read) => store.get(read),
    batchGet: (read) => store.batchGet(read),
    async write(write) {
      if (done >= n) throw new Crash('dead already');
      done++;
      const outcome = await store.write(write);
      if (done === n) throw new Crash(`after write ${n}`);
      return outcome;
    },
  };
}

/** The sort key a write goes to. */
export function sortKeyOf(write: Write): string {
  const key = write.kind === 'put' ? write.input.Item : write.input.Key;
  return String(key?.sk);
}
