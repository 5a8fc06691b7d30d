import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addCitationPass,
  type Citation,
  citationItemSchema,
  citationKey,
  putCitation,
  queryCitations,
  querySlotCitations,
  slotKeyOf,
} from '../../schema/citation.ts';
import { entityItemSchema, putEntity, slugOf } from '../../schema/entity.ts';
import { getHead, headItemSchema, raiseRegister, registerKeyOf, registerOf } from '../../schema/head.ts';
import { hash22 } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';
import { get } from '../../schema/request.ts';
import { createTestTables, TABLES_TIMEOUT_MS, type TestTables } from '../support/tables.ts';
import { itRefuses, itSurvivesLostReply, readItem, winAll } from './guards.ts';
import { freshOp, freshScope, GENERATION, ME, NOW_MS, OTHER, passIdAt, sampleCitation } from './samples.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTestTables();
}, TABLES_TIMEOUT_MS);
afterAll(() => tables.close());
const open = () => tables;

const freshAddress = () => ({ scope: freshScope(), generation: GENERATION });
type Address = ReturnType<typeof freshAddress>;
const putClaim = (address: Address, citation = sampleCitation()) => putCitation(address, citation, ME, freshOp());
const addPass = (address: Address, passId: string) =>
  addCitationPass(address, sampleCitation(), { passId, nowMs: NOW_MS + 1, op: freshOp() });

async function cited(): Promise<Address> {
  const address = freshAddress();
  await winAll(tables, [putClaim(address)]);
  return address;
}

describe('putCitation', () => {
  it('writes the citation with the pass that found it', async () => {
    const address = await cited();
    const item = await tables.store.get(get(citationKey(address, sampleCitation())));
    expect(citationItemSchema.parse(item)).toMatchObject({
      ...sampleCitation(),
      passes: { [ME]: NOW_MS },
      passCount: 1,
    });
  });

  itSurvivesLostReply(open, 'putCitation', { recognisedBy: 'op', arrange: async () => putClaim(freshAddress()) });

  itRefuses(open, 'putCitation', [
    {
      refuses: 'a citation another pass wrote before, whose passes stay',
      clause: 'attribute_not_exists(#pk)',
      arrange: async () => {
        const address = await cited();
        await winAll(tables, [addPass(address, OTHER)]);
        return putClaim(address);
      },
      broken: (after) => after['passCount'] === 1,
    },
  ]);
});

describe('addCitationPass', () => {
  it('adds a pass once', async () => {
    const address = await cited();
    const write = addPass(address, OTHER);
    await winAll(tables, [write]);
    expect(await readItem(tables, write)).toMatchObject({
      passes: { [ME]: NOW_MS, [OTHER]: NOW_MS + 1 },
      passCount: 2,
    });
  });

  it('loses where there is no citation', async () => {
    expect(await tables.store.write(addPass(freshAddress(), OTHER))).toEqual({ kind: 'held', stored: undefined });
  });

  itSurvivesLostReply(open, 'addCitationPass', {
    recognisedBy: 'op',
    arrange: async () => addPass(await cited(), OTHER),
  });

  itRefuses(open, 'addCitationPass', [
    {
      refuses: 'a pass that is listed',
      clause: 'attribute_not_exists(#passes.#pass)',
      arrange: async () => addPass(await cited(), ME),
      broken: (after) => after['passCount'] === 2 && Object.keys(after['passes'] as object).length === 1,
    },
    {
      refuses: 'one pass more than a row may list',
      clause: '#passCount < :most',
      arrange: async () => {
        const address = await cited();
        const others = Array.from({ length: LIMITS.citationPassesMax - 1 }, (_, k) =>
          addPass(address, passIdAt(k + 1)),
        );
        await winAll(tables, others);
        return addPass(address, passIdAt(99));
      },
      broken: (after) => Number(after['passCount']) > LIMITS.citationPassesMax,
    },
  ]);
});

describe('reading citations', () => {
  it('narrows to an entity and to an attribute, never to those that only begin alike', async () => {
    const address = freshAddress();
    const slots = [
      { entity: 'ada', attribute: 'likes', key: 'tea' },
      { entity: 'ada', attribute: 'likes_most' },
      { entity: 'ada-lovelace', attribute: 'likes' },
    ];
    await winAll(
      tables,
      slots.map((slot) => putClaim(address, sampleCitation({ slot }))),
    );
    const read = async (narrow: { entity?: string; attribute?: string }) =>
      (await tables.store.query(queryCitations(address, { ...narrow, limit: 10 }))).items.map((item) => item['slot']);
    expect(await read({})).toHaveLength(3);
    expect(await read({ entity: 'ada' })).toEqual([slots[0], slots[1]]);
    expect(await read({ entity: 'ada', attribute: 'likes' })).toEqual([slots[0]]);
    const { items } = await tables.store.query(querySlotCitations(address, slots[0] as Citation['slot'], 10));
    expect(items.map((item) => item['slot'])).toEqual([slots[0]]);
  });

  it('a long or foreign value stands as its hash in the key of its claim slot', () => {
    const long = 'x'.repeat(LIMITS.valueKeyBytesMax + 1);
    expect(slotKeyOf({ entity: 'ada', attribute: 'likes', key: long })).toBe(`ada#likes#|~${hash22(long)}`);
    expect(slotKeyOf({ entity: 'ada', attribute: 'likes', key: 'a#b' })).toBe('ada#likes#|a%23b');
    expect(slotKeyOf({ entity: 'ada', attribute: 'likes' })).toBe('ada#likes');
  });
});

