/** Goal: what orders, tells and lifts an erasure is fenced. Method: each guard with its negative twin. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ScopeAddress } from '../../schema/citation.ts';
import {
  claimErasureKey,
  dropLiftedErasure,
  getErasure,
  hastenErasure,
  liftErasure,
  openErasure,
  queryDueErasures,
  saveErasure,
} from '../../schema/erasure.ts';
import type { Key } from '../../schema/request.ts';
import { getScope, markScopeDue, scopeItemSchema } from '../../schema/scope.ts';
import { moveGeneration } from '../../schema/scope-erasure.ts';
import { pauseScope } from '../../schema/scope-switches.ts';
import { createTestTables, TABLES_TIMEOUT_MS, type TestTables } from '../support/tables.ts';
import { ERASURE, PROGRESS } from './erasure-samples.ts';
import { itRefuses, itSurvivesLostReply, winAll } from './guards.ts';
import { freshOp, freshScope, GENERATION, NOW_MS } from './samples.ts';
import { haltScope } from './scope-scenes.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTestTables();
}, TABLES_TIMEOUT_MS);
afterAll(() => tables.close());
const open = () => tables;

const freshAddress = (): ScopeAddress => ({ scope: freshScope(), generation: GENERATION });
const freshKey = () => claimErasureKey(freshAddress(), 'hash');
const opened = async (): Promise<Key> => {
  const key = freshKey();
  await winAll(tables, [openErasure(key, ERASURE, freshOp())]);
  return key;
};
const finish = (key: Key, seen = 1) => saveErasure(key, seen, { ...PROGRESS, finishedAtMs: NOW_MS + 9 }, freshOp());
const finished = async (): Promise<Key> => {
  const key = await opened();
  await winAll(tables, [finish(key)]);
  return key;
};
const lift = (key: Key) => liftErasure(key, NOW_MS + 20, freshOp());
const hasten = (key: Key) => hastenErasure(key, NOW_MS + 30, freshOp());
const again = (key: Key) => openErasure(key, { ...ERASURE, by: 'another' }, freshOp());

describe('openErasure', () => {
  itSurvivesLostReply(open, 'openErasure', {
    recognisedBy: 'op',
    arrange: async () => openErasure(freshKey(), ERASURE, freshOp()),
  });

  itRefuses(open, 'openErasure', [
    {
      refuses: 'a second order while the first stands, also when it is finished',
      clause: 'attribute_not_exists(#pk) OR attribute_exists(#liftedAtMs)',
      arrange: async () => again(await finished()),
      broken: (after) => after['by'] === 'another',
    },
  ]);

  it('begins anew after a lift', async () => {
    const key = await finished();
    await winAll(tables, [lift(key), again(key)]);
    expect(await tables.store.get(getErasure(key))).toMatchObject({ by: 'another', looks: 0 });
  });
});

describe('saveErasure', () => {
  itSurvivesLostReply(open, 'saveErasure', { recognisedBy: 'op', arrange: async () => finish(await opened()) });

  itRefuses(open, 'saveErasure', [
    {
      refuses: 'a run that read before another told how far it got',
      clause: '#version = :seen',
      arrange: async () => {
        const key = await opened();
        await winAll(tables, [saveErasure(key, 1, PROGRESS, freshOp())]);
        return finish(key);
      },
      broken: (after) => after['finishedAtMs'] !== undefined,
    },
  ]);

  it('takes a finished erasure out of the index, and hastening brings it back', async () => {
    const due = async () => (await tables.store.query(queryDueErasures(NOW_MS + 60))).items.map(({ pk }) => pk);
    const key = await opened();
    expect(await due()).toContain(key.pk);
    await winAll(tables, [finish(key)]);
    expect(await due()).not.toContain(key.pk);
    await winAll(tables, [hasten(key)]);
    expect(await due()).toContain(key.pk);
    expect(await tables.store.get(getErasure(key))).not.toHaveProperty('finishedAtMs');
  });
});

describe('hastenErasure', () => {
  it('sent twice outdates whoever read before twice, and is due once', async () => {
    const key = await opened();
    await winAll(tables, [hasten(key), hasten(key)]);
    expect(await tables.store.get(getErasure(key))).toMatchObject({ version: 3, workDueAtMs: NOW_MS + 30 });
  });

  itRefuses(open, 'hastenErasure', [
    {
      refuses: 'one that was never ordered',
      clause: 'attribute_exists(#pk)',
      arrange: async () => hasten(freshKey()),
      broken: (after) => after['workDueAtMs'] !== undefined && after['by'] === undefined,
    },
    {
      refuses: 'one that was lifted: what comes in may stay',
      clause: 'attribute_not_exists(#liftedAtMs)',
      arrange: async () => {
        const key = await finished();
        await winAll(tables, [lift(key)]);
        return hasten(key);
      },
      broken: (after) => after['finishedAtMs'] === undefined,
    },
  ]);
});

describe('liftErasure', () => {
  itSurvivesLostReply(open, 'liftErasure', { recognisedBy: 'op', arrange: async () => lift(await finished()) });

  itRefuses(open, 'liftErasure', [
    {
      refuses: 'one whose looks go on: they would erase what comes in',
      clause: 'attribute_exists(#finishedAtMs)',
      arrange: async () => lift(await opened()),
      broken: (after) => after['liftedAtMs'] !== undefined,
    },
    {
      refuses: 'a second lift: the time of the first stays',
      clause: 'attribute_not_exists(#liftedAtMs)',
      arrange: async () => {
        const key = await finished();
        await winAll(tables, [lift(key)]);
        return liftErasure(key, NOW_MS + 99, freshOp());
      },
      broken: (after) => after['liftedAtMs'] === NOW_MS + 99,
    },
  ]);
});

describe('dropLiftedErasure', () => {
  const lifted = async (): Promise<Key> => {
    const key = await finished();
    await winAll(tables, [lift(key)]);
    return key;
  };

  it('removes the record of a claim that may be said again', async () => {
    const key = await lifted();
    await winAll(tables, [dropLiftedErasure(key, NOW_MS + 20)]);
    expect(await tables.store.get(getErasure(key))).toBeUndefined();
  });

  itRefuses(open, 'dropLiftedErasure', [
    {
      refuses: 'a claim that was forgotten anew since it was read: it would come in again',
      clause: '#liftedAtMs = :at',
      arrange: async () => {
        const key = await lifted();
        await winAll(tables, [openErasure(key, ERASURE, freshOp())]);
        return dropLiftedErasure(key, NOW_MS + 20);
      },
      broken: (after) => after['version'] === undefined,
    },
  ]);
});

describe('moveGeneration', () => {
  const move = (scope: string, change: Partial<Parameters<typeof moveGeneration>[0]> = {}) => {
    const judged = { generation: GENERATION, statsVersion: 0, wakes: false };
    return moveGeneration({ scope, ...judged, nowMs: NOW_MS + 5, op: freshOp(), ...change });
  };
  const known = async (): Promise<string> => {
    const scope = freshScope();
    await winAll(tables, [markScopeDue({ scope, nowMs: NOW_MS, op: freshOp() })]);
    return scope;
  };

  itSurvivesLostReply(open, 'moveGeneration', { recognisedBy: 'op', arrange: async () => move(await known()) });

  itRefuses(open, 'moveGeneration', [
    {
      refuses: 'a second move of one erasure: what came in since would go with it',
      clause: '#generation = :generation',
      arrange: async () => {
        const scope = await known();
        await winAll(tables, [move(scope), move(scope, { generation: 2, statsVersion: 1 })]);
        return move(scope, { statsVersion: 2 });
      },
      broken: (after, before) => after['generation'] !== before['generation'],
    },
    {
      refuses: 'a move judged before the scope was halted: it would stand parked, and nobody would know why',
      clause: 'attribute_not_exists(#statsVersion) OR #statsVersion = :statsVersion',
      arrange: async () => {
        const scope = await known();
        await winAll(tables, [haltScope(scope)]);
        return move(scope);
      },
      broken: (after) => String(after['workPartition']).startsWith('parked#') && after['haltedAtMs'] === undefined,
    },
    {
      refuses: 'one by a deployment of more pools, which would wake the scope where nobody looks',
      clause: 'attribute_not_exists(#workPartition) OR #workPartition IN (:due, :idle, :parked)',
      arrange: async () => {
        const scope = await known();
        await winAll(tables, [haltScope(scope)]);
        return move(scope, { wakes: true, statsVersion: 1, pool: { number: 2, of: 3 } });
      },
      broken: (after) => after['workPartition'] === 'due#2',
    },
  ]);

  it('wakes a halted scope, keeps a pause, and outdates what was counted from the row before', async () => {
    const [halted, paused] = [await known(), await known()];
    await winAll(tables, [haltScope(halted), pauseScope({ scope: paused, nowMs: NOW_MS, op: freshOp() })]);
    const rowOf = async (scope: string) => scopeItemSchema.parse(await tables.store.get(getScope(scope)));
    const before = await rowOf(halted);
    await winAll(tables, [move(halted, { wakes: true, statsVersion: 1 }), move(paused, { statsVersion: 1 })]);
    const after = await rowOf(halted);
    expect(after).toMatchObject({ generation: 2, failures: 0, failureTimesMs: [], counted: {} });
    expect(after.workPartition).toMatch(/^due#/);
    expect(after).not.toHaveProperty('haltedAtMs');
    expect(after.statsVersion).toBe(before.statsVersion + 1);
    expect(await rowOf(paused)).toMatchObject({ generation: 2, paused: true });
    expect((await rowOf(paused)).workPartition).toMatch(/^parked#/);
  });
});
