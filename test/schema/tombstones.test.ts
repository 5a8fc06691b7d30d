/** Goal: what is left of the erased keeps it out. Method: each guard with its negative twin. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyCitation, getCitation, putCitation, type ScopeAddress } from '../../schema/citation.ts';
import { dropHead, getHead, headItemSchema, raiseRegister } from '../../schema/head.ts';
import type { Write } from '../../schema/request.ts';
import { putNewestSource, type SourceAddress } from '../../schema/source.ts';
import { erasedSourceOf, eraseSource, readmitSource } from '../../schema/source-erasure.ts';
import { createTestTables, TABLES_TIMEOUT_MS, type TestTables } from '../support/tables.ts';
import { itRefuses, itSurvivesLostReply, readItem, winAll } from './guards.ts';
import { freshOp, freshScope, GENERATION, ME, NOW_MS, sampleCitation } from './samples.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTestTables();
}, TABLES_TIMEOUT_MS);
afterAll(() => tables.close());
const open = () => tables;

const freshAddress = (): ScopeAddress => ({ scope: freshScope(), generation: GENERATION });

describe('the tombstone of a source', () => {
  const freshSource = (): SourceAddress => ({ ...freshAddress(), kind: 'note', id: 'a' });
  const ingest = (address: SourceAddress, seen?: { newestKey: string | undefined }) =>
    putNewestSource(
      address,
      {
        revision: '00112233445566aa',
        capturedAtMs: NOW_MS + 1_000,
        capturedFrom: 'call',
        format: 'text',
        length: 9,
        completed: true,
        ingestedAtMs: NOW_MS + 1_000,
      },
      freshOp(),
      seen,
    );
  const erased = async (atMs = NOW_MS): Promise<SourceAddress> => {
    const address = freshSource();
    await winAll(tables, [ingest(address), eraseSource(address, atMs, freshOp())]);
    return address;
  };

  it('stands in the place of the SOURCE row, with nothing of it but its name', async () => {
    const address = await erased();
    const row = await readItem(tables, eraseSource(address, NOW_MS, freshOp()));
    expect(erasedSourceOf(row)).toEqual({ v: 1, kind: 'note', id: 'a', erasedAtMs: NOW_MS });
    expect(Object.keys(row ?? {}).sort()).toEqual(['erasedAtMs', 'id', 'kind', 'newestKey', 'op', 'pk', 'sk', 'v']);
  });

  itSurvivesLostReply(open, 'eraseSource', {
    recognisedBy: 'op',
    arrange: async () => eraseSource(freshSource(), NOW_MS, freshOp()),
  });

  itRefuses(open, 'eraseSource', [
    {
      refuses: 'the place of a later erasure',
      clause: 'attribute_not_exists(#erasedAtMs) OR #erasedAtMs < :at',
      arrange: async () => eraseSource(await erased(NOW_MS + 50), NOW_MS, freshOp()),
      broken: (after) => after['erasedAtMs'] === NOW_MS,
    },
  ]);

  itRefuses(open, 'putNewestSource', [
    {
      refuses: 'a revision of an erased source, by the order alone',
      clause: 'attribute_not_exists(#newestKey) OR #newestKey < :newestKey',
      arrange: async () => ingest(await erased()),
      broken: (after) => after['erasedAtMs'] === undefined,
    },
  ]);

  it('refuses a call that had seen no source, or another', async () => {
    for (const newestKey of [undefined, 'what stood before']) {
      const address = await erased();
      expect((await tables.store.write(ingest(address, { newestKey }))).kind).toBe('held');
    }
  });

  itRefuses(open, 'readmitSource', [
    {
      refuses: 'a lift of an earlier erasure',
      clause: '#erasedAtMs = :at',
      arrange: async () => readmitSource(await erased(NOW_MS + 50), NOW_MS),
      broken: (after) => after['erasedAtMs'] === undefined,
    },
  ]);

  it('goes with its own lift, and the source comes in as if it were new', async () => {
    const address = await erased();
    await winAll(tables, [readmitSource(address, NOW_MS), ingest(address, { newestKey: undefined })]);
  });
});

describe('emptyCitation', () => {
  const SAMPLE = sampleCitation();
  const empty = (address: ScopeAddress) => emptyCitation(address, SAMPLE, NOW_MS + 5, freshOp());

  it('leaves a withdrawn row that says nothing', async () => {
    const address = freshAddress();
    await winAll(tables, [putCitation(address, SAMPLE, ME, freshOp()), empty(address)]);
    const row = await tables.store.get(getCitation(address, SAMPLE));
    expect(row).toMatchObject({ withdrawnFor: 'forgotten', value: '', entityName: '', quote: { text: '' } });
    expect(JSON.stringify(row)).not.toContain(SAMPLE.quote.text);
  });

  itRefuses(open, 'emptyCitation', [
    {
      refuses: 'a row that the eraser has removed',
      clause: 'attribute_exists(#pk)',
      arrange: async () => empty(freshAddress()),
      broken: (after) => after['withdrawnAtMs'] !== undefined,
    },
  ]);
});

describe('dropHead', () => {
  const SAMPLE = sampleCitation();
  const LATER = sampleCitation({ capturedAtMs: NOW_MS + 5 });
  const raise = (address: ScopeAddress, citation = SAMPLE) => raiseRegister(address, citation, 'undated', freshOp());
  const versionOf = async (address: ScopeAddress): Promise<number> =>
    headItemSchema.parse(await tables.store.get(getHead(address, SAMPLE.slot))).version;

  itRefuses(open, 'dropHead', [
    {
      refuses: 'a head that was raised since it was read',
      clause: '#version = :seen',
      arrange: async () => {
        const address = freshAddress();
        await winAll(tables, [raise(address)]);
        const drop = dropHead(address, SAMPLE.slot, await versionOf(address));
        await winAll(tables, [raise(address, LATER)]);
        return drop;
      },
      broken: (after) => after['undated'] === undefined,
    },
  ]);

  /** A removal that comes after another eraser's, and after the head was made anew by as many writes. */
  async function lateDrop(firstVersion?: number): Promise<string> {
    const address = freshAddress();
    const countedFrom = (write: Write) => {
      if (firstVersion !== undefined)
        Object.assign(write.input.ExpressionAttributeValues ?? {}, { ':first': firstVersion });
      return write;
    };
    await winAll(tables, [countedFrom(raise(address))]);
    const drop = dropHead(address, SAMPLE.slot, await versionOf(address));
    await winAll(tables, [drop, countedFrom(raise(address, LATER))]);
    return (await tables.store.write(drop)).kind;
  }

  it('refuses a head that was dropped and made anew since it was read', async () => {
    expect(await lateDrop()).toBe('held');
  });

  it('twin: where versions begin again with a head, it drops one that was made anew', async () => {
    expect(await lateDrop(0)).toBe('won');
  });
});
