/** Each probe and each fault that the engines are held against: the test that shows it is there, or it is refused by name. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PROBES as DYNAMODB_PROBES } from './dynamodb/probes.ts';
import { item, type Main, openMain, TABLE } from './dynamodb/main-table.ts';
import { countHeld, isThere, listOutside, listShown } from './held-against.ts';
import { SEEN_FAULTS } from './seen-faults.ts';
import { SqsTestClient } from './sqs/client.ts';
import { PROBES as SQS_PROBES } from './sqs/probes.ts';

const named = <Held extends { readonly asks: string }>(list: readonly Held[]) =>
  list.map((held) => [held.asks, held] as const);
const lists = {
  DynamoDB: { all: DYNAMODB_PROBES, shown: listShown(DYNAMODB_PROBES) },
  SQS: { all: SQS_PROBES, shown: listShown(SQS_PROBES) },
};

describe.each(Object.entries(lists))('the probes of %s', (_, { all, shown }) => {
  it('are each another', () => {
    expect(new Set(all.map(({ asks }) => asks)).size).toBe(all.length);
  });

  it.each(named(shown))('is shown by a test: %s', (_asks, probe) => {
    expect(isThere(probe)).toBe(true);
  });
});

describe('outside the subset of DynamoDB', () => {
  let main: Main;
  const stored = { PK: 'a', SK: 'b', l: [1, 2], mixed: [{ k: 1 }, true], wide: 'éé', tags: new Set(['x']) };
  beforeEach(() => {
    main = openMain();
    main.put(stored);
  });

  it.each(named(listOutside(DYNAMODB_PROBES)))('%s is refused by name', (_asks, probe) => {
    expect(() => probe.ask(main)).toThrow(probe.refused);
    expect(() => probe.ask(main)).toThrow('is not emulated by the embedded engine');
    expect(main.engine.items(TABLE)).toEqual([item(stored)]);
  });

  it('the probe of everything at once holds without what is outside', () => {
    main.put({ ...stored, status: 'PENDING', version: 3, amount: 10.5, name: 'hello', n: { k: 'z' } });
    const { Attributes } = main.update('a', 'b', {
      ConditionExpression:
        '(#s IN (:p, :d) AND version = :three) AND (begins_with(#n, :h) OR wide = :h) AND NOT attribute_exists(gone) AND amount BETWEEN :lo AND :hi AND n.k = :z',
      UpdateExpression: 'SET #s = :d, version = version + :one, n.k = :h REMOVE amount ADD seen :one',
      ExpressionAttributeNames: { '#s': 'status', '#n': 'name' },
      ExpressionAttributeValues: item({
        ':p': 'PENDING',
        ':d': 'DONE',
        ':three': 3,
        ':h': 'he',
        ':lo': 10,
        ':hi': 11,
        ':z': 'z',
        ':one': 1,
      }),
      ReturnValues: 'ALL_NEW',
    });
    expect(Attributes).toMatchObject(item({ status: 'DONE', version: 4, seen: 1, n: { k: 'he' } }));
    expect(Attributes).not.toHaveProperty('amount');
  });
});

describe('outside the subset of SQS', () => {
  const client = new SqsTestClient();
  afterEach(() => client.sqs.close());

  it.each(named(listOutside(SQS_PROBES)))('%s is refused by name', (_asks, probe) => {
    expect(() => probe.ask(client)).toThrow(probe.refused);
  });
});

describe('a fault that was seen elsewhere', () => {
  it.each(named(SEEN_FAULTS))('would fail a test of ours: %s', (_asks, fault) => {
    expect(isThere(fault)).toBe(true);
  });
});

describe('the check', () => {
  it('finds a test that is gone, and counts both kinds', () => {
    const [first] = SEEN_FAULTS;
    expect(isThere({ asks: '', file: first?.file ?? '', words: 'no such words anywhere' })).toBe(false);
    expect(countHeld(DYNAMODB_PROBES)).toEqual({ all: 85, shown: 70, outside: 15 });
    expect(countHeld(SQS_PROBES)).toEqual({ all: 22, shown: 20, outside: 2 });
  });
});
