import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ingestSources } from '../../../functions/ingest/run.ts';
import { decompressText } from '../../../functions/io/text.ts';
import { queryTakeable, timeOfQueueKey } from '../../../schema/queue.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { batchGetText, textItemSchema, textPartKey } from '../../../schema/text.ts';
import { createIngestBench, type IngestBench, SCOPE, sortKeyOf, START_MS } from './bench.ts';

let bench: IngestBench;
beforeEach(() => {
  bench = createIngestBench();
});
afterEach(() => bench.close());

const MAY = '2024-05-03T00:00:00Z';
const JUNE = '2024-06-03T00:00:00Z';
const note = (text: string, capturedAt = MAY, id = 'a') => ({ kind: 'note', id, text, capturedAt });
const outcomesOf = async (...sources: unknown[]) => (await bench.ingest(sources)).results.map(({ outcome }) => outcome);

describe('a source that is new', () => {
  it('is answered with what became of it', async () => {
    const { results } = await bench.ingest([{ kind: 'note', id: 'a', text: 'caf\u00e9\r\n', capturedAt: MAY }]);
    expect(results).toEqual([
      {
        kind: 'note',
        id: 'a',
        outcome: 'created',
        revision: expect.stringMatching(/^[0-9a-f]{16}$/),
        capturedAt: '2024-05-03T00:00:00.000Z',
        capturedFrom: 'call',
        length: 4,
        changes: ['line-endings: 1', 'trailing-newlines: 1'],
      },
    ]);
    expect(bench.metrics.get('sourcesIngested')).toBe(1);
  });

  it('is written in the order that a crash cannot hurt', async () => {
    await bench.ingest([note('one')]);
    expect(bench.writes.map(sortKeyOf).map((sk) => sk.split('#')[0])).toEqual([
      'SCOPE',
      'TEXTLIST',
      '00000',
      'EVIDENCE',
      'SOURCE',
      'SCOPE',
    ]);
    expect(bench.isDue()).toBe(true);
  });

  it('stands in the queue, and its text can be read back', async () => {
    const text = `${'\u{1f600}'.repeat(LIMITS.textPartCharacters)}end`;
    const [result] = (await bench.ingest([note(text)])).results;
    const { items } = await bench.store.query(queryTakeable({ scope: SCOPE, generation: 1, lane: 'incremental' }, 10));
    expect(items).toMatchObject([{ length: LIMITS.textPartCharacters + 3, cursor: 0 }]);
    const ref = { kind: 'note' as const, id: 'a', revision: result?.revision ?? '' };
    const address = { scope: SCOPE, generation: 1, ref };
    const parts = await bench.store.batchGet(batchGetText([0, 1].map((part) => textPartKey(address, part))));
    const bodies = parts.map((part) => textItemSchema.parse(part)).sort((a, b) => (a.sk < b.sk ? -1 : 1));
    expect(bodies.map(({ body }) => decompressText(body)).join('')).toBe(text);
  });
});

describe('a call', () => {
  it('answers in the order given, and a bad source costs no other', async () => {
    const { results } = await bench.ingest([note('one', MAY, 'a'), { id: 7 }, 'x', note('two', MAY, 'b'), { id: 'c' }]);
    expect(results.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['a', 'created'],
      [undefined, 'refused'],
      [undefined, 'refused'],
      ['b', 'created'],
      ['c', 'refused'],
    ]);
    expect(results[1]?.error?.code).toBe('invalid_source');
    expect(bench.evidence()).toHaveLength(2);
  });

  it('of nothing but bad sources touches nothing', async () => {
    expect(await outcomesOf({ id: 'a' })).toEqual(['refused']);
    expect(bench.writes).toEqual([]);
  });

  it('takes as many sources as its bound at once', async () => {
    const sources = Array.from({ length: LIMITS.ingestSourcesMax }, (_, k) => note(`text ${k}`, MAY, `id ${k}`));
    expect(new Set(await outcomesOf(...sources))).toEqual(new Set(['created']));
    expect(bench.evidence()).toHaveLength(LIMITS.ingestSourcesMax);
    // Two marks for the call, four writes for each source.
    expect(bench.writes).toHaveLength(2 + 4 * LIMITS.ingestSourcesMax);
  });

  it('handles revisions of one source one after the other', async () => {
    expect(await outcomesOf(note('one', MAY), note('two', JUNE), note('two', JUNE), note('one', MAY))).toEqual([
      'created',
      'revised',
      'unchanged',
      'older',
    ]);
    expect(bench.evidence().filter(({ state }) => state === 'pending')).toMatchObject([{ length: 3 }]);
    expect(bench.sources()).toMatchObject([
      { revision: bench.evidence().find((e) => e.state === 'pending')?.revision },
    ]);
  });
});

describe('the same text again', () => {
  it('writes nothing and answers what stands', async () => {
    await bench.ingest([note('one'), note('two', MAY, 'b')]);
    bench.writes.length = 0;
    const before = bench.snapshot();
    bench.nowMs += 1000;
    const { results } = await bench.ingest([note('one', JUNE), { kind: 'note', id: 'b', text: 'two\n' }]);
    expect(results.map(({ outcome, capturedAt }) => [outcome, capturedAt])).toEqual([
      ['unchanged', '2024-05-03T00:00:00.000Z'],
      ['unchanged', '2024-05-03T00:00:00.000Z'],
    ]);
    expect(bench.writes).toEqual([]);
    expect(bench.snapshot()).toEqual(before);
  });

  it('beside a new one costs the new one alone', async () => {
    await bench.ingest([note('one')]);
    bench.writes.length = 0;
    expect(await outcomesOf(note('one'), note('two', MAY, 'b'))).toEqual(['unchanged', 'created']);
    expect(bench.writes).toHaveLength(6);
  });

  it('as a document is another source than as a note', async () => {
    expect(await outcomesOf(note('one'), { ...note('one'), kind: 'document' })).toEqual(['created', 'created']);
  });
});

