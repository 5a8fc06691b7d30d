/** A deployment with an eraser, a curator and a reader over its tables, and what is left of words in any row. */
import type { ClaimDraft } from '../../../functions/core/claim-draft.ts';
import { planNextLook } from '../../../functions/core/erasing.ts';
import { createCuratorApp } from '../../../functions/curator/routes.ts';
import type { EraserDeps } from '../../../functions/eraser/deps.ts';
import { createEraserApp } from '../../../functions/eraser/routes.ts';
import { runDueErasures } from '../../../functions/eraser/run.ts';
import type { Log, Store } from '../../../functions/io/ports.ts';
import { decompressText } from '../../../functions/io/text.ts';
import { findClaimLines } from '../../../functions/worker/executor/claim-lines.ts';
import type { Executor } from '../../../functions/worker/executor/executor.ts';
import { createReaderApp } from '../../../functions/reader/app.ts';
import { erasureItemSchema, type ErasureItem } from '../../../schema/erasure.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { Item, Write } from '../../../schema/request.ts';
import { Deployment, type DeploymentOptions } from '../../support/deployment.ts';

const quiet: Log = { info() {}, warn() {}, error() {}, count() {} };
export const SCOPE = 'alice';

/** Reads claim lines as the stub does; of what somebody likes there may be many. `meanwhile` comes before the review. */
export function readingExecutor(meanwhile: () => Promise<unknown> = async () => undefined): Executor {
  return {
    name: 'stub',
    async run(tools, { signal }) {
      while (!signal.aborted) {
        const { items } = await tools.searchEvidence({ limit: 20 });
        if (items.length === 0) return;
        const reviews = items.map(({ source, text, start }) => ({
          source,
          claims: findClaimLines(text, start).map(many),
        }));
        await meanwhile();
        await tools.reviewEvidence(reviews);
      }
    },
  };
}

function many(draft: ClaimDraft): ClaimDraft {
  return draft.attribute === 'likes' ? { ...draft, cardinality: 'many' } : draft;
}

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

interface EraserParts {
  readonly store?: EraserDeps['store'];
  readonly planNextLook?: typeof planNextLook;
}

export class ErasingScene extends Deployment {
  #ops = 0;

  constructor(options: DeploymentOptions = {}) {
    super({ settings: { batchTokens: 0 }, executor: readingExecutor(), ...options });
  }

  get ids() {
    return { fresh: () => `erase-op-${++this.#ops}` };
  }

  eraserDeps({ store = this.tables.store, planNextLook: plan = planNextLook }: EraserParts = {}): EraserDeps {
    return { store, clock: this.clock, ids: this.ids, log: quiet, decide: { planNextLook: plan } };
  }

