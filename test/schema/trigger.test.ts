import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { triggerIdOf } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Write } from '../../schema/request.ts';
import {
  announceRefusal,
  bindingKey,
  bindTrigger,
  getTrigger,
  putTrigger,
  rebindTrigger,
  recordOutcome,
  triggerBindingSchema,
  triggerItemSchema,
} from '../../schema/trigger.ts';
import { createTestTables, TABLES_TIMEOUT_MS, type TestTables } from '../support/tables.ts';
import { itRefuses, itSurvivesLostReply, readItem, winAll } from './guards.ts';
import { freshOp, freshScope, ME, NOW_MS } from './samples.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTestTables();
}, TABLES_TIMEOUT_MS);
afterAll(() => tables.close());
const open = () => tables;

const freshTrigger = () => triggerIdOf(NOW_MS, freshOp());
const putOf = (triggerId: string): Write =>
  putTrigger({ triggerId, scope: 'scope-a', origin: 'trigger', kind: 'incremental', requestedAtMs: NOW_MS }, freshOp());
const record = (triggerId: string, passIds: string[]): Write =>
  recordOutcome(triggerId, { passIds, alreadyRunning: [], requested: 1, effective: 1, refused: [] }, freshOp());

const NONE = { passIds: [], alreadyRunning: [], requested: 1, effective: 0, refused: [] };
const announce = (triggerId: string): Write => announceRefusal(triggerId, NONE, freshOp());

async function asked(): Promise<string> {
  const triggerId = freshTrigger();
  await winAll(tables, [putOf(triggerId)]);
  return triggerId;
}

describe('putTrigger', () => {
  it('puts a trigger that goes by TTL a day later', async () => {
    const triggerId = await asked();
    const item = await tables.store.get(getTrigger(triggerId));
    expect(triggerItemSchema.parse(item)).toMatchObject({ triggerId, scope: 'scope-a' });
    expect(item?.['ttl']).toBe((NOW_MS + LIMITS.triggerKeepMs) / 1000);
  });

  itSurvivesLostReply(open, 'putTrigger', { recognisedBy: 'op', arrange: async () => putOf(freshTrigger()) });

  itRefuses(open, 'putTrigger', [
    {
      refuses: 'an id that is taken, whose outcome stays',
      clause: 'attribute_not_exists(#pk)',
      arrange: async () => {
        const triggerId = await asked();
        await winAll(tables, [record(triggerId, [ME])]);
        return putOf(triggerId);
      },
      broken: (after) => after['outcome'] === undefined,
    },
  ]);
});

describe('recordOutcome', () => {
  it('records what came of it', async () => {
    const triggerId = await asked();
    await winAll(tables, [record(triggerId, [ME])]);
    const item = await tables.store.get(getTrigger(triggerId));
    expect(triggerItemSchema.parse(item).outcome).toMatchObject({ passIds: [ME] });
  });

  itSurvivesLostReply(open, 'recordOutcome', { recognisedBy: 'op', arrange: async () => record(await asked(), [ME]) });

  itRefuses(open, 'recordOutcome', [
    {
      refuses: 'a trigger without a row, which would stand for ever',
      clause: 'attribute_exists(#pk)',
      arrange: async () => record(freshTrigger(), [ME]),
      broken: (after) => after['outcome'] !== undefined && after['ttl'] === undefined,
    },
    {
      refuses: 'a second outcome from a doubled message',
      clause: 'attribute_not_exists(#outcome)',
      arrange: async () => {
        const triggerId = await asked();
        await winAll(tables, [record(triggerId, [ME])]);
        return record(triggerId, []);
      },
      broken: (after) => (after['outcome'] as { passIds: string[] }).passIds.length === 0,
    },
  ]);
});

