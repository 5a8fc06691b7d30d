import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  admitPasses,
  EMPTY_LEDGER,
  getLedger,
  ledgerItemSchema,
  ledgerKey,
  removeFromLedger,
} from '../../schema/ledger.ts';
import type { Item, Write } from '../../schema/request.ts';
import { createTestTables, TABLES_TIMEOUT_MS, type TestTables } from '../support/tables.ts';
import { itRefuses, itSurvivesLostReply, winAll } from './guards.ts';
import { freshOp, ME, OTHER, passIdAt, sampleEntry } from './samples.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTestTables();
}, TABLES_TIMEOUT_MS);
afterAll(() => tables.close());
const open = () => tables;

// A deployment has one ledger: it is the one item that tests of this file share.
beforeEach(async () => {
  await tables.client.send(new DeleteCommand({ TableName: tables.names.control, Key: ledgerKey() }));
});

function admit(seenVersion: number, ...passIds: string[]): Write {
  const op = freshOp();
  const entries = Object.fromEntries(passIds.map((passId, k) => [passId, sampleEntry(op, k)]));
  return admitPasses({ seenVersion, entries, op });
}
const idsOf = (item: Item | undefined) => Object.keys((item?.['passes'] ?? {}) as object).sort();
const ledger = async () => ledgerItemSchema.parse((await tables.store.get(getLedger())) ?? EMPTY_LEDGER);

describe('admitPasses', () => {
  it('makes the ledger at version 1, then adds entries and one to the version', async () => {
    expect(await ledger()).toEqual(EMPTY_LEDGER);
    await winAll(tables, [admit(0, ME), admit(1, OTHER, passIdAt(2))]);
    const { version, passes } = await ledger();
    expect(version).toBe(2);
    expect(Object.keys(passes).sort()).toEqual([ME, OTHER, passIdAt(2)].sort());
    expect(passes[passIdAt(2)]).toMatchObject({ slotNumber: 1, scope: 'scope-a' });
  });

  it('lets one of two schedulers win that planned from the same version', async () => {
    await winAll(tables, [admit(0)]);
    const outcomes = await Promise.all([tables.store.write(admit(1, ME)), tables.store.write(admit(1, OTHER))]);
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['held', 'won']);
    expect(Object.keys((await ledger()).passes)).toHaveLength(1);
  });

  for (const seenVersion of [0, 1]) {
    describe(`from version ${seenVersion}`, () => {
      beforeEach(async () => {
        if (seenVersion === 1) await winAll(tables, [admit(0)]);
      });
      itSurvivesLostReply(open, 'admitPasses', {
        recognisedBy: 'op',
        arrange: async () => admit(seenVersion, ME, OTHER),
      });
    });
  }

  it('knows its own entries although the ledger was written since, and never another’s of the same ids', async () => {
    await winAll(tables, [admit(0)]);
    const lost = admit(1, ME);
    await winAll(tables, [lost, admit(2, OTHER)]);
    expect(await tables.store.write(lost)).toMatchObject({ kind: 'won' });
    expect(await tables.store.write(admit(1, ME))).toMatchObject({ kind: 'held' });
    expect((await ledger()).version).toBe(3);
  });

  itRefuses(open, 'admitPasses', [
    {
      refuses: 'a plan made when there was no ledger, once there is one',
      clause: 'attribute_not_exists(#version)',
      arrange: async () => {
        await winAll(tables, [admit(0, OTHER)]);
        return admit(0, ME);
      },
      broken: (after, before) => idsOf(before).includes(OTHER) && !idsOf(after).includes(OTHER),
    },
    {
      refuses: 'a plan made from a version that has passed',
      clause: '#version = :seenVersion',
      arrange: async () => {
        await winAll(tables, [admit(0), admit(1, OTHER)]);
        return admit(1, ME);
      },
      broken: (after) => idsOf(after).length === 2,
    },
  ]);
});

describe('removeFromLedger', () => {
  it('takes one entry off and leaves the version: a plan made with it is only too careful', async () => {
    await winAll(tables, [admit(0, ME, OTHER), removeFromLedger(ME, freshOp())]);
    const { version, passes } = await ledger();
    expect([version, Object.keys(passes)]).toEqual([1, [OTHER]]);
  });

  it('loses when there is no ledger at all', async () => {
    expect(await tables.store.write(removeFromLedger(ME, freshOp()))).toEqual({ kind: 'held', stored: undefined });
  });

  itSurvivesLostReply(open, 'removeFromLedger', {
    recognisedBy: 'op',
    arrange: async () => {
      await winAll(tables, [admit(0, ME)]);
      return removeFromLedger(ME, freshOp());
    },
  });

  itRefuses(open, 'removeFromLedger', [
    {
      refuses: 'a pass that is off already, so that only one run of the finalizer triggers again',
      clause: 'attribute_exists(#passes.#pass)',
      arrange: async () => {
        await winAll(tables, [admit(0, ME, OTHER), removeFromLedger(ME, freshOp())]);
        return removeFromLedger(ME, freshOp());
      },
      broken: (after, before) => after['op'] !== before['op'],
    },
  ]);
});
