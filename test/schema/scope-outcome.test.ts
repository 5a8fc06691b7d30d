import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  getScope,
  idleScope,
  isDue,
  isParked,
  markScopeDue,
  noteEmptyProbe,
  scopeItemSchema,
  scopeKey,
} from '../../schema/scope.ts';
import { createTestTables, TABLES_TIMEOUT_MS, type TestTables } from '../support/tables.ts';
import { itRefuses, itSurvivesLostReply, winAll } from './guards.ts';
import { freshOp, freshScope, ME, NOW_MS, OTHER } from './samples.ts';
import { countOf, dueKeys, haltScope } from './scope-scenes.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTestTables();
}, TABLES_TIMEOUT_MS);
afterAll(() => tables.close());
const open = () => tables;

async function dueScope(): Promise<string> {
  const scope = freshScope();
  await winAll(tables, [markScopeDue({ scope, nowMs: NOW_MS, op: freshOp() })]);
  return scope;
}
const stored = async (scope: string) => scopeItemSchema.parse(await tables.store.get(getScope(scope)));

describe('countOutcome', () => {
  it('counts and leaves the scope where it stands', async () => {
    const scope = await dueScope();
    await winAll(tables, [countOf(scope)]);
    const row = await stored(scope);
    expect(row).toMatchObject({ failures: 1, statsVersion: 1, counted: { [ME]: NOW_MS }, lastPassAtMs: NOW_MS });
    expect([isDue(row), row.workDueAtMs]).toEqual([true, NOW_MS]);
  });

  it('parks a scope out of what is due when it halts, and brings it back with a success', async () => {
    const scope = await dueScope();
    await winAll(tables, [haltScope(scope)]);
    expect(await stored(scope)).toMatchObject({ haltedAtMs: NOW_MS });
    expect(isParked(await stored(scope))).toBe(true);
    await expect.poll(() => dueKeys(tables, NOW_MS * 2)).not.toContain(scopeKey(scope).pk);
    const success = countOf(scope, {
      passId: OTHER,
      statsVersion: 1,
      failures: 0,
      move: { kind: 'due', atMs: NOW_MS + 9 },
    });
    await winAll(tables, [success]);
    const back = await stored(scope);
    expect([isDue(back), back.workDueAtMs, back.haltedAtMs]).toEqual([true, NOW_MS + 9, undefined]);
    await expect.poll(() => dueKeys(tables, NOW_MS + 9)).toContain(scopeKey(scope).pk);
  });

  itSurvivesLostReply(open, 'countOutcome', { recognisedBy: 'op', arrange: async () => countOf(await dueScope()) });

  itRefuses(open, 'countOutcome', [
    {
      refuses: 'a scope that has no row: counting must not make half of one',
      clause: 'attribute_exists(#pk)',
      arrange: async () => countOf(freshScope()),
      broken: (after) => after['generation'] === undefined && after['failures'] !== undefined,
    },
    {
      refuses: 'a pass that is counted, however often it is finalized',
      clause: 'attribute_not_exists(#counted.#pass)',
      arrange: async () => {
        const scope = await dueScope();
        await winAll(tables, [countOf(scope)]);
        return countOf(scope, { statsVersion: 1, failures: 2 });
      },
      broken: (after) => after['failures'] === 2,
    },
    {
      refuses: 'values computed before another pass was counted, which it would undo',
      clause: 'attribute_not_exists(#statsVersion) OR #statsVersion = :statsVersion',
      arrange: async () => {
        const scope = await dueScope();
        await winAll(tables, [countOf(scope, { passId: OTHER })]);
        return countOf(scope);
      },
      broken: (after) => !Object.hasOwn(after['counted'] as object, OTHER),
    },
  ]);
});

describe('an outcome that is counted between the two phases of clearing', () => {
  const probedScope = async (): Promise<string> => {
    const scope = await dueScope();
    await winAll(tables, [noteEmptyProbe({ scope, nowMs: NOW_MS, backlogVersion: 1, op: freshOp() })]);
    return scope;
  };
  const idle = (scope: string) => tables.store.write(idleScope({ scope, backlogVersion: 1, op: freshOp() }));

  it('begins them anew: what the pass gave back may not be in the index yet', async () => {
    const scope = await probedScope();
    await winAll(tables, [countOf(scope)]);
    expect(await idle(scope)).toMatchObject({ kind: 'held' });
  });

  it('twin: a count that leaves the first phase as it was lets the second make the scope idle', async () => {
    const scope = await probedScope();
    const count = countOf(scope);
    if (count.kind !== 'update') throw new Error('a count is no update');
    const { '#emptyAtVersion': _, ...names } = count.input.ExpressionAttributeNames ?? {};
    const text = count.input.UpdateExpression?.replace(' REMOVE #emptyAtVersion', '');
    const without = { ...count.input, UpdateExpression: text, ExpressionAttributeNames: names };
    await winAll(tables, [{ ...count, input: without }]);
    expect(await idle(scope)).toMatchObject({ kind: 'won' });
  });
});
