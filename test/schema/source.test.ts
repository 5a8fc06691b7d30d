import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { revisionOf } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Write } from '../../schema/request.ts';
import { countRetry, hourStartMs, retryHourItemSchema } from '../../schema/retry-hour.ts';
import {
  completeSource,
  getSource,
  newestKeyOf,
  noteSourceCrash,
  putNewestSource,
  type SeenSource,
  type SourceAddress,
  sourceItemSchema,
} from '../../schema/source.ts';
import { eraseSource } from '../../schema/source-erasure.ts';
import { batchGetText, partsOf, putTextPart, type TextAddress, textPartKey } from '../../schema/text.ts';
import { createTestTables, TABLES_TIMEOUT_MS, type TestTables } from '../support/tables.ts';
import { itRefuses, itSurvivesLostReply, readItem, winAll } from './guards.ts';
import { freshOp, freshScope, GENERATION, NOW_MS } from './samples.ts';

const [FIRST, SECOND, THIRD] = ['a', 'b', 'c'].map(revisionOf) as [string, string, string];

let tables: TestTables;
beforeAll(async () => {
  tables = await createTestTables();
}, TABLES_TIMEOUT_MS);
afterAll(() => tables.close());
const open = () => tables;

const freshAddress = (): SourceAddress => ({
  scope: freshScope(),
  generation: GENERATION,
  kind: 'note',
  id: 'notes/größe.md',
});
const putSource = (
  address: SourceAddress,
  revision: string,
  capturedAtMs: number,
  seen?: SeenSource,
  ingestedAtMs = NOW_MS,
): Write =>
  putNewestSource(
    address,
    {
      revision,
      capturedAtMs,
      capturedFrom: 'call',
      format: 'markdown',
      length: 5,
      completed: false,
      ingestedAtMs,
    },
    freshOp(),
    seen,
  );
const keyOf = (capturedAtMs: number, revision: string) => newestKeyOf({ capturedAtMs, ingestedAtMs: NOW_MS, revision });
const stored = async (address: SourceAddress) => sourceItemSchema.parse(await tables.store.get(getSource(address)));

async function sourceAt(revision: string, capturedAtMs: number): Promise<SourceAddress> {
  const address = freshAddress();
  await winAll(tables, [putSource(address, revision, capturedAtMs)]);
  return address;
}

describe('putNewestSource', () => {
  it('puts the first revision, then a later captured one, or one that came in later of the same moment', async () => {
    const address = await sourceAt(FIRST, NOW_MS);
    await winAll(tables, [putSource(address, SECOND, NOW_MS + 1, { newestKey: keyOf(NOW_MS, FIRST) })]);
    expect(await stored(address)).toMatchObject({ revision: SECOND, kind: 'note', id: 'notes/größe.md' });
    // The later one has the lesser revision: what it hashes to says nothing.
    const [lower, greater] = [FIRST, THIRD].sort() as [string, string];
    const tied = await sourceAt(greater, NOW_MS);
    const later = putSource(tied, lower, NOW_MS, { newestKey: keyOf(NOW_MS, greater) }, NOW_MS + 1);
    expect(await tables.store.write(later)).toMatchObject({ kind: 'won' });
  });

  itSurvivesLostReply(open, 'putNewestSource', {
    recognisedBy: 'op',
    arrange: async () => putSource(freshAddress(), FIRST, NOW_MS, { newestKey: undefined }),
  });

  itRefuses(open, 'putNewestSource', [
    {
      refuses: 'an older revision, also when its caller saw the row that stands',
      clause: 'attribute_not_exists(#newestKey) OR #newestKey < :newestKey',
      arrange: async () =>
        putSource(await sourceAt(SECOND, NOW_MS), FIRST, NOW_MS - 1, { newestKey: keyOf(NOW_MS, SECOND) }),
      broken: (after) => after['revision'] === FIRST,
    },
    {
      refuses: 'a caller that saw no row where one stands now, and would not know what it replaced',
      clause: 'attribute_not_exists(#newestKey)',
      arrange: async () => putSource(await sourceAt(FIRST, NOW_MS), SECOND, NOW_MS + 1, { newestKey: undefined }),
      broken: (after) => after['revision'] === SECOND && after['replaces'] === undefined,
    },
    {
      refuses: 'a caller that saw another row than the one it would replace',
      clause: '#newestKey = :seenKey',
      arrange: async () => {
        const address = await sourceAt(FIRST, NOW_MS);
        await winAll(tables, [putSource(address, SECOND, NOW_MS + 1)]);
        return putSource(address, THIRD, NOW_MS + 2, { newestKey: keyOf(NOW_MS, FIRST) });
      },
      broken: (after) => after['revision'] === THIRD,
    },
    {
      refuses: 'a caller that did not see the first crash of the source, and would forget it',
      clause: 'attribute_not_exists(#crashSeq)',
      arrange: async () => putSource(await crashedAt(1), SECOND, NOW_MS + 1, { newestKey: keyOf(NOW_MS, FIRST) }),
      broken: (after) => after['crashes'] === undefined,
    },
    {
      refuses: 'a caller that did not see the last one',
      clause: '#crashSeq = :seenCrashSeq',
      arrange: async () =>
        putSource(await crashedAt(2), SECOND, NOW_MS + 1, { newestKey: keyOf(NOW_MS, FIRST), crashSeq: 1 }),
      broken: (after) => after['crashes'] === undefined,
    },
  ]);
});