describe('announceRefusal', () => {
  it('leaves the outcome open', async () => {
    const triggerId = await asked();
    await winAll(tables, [announce(triggerId), record(triggerId, [ME])]);
    const item = triggerItemSchema.parse(await tables.store.get(getTrigger(triggerId)));
    expect([item.refusal, item.outcome?.passIds]).toEqual([NONE, [ME]]);
  });

  itSurvivesLostReply(open, 'announceRefusal', { recognisedBy: 'op', arrange: async () => announce(await asked()) });

  itRefuses(open, 'announceRefusal', [
    {
      refuses: 'a trigger without a row, which would stand for ever',
      clause: 'attribute_exists(#pk)',
      arrange: async () => announce(freshTrigger()),
      broken: (after) => after['refusal'] !== undefined && after['ttl'] === undefined,
    },
    {
      refuses: 'a trigger whose outcome is known',
      clause: 'attribute_not_exists(#outcome)',
      arrange: async () => {
        const triggerId = await asked();
        await winAll(tables, [record(triggerId, [ME])]);
        return announce(triggerId);
      },
      broken: (after) => after['refusal'] !== undefined,
    },
    {
      refuses: 'to take the place of what a copy of the message announced',
      clause: 'attribute_not_exists(#refusal)',
      arrange: async () => {
        const triggerId = await asked();
        await winAll(tables, [announce(triggerId)]);
        return announceRefusal(triggerId, { ...NONE, requested: 2 }, freshOp());
      },
      broken: (after) => (after['refusal'] as typeof NONE).requested === 2,
    },
  ]);
});

describe('idempotency keys', () => {
  const binding = (scope: string, triggerId: string) => ({
    scope,
    idempotencyKey: 'key-1',
    requestHash: 'hash-1',
    triggerId,
    nowMs: NOW_MS,
    op: freshOp(),
  });
  const bind = (scope: string, triggerId: string) => bindTrigger(binding(scope, triggerId));
  const rebind = (scope: string, triggerId: string, refused: string) =>
    rebindTrigger(binding(scope, triggerId), refused);
  async function bound(triggerId: string): Promise<string> {
    const scope = freshScope();
    await winAll(tables, [bind(scope, triggerId)]);
    return scope;
  }

  it('bind to a trigger, and anew after that one was refused; the request’s hash stays', async () => {
    const scope = await bound('trigger-1');
    const write = rebind(scope, 'trigger-2', 'trigger-1');
    await winAll(tables, [write]);
    const stands = triggerBindingSchema.parse(await readItem(tables, write));
    expect(stands).toMatchObject({ triggerId: 'trigger-2', requestHash: 'hash-1' });
  });

  it('belong to their scope: where one ends and the other begins is part of the key', () => {
    expect(bindingKey('ab', 'c')).not.toEqual(bindingKey('a', 'bc'));
    expect(bindingKey('a', 'key-1')).not.toEqual(bindingKey('b', 'key-1'));
  });

  itSurvivesLostReply(open, 'bindTrigger', {
    recognisedBy: 'op',
    arrange: async () => bind(freshScope(), 'trigger-1'),
  });
  itSurvivesLostReply(open, 'rebindTrigger', {
    recognisedBy: 'op',
    arrange: async () => rebind(await bound('trigger-1'), 'trigger-2', 'trigger-1'),
  });

  itRefuses(open, 'bindTrigger', [
    {
      refuses: 'a key that is bound, and tells to what',
      clause: 'attribute_not_exists(#pk)',
      arrange: async () => bind(await bound('trigger-1'), 'trigger-2'),
      broken: (after) => after['triggerId'] === 'trigger-2',
    },
  ]);
  itRefuses(open, 'rebindTrigger', [
    {
      refuses: 'the second of two callers that saw the same refusal',
      clause: '#triggerId = :refused',
      arrange: async () => {
        const scope = await bound('trigger-1');
        await winAll(tables, [rebind(scope, 'trigger-2', 'trigger-1')]);
        return rebind(scope, 'trigger-3', 'trigger-1');
      },
      broken: (after) => after['triggerId'] === 'trigger-3',
    },
  ]);
});