  async erase(method: string, path: string, body?: unknown, parts: EraserParts = {}): Promise<Answer> {
    const app = createEraserApp(this.eraserDeps(parts));
    const response = await app.request(`/v1/scopes/${SCOPE}${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  async curate(path: string, body: unknown): Promise<Answer> {
    const deps = { store: this.tables.store, clock: this.clock, ids: this.ids, log: quiet };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await createCuratorApp(deps).request(`/v1/scopes/${SCOPE}/${path}`, {
      method: 'POST',
      body: text,
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  async read(path: string): Promise<Record<string, unknown>> {
    return (await (await this.fetchText(path)).json()) as Record<string, unknown>;
  }
  async fetchText(path: string): Promise<Response> {
    const deps = { ...this.readerDeps(), log: quiet };
    return createReaderApp(deps).request(`/v1/scopes/${SCOPE}/${path}`);
  }

  /** A deployment whose tables hold the same rows, at the same time: what came before is not played again. */
  async copyOf(other: ErasingScene): Promise<this> {
    this.clock.advanceTo(other.clock.nowMs());
    for (const table of ['control', 'text'] as const) {
      for (const row of other.items(table)) {
        const body = table === 'text' && { body: Buffer.from(String(row.body), 'base64') };
        const input = { Item: { ...row, ...body } };
        await this.tables.store.write({ kind: 'put', table, input, isMine: () => false });
      }
    }
    this.streamBacklog();
    return this;
  }

  /** Ingests, and lets passes read it all. */
  async take(...sources: readonly unknown[]): Promise<void> {
    await this.ingest(SCOPE, sources);
    await this.passTime(60_000);
  }

  /** Goes on when an erasure is due, as the schedule does, until every one is finished. */
  async untilFinished(parts: EraserParts = {}): Promise<void> {
    for (let run = 1; run <= 40; run++) {
      const dueAtMs = this.erasures().flatMap(({ workDueAtMs }) => workDueAtMs ?? []);
      await this.quiesce({ untilMs: Math.max(this.clock.nowMs() + 1_000, ...dueAtMs) });
      await runDueErasures(this.eraserDeps(parts));
      await this.quiesce({ untilMs: this.clock.nowMs() });
      if (this.erasures().every(({ finishedAtMs, liftedAtMs }) => (finishedAtMs ?? liftedAtMs) !== undefined)) return;
    }
    throw new Error(`erasures are not finished: ${JSON.stringify(this.erasures())}`);
  }

  erasures(): ErasureItem[] {
    return this.items()
      .filter(({ sk }) => String(sk).startsWith('ERASURE#'))
      .map((item) => erasureItemSchema.parse(item));
  }

  /** All rows of both tables as text, in lower case; compressed bodies as what they hold. */
  dump(): string {
    const texts = this.items('text').map(({ body, ...row }) => ({
      ...row,
      body: body && readBody(Buffer.from(body as string, 'base64')),
    }));
    return JSON.stringify([this.items(), texts]).toLowerCase();
  }
  /** Those of the words that any row still holds. */
  left(words: readonly string[]): string[] {
    const all = this.dump();
    return words.filter((word) => all.includes(word.toLowerCase()));
  }

  async values(query = ''): Promise<string[]> {
    const { claims } = await this.read(`claims${query}`);
    return (claims as { value: string }[]).map(({ value }) => value).sort();
  }
}

/** Uploads and ids of turns are stored as they are. */
function readBody(body: Buffer): string {
  try {
    return decompressText(body);
  } catch {
    return body.toString('utf8');
  }
}

export function note(id: string, text: string, capturedAt = '2025-12-01T00:00:00Z') {
  return { kind: 'note', id, format: 'text', text, capturedAt };
}

export const keyTextOf = (write: Write): string => {
  const { pk, sk } = (write.kind === 'put' ? write.input.Item : write.input.Key) as Item;
  return `${String(pk)} / ${String(sk)}`;
};

export class Crash extends Error {}

/** A store that dies after its n-th write was done; `count` tells how many there were. */
export function crashAfter(store: Store, n: number): Store & { count(): number } {
  let done = 0;
  return {
    ...store,
    count: () => done,
    async write(write) {
      if (done >= n) throw new Crash('dead already');
      const outcome = await store.write(write);
      if (++done === n) throw new Crash(`after write ${n}`);
      return outcome;
    },
  };
}

/** A store that does something else right before its n-th request. */
export function interrupted(store: Store, n: number, act: () => Promise<unknown>): Store & { count(): number } {
  let seen = 0;
  const before = async (): Promise<void> => {
    if (++seen === n) await act();
  };
  return {
    count: () => seen,
    write: async (write) => (await before(), store.write(write)),
    get: async (read) => (await before(), store.get(read)),
    query: async (read) => (await before(), store.query(read)),
    batchGet: async (read) => (await before(), store.batchGet(read)),
  };
}

/** A plan by which one look is enough: what must not be. */
export const ONE_LOOK: typeof planNextLook = () => ({ kind: 'finished' });
export const LAST_LOOK_MS = LIMITS.erasureLookLastMs;

export const SECRET = note(
  'diary',
  [
    'The quiet word is xylophone.',
    '@claim Zebulon | lives_in | Timbuktu',
    '@claim Maya | likes | marzipan',
    '@claim Maya | lives_in | Reykjavik',
  ].join('\n'),
);
/** With little to erase, so that each of the writes that erase it can be the last. */
export const SMALL = note('diary', 'The quiet word is xylophone. @claim Zebulon | lives_in | Timbuktu');
export const OTHER = note('plain', ['Nothing much.', '@claim Maya | lives_in | Denver'].join('\n'));
export const WORDS = ['xylophone', 'zebulon', 'timbuktu', 'marzipan', 'reykjavik'];
