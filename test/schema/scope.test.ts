import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../schema/limits.ts';
import type { Item } from '../../schema/request.ts';
import {
  deferScope,
  getScope,
  idleScope,
  isDue,
  isParked,
  markScopeDue,
  noteBacklog,
  noteEmptyProbe,
  type ScopeItem,
  scopeItemSchema,
  scopeKey,
  serveScope,
} from '../../schema/scope.ts';
import { pauseScope } from '../../schema/scope-switches.ts';
import { createTestTables, TABLES_TIMEOUT_MS, type TestTables } from '../support/tables.ts';
import { itRefuses, itSurvivesLostReply, winAll } from './guards.ts';
import { freshOp, freshScope, NOW_MS } from './samples.ts';
import { dueKeys, haltScope } from './scope-scenes.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTestTables();
}, TABLES_TIMEOUT_MS);
afterAll(() => tables.close());
const open = () => tables;

const mark = (scope: string, nowMs = NOW_MS) => markScopeDue({ scope, nowMs, op: freshOp() });
const probe = (scope: string, backlogVersion: number, nowMs = NOW_MS) =>
  noteEmptyProbe({ scope, nowMs, backlogVersion, op: freshOp() });
const idle = (scope: string, backlogVersion: number) => idleScope({ scope, backlogVersion, op: freshOp() });
const serve = (scope: string, nowMs = NOW_MS + 50) => serveScope({ scope, nowMs, op: freshOp() });
const defer = (scope: string, backlogVersion: number, seenDueAtMs = NOW_MS) =>
  deferScope({ scope, backlogVersion, seenDueAtMs, dueAtMs: NOW_MS + 500, op: freshOp() });

async function dueScope(): Promise<string> {
  const scope = freshScope();
  await winAll(tables, [mark(scope)]);
  return scope;
}
async function parkedScope(): Promise<string> {
  const scope = await dueScope();
  await winAll(tables, [haltScope(scope)]);
  return scope;
}
async function idleScopeRow(): Promise<string> {
  const scope = await dueScope();
  await winAll(tables, [probe(scope, 1), idle(scope, 1)]);
  return scope;
}
const stored = async (scope: string): Promise<ScopeItem> =>
  scopeItemSchema.parse(await tables.store.get(getScope(scope)));
const isFoundDue = async (scope: string, nowMs: number): Promise<boolean> =>
  (await dueKeys(tables, nowMs)).includes(scopeKey(scope).pk);
const becomesDue = (after: Item, before: Item) =>
  before['workPartition'] !== 'due#0' && after['workPartition'] === 'due#0';

describe('markScopeDue', () => {
  it('makes the scope, due now, at backlog version 1', async () => {
    const scope = freshScope();
    const outcome = await tables.store.write(mark(scope));
    const row = { scope, generation: 1, backlogVersion: 1, workDueAtMs: NOW_MS, waitingSinceMs: NOW_MS };
    expect(outcome).toMatchObject({ kind: 'won', item: row });
    expect(isDue(await stored(scope))).toBe(true);
    await expect.poll(() => isFoundDue(scope, NOW_MS)).toBe(true);
    expect(await isFoundDue(scope, NOW_MS - 1)).toBe(false);
  });

  it('brings a deferred and an idle scope back, and keeps the time since which something waits', async () => {
    const deferred = await dueScope();
    await winAll(tables, [defer(deferred, 1), mark(deferred, NOW_MS + 100)]);
    expect(await stored(deferred)).toMatchObject({ workDueAtMs: NOW_MS + 100, waitingSinceMs: NOW_MS });
    const sleeping = await idleScopeRow();
    expect(await isFoundDue(sleeping, NOW_MS * 2)).toBe(false);
    await winAll(tables, [mark(sleeping, NOW_MS + 100)]);
    expect(await stored(sleeping)).toMatchObject({ backlogVersion: 2, waitingSinceMs: NOW_MS + 100 });
    await expect.poll(() => isFoundDue(sleeping, NOW_MS + 100)).toBe(true);
  });

  it('begins no wait for what is no evidence, and keeps one that began', async () => {
    const served = await dueScope();
    await winAll(tables, [serve(served)]);
    const quiet = { nowMs: NOW_MS + 20, bringsNoEvidence: true };
    await winAll(tables, [markScopeDue({ ...quiet, scope: served, op: freshOp() })]);
    await winAll(tables, [noteBacklog({ ...quiet, scope: served, op: freshOp() })]);
    const row = await stored(served);
    expect([row.workDueAtMs, row.backlogVersion, row.waitingSinceMs]).toEqual([NOW_MS + 20, 3, undefined]);
    const waiting = await dueScope();
    await winAll(tables, [noteBacklog({ ...quiet, scope: waiting, op: freshOp() })]);
    expect((await stored(waiting)).waitingSinceMs).toBe(NOW_MS);
  });

  it('leaves the generation of a scope that was erased before', async () => {
    const scope = await idleScopeRow();
    const item = { ...(await tables.store.get(getScope(scope))), generation: 2 };
    await tables.client.send(new PutCommand({ TableName: tables.names.control, Item: item }));
    await winAll(tables, [mark(scope)]);
    expect((await stored(scope)).generation).toBe(2);
  });

  itSurvivesLostReply(open, 'markScopeDue', { recognisedBy: 'op', arrange: async () => mark(freshScope()) });

  itRefuses(open, 'markScopeDue', [
    {
      refuses: 'a parked scope: only a resume or a success brings it back',
      clause: 'attribute_not_exists(#workPartition) OR #workPartition <> :parked',
      arrange: async () => mark(await parkedScope(), NOW_MS + 1),
      broken: becomesDue,
    },
    {
      refuses: 'a scope due already, which would lose its place in the order of due times',
      clause: 'attribute_not_exists(#workPartition) OR #workPartition <> :due OR #workDueAtMs > :now',
      arrange: async () => mark(await dueScope(), NOW_MS + 1),
      broken: (after, before) => Number(after['workDueAtMs']) > Number(before['workDueAtMs']),
    },
  ]);
});

