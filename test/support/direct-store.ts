/**
 * The real store on the embedded engine without the SDK between them: a request costs 40 µs in place of 440, so that a
 * hundred thousand of them take seconds. How many turns of the event loop each takes is the caller's, so that executions
 * meet in another order each time. direct-store.test.ts holds that nobody can tell it from the SDK's.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { createStore } from '../../functions/io/dynamo.ts';
import type { Store } from '../../functions/io/ports.ts';
import type { DynamoDb } from '../../infra/local/dynamodb/engine.ts';
import { DynamoDbFault } from '../../infra/local/dynamodb/fault.ts';
import type { Item } from '../../schema/request.ts';

type Wire = Record<string, Record<string, unknown>>;
interface Command {
  readonly input: Record<string, unknown>;
}
interface Answer {
  readonly Item?: Wire;
  readonly Items?: readonly Wire[];
  readonly Attributes?: Wire;
  readonly LastEvaluatedKey?: Wire;
  readonly Responses?: Readonly<Record<string, readonly Wire[]>>;
}

const OPERATIONS: Readonly<Record<string, string>> = {
  GetCommand: 'GetItem',
  BatchGetCommand: 'BatchGetItem',
  QueryCommand: 'Query',
  PutCommand: 'PutItem',
  UpdateCommand: 'UpdateItem',
  DeleteCommand: 'DeleteItem',
};
const MAPS = ['Item', 'Key', 'ExpressionAttributeValues', 'ExclusiveStartKey'];

/** Bytes stand at the top of an item only: a part of a text. */
function toWire(item: Item): Wire {
  const wire = marshall(item, { removeUndefinedValues: true }) as unknown as Wire;
  for (const value of Object.values(wire)) {
    if (value['B'] !== undefined) value['B'] = Buffer.from(value['B'] as Uint8Array).toString('base64');
  }
  return wire;
}
function fromWire(wire: Wire): Item {
  for (const value of Object.values(wire)) {
    if (typeof value['B'] === 'string') value['B'] = new Uint8Array(Buffer.from(value['B'], 'base64'));
  }
  return unmarshall(wire as unknown as Parameters<typeof unmarshall>[0]);
}

function toRequest(input: Command['input']): Command['input'] {
  const request: Record<string, unknown> = { ...input };
  for (const name of MAPS) if (request[name] !== undefined) request[name] = toWire(request[name] as Item);
  const asked = request['RequestItems'] as Record<string, { Keys: Item[] }> | undefined;
  if (!asked) return request;
  const tables = Object.entries(asked).map(([table, { Keys, ...rest }]) => [
    table,
    { ...rest, Keys: Keys.map(toWire) },
  ]);
  return { ...request, RequestItems: Object.fromEntries(tables) };
}

function toAnswer({ Item: item, Items: items, Attributes, LastEvaluatedKey, Responses }: Answer): object {
  return {
    ...(item && { Item: fromWire(item) }),
    ...(items && { Items: items.map(fromWire) }),
    ...(Attributes && { Attributes: fromWire(Attributes) }),
    ...(LastEvaluatedKey && { LastEvaluatedKey: fromWire(LastEvaluatedKey) }),
    ...(Responses && {
      Responses: Object.fromEntries(Object.entries(Responses).map(([table, rows]) => [table, rows.map(fromWire)])),
    }),
  };
}

/** `turnsOf` says how many turns of the event loop go by before a request arrives. */
export function createDirectStore(engine: DynamoDb, turnsOf: () => number): Store {
  const client = {
    async send(command: Command): Promise<object> {
      const operation = OPERATIONS[command.constructor.name];
      if (operation === undefined) throw new Error(`there is no operation for ${command.constructor.name}`);
      for (let left = turnsOf(); left > 0; left--) await turn();
      try {
        return toAnswer(engine.dispatch(operation, toRequest(command.input)) as Answer);
      } catch (error) {
        if (!(error instanceof DynamoDbFault)) throw error;
        const { __type: type, message, Item: item } = error.body as { __type: string; message?: string; Item?: Wire };
        if (!type.endsWith('ConditionalCheckFailedException')) throw error;
        throw new ConditionalCheckFailedException({
          message: message ?? type,
          $metadata: {},
          ...(item && { Item: item as never }),
        });
      }
    },
  };
  return createStore(client as unknown as DynamoDBDocumentClient, { control: 'control', text: 'text' });
}
