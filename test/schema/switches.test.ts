/** What an operator changes, on the ledger and on a scope's row. */
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { admitPasses, getLedger, ledgerItemSchema, ledgerKey } from '../../schema/ledger.ts';
import { outdatePlans, pauseAll, resumeAll, setLiveSettings } from '../../schema/ledger-switches.ts';
import type { Item } from '../../schema/request.ts';
import {
  getScope,
  isDue,
  isParked,
  markScopeDue,
  noteBacklog,
  type ScopeItem,
  scopeItemSchema,
} from '../../schema/scope.ts';
import { pauseScope, resumeScope, setScopeSettings } from '../../schema/scope-switches.ts';
import { createTestTables, TABLES_TIMEOUT_MS, type TestTables } from '../support/tables.ts';
import { itRefuses, itSurvivesLostReply, winAll } from './guards.ts';
import { freshOp, freshScope, ME, NOW_MS, sampleEntry } from './samples.ts';
import { countOf, dueKeys, haltScope } from './scope-scenes.ts';

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
const admit = (seenVersion: number) => {
  const op = freshOp();
  return admitPasses({ seenVersion, entries: { [ME]: sampleEntry(op) }, op });
};
const live = (seenVersion: number | undefined, pageSources = 7) =>
  setLiveSettings({ settings: { pageSources }, seenVersion, op: freshOp() });

describe('the ledger’s switches', () => {
  it('pause and resume all, before anything was ever admitted too', async () => {
    await winAll(tables, [pauseAll(freshOp())]);
    expect(await ledger()).toMatchObject({ version: 1, paused: true, passes: {} });
    await winAll(tables, [resumeAll(freshOp())]);
    expect(await ledger()).not.toHaveProperty('paused');
  });

  it.each([
    ['a pause', () => pauseAll(freshOp())],
    ['new settings', () => live(undefined)],
    ['a change of a scope', () => outdatePlans(freshOp())],
  ])('%s outdates every plan made before it', async (_, change) => {
    await winAll(tables, [change()]);
    expect(await tables.store.write(admit(0))).toMatchObject({ kind: 'held' });
    await winAll(tables, [outdatePlans(freshOp()), admit(2)]);
    expect(Object.keys((await ledger()).passes)).toEqual([ME]);
  });

  it('settings count how often they were changed', async () => {
    await winAll(tables, [live(undefined), live(1, 9)]);
    expect(await ledger()).toMatchObject({ settings: { pageSources: 9 }, settingsVersion: 2 });
  });

  itSurvivesLostReply(open, 'pauseAll', { recognisedBy: 'op', arrange: async () => pauseAll(freshOp()) });
  itSurvivesLostReply(open, 'resumeAll', {
    recognisedBy: 'op',
    arrange: async () => {
      await winAll(tables, [pauseAll(freshOp())]);
      return resumeAll(freshOp());
    },
  });
  itSurvivesLostReply(open, 'setLiveSettings', { recognisedBy: 'op', arrange: async () => live(undefined) });

  const changes = (after: Item, before: Item) => after['op'] !== before['op'];
  itRefuses(open, 'pauseAll', [
    {
      refuses: 'a deployment that is paused',
      clause: 'attribute_not_exists(#paused)',
      arrange: async () => {
        await winAll(tables, [pauseAll(freshOp())]);
        return pauseAll(freshOp());
      },
      broken: changes,
    },
  ]);
  itRefuses(open, 'resumeAll', [
    {
      refuses: 'a deployment that is not paused',
      clause: 'attribute_exists(#paused)',
      arrange: async () => {
        await winAll(tables, [outdatePlans(freshOp())]);
        return resumeAll(freshOp());
      },
      broken: changes,
    },
  ]);
  itRefuses(open, 'setLiveSettings', [
    {
      refuses: 'a first change, once there was one: it would drop what that set',
      clause: 'attribute_not_exists(#settingsVersion)',
      arrange: async () => {
        await winAll(tables, [
          setLiveSettings({ settings: { batchTokens: 1 }, seenVersion: undefined, op: freshOp() }),
        ]);
        return live(undefined);
      },
      broken: (after) => (after['settings'] as Item)['batchTokens'] === undefined,
    },
    {
      refuses: 'a change made from settings that are not those any more',
      clause: '#settingsVersion = :seen',
      arrange: async () => {
        await winAll(tables, [live(undefined), live(1, 9)]);
        return live(1, 5);
      },
      broken: (after) => (after['settings'] as Item)['pageSources'] === 5,
    },
  ]);
});

const switched = (scope: string) => ({ scope, nowMs: NOW_MS + 100, op: freshOp() });
const stored = async (scope: string): Promise<ScopeItem> =>
  scopeItemSchema.parse(await tables.store.get(getScope(scope)));
async function known(): Promise<string> {
  const scope = freshScope();
  await winAll(tables, [markScopeDue({ scope, nowMs: NOW_MS, op: freshOp() })]);
  return scope;
}
const own = (scope: string, seenVersion: number | undefined, pageSources = 7) =>
  setScopeSettings({ ...switched(scope), settings: { pageSources }, seenVersion });