describe('noteBacklog', () => {
  it('counts a version of a parked scope and leaves it parked; a lost reply counts twice, which only delays idling', async () => {
    const scope = await parkedScope();
    const note = noteBacklog({ scope, nowMs: NOW_MS + 1, op: freshOp() });
    expect(await tables.store.write(note)).toMatchObject({ kind: 'won', item: { backlogVersion: 2 } });
    expect(await tables.store.write(note)).toMatchObject({ kind: 'won', item: { backlogVersion: 3 } });
    expect(isParked(await stored(scope))).toBe(true);
  });

  itRefuses(open, 'noteBacklog', [
    {
      refuses: 'a scope nobody marked, which would be a row without a generation',
      clause: 'attribute_exists(#pk)',
      arrange: async () => noteBacklog({ scope: freshScope(), nowMs: NOW_MS, op: freshOp() }),
      broken: (after) => after['backlogVersion'] === 1 && after['generation'] === undefined,
    },
  ]);
});

describe('serveScope', () => {
  it('puts the scope behind those that waited longer, with nothing said to wait', async () => {
    const [first, second] = [await dueScope(), await dueScope()];
    await winAll(tables, [serve(first)]);
    expect((await stored(first)).waitingSinceMs).toBeUndefined();
    const order = async () =>
      (await dueKeys(tables, NOW_MS + 50)).filter((pk) => pk === scopeKey(first).pk || pk === scopeKey(second).pk);
    await expect.poll(order).toEqual([scopeKey(second).pk, scopeKey(first).pk]);
  });

  itSurvivesLostReply(open, 'serveScope', { recognisedBy: 'condition', arrange: async () => serve(await dueScope()) });

  itRefuses(open, 'serveScope', [
    {
      refuses: 'a scope that was parked meanwhile',
      clause: '#workPartition = :due',
      arrange: async () => serve(await parkedScope()),
      broken: (after, before) => after['workDueAtMs'] !== before['workDueAtMs'],
    },
  ]);
});

