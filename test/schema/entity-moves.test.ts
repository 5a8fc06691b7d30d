/** Goal: entities and attentions end the same in whatever order they are written. Method: each guard with its twin. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  attentionItemSchema,
  attentionKey,
  clearAttention,
  dropAttention,
  getAttention,
  lowerAttention,
  queryAttention,
  raiseAttention,
} from '../../schema/attention.ts';
import {
  aliasItemSchema,
  endAlias,
  entityItemSchema,
  nameKeyOf,
  putAlias,
  putEntity,
  queryAliases,
  queryEntities,
  typeEntity,
  typeKeyOf,
  type TypeWord,
} from '../../schema/entity.ts';
import { createTestTables, TABLES_TIMEOUT_MS, type TestTables } from '../support/tables.ts';
import { permutationsOf } from '../core/citation-samples.ts';
import { ALIAS, DETAILS, SUBJECT } from './claim-samples.ts';
import { itRefuses, itSurvivesLostReply, readItem, winAll } from './guards.ts';
import { freshOp, freshScope, GENERATION, NOW_MS } from './samples.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTestTables();
}, TABLES_TIMEOUT_MS);
afterAll(() => tables.close());
const open = () => tables;

const freshAddress = () => ({ scope: freshScope(), generation: GENERATION });
type Address = ReturnType<typeof freshAddress>;

describe('entities', () => {
  it('go by the best spelling, in whatever order they come', async () => {
    const names = ['MAYA', 'maya', 'Maya'];
    for (const order of [names, names.toReversed(), ['Maya', 'MAYA', 'maya']]) {
      const address = freshAddress();
      for (const name of order) await tables.store.write(putEntity(address, name, freshOp()));
      const { items } = await tables.store.query(queryEntities(address, 10));
      expect(items).toMatchObject([{ slug: 'maya', name: 'Maya' }]);
    }
    expect(nameKeyOf('Ünï ß')).toMatch(/^[\x20-\x7e]+$/);
  });

  const typed = (address: Address, word: TypeWord) =>
    typeEntity(address, { slug: 'rex', entityType: word.entityType, typeKey: typeKeyOf(word) }, freshOp());
  const told = (entityType: TypeWord['entityType'], capturedAtMs: number, isPerson = false): TypeWord => ({
    entityType,
    capturedAtMs,
    isPerson,
  });
  async function known(...words: readonly TypeWord[]): Promise<Address> {
    const address = freshAddress();
    await winAll(tables, [putEntity(address, 'REX', freshOp()), ...words.map((word) => typed(address, word))]);
    return address;
  }

  it.each<[string, readonly TypeWord[], string]>([
    ['what was captured later', [told('person', 1), told('pet', 3), told('thing', 2)], 'pet'],
    ['of one time, one and the same', [told('person', 1), told('pet', 1), told('thing', 1)], 'thing'],
    ['a person before all sources', [told('pet', 1, true), told('person', 9), told('thing', 5)], 'pet'],
    ['a person’s later word', [told('pet', 1, true), told('person', 9), told('thing', 2, true)], 'thing'],
  ])('are what %s says, in every order, whatever their spelling becomes', async (_, words, expected) => {
    for (const order of permutationsOf(words)) {
      const address = await known();
      for (const word of order) await tables.store.write(typed(address, word));
      await winAll(tables, [putEntity(address, 'Rex', freshOp())]);
      const { items } = await tables.store.query(queryEntities(address, 10));
      expect(items.map((item) => entityItemSchema.parse(item))).toMatchObject([{ name: 'Rex', entityType: expected }]);
    }
  });

  itSurvivesLostReply(open, 'typeEntity', {
    recognisedBy: 'op',
    arrange: async () => typed(await known(), told('pet', 5)),
  });
  itRefuses(open, 'typeEntity', [
    {
      refuses: 'a word on what nobody made known',
      clause: 'attribute_exists(#pk)',
      arrange: async () => typed(freshAddress(), told('pet', 5)),
      broken: (after) => after['entityType'] === 'pet' && after['name'] === undefined,
    },
    {
      refuses: 'a word that ranks below the one that stands',
      clause: 'attribute_not_exists(#typeKey) OR #typeKey < :typeKey',
      arrange: async () => typed(await known(told('pet', 5)), told('person', 4)),
      broken: (after) => after['entityType'] === 'person',
    },
  ]);

  const merge = (address: Address, recordedAtMs = NOW_MS) => putAlias(address, { ...ALIAS, recordedAtMs }, freshOp());
  const end = (address: Address, nowMs = NOW_MS + 5) => endAlias(address, ALIAS, nowMs, freshOp());
  async function merged(): Promise<Address> {
    const address = freshAddress();
    await winAll(tables, [merge(address)]);
    return address;
  }

  it('are merged, parted and merged again', async () => {
    const address = await merged();
    await winAll(tables, [end(address), merge(address, NOW_MS + 9)]);
    const { items } = await tables.store.query(queryAliases(address, 10));
    expect(items.map((item) => aliasItemSchema.parse(item))).toEqual([{ v: 1, ...ALIAS, recordedAtMs: NOW_MS + 9 }]);
  });

  itSurvivesLostReply(open, 'putAlias', { recognisedBy: 'op', arrange: async () => merge(freshAddress()) });
  itRefuses(open, 'putAlias', [
    {
      refuses: 'a merge that stands: who said so first stays',
      clause: 'attribute_not_exists(#pk) OR #endedAtMs < :saidAtMs',
      arrange: async () => merge(await merged(), NOW_MS + 9),
      broken: (after) => after['recordedAtMs'] === NOW_MS + 9,
    },
    {
      refuses: 'a merge that was taken back since: its copy came late',
      clause: 'attribute_not_exists(#pk) OR #endedAtMs < :saidAtMs',
      arrange: async () => {
        const address = await merged();
        await winAll(tables, [end(address)]);
        return merge(address);
      },
      broken: (after) => after['endedAtMs'] === undefined,
    },
  ]);

  itSurvivesLostReply(open, 'endAlias', { recognisedBy: 'op', arrange: async () => end(await merged()) });
  itRefuses(open, 'endAlias', [
    {
      refuses: 'a merge that nobody made',
      clause: '#recordedAtMs <= :set_endedAtMs',
      arrange: async () => end(freshAddress()),
      broken: (after) => after['endedAtMs'] !== undefined && after['from'] === undefined,
    },
    {
      refuses: 'a second ending: the time of the first stays',
      clause: 'attribute_not_exists(#endedAtMs)',
      arrange: async () => {
        const address = await merged();
        await winAll(tables, [end(address)]);
        return end(address, NOW_MS + 9);
      },
      broken: (after) => after['endedAtMs'] === NOW_MS + 9,
    },
    {
      refuses: 'a merge that was said again since: its copy came late',
      clause: '#recordedAtMs <= :set_endedAtMs',
      arrange: async () => {
        const address = await merged();
        await winAll(tables, [end(address), merge(address, NOW_MS + 9)]);
        return end(address);
      },
      broken: (after) => after['endedAtMs'] === NOW_MS + 5,
    },
  ]);
});

describe('attentions', () => {
  const raise = (address: Address, subjectKey: string) =>
    raiseAttention(address, { ...SUBJECT, subjectKey, details: DETAILS, nowMs: NOW_MS, op: freshOp() });
  const lower = (address: Address, subjectKey: string, seenOp: string) =>
    lowerAttention(address, { ...SUBJECT, subjectKey, seenOp, details: DETAILS, nowMs: NOW_MS, op: freshOp() });
  const opOf = async (address: Address): Promise<string> =>
    String((await tables.store.get(getAttention(address, SUBJECT)))?.['op']);
  const clear = (address: Address, belowKey: string, nowMs = NOW_MS + 5) =>
    clearAttention(address, SUBJECT, { belowKey, resolution: 'settled', nowMs, op: freshOp() });
  async function raised(subjectKey = 'b'): Promise<Address> {
    const address = freshAddress();
    await winAll(tables, [raise(address, subjectKey)]);
    return address;
  }

  it('what was cleared is open again only at a later state', async () => {
    const address = await raised();
    await winAll(tables, [clear(address, 'c')]);
    expect(await tables.store.write(raise(address, 'b'))).toMatchObject({ kind: 'held' });
    await winAll(tables, [raise(address, 'c')]);
    const stored = attentionItemSchema.parse(await tables.store.get(getAttention(address, SUBJECT)));
    expect(stored).toMatchObject({ subjectKey: 'c' });
    expect(stored).not.toHaveProperty('resolvedAtMs');
    expect((await tables.store.query(queryAttention(address, 10))).items).toHaveLength(1);
  });

  itSurvivesLostReply(open, 'raiseAttention', { recognisedBy: 'op', arrange: async () => raise(freshAddress(), 'b') });
  itRefuses(open, 'raiseAttention', [
    {
      refuses: 'an earlier state of the subject',
      clause: 'attribute_not_exists(#subjectKey) OR #subjectKey < :subjectKey',
      arrange: async () => raise(await raised(), 'a'),
      broken: (after) => after['subjectKey'] === 'a',
    },
  ]);

  itSurvivesLostReply(open, 'lowerAttention', {
    recognisedBy: 'op',
    arrange: async () => {
      const address = await raised();
      return lower(address, 'a', await opOf(address));
    },
  });
  itRefuses(open, 'lowerAttention', [
    {
      refuses: 'a subject that moved since it was seen',
      clause: '#op = :seenOp',
      arrange: async () => {
        const address = await raised();
        const seenOp = await opOf(address);
        await winAll(tables, [raise(address, 'c')]);
        return lower(address, 'a', seenOp);
      },
      broken: (after) => after['subjectKey'] === 'a',
    },
    {
      refuses: 'one that was closed since, at the state that was seen',
      clause: '#op = :seenOp',
      arrange: async () => {
        const address = await raised();
        const seenOp = await opOf(address);
        await winAll(tables, [clear(address, 'c')]);
        return lower(address, 'b', seenOp);
      },
      broken: (after) => after['resolvedAtMs'] === undefined,
    },
  ]);

  itSurvivesLostReply(open, 'clearAttention', { recognisedBy: 'op', arrange: async () => clear(await raised(), 'c') });
  itRefuses(open, 'clearAttention', [
    {
      refuses: 'a later state than the one that was settled',
      clause: '#subjectKey < :belowKey',
      arrange: async () => clear(await raised('d'), 'c'),
      broken: (after) => after['resolvedAtMs'] !== undefined,
    },
    {
      refuses: 'a second clearing: the time of the first stays',
      clause: 'attribute_not_exists(#resolvedAtMs)',
      arrange: async () => {
        const address = await raised();
        await winAll(tables, [clear(address, 'c')]);
        return clear(address, 'c', NOW_MS + 9);
      },
      broken: (after) => after['resolvedAtMs'] === NOW_MS + 9,
    },
  ]);

  itRefuses(open, 'dropAttention', [
    {
      refuses: 'one that was raised again since it was read',
      clause: '#op = :seen',
      arrange: async () => {
        const address = await raised();
        const op = String((await tables.store.get(getAttention(address, SUBJECT)))?.op);
        await winAll(tables, [raise(address, 'c')]);
        return dropAttention(attentionKey(address, SUBJECT), op);
      },
      broken: (after) => after['subjectKey'] === undefined,
    },
  ]);

  it('a row stands once each: reading it changes nothing', async () => {
    const address = await raised();
    expect(await readItem(tables, raise(address, 'b'))).toMatchObject({ subject: SUBJECT.subject });
  });
});
