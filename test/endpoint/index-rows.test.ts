/**
 * What the access patterns take for granted of an index and of a page, asked of whatever endpoint the environment names:
 * sparse rows, included attributes, moves, order, limits, and pages that neither lose nor repeat a row.
 */
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Item, query, type Write } from '../../schema/request.ts';
import { queryPasses } from '../../schema/pass-list.ts';
import { INDEXES, type IndexName } from '../../schema/table.ts';
import { winAll } from '../schema/guards.ts';
import { freshScope } from '../schema/samples.ts';
import { createTestTables, TABLES_TIMEOUT_MS, type TestTables } from '../support/tables.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTestTables();
}, TABLES_TIMEOUT_MS);
afterAll(() => tables.close());

const putRow = (row: Item): Write => ({ kind: 'put', table: 'control', isMine: () => false, input: { Item: row } });

/** All rows of an index partition, so many at a time, and how many pages it took. */
async function readAll(index: IndexName, partition: string, limit: number, descending = false) {
  const rows: Item[] = [];
  let startKey: Item | undefined;
  for (let pages = 1; ; pages += 1) {
    const page = await tables.client.send(queryCommand(index, partition, { limit, descending, startKey }));
    rows.push(...(page.Items ?? []));
    expect(page.Items?.length).toBeLessThanOrEqual(limit);
    startKey = page.LastEvaluatedKey;
    if (startKey === undefined) return { rows, pages };
  }
}

interface Page {
  readonly limit: number;
  readonly descending: boolean;
  readonly startKey: Item | undefined;
}

function queryCommand(index: IndexName, partition: string, { limit, descending, startKey }: Page) {
  return new QueryCommand({
    TableName: tables.names.control,
    IndexName: index,
    KeyConditionExpression: '#partition = :partition',
    ExpressionAttributeNames: { '#partition': INDEXES[index].partition.name },
    ExpressionAttributeValues: { ':partition': partition },
    Limit: limit,
    ScanIndexForward: !descending,
    ...(startKey && { ExclusiveStartKey: startKey }),
  });
}

describe('rows of an index', () => {
  it('are there only with both keys, bear keys and included attributes only, and follow an update', async () => {
    const scope = freshScope();
    const row = { pk: `SCOPE#${scope}#1`, sk: 'EVIDENCE#x', queuePartition: scope, queueKey: 'b', cursor: 1, seq: 2 };
    const sparse = { pk: row.pk, sk: 'EVIDENCE#y', queuePartition: scope };
    await winAll(tables, [putRow({ ...row, secret: 'not projected' }), putRow(sparse)]);
    const read = async () => (await readAll('queue', scope, 10)).rows;
    await expect.poll(read).toEqual([row]);
    await winAll(tables, [putRow({ ...row, queueKey: 'a', seq: 3 }), putRow({ ...sparse, queueKey: 'b' })]);
    await expect.poll(read).toEqual([
      { ...row, queueKey: 'a', seq: 3 },
      { ...sparse, queueKey: 'b' },
    ]);
    const { queueKey: _gone, ...unqueued } = row;
    await winAll(tables, [putRow(unqueued)]);
    await expect.poll(read).toEqual([{ ...sparse, queueKey: 'b' }]);
  });

  it('with one key are all there, and pages neither lose nor repeat one', async () => {
    const scope = freshScope();
    const names = Array.from({ length: 23 }, (_, k) => `EVIDENCE#${String(k).padStart(2, '0')}`);
    const rows = names.map((sk) => ({ pk: `SCOPE#${scope}#1`, sk, queuePartition: scope, queueKey: 'same' }));
    await winAll(tables, rows.map(putRow));
    await expect.poll(async () => (await readAll('queue', scope, 100)).rows.length).toBe(23);
    for (const [limit, descending] of [
      [1, false],
      [5, false],
      [7, true],
    ] as const) {
      const { rows: found, pages } = await readAll('queue', scope, limit, descending);
      expect(found.map(({ sk }) => String(sk)).toSorted()).toEqual(names);
      expect(pages).toBeGreaterThanOrEqual(Math.ceil(23 / limit));
    }
  });

  it('by a number are in the order of numbers, forwards and backwards', async () => {
    const scope = freshScope();
    const times = [-5, 0, 2, 10, 1_700_000_000_000];
    const rows = times.map((workDueAtMs) => ({
      pk: `SCOPE#${scope}-${workDueAtMs}`,
      sk: 'SCOPE',
      workPartition: scope,
      workDueAtMs,
    }));
    await winAll(tables, rows.map(putRow));
    const read = async (descending: boolean) =>
      (await readAll('work', scope, 2, descending)).rows.map((row) => row.workDueAtMs);
    await expect.poll(() => read(false)).toEqual(times);
    expect(await read(true)).toEqual(times.toReversed());
  });
});

describe('pages of the table', () => {
  it('go on after the last key, newest first, to the end', async () => {
    const scope = freshScope();
    const names = Array.from({ length: 11 }, (_, k) => `PASS#${String(k).padStart(3, '0')}`);
    const others = ['PASR', 'PASS', 'PASS$', 'PAST#'].map((sk) => ({ pk: `SCOPE#${scope}#1`, sk }));
    const passes = names.map((sk) => ({ pk: `SCOPE#${scope}#1`, sk, status: 'running' }));
    await winAll(tables, [...passes, ...others].map(putRow));
    const found: unknown[] = [];
    let startKey: Item | undefined;
    do {
      const page = await tables.store.query(queryPasses(scope, 1, 4, startKey));
      found.push(...page.items.map(({ sk }) => sk));
      startKey = page.lastKey;
    } while (startKey !== undefined);
    expect(found).toEqual(names.toReversed());
  });

  it('end at one megabyte, however many rows were asked for', async () => {
    const scope = freshScope();
    const partition = `SCOPE#${scope}#1`;
    const text = 'x'.repeat(300_000);
    const rows = [1, 2, 3, 4, 5].map((k) => ({ pk: partition, sk: `CLAIM#${k}`, text }));
    await winAll(tables, rows.map(putRow));
    const found: unknown[] = [];
    let startKey: Item | undefined;
    do {
      const page = await tables.store.query(query({ partition, beginsWith: 'CLAIM#', limit: 100, startKey }));
      // AWS ends with the row that passes the megabyte, other engines before it.
      expect(page.items.length).toBeLessThanOrEqual(4);
      found.push(...page.items.map(({ sk }) => sk));
      startKey = page.lastKey;
    } while (startKey !== undefined);
    expect(found).toEqual(rows.map(({ sk }) => sk));
  });
});
