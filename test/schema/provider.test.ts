/** What the ledger knows of a model provider: who may say what, and when it counts. */
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { judgeProvider } from '../../functions/core/provider.ts';
import { admitPasses, getLedger, ledgerItemSchema, ledgerKey } from '../../schema/ledger.ts';
import { outdatePlans } from '../../schema/ledger-switches.ts';
import { noteProviderAway, proveProvider } from '../../schema/provider.ts';
import type { Item } from '../../schema/request.ts';
import { createTestTables, TABLES_TIMEOUT_MS, type TestTables } from '../support/tables.ts';
import { itRefuses, itSurvivesLostReply, winAll } from './guards.ts';
import { freshOp, ME, NOW_MS, sampleEntry } from './samples.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTestTables();
}, TABLES_TIMEOUT_MS);
afterAll(() => tables.close());
const open = () => tables;
beforeEach(async () => {
  await tables.client.send(new DeleteCommand({ TableName: tables.names.control, Key: ledgerKey() }));
});

const ledger = async () => ledgerItemSchema.parse(await tables.store.get(getLedger()));
const prove = (nowMs = NOW_MS, executor = 'model') => proveProvider({ executor, nowMs, op: freshOp() });
const away = (untilMs: number, executor = 'model') =>
  noteProviderAway({ executor, nowMs: NOW_MS, untilMs, op: freshOp() });
const begin = () => winAll(tables, [outdatePlans(freshOp())]);
const stateOf = (item: Item) => (item['provider'] as Item | undefined)?.['state'];

describe('the provider’s health', () => {
  it('is unproven, proven, away, and proven again once it is back', async () => {
    await begin();
    expect((await ledger()).provider).toBeUndefined();
    await winAll(tables, [prove()]);
    expect((await ledger()).provider).toEqual({ executor: 'model', state: 'proven', atMs: NOW_MS });
    await winAll(tables, [away(NOW_MS + 1000)]);
    expect((await ledger()).provider).toMatchObject({ state: 'away', untilMs: NOW_MS + 1000 });
    await winAll(tables, [prove(NOW_MS + 1000)]);
    expect((await ledger()).provider).toMatchObject({ state: 'proven' });
  });

  it('of another executor is replaced', async () => {
    await begin();
    await winAll(tables, [away(NOW_MS + 1000, 'other'), prove(NOW_MS)]);
    expect((await ledger()).provider).toMatchObject({ executor: 'model', state: 'proven' });
  });

  it('when away, outdates the plans made before', async () => {
    await begin();
    await winAll(tables, [away(NOW_MS + 1000)]);
    const op = freshOp();
    const plan = admitPasses({ seenVersion: 1, entries: { [ME]: sampleEntry(op) }, op });
    expect(await tables.store.write(plan)).toMatchObject({ kind: 'held' });
  });

  itSurvivesLostReply(open, 'proveProvider', {
    recognisedBy: 'op',
    arrange: async () => {
      await begin();
      return prove();
    },
  });
  itSurvivesLostReply(open, 'noteProviderAway', {
    recognisedBy: 'op',
    arrange: async () => {
      await begin();
      return away(NOW_MS + 1000);
    },
  });

  const after = async (...writes: ReturnType<typeof prove>[]) => {
    await begin();
    await winAll(tables, writes);
  };
  itRefuses(open, 'proveProvider', [
    {
      refuses: 'a deployment without a ledger, which would be one without a version',
      clause: 'attribute_exists(#version)',
      arrange: async () => prove(),
      broken: (item) => item['provider'] !== undefined && item['version'] === undefined,
    },
    {
      refuses: 'one that is proven, a write for each pass',
      clause: 'attribute_not_exists(#provider) OR #provider.#executor <> :executor OR #provider.#state <> :proven',
      arrange: async () => {
        await after(prove());
        return prove(NOW_MS + 5);
      },
      broken: (item) => (item['provider'] as Item)['atMs'] === NOW_MS + 5,
    },
    {
      refuses: 'one that was found away while this pass still believed in it',
      clause:
        'attribute_not_exists(#provider) OR #provider.#executor <> :executor OR attribute_not_exists(#provider.#untilMs) OR #provider.#untilMs <= :now',
      arrange: async () => {
        await after(away(NOW_MS + 1000));
        return prove(NOW_MS + 999);
      },
      broken: (item) => stateOf(item) === 'proven',
    },
  ]);
  itRefuses(open, 'noteProviderAway', [
    {
      refuses: 'one that is away for longer',
      clause:
        'attribute_not_exists(#provider) OR #provider.#executor <> :executor OR attribute_not_exists(#provider.#untilMs) OR #provider.#untilMs < :until',
      arrange: async () => {
        await after(away(NOW_MS + 2000));
        return away(NOW_MS + 1000);
      },
      broken: (item) => (item['provider'] as Item)['untilMs'] === NOW_MS + 1000,
    },
  ]);
});

describe('what it allows', () => {
  const model = { name: 'model', spends: true, needsProvider: true, decidesAttention: true };
  const known = (state: 'proven' | 'away', untilMs?: number, executor = 'model') => ({
    executor,
    state,
    atMs: NOW_MS,
    untilMs,
  });
  it.each([
    ['an executor that needs none', known('away', NOW_MS + 9), { ...model, needsProvider: false }, 'none'],
    ['nothing known', undefined, model, 'canary'],
    ['known of another executor', known('proven', undefined, 'other'), model, 'canary'],
    ['proven', known('proven'), model, 'proven'],
    ['away', known('away', NOW_MS + 1), model, 'away'],
    ['just back', known('away', NOW_MS), model, 'canary'],
  ])('%s', (_, health, executor, kind) => {
    expect(judgeProvider(health, executor, NOW_MS).kind).toBe(kind);
  });
});