describe('a scope’s switches', () => {
  it('pause parks it, so that no look at the due scopes meets it; resume makes it due', async () => {
    const scope = await known();
    await winAll(tables, [pauseScope(switched(scope))]);
    expect(await stored(scope)).toMatchObject({ paused: true, backlogVersion: 1, statsVersion: 1 });
    expect(isParked(await stored(scope))).toBe(true);
    await expect.poll(() => dueKeys(tables, NOW_MS * 2)).not.toContain(`SCOPE#${scope}`);
    await winAll(tables, [noteBacklog({ scope, nowMs: NOW_MS, op: freshOp() }), resumeScope(switched(scope))]);
    const row = await stored(scope);
    expect(row).toMatchObject({ workDueAtMs: NOW_MS + 100, backlogVersion: 2, statsVersion: 2 });
    expect([isDue(row), row.paused]).toEqual([true, undefined]);
  });

  it('resume forgets a halt and the failures that led to it', async () => {
    const scope = await known();
    await winAll(tables, [haltScope(scope), resumeScope(switched(scope))]);
    const row = await stored(scope);
    expect(row).toMatchObject({ failures: 0, failureTimesMs: [] });
    expect([isDue(row), row.haltedAtMs]).toEqual([true, undefined]);
  });

  it('resume ends a back-off, and an outcome counted from before it loses', async () => {
    const scope = await known();
    await winAll(tables, [countOf(scope, { move: { kind: 'due', atMs: NOW_MS + 600_000 } })]);
    const stale = countOf(scope, { passId: 'other', statsVersion: 1, move: { kind: 'halt', atMs: NOW_MS } });
    await winAll(tables, [resumeScope(switched(scope))]);
    expect(await tables.store.write(stale)).toMatchObject({ kind: 'held' });
    expect((await stored(scope)).workDueAtMs).toBe(NOW_MS + 100);
  });

  it('pause and settings make a scope that is not known, which the first source then finds', async () => {
    for (const first of [pauseScope, (it: ReturnType<typeof switched>) => own(it.scope, undefined)]) {
      const scope = freshScope();
      await winAll(tables, [first(switched(scope))]);
      expect(await stored(scope)).toMatchObject({ generation: 1, backlogVersion: 0 });
      expect(isDue(await stored(scope))).toBe(false);
    }
  });

  it('settings leave the rest of the row alone', async () => {
    const scope = await known();
    const { settings, settingsVersion, ...rest } = await stored(scope);
    expect([settings, settingsVersion]).toEqual([undefined, undefined]);
    await winAll(tables, [own(scope, undefined), own(scope, 1, 9)]);
    expect(await stored(scope)).toEqual({ ...rest, settings: { pageSources: 9 }, settingsVersion: 2 });
  });

  itSurvivesLostReply(open, 'pauseScope', {
    recognisedBy: 'op',
    arrange: async () => pauseScope(switched(freshScope())),
  });
  itSurvivesLostReply(open, 'resumeScope', {
    recognisedBy: 'op',
    arrange: async () => {
      const scope = await known();
      await winAll(tables, [pauseScope(switched(scope))]);
      return resumeScope(switched(scope));
    },
  });
  itSurvivesLostReply(open, 'setScopeSettings', {
    recognisedBy: 'op',
    arrange: async () => own(freshScope(), undefined),
  });

  itRefuses(open, 'pauseScope', [
    {
      refuses: 'a paused scope, whose outcomes would be counted again',
      clause: 'attribute_not_exists(#paused) OR #paused <> :true',
      arrange: async () => {
        const scope = await known();
        await winAll(tables, [pauseScope(switched(scope))]);
        return pauseScope(switched(scope));
      },
      broken: (after, before) => after['statsVersion'] !== before['statsVersion'],
    },
  ]);
  itRefuses(open, 'resumeScope', [
    {
      refuses: 'a scope that nothing holds back, which would lose its place',
      clause: '#workPartition = :parked OR #failures > :zero',
      arrange: async () => resumeScope(switched(await known())),
      broken: (after) => after['workDueAtMs'] !== NOW_MS,
    },
  ]);
  itRefuses(open, 'setScopeSettings', [
    {
      refuses: 'a first change, once there was one',
      clause: 'attribute_not_exists(#settingsVersion)',
      arrange: async () => {
        const scope = await known();
        await winAll(tables, [own(scope, undefined)]);
        return own(scope, undefined, 9);
      },
      broken: (after) => (after['settings'] as Item)['pageSources'] === 9,
    },
    {
      refuses: 'a change made from settings that are not those any more',
      clause: '#settingsVersion = :seen',
      arrange: async () => {
        const scope = await known();
        await winAll(tables, [own(scope, undefined), own(scope, 1, 9)]);
        return own(scope, 1, 5);
      },
      broken: (after) => (after['settings'] as Item)['pageSources'] === 5,
    },
  ]);
});