describe('a revision', () => {
  const pending = () => bench.evidence().filter(({ state }) => state === 'pending');

  it('that is newer takes the older one out of the queue', async () => {
    await bench.ingest([note('one', MAY)]);
    const [result] = (await bench.ingest([note('two', JUNE)])).results;
    expect(result?.outcome).toBe('revised');
    expect(pending()).toMatchObject([{ revision: result?.revision }]);
    expect(bench.sources()).toMatchObject([{ revision: result?.revision }]);
  });

  it('that comes late is history: known, but not pending; again, it writes nothing', async () => {
    const [newer] = (await bench.ingest([note('two', JUNE)])).results;
    expect(await outcomesOf(note('one', MAY))).toEqual(['older']);
    expect(
      bench
        .evidence()
        .map(({ state }) => state)
        .sort(),
    ).toEqual(['obsolete', 'pending']);
    expect(pending()).toMatchObject([{ revision: newer?.revision }]);
    expect(bench.sources()).toMatchObject([{ revision: newer?.revision }]);
    bench.writes.length = 0;
    expect(await outcomesOf(note('one', MAY))).toEqual(['older']);
    expect(bench.writes).toEqual([]);
  });

  it('that a source goes back to is read after all', async () => {
    await bench.ingest([note('one', MAY)]);
    await bench.ingest([note('two', JUNE)]);
    const july = '2024-07-03T00:00:00Z';
    const [back] = (await bench.ingest([note('one', july)])).results;
    expect(back?.outcome).toBe('revised');
    expect(pending()).toMatchObject([{ revision: back?.revision, capturedAtMs: Date.parse(july) }]);
    expect(pending()[0]?.homeKey).toMatch(/^1#/);
  });
});

describe('a scope of a later generation', () => {
  it('gets its sources there, also when it was erased between the first read and the mark', async () => {
    await bench.ingest([note('one')]);
    const erased: typeof bench.store = {
      ...bench.store,
      async write(write) {
        const outcome = await bench.store.write(write);
        if (!sortKeyOf(write).startsWith('SCOPE') || outcome.kind === 'held') return outcome;
        return { ...outcome, item: { ...outcome.item, generation: 2 } };
      },
    };
    const { results } = await ingestSources(
      { ...bench.deps, store: erased },
      { scope: SCOPE, body: { sources: [note('one'), note('two', MAY, 'b')] } },
    );
    expect(results.map(({ outcome }) => outcome)).toEqual(['created', 'created']);
    const second = bench.snapshot().filter(({ pk }) => pk === `SCOPE#${SCOPE}#2`);
    expect(second.map(({ sk }) => String(sk).split('#', 1)[0])).toEqual(
      ['EVIDENCE', 'SOURCE', 'TEXTLIST'].flatMap((row) => [row, row]),
    );
  });
});

describe('an unfinished session', () => {
  const turns = (...texts: string[]) => ({
    kind: 'transcript',
    id: 's',
    turns: texts.map((text, k) => ({ speaker: 'Maya', text, at: `2024-05-03T10:00:0${k}Z` })),
  });
  const homeOf = () => bench.evidence().find(({ state }) => state === 'pending')?.homeKey;

  it('waits for the idle time of the settings', async () => {
    await bench.ingest([{ ...turns('a'), completed: false }]);
    expect(homeOf()).toMatch(/^3#/);
    expect(bench.sources()).toMatchObject([{ completed: false }]);
    const { store } = bench;
    const queue = { scope: SCOPE, generation: 1, lane: 'incremental' as const };
    expect((await store.query(queryTakeable(queue, 10))).items).toEqual([]);
  });

  it("waits by the deployment's setting where one is given", async () => {
    const deps = { ...bench.deps, deploymentSettings: { completeAfterIdleMs: 60_000 } };
    await ingestSources(deps, { scope: SCOPE, body: { sources: [{ ...turns('a'), completed: false }] } });
    expect(timeOfQueueKey(homeOf() ?? '')).toBe(START_MS + 60_000);
  });

  it('is one pending revision, whatever came before', async () => {
    await bench.ingest([{ ...turns('a'), completed: false }]);
    await bench.ingest([{ ...turns('a', 'b'), completed: false }]);
    await bench.ingest([turns('a', 'b', 'c')]);
    expect(
      bench
        .evidence()
        .map(({ state }) => state)
        .sort(),
    ).toEqual(['obsolete', 'obsolete', 'pending']);
    expect(homeOf()).toMatch(/^1#/);
  });

  it('is released by the same text as completed, once', async () => {
    await bench.ingest([{ ...turns('a'), completed: false }]);
    expect(await outcomesOf(turns('a'))).toEqual(['unchanged']);
    expect(homeOf()).toMatch(/^1#/);
    expect(bench.sources()).toMatchObject([{ completed: true }]);
    bench.writes.length = 0;
    expect(await outcomesOf(turns('a'), { ...turns('a'), completed: false })).toEqual(['unchanged', 'unchanged']);
    expect(bench.writes).toEqual([]);
  });
});