describe('deferScope', () => {
  it('takes the scope out of what is due until then', async () => {
    const scope = await dueScope();
    await winAll(tables, [defer(scope, 1)]);
    await expect.poll(() => isFoundDue(scope, NOW_MS + 499)).toBe(false);
    await expect.poll(() => isFoundDue(scope, NOW_MS + 500)).toBe(true);
  });

  itSurvivesLostReply(open, 'deferScope', {
    recognisedBy: 'op',
    arrange: async () => defer(await dueScope(), 1),
  });

  itRefuses(open, 'deferScope', [
    {
      refuses: 'a scope that was parked meanwhile',
      clause: '#workPartition = :due',
      arrange: async () => defer(await parkedScope(), 1),
      broken: (after, before) => after['workDueAtMs'] !== before['workDueAtMs'],
    },
    {
      refuses: 'a scope that was fed after it was judged',
      clause: '#backlogVersion = :backlogVersion',
      arrange: async () => {
        const scope = await dueScope();
        await winAll(tables, [noteBacklog({ scope, nowMs: NOW_MS, op: freshOp() })]);
        return defer(scope, 1);
      },
      broken: (after) => after['workDueAtMs'] === NOW_MS + 500,
    },
    {
      refuses: 'a scope that the end of a pass made due after it was judged',
      clause: '#workDueAtMs = :seenDueAtMs',
      arrange: async () => {
        const scope = await dueScope();
        await winAll(tables, [serve(scope, NOW_MS + 1)]);
        return defer(scope, 1);
      },
      broken: (after) => after['workDueAtMs'] === NOW_MS + 500,
    },
  ]);
});

describe('clearing in two phases', () => {
  it('looks again 15 minutes after an empty probe, then makes the scope idle', async () => {
    const scope = await dueScope();
    await winAll(tables, [probe(scope, 1)]);
    const againAtMs = NOW_MS + LIMITS.emptyProbeAgainMs;
    expect(await stored(scope)).toMatchObject({ workDueAtMs: againAtMs, emptyAtVersion: 1 });
    await expect.poll(() => isFoundDue(scope, againAtMs - 1)).toBe(false);
    await winAll(tables, [idle(scope, 1)]);
    await expect.poll(() => isFoundDue(scope, againAtMs)).toBe(false);
    const sleeping = await stored(scope);
    expect([sleeping.workPartition, sleeping.emptyAtVersion]).toEqual(['idle#0', undefined]);
  });

  it('begins anew when something was found between the two probes', async () => {
    const scope = await dueScope();
    await winAll(tables, [probe(scope, 1), defer(scope, 1, NOW_MS + LIMITS.emptyProbeAgainMs)]);
    expect(await tables.store.write(idle(scope, 1))).toMatchObject({
      kind: 'held',
      stored: { workPartition: 'due#0' },
    });
  });

  itSurvivesLostReply(open, 'noteEmptyProbe', {
    recognisedBy: 'condition',
    arrange: async () => probe(await dueScope(), 1),
  });
  itSurvivesLostReply(open, 'idleScope', {
    recognisedBy: 'op',
    arrange: async () => {
      const scope = await dueScope();
      await winAll(tables, [probe(scope, 1)]);
      return idle(scope, 1);
    },
  });

  itRefuses(open, 'noteEmptyProbe', [
    {
      refuses: 'a scope that was parked meanwhile',
      clause: '#workPartition = :due',
      arrange: async () => probe(await parkedScope(), 1),
      broken: (after) => after['emptyAtVersion'] === 1,
    },
    {
      refuses: 'a scope that was fed after it was probed',
      clause: '#backlogVersion = :backlogVersion',
      arrange: async () => {
        const scope = await dueScope();
        await winAll(tables, [noteBacklog({ scope, nowMs: NOW_MS, op: freshOp() })]);
        return probe(scope, 1);
      },
      broken: (after) => after['workDueAtMs'] !== NOW_MS,
    },
  ]);

  itRefuses(open, 'idleScope', [
    {
      refuses: 'a scope that was parked between the two probes, which a resume would not find',
      clause: '#workPartition = :due',
      arrange: async () => {
        const scope = await dueScope();
        await winAll(tables, [probe(scope, 1), pauseScope({ scope, nowMs: NOW_MS, op: freshOp() })]);
        return idle(scope, 1);
      },
      broken: (after, before) => before['workPartition'] === 'parked#0' && after['workPartition'] === 'idle#0',
    },
    {
      refuses: 'a scope that was fed between the two probes',
      clause: '#backlogVersion = :backlogVersion',
      arrange: async () => {
        const scope = await dueScope();
        await winAll(tables, [probe(scope, 1), noteBacklog({ scope, nowMs: NOW_MS, op: freshOp() })]);
        return idle(scope, 1);
      },
      broken: (after) => after['workPartition'] === 'idle#0' && after['backlogVersion'] === 2,
    },
    {
      refuses: 'a scope that was probed empty only once at this version',
      clause: '#emptyAtVersion = :backlogVersion',
      arrange: async () => idle(await dueScope(), 1),
      broken: (after) => after['workPartition'] === 'idle#0',
    },
  ]);
});