const crash = (n: number) => ({ passId: `p${n}`, atMs: NOW_MS + n });
const noteCrash = (address: SourceAddress, n: number, crashSeq = n === 1 ? undefined : n - 1) =>
  noteSourceCrash(address, { crashes: Array.from({ length: n }, (_, k) => crash(k + 1)), crashSeq, op: freshOp() });

async function crashedAt(times: number): Promise<SourceAddress> {
  const address = await sourceAt(FIRST, NOW_MS);
  await winAll(
    tables,
    Array.from({ length: times }, (_, k) => noteCrash(address, k + 1)),
  );
  return address;
}

describe('noteSourceCrash', () => {
  it('notes one after the other, and leaves the revision as it stands', async () => {
    expect(await stored(await crashedAt(2))).toMatchObject({
      revision: FIRST,
      crashes: [crash(1), crash(2)],
      crashSeq: 2,
    });
  });

  itSurvivesLostReply(open, 'noteSourceCrash', {
    recognisedBy: 'op',
    arrange: async () => noteCrash(await sourceAt(FIRST, NOW_MS), 1),
  });

  itRefuses(open, 'noteSourceCrash', [
    {
      refuses: 'a source that was erased: its tombstone stays as it is',
      clause: 'attribute_exists(#revision)',
      arrange: async () => {
        const address = await sourceAt(FIRST, NOW_MS);
        await winAll(tables, [eraseSource(address, NOW_MS, freshOp())]);
        return noteCrash(address, 1);
      },
      broken: (after) => after['erasedAtMs'] === NOW_MS && after['crashes'] !== undefined,
    },
    {
      refuses: 'a crash beside the first, by one who saw none',
      clause: 'attribute_not_exists(#crashSeq)',
      arrange: async () => noteCrash(await crashedAt(2), 1),
      broken: (after) => (after['crashes'] as unknown[]).length === 1,
    },
    {
      refuses: 'a crash by one who did not see the last',
      clause: '#crashSeq = :seenCrashSeq',
      arrange: async () => noteCrash(await crashedAt(3), 2, 1),
      broken: (after) => (after['crashes'] as unknown[]).length === 2,
    },
  ]);
});

describe('countRetry', () => {
  const row = async (timeMs: number) =>
    retryHourItemSchema.loose().parse(await readItem(tables, countRetry(timeMs, freshOp())));
  const full = async (timeMs: number) => {
    const writes = Array.from({ length: LIMITS.retriesPerHourMax }, () => countRetry(timeMs, freshOp()));
    await winAll(tables, writes);
    return timeMs;
  };
  let hours = 0;
  const freshHour = () => hourStartMs(NOW_MS, ++hours);

  it('counts up to the bound, each hour for itself, in a row that goes a day later', async () => {
    const timeMs = await full(freshHour());
    expect(await tables.store.write(countRetry(timeMs + 3_599_999, freshOp()))).toMatchObject({ kind: 'held' });
    expect(await tables.store.write(countRetry(hourStartMs(timeMs, 1), freshOp()))).toMatchObject({ kind: 'won' });
    hours++;
    expect(await row(timeMs)).toMatchObject({
      pk: 'POOL#0',
      sk: `RETRIES#${new Date(timeMs).toISOString().slice(0, 13)}`,
      retries: LIMITS.retriesPerHourMax,
      ttl: (timeMs + 25 * 3_600_000) / 1000,
    });
  });

  itRefuses(open, 'countRetry', [
    {
      refuses: 'one more than an hour may let through',
      clause: 'attribute_not_exists(#retries) OR #retries < :most',
      arrange: async () => countRetry(await full(freshHour()), freshOp()),
      broken: (after) => Number(after['retries']) > LIMITS.retriesPerHourMax,
    },
  ]);
});

