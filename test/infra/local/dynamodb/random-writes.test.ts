/**
 * Goal: whatever is written, the stream replayed gives the table, and each index is what the table says it should be.
 * Method: seeded random writes through `respond`, with every kind of change, refusal and no-op; then recompute both.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Item } from '../../../../infra/local/dynamodb/attribute-value.ts';
import type { StreamRecord } from '../../../../infra/local/dynamodb/stream.ts';
import { item, type Main, MAIN_TABLE, openMain, TABLE } from './main-table.ts';

const KEYS = 8;
const keyOf = (at: number) => item({ PK: `p${at % 3}`, SK: `s${at}` });

const attributes = fc.record(
  {
    v: fc.nat(3),
    GSI1PK: fc.constantFrom('g', 'h'),
    GSI1SK: fc.constantFrom('x', 'y', 'z'),
    GSI2PK: fc.constantFrom('g'),
    GSI2SK: fc.integer({ min: -2, max: 2 }),
    GSI3PK: fc.constantFrom('k', 'l'),
    status: fc.constantFrom('S', 'T'),
    ttl: fc.constantFrom(1, 10_000_000_000),
  },
  { requiredKeys: [] },
);

const write = fc.oneof(
  fc.record({ kind: fc.constant('put' as const), key: fc.nat(KEYS - 1), attributes }),
  fc.record({ kind: fc.constant('delete' as const), key: fc.nat(KEYS - 1) }),
  fc.record({
    kind: fc.constant('set' as const),
    key: fc.nat(KEYS - 1),
    name: fc.constantFrom('GSI1SK', 'GSI3PK', 'status'),
    value: fc.constantFrom('x', 'y'),
  }),
  fc.record({
    kind: fc.constant('remove' as const),
    key: fc.nat(KEYS - 1),
    name: fc.constantFrom('GSI1PK', 'GSI2SK', 'status'),
  }),
  fc.record({ kind: fc.constant('guarded' as const), key: fc.nat(KEYS - 1), v: fc.nat(3) }),
  fc.record({
    kind: fc.constant('batch' as const),
    keys: fc.uniqueArray(fc.nat(KEYS - 1), { maxLength: 4, minLength: 1 }),
    attributes,
  }),
  fc.record({ kind: fc.constant('sweep' as const) }),
);

type Write = typeof write extends fc.Arbitrary<infer Value> ? Value : never;

function apply({ engine }: Main, action: Write): void {
  const send = (operation: string, input: object) =>
    engine.respond(`DynamoDB_20120810.${operation}`, JSON.stringify(input)).status;
  if (action.kind === 'sweep') {
    engine.sweepTtl();
    return;
  }
  if (action.kind === 'batch') {
    const requests = action.keys.map((at) => ({ PutRequest: { Item: { ...item(action.attributes), ...keyOf(at) } } }));
    expect(send('BatchWriteItem', { RequestItems: { [TABLE]: requests } })).toBe(200);
    return;
  }
  const keyed = { TableName: TABLE, Key: keyOf(action.key) };
  if (action.kind === 'put') send('PutItem', { TableName: TABLE, Item: { ...item(action.attributes), ...keyed.Key } });
  if (action.kind === 'delete') send('DeleteItem', keyed);
  if (action.kind === 'set' || action.kind === 'remove') {
    const values = action.kind === 'set' ? { ExpressionAttributeValues: item({ ':v': action.value }) } : {};
    const UpdateExpression = action.kind === 'set' ? 'SET #n = :v' : 'REMOVE #n';
    expect(
      send('UpdateItem', { ...keyed, UpdateExpression, ExpressionAttributeNames: { '#n': action.name }, ...values }),
    ).toBe(200);
  }
  if (action.kind === 'guarded') {
    const guard = { ConditionExpression: 'v < :v', ExpressionAttributeValues: item({ ':v': action.v, ':o': 1 }) };
    send('UpdateItem', { ...keyed, UpdateExpression: 'ADD v :o', ...guard });
  }
}

const identify = ({ PK, SK }: Item) => JSON.stringify([PK, SK]);
const byIdentity = (items: readonly Item[]) => new Map(items.map((found) => [identify(found), found]));

/** Replays, checking that each record goes on from the one before it. */
function replay(records: readonly StreamRecord[]): Map<string, Item> {
  const state = new Map<string, Item>();
  for (const { eventName, dynamodb } of records) {
    const id = identify(dynamodb.Keys);
    expect(dynamodb.OldImage).toEqual(state.get(id));
    expect(eventName).toBe(state.has(id) ? (dynamodb.NewImage ? 'MODIFY' : 'REMOVE') : 'INSERT');
    expect(dynamodb.NewImage).not.toEqual(dynamodb.OldImage);
    if (dynamodb.NewImage) state.set(id, dynamodb.NewImage);
    else state.delete(id);
  }
  return state;
}

/** What the index must hold, from the table alone. */
function recompute(items: readonly Item[], index: (typeof MAIN_TABLE.GlobalSecondaryIndexes)[number]): Item[] {
  const keys = (index.KeySchema as { AttributeName: string }[]).map(({ AttributeName }) => AttributeName);
  const { ProjectionType, NonKeyAttributes = [] } = index.Projection as {
    ProjectionType: string;
    NonKeyAttributes?: string[];
  };
  const kept = new Set(['PK', 'SK', ...keys, ...NonKeyAttributes]);
  return items
    .filter((found) => keys.every((name) => found[name] !== undefined))
    .map((found) =>
      ProjectionType === 'ALL' ? found : Object.fromEntries(Object.entries(found).filter(([name]) => kept.has(name))),
    );
}

describe('random writes', () => {
  it('keep stream, table and indexes in step', () => {
    fc.assert(
      fc.property(fc.array(write, { minLength: 1, maxLength: 60 }), (writes) => {
        const main = openMain();
        main.engine.dispatch('UpdateTimeToLive', {
          TableName: TABLE,
          TimeToLiveSpecification: { Enabled: true, AttributeName: 'ttl' },
        });
        for (const action of writes) apply(main, action);
        const items = main.engine.items(TABLE);
        expect(replay(main.engine.readStream(TABLE, 0, 10_000).records)).toEqual(byIdentity(items));
        for (const index of MAIN_TABLE.GlobalSecondaryIndexes) {
          const [partition] = (index.KeySchema as { AttributeName: string }[]).map(
            ({ AttributeName }) => AttributeName,
          );
          const found = ['g', 'h', 'k', 'l', 'x', 'y'].flatMap(
            (value) => main.query(`${partition} = :v`, { ':v': value }, { IndexName: index.IndexName }).Items,
          );
          expect(found).toHaveLength(byIdentity(found).size);
          expect(byIdentity(found)).toEqual(byIdentity(recompute(items, index)));
        }
      }),
      { numRuns: 60, seed: 20_260 },
    );
  });
});
