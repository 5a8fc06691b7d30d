/**
 * Goal: a test on the direct store sees what it would see through the SDK. Method: the same requests through both, each on
 * tables of its own; every answer and every error must be the same.
 */
import { afterEach, describe, expect, it } from 'vitest';
import type { Store } from '../../functions/io/ports.ts';
import { type Item, get, put, query, remove, removeWhen, update } from '../../schema/request.ts';
import { createTestStore, createTestTables, TABLES_TIMEOUT_MS } from './tables.ts';

const PARTITION = 'SCOPE#direct';
const keyAt = (sk: string) => ({ pk: PARTITION, sk });

let close: (() => unknown)[] = [];
afterEach(async () => {
  for (const one of close) await one();
  close = [];
});

/** What both answer, one beside the other; an error as its name and words. */
async function askBoth(act: (store: Store) => Promise<unknown>): Promise<readonly [direct: unknown, sdk: unknown]> {
  const [direct, sdk] = [createTestStore(), await createTestTables()];
  close.push(
    () => direct.close(),
    () => sdk.close(),
  );
  const answerOf = (store: Store) => act(store).catch((error: Error) => ({ name: error.name, message: error.message }));
  return [await answerOf(direct.store), await answerOf(sdk.store)];
}

const putValue = (value: unknown, sk = 'a') => put({ item: { ...keyAt(sk), value }, op: 'op-1', when: [] });

const VALUES: readonly (readonly [string, unknown])[] = [
  ['a lone surrogate', 'a\ud83db'],
  ['an emptiness', ''],
  ['null', null],
  ['nothing', undefined],
  ['nothing inside', { x: undefined, y: [undefined, 1] }],
  ['a fraction', 0.1 + 0.2],
  ['a small number', 1e-7],
  ['a zero below zero', -0],
  ['no number', Number.NaN],
  ['no end', Number.POSITIVE_INFINITY],
  ['a number that is not safe', 2 ** 60],
  ['a large whole number', 2n ** 70n],
  ['bytes', new Uint8Array([0, 1, 255])],
  ['a set', new Set(['a', 'b'])],
  ['an empty set', new Set()],
  ['a map', new Map([['a', 1]])],
  ['a date', new Date(0)],
  ['a function', () => 1],
  ['what is too large', 'x'.repeat(410_000)],
];

describe('the direct store and the SDK’s', () => {
  it.each(VALUES)('keep and refuse %s alike', { timeout: TABLES_TIMEOUT_MS }, async (_, value) => {
    const [direct, sdk] = await askBoth(async (store) => {
      await store.write(putValue(value));
      return store.get(get(keyAt('a')));
    });
    expect(direct).toEqual(sdk);
  });

  it('win, lose, and know their own writes alike', { timeout: TABLES_TIMEOUT_MS }, async () => {
    const free = ['attribute_not_exists(#value) OR #value < :least'];
    const raise = (op: string, least: number) =>
      update({ key: keyAt('a'), op, set: { value: least }, when: free, values: { ':least': least } });
    const [direct, sdk] = await askBoth(async (store) => [
      await store.write(raise('op-1', 5)),
      await store.write(raise('op-2', 4)),
      await store.write(raise('op-1', 5)),
      await store.write(put({ item: keyAt('a'), op: 'op-3', when: ['attribute_not_exists(#pk)'] })),
      await store.write(removeWhen(keyAt('a'), { when: ['#value = :value'], values: { ':value': 4 } })),
      await store.write(removeWhen(keyAt('a'), { when: ['#value = :value'], values: { ':value': 5 } })),
      await store.write(removeWhen(keyAt('a'), { when: ['#value = :value'], values: { ':value': 5 } })),
      await store.write(remove(keyAt('a'))),
      (await store.get(get(keyAt('a')))) ?? 'gone',
    ]);
    expect(direct).toEqual(sdk);
    const outcomes = (direct as { kind?: string }[]).map(({ kind }) => kind ?? 'read');
    expect(outcomes.join(' ')).toBe('won held won held held won held won read');
  });

  it('read pages and batches alike', { timeout: TABLES_TIMEOUT_MS }, async () => {
    const [direct, sdk] = await askBoth(async (store) => {
      for (const sk of ['a', 'b', 'c', 'd']) await store.write(putValue(new Uint8Array([1, 2]), sk));
      const pages: unknown[] = [];
      let startKey: Item | undefined;
      do {
        const page = await store.query(query({ partition: PARTITION, limit: 3, startKey }));
        pages.push(page);
        startKey = page.lastKey;
      } while (startKey);
      const keys = [keyAt('b'), keyAt('z')];
      return { pages, batch: await store.batchGet({ kind: 'batchGet', table: 'control', keys }) };
    });
    expect(direct).toEqual(sdk);
    expect((direct as { pages: unknown[] }).pages).toHaveLength(2);
  });

  it('name what is refused alike', { timeout: TABLES_TIMEOUT_MS }, async () => {
    const [direct, sdk] = await askBoth((store) => store.get(get({ pk: '', sk: 'a' })));
    expect(direct).toEqual(sdk);
    expect(direct).toMatchObject({ name: 'ValidationException' });
  });
});