describe('completeSource', () => {
  it('marks the newest revision', async () => {
    const address = await sourceAt(FIRST, NOW_MS);
    await winAll(tables, [completeSource(address, keyOf(NOW_MS, FIRST), freshOp())]);
    expect(await stored(address)).toMatchObject({ completed: true, revision: FIRST });
  });

  itSurvivesLostReply(open, 'completeSource', {
    recognisedBy: 'condition',
    arrange: async () => completeSource(await sourceAt(FIRST, NOW_MS), keyOf(NOW_MS, FIRST), freshOp()),
  });

  itRefuses(open, 'completeSource', [
    {
      refuses: 'a revision that another took the place of',
      clause: '#newestKey = :seenKey',
      arrange: async () => completeSource(await sourceAt(SECOND, NOW_MS), keyOf(NOW_MS, FIRST), freshOp()),
      broken: (after) => after['revision'] === SECOND && after['completed'] === true,
    },
    {
      refuses: 'a revision that its source went back to since, whose evidence waits elsewhere',
      clause: '#newestKey = :seenKey',
      arrange: async () => {
        const address = await sourceAt(FIRST, NOW_MS);
        const back = [
          putSource(address, SECOND, NOW_MS + 1, { newestKey: keyOf(NOW_MS, FIRST) }),
          putSource(address, FIRST, NOW_MS + 2, { newestKey: keyOf(NOW_MS + 1, SECOND) }),
        ];
        await winAll(tables, back);
        return completeSource(address, keyOf(NOW_MS, FIRST), freshOp());
      },
      broken: (after) => after['completed'] === true,
    },
  ]);
});

describe('text parts', () => {
  const address = (): TextAddress => ({
    scope: freshScope(),
    generation: GENERATION,
    ref: { kind: 'note', id: 'a#b', revision: FIRST },
  });
  const body = (text: string) => new Uint8Array(Buffer.from(text));

  itSurvivesLostReply(open, 'putTextPart', {
    recognisedBy: 'condition',
    arrange: async () => putTextPart(address(), 0, body('hello'), freshOp()),
  });

  it('are read back by their keys, and those that are not there are left out', async () => {
    const of = address();
    await winAll(
      tables,
      [0, 1].map((part) => putTextPart(of, part, body(`part ${part}`), freshOp())),
    );
    const rows = await tables.store.batchGet(batchGetText([0, 1, 2].map((part) => textPartKey(of, part))));
    const texts = Object.fromEntries(
      rows.map((row) => [row['sk'], Buffer.from(row['body'] as Uint8Array).toString()] as const),
    );
    expect(texts).toEqual({ '00000': 'part 0', '00001': 'part 1' });
  });

  it('a batch read refuses no keys and more than fit', () => {
    const keys = Array.from({ length: LIMITS.batchGetKeysMax + 1 }, (_, part) => textPartKey(address(), part));
    expect(() => batchGetText(keys)).toThrow(/1 to 100 keys, not 101/);
    expect(() => batchGetText([])).toThrow(/1 to 100 keys, not 0/);
    expect(batchGetText(keys.slice(1)).keys).toHaveLength(LIMITS.batchGetKeysMax);
  });

  it.each([
    [0, 1, [0]],
    [0, 65_536, [0]],
    [0, 65_537, [0, 1]],
    [65_535, 65_537, [0, 1]],
    [65_536, 65_537, [1]],
    [70_000, 70_000, [1]],
    [0, 200_000, [0, 1, 2, 3]],
  ])('characters %i to %i stand in parts %j', (start, end, parts) => {
    expect(partsOf(start, end)).toEqual(parts);
  });
});
