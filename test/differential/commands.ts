/**
 * Random commands of the subset that the design allows (rule 13), drawn from a seed: few keys, few values, so that
 * conditions hold and fail about as often, and wrong requests among them.
 */
import { openRandom } from '../../infra/local/runtime/seeded-random.ts';
import { drawCondition, drawUpdate, Expression } from './expressions.ts';
import { drawIndexKeys, drawValue, type Draw, type Value } from './values.ts';

export interface Command {
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export const TABLE = 'Fuzz';
const PARTITIONS = ['p0', 'p1', 'p2'];
const SORTS = ['s0', 's1', 's10', 's2', 't', 'S', 'é'];

/** Composite key; one index of keys only, one that includes an attribute, by a number. */
export const FUZZ_TABLE = {
  TableName: TABLE,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [
    ...['pk', 'sk', 'gp', 'gs', 'hp'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    { AttributeName: 'hn', AttributeType: 'N' },
  ],
  KeySchema: schemaOf('pk', 'sk'),
  GlobalSecondaryIndexes: [
    { IndexName: 'byName', KeySchema: schemaOf('gp', 'gs'), Projection: { ProjectionType: 'KEYS_ONLY' } },
    {
      IndexName: 'byNumber',
      KeySchema: schemaOf('hp', 'hn'),
      Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['a', 'm'] },
    },
  ],
};

function schemaOf(partition: string, sort: string): object[] {
  return [
    { AttributeName: partition, KeyType: 'HASH' },
    { AttributeName: sort, KeyType: 'RANGE' },
  ];
}

/** Every key that commands are about. */
export const KEYS = PARTITIONS.flatMap((pk) => SORTS.map((sk) => ({ pk: { S: pk }, sk: { S: sk } })));

/** Commands without end: the same for the same seed. */
export function* drawCommands(seed: number): Generator<Command, never> {
  const random = openRandom(seed, 'commands');
  const draw: Draw = {
    chance: (share) => random() < share,
    pick: (choices) => choices[Math.floor(random() * choices.length)] as (typeof choices)[number],
    int: (min, max) => min + Math.floor(random() * (max - min + 1)),
  };
  for (;;) {
    const make = draw.pick(KINDS);
    const { operation, input } = make(draw);
    const level = draw.pick(['NONE', 'TOTAL', 'INDEXES', 'INDEXES']);
    yield { operation, input: { ...input, ReturnConsumedCapacity: level } };
  }
}

type Kind = (draw: Draw) => Command;

const update: Kind = (draw) => {
  const expression = new Expression(draw);
  const UpdateExpression = drawUpdate(draw, expression);
  const ReturnValues = draw.pick(['NONE', 'ALL_OLD', 'ALL_NEW', 'UPDATED_OLD', 'UPDATED_NEW']);
  const condition = drawGuard(draw, expression);
  const input = { TableName: TABLE, Key: drawKey(draw), UpdateExpression, ReturnValues, ...condition };
  return { operation: 'UpdateItem', input: { ...input, ...expression.parameters } };
};

const put: Kind = (draw) => {
  const expression = new Expression(draw);
  const condition = drawGuard(draw, expression);
  const input = { TableName: TABLE, Item: drawItem(draw), ReturnValues: draw.pick(['NONE', 'ALL_OLD']), ...condition };
  return { operation: 'PutItem', input: { ...input, ...expression.parameters } };
};

const remove: Kind = (draw) => {
  const expression = new Expression(draw);
  const condition = drawGuard(draw, expression);
  const input = { TableName: TABLE, Key: drawKey(draw), ReturnValues: draw.pick(['NONE', 'ALL_OLD']), ...condition };
  return { operation: 'DeleteItem', input: { ...input, ...expression.parameters } };
};

const get: Kind = (draw) => {
  const expression = new Expression(draw);
  const projection = draw.chance(0.4) ? { ProjectionExpression: expression.paths(draw.int(1, 3)) } : {};
  const input = { TableName: TABLE, Key: drawKey(draw), ConsistentRead: draw.chance(0.5), ...projection };
  return { operation: 'GetItem', input: { ...input, ...expression.parameters } };
};

const query: Kind = (draw) => {
  const expression = new Expression(draw);
  const index = draw.pick([undefined, undefined, 'byName', 'byNumber']);
  const input = {
    TableName: TABLE,
    ...(index && { IndexName: index }),
    KeyConditionExpression: drawKeyCondition(draw, expression, index),
    ...(draw.chance(0.5) && { Limit: draw.int(1, 4) }),
    ...(draw.chance(0.5) && { ScanIndexForward: draw.chance(0.5) }),
    ...(draw.chance(0.2) && { ConsistentRead: true }),
    ...(draw.chance(0.25) && { FilterExpression: drawCondition(draw, expression, 1) }),
    ...(draw.chance(0.2) && { ProjectionExpression: expression.paths(draw.int(1, 2)) }),
    ...(index === undefined && draw.chance(0.15) && { ExclusiveStartKey: drawKey(draw) }),
  };
  return { operation: 'Query', input: { ...input, ...expression.parameters } };
};

const batchWrite: Kind = (draw) => {
  const requests = Array.from({ length: draw.int(1, 5) }, () =>
    draw.chance(0.7) ? { PutRequest: { Item: drawItem(draw) } } : { DeleteRequest: { Key: drawKey(draw) } },
  );
  return { operation: 'BatchWriteItem', input: { RequestItems: { [TABLE]: requests } } };
};

const batchGet: Kind = (draw) => {
  const Keys = Array.from({ length: draw.int(1, 6) }, () => drawKey(draw));
  return {
    operation: 'BatchGetItem',
    input: { RequestItems: { [TABLE]: { Keys, ConsistentRead: draw.chance(0.5) } } },
  };
};

const KINDS: readonly Kind[] = [
  ...Array.from({ length: 9 }, () => update),
  ...Array.from({ length: 4 }, () => put),
  ...Array.from({ length: 4 }, () => query),
  ...Array.from({ length: 2 }, () => get),
  remove,
  batchWrite,
  batchGet,
];

function drawKey(draw: Draw): Record<string, Value> {
  // Now and then a key that no table has: refused by both.
  if (draw.chance(0.01)) return { pk: { S: 'p0' } };
  if (draw.chance(0.01)) return { pk: { S: 'p0' }, sk: { N: '1' } };
  return draw.pick(KEYS);
}

function drawItem(draw: Draw): Record<string, Value> {
  const item: Record<string, Value> = { ...drawKey(draw), ...drawIndexKeys(draw) };
  for (const [name, type] of [['a'], ['b'], ['c'], ['m', 'M'], ['n', 'N'], ['s', 'S']] as const) {
    if (draw.chance(0.6)) item[name] = drawValue(draw, type);
  }
  return item;
}

function drawGuard(draw: Draw, expression: Expression): Record<string, unknown> {
  if (draw.chance(0.4)) return {};
  return {
    ConditionExpression: drawCondition(draw, expression, 2),
    ...(draw.chance(0.7) && { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
  };
}

function drawKeyCondition(draw: Draw, expression: Expression, index: string | undefined): string {
  const [partition, sort] = { byName: ['gp', 'gs'], byNumber: ['hp', 'hn'] }[index ?? ''] ?? ['pk', 'sk'];
  const value = (): Value => {
    if (sort === 'hn') return { N: draw.pick(['-1', '0', '1', '1.5', '10']) };
    return { S: draw.pick(sort === 'gs' ? ['a', 'ab', 'b', 'c'] : SORTS) };
  };
  const equals = `${expression.name(partition as string)} = ${expression.value({ S: draw.pick(index ? ['g', 'h'] : PARTITIONS) })}`;
  if (draw.chance(0.4)) return equals;
  const name = expression.name(sort as string);
  const second = draw.pick([
    () => `${name} ${draw.pick(['=', '<', '<=', '>', '>='])} ${expression.value(value())}`,
    () => `${name} BETWEEN ${expression.value(value())} AND ${expression.value(value())}`,
    () => `begins_with(${name}, ${expression.value(value())})`,
  ])();
  return `${equals} AND ${second}`;
}