describe('putEntity', () => {
  it('makes an entity known under its slug', async () => {
    const write = putEntity(freshAddress(), ' Ada  Lovelace', freshOp());
    await winAll(tables, [write]);
    expect(entityItemSchema.parse(await readItem(tables, write))).toMatchObject({ slug: slugOf('ada lovelace') });
  });

  itSurvivesLostReply(open, 'putEntity', {
    recognisedBy: 'op',
    arrange: async () => putEntity(freshAddress(), 'Ada', freshOp()),
  });

  itRefuses(open, 'putEntity', [
    {
      refuses: 'a lower spelling, whichever came first',
      clause: 'attribute_not_exists(#nameKey) OR #nameKey < :nameKey',
      arrange: async () => {
        const address = freshAddress();
        await winAll(tables, [putEntity(address, 'Ada', freshOp())]);
        return putEntity(address, 'ADA', freshOp());
      },
      broken: (after) => after['name'] === 'ADA',
    },
  ]);
});

describe('raiseRegister', () => {
  const austin = sampleCitation();
  const denver = sampleCitation({ claimId: 'claim-denver', value: 'Denver', capturedAtMs: NOW_MS + 1 });
  const dated = (citation: Citation, startMs: number): Citation => ({
    ...citation,
    event: { startMs, endMs: startMs + 1, precision: 'second' },
  });
  const raise = (address: Address, citation: Citation) =>
    raiseRegister(address, citation, registerOf(citation) ?? 'undated', freshOp());
  const head = async (address: Address) => headItemSchema.parse(await tables.store.get(getHead(address, austin.slot)));

  it('keeps the highest of each register, in whatever order they come', async () => {
    const claims = [austin, denver, dated(austin, NOW_MS - 5), dated(denver, NOW_MS - 9)];
    const values = [];
    for (const order of [claims, [...claims].reverse()]) {
      const address = freshAddress();
      for (const citation of order) await tables.store.write(raise(address, citation));
      const { dated: datedNow, undated, datedKey, undatedKey } = await head(address);
      values.push([datedNow?.value, undated?.value, datedKey, undatedKey]);
    }
    expect(values[0]?.slice(0, 2)).toEqual(['Austin', 'Denver']);
    expect(values[1]).toEqual(values[0]);
  });

  it('counts a version with each write that changes something', async () => {
    const address = freshAddress();
    await winAll(tables, [raise(address, austin)]);
    const { version } = await head(address);
    await winAll(tables, [raise(address, denver), raise(address, dated(austin, NOW_MS))]);
    expect((await head(address)).version).toBe(version + 2);
  });

  it('a planned citation enters no register', () => {
    expect(registerOf(sampleCitation({ planned: true }))).toBeUndefined();
    expect([registerOf(austin), registerOf(dated(austin, 0))]).toEqual(['undated', 'dated']);
  });

  it('one claim cited twice in one source has one order too: by citation', async () => {
    const twice = ['citation-1', 'citation-2'].map((citationId) => sampleCitation({ citationId }));
    const winners = [];
    for (const order of [twice, [...twice].reverse()]) {
      const address = freshAddress();
      for (const citation of order) await tables.store.write(raise(address, citation));
      winners.push((await head(address)).undated?.citationId);
    }
    expect(winners).toEqual(['citation-2', 'citation-2']);
    expect(registerKeyOf(dated(austin, 0)).split('|').slice(3)).toEqual([austin.claimId, austin.citationId]);
  });

  itSurvivesLostReply(open, 'raiseRegister', {
    recognisedBy: 'op',
    arrange: async () => raise(freshAddress(), austin),
  });

  itRefuses(open, 'raiseRegister', [
    {
      refuses: 'a lower undated claim that came later',
      clause: 'attribute_not_exists(#undatedKey) OR #undatedKey < :key',
      arrange: async () => {
        const address = freshAddress();
        await winAll(tables, [raise(address, denver)]);
        return raise(address, austin);
      },
      broken: (after) => (after['undated'] as { value: string }).value === 'Austin',
    },
    {
      refuses: 'a dated claim of an earlier event, though captured later',
      clause: 'attribute_not_exists(#datedKey) OR #datedKey < :key',
      arrange: async () => {
        const address = freshAddress();
        await winAll(tables, [raise(address, dated(austin, NOW_MS))]);
        return raise(address, dated(denver, NOW_MS - 1));
      },
      broken: (after) => (after['dated'] as { value: string }).value === 'Denver',
    },
  ]);
});
