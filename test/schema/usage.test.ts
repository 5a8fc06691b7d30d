/** Budgets of a day: reserved once, within every bound, and settled once. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExecutorTraits } from '../../schema/executor.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Item } from '../../schema/request.ts';
import { DEFAULT_SETTINGS } from '../../schema/settings.ts';
import {
  boundsOf,
  dayEndMs,
  dayOf,
  closingOf,
  expiredEntries,
  getUsage,
  refuseUsage,
  reservationOf,
  reserveUsage,
  settleUsage,
  usageItemSchema,
} from '../../schema/usage.ts';
import { createTestTables, TABLES_TIMEOUT_MS, type TestTables } from '../support/tables.ts';
import { withoutClause } from '../support/without-clause.ts';
import { itRefuses, itSurvivesLostReply, winAll } from './guards.ts';
import { freshOp, freshScope, ME, NOW_MS, OTHER, passIdAt } from './samples.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTestTables();
}, TABLES_TIMEOUT_MS);
afterAll(() => tables.close());
const open = () => tables;

const MODEL: ExecutorTraits = { name: 'model', spends: true, needsProvider: true, decidesAttention: true };
const RULES: ExecutorTraits = { name: 'rules', spends: false, needsProvider: false, decidesAttention: false };
const settings = {
  ...DEFAULT_SETTINGS,
  budgetPasses: 3,
  budgetTokensIn: 100_000,
  budgetTokensOut: 13_000,
  budgetCents: 5,
};
const address = (scope = freshScope()) => ({ scope, generation: 1, day: dayOf(NOW_MS) });
type Address = ReturnType<typeof address>;
const reserve = (to: Address, passId = ME, isFirst = false, executor = MODEL, op = `reserves ${passId}`) =>
  reserveUsage(to, {
    passId,
    amounts: reservationOf(executor),
    bounds: boundsOf(settings, executor),
    expiresAtMs: NOW_MS + 1,
    isFirst,
    op,
  });
const settle = (to: Address, used: Partial<Item> = {}, ran = true, drop: readonly string[] = []) =>
  settleUsage(to, {
    passId: ME,
    reserved: { ...reservationOf(MODEL), op: `reserves ${ME}` },
    used: { tokensIn: 0, tokensOut: 0, costMicroUsd: 0, ...used },
    ran,
    expiresAtMs: NOW_MS + 1,
    drop,
    op: freshOp(),
  });
const refuse = (to: Address, passId = ME) =>
  refuseUsage(to, { passId, expiresAtMs: NOW_MS + 1, op: `refuses ${passId}` });
const usage = async (of: Address) => usageItemSchema.parse(await tables.store.get(getUsage(of)));
const spent = async (used: Partial<Item>): Promise<Address> => {
  const of = address();
  await winAll(tables, [reserve(of, ME, true), settle(of, used)]);
  return of;
};

describe('days', () => {
  it('are those of UTC', () => {
    expect(dayOf(Date.UTC(2026, 0, 1, 23, 59, 59, 999))).toBe('2026-01-01');
    expect(dayEndMs(Date.UTC(2026, 0, 1, 23))).toBe(Date.UTC(2026, 0, 2));
    expect(dayEndMs(Date.UTC(2026, 0, 2))).toBe(Date.UTC(2026, 0, 3));
  });
});

describe('reserveUsage', () => {
  it('makes the row of the day, then adds to it', async () => {
    const of = address();
    await winAll(tables, [reserve(of, ME, true), reserve(of, OTHER)]);
    const { passes, tokensIn, tokensOut, reserved } = await usage(of);
    expect([passes, tokensIn, tokensOut]).toEqual([2, 2 * LIMITS.reservedTokensIn, 2 * LIMITS.reservedTokensOut]);
    expect(Object.keys(reserved).sort()).toEqual([ME, OTHER].sort());
  });

  it('says by what it answers whether the row of the day is missing', async () => {
    const of = address();
    expect(await tables.store.write(reserve(of))).toEqual({ kind: 'held', stored: undefined });
    await winAll(tables, [reserve(of, OTHER, true)]);
    expect(await tables.store.write(reserve(of, ME, true))).toMatchObject({ kind: 'held', stored: { passes: 1 } });
  });

  it('binds an executor that spends nothing by the number of its passes alone', async () => {
    const of = await spent({ tokensIn: 1e9, costMicroUsd: 1e9 });
    await winAll(tables, [reserve(of, OTHER, false, RULES), reserve(of, passIdAt(2), false, RULES)]);
    expect(await tables.store.write(reserve(of, passIdAt(3), false, RULES))).toMatchObject({ kind: 'held' });
  });

  it('asks nothing of money where none is set', () => {
    const bounds = boundsOf({ ...settings, budgetCents: 0 }, MODEL).map(({ counter }) => counter);
    expect(bounds).toEqual(['passes', 'tokensIn', 'tokensOut']);
  });

  for (const isFirst of [true, false]) {
    itSurvivesLostReply(open, 'reserveUsage', {
      recognisedBy: 'op',
      arrange: async () => {
        const of = address();
        if (!isFirst) await winAll(tables, [reserve(of, OTHER, true)]);
        return reserve(of, ME, isFirst);
      },
    });
  }

  itRefuses(open, 'reserveUsage', [
    {
      refuses: 'a second row of the day, which would forget the first',
      clause: 'attribute_not_exists(#pk)',
      arrange: async () => {
        const of = address();
        await winAll(tables, [reserve(of, OTHER, true)]);
        return reserve(of, ME, true);
      },
      broken: (after) => after['passes'] === 1 && Object.keys(after['reserved'] as object).includes(ME),
    },
    {
      refuses: 'one pass more than a day has',
      clause: '#passes <= :room_passes',
      arrange: async () => {
        const of = address();
        await winAll(tables, [reserve(of, OTHER, true, RULES)]);
        for (const k of [2, 3]) await winAll(tables, [reserve(of, passIdAt(k), false, RULES)]);
        return reserve(of, ME, false, RULES);
      },
      broken: (after) => after['passes'] === 4,
    },
    {
      refuses: 'a pass for which too few tokens are left to read',
      clause: '#tokensIn <= :room_tokensIn',
      arrange: async () => reserve(await spent({ tokensIn: 100_000 - LIMITS.reservedTokensIn + 1 }), OTHER),
      broken: (after) => Number(after['tokensIn']) > 100_000,
    },
    {
      refuses: 'a pass for which too few tokens are left to write',
      clause: '#tokensOut <= :room_tokensOut',
      arrange: async () => reserve(await spent({ tokensOut: 13_000 - LIMITS.reservedTokensOut + 1 }), OTHER),
      broken: (after) => Number(after['tokensOut']) > 13_000,
    },
    {
      refuses: 'a pass when the money of the day is spent',
      clause: '#costMicroUsd <= :room_costMicroUsd',
      arrange: async () => reserve(await spent({ costMicroUsd: 50_000 }), OTHER),
      broken: (after) => after['passes'] === 2,
    },
  ]);

  it('of a pass that has one is won, and counts nothing again; its twin without the clause counts twice', async () => {
    const of = address();
    await winAll(tables, [reserve(of, ME, true)]);
    const before = await usage(of);
    expect(await tables.store.write(reserve(of))).toMatchObject({ kind: 'won' });
    expect(await usage(of)).toEqual(before);
    const [name, clause] = ['reserveUsage', 'attribute_not_exists(#reserved.#pass)'];
    expect([name, (await tables.store.write(withoutClause(reserve(of), clause))).kind]).toEqual([
      'reserveUsage',
      'won',
    ]);
    expect((await usage(of)).passes).toBe(2);
  });
});

describe('settleUsage', () => {
  it('counts what was used in place of what was reserved', async () => {
    const of = await spent({ tokensIn: 100, tokensOut: 20, costMicroUsd: 7 });
    const after = await usage(of);
    expect(after).toMatchObject({ passes: 1, tokensIn: 100, tokensOut: 20, costMicroUsd: 7 });
    expect(closingOf(after, ME)).toBe('settled');
  });

  it('forgets a pass that never ran', async () => {
    const of = address();
    await winAll(tables, [reserve(of, ME, true), settle(of, {}, false)]);
    expect(await usage(of)).toMatchObject({
      passes: 0,
      tokensIn: 0,
      tokensOut: 0,
      reserved: { [ME]: { closed: 'settled' } },
    });
  });

  itSurvivesLostReply(open, 'settleUsage', {
    recognisedBy: 'op',
    arrange: async () => {
      const of = address();
      await winAll(tables, [reserve(of, ME, true)]);
      return settle(of, { tokensIn: 5 });
    },
  });

  itRefuses(open, 'settleUsage', [
    {
      refuses: 'a reservation that was settled before: it would be counted twice',
      clause: '#reserved.#pass.#op = :reservation',
      arrange: async () => {
        const of = await spent({ tokensIn: 100 });
        await winAll(tables, [reserve(of, OTHER)]);
        return settle(of, { tokensIn: 100 });
      },
      broken: (after, before) => after['tokensIn'] !== before['tokensIn'],
    },
  ]);

  it('drops the closed entries whose time is over, and no open one', async () => {
    const of = address();
    await winAll(tables, [reserve(of, OTHER, true), refuse(of, passIdAt(2)), reserve(of, ME)]);
    expect(expiredEntries(await usage(of), NOW_MS + 1)).toEqual([]);
    const drop = expiredEntries(await usage(of), NOW_MS + 2);
    expect(drop).toEqual([passIdAt(2)]);
    await winAll(tables, [settle(of, {}, true, drop)]);
    expect(Object.keys((await usage(of)).reserved).sort()).toEqual([ME, OTHER].sort());
  });
});

describe('a closed entry', () => {
  const late = async (): Promise<Address> => {
    const of = await spent({ tokensIn: 100 });
    expect(await tables.store.write(reserve(of, ME, false, MODEL, 'was on its way'))).toMatchObject({ kind: 'won' });
    return of;
  };

  it('of a settled pass lets a reservation that comes late count nothing', async () => {
    expect(await usage(await late())).toMatchObject({ passes: 1, tokensIn: 100 });
  });

  it('[negative twin] without the closed entry the pass is counted twice', async () => {
    const of = await spent({ tokensIn: 100 });
    const clause = 'attribute_not_exists(#reserved.#pass)';
    await winAll(tables, [withoutClause(reserve(of, ME, false, MODEL, 'was on its way'), clause)]);
    expect(await usage(of)).toMatchObject({ passes: 2 });
  });

  it('of a refused pass refuses what reserves for it later, though there is room', async () => {
    const of = address();
    await winAll(tables, [reserve(of, OTHER, true), refuse(of)]);
    expect(await tables.store.write(reserve(of))).toMatchObject({ kind: 'held' });
    expect(await usage(of)).toMatchObject({ passes: 1 });
    expect(await tables.store.write(refuse(of))).toMatchObject({ kind: 'won' });
  });

  itSurvivesLostReply(open, 'refuseUsage', {
    recognisedBy: 'op',
    arrange: async () => {
      const of = address();
      await winAll(tables, [reserve(of, OTHER, true)]);
      return refuse(of);
    },
  });

  itRefuses(open, 'refuseUsage', [
    {
      refuses: 'a pass that another scheduler reserved for meanwhile: it begins',
      clause: 'attribute_not_exists(#reserved.#pass)',
      arrange: async () => {
        const of = address();
        await winAll(tables, [reserve(of, ME, true)]);
        return refuse(of);
      },
      broken: (after) => closingOf(after, ME) === 'refused',
    },
  ]);
});
