/** GetItem and BatchGetItem. */
import type { Item } from './attribute-value.ts';
import { countReadUnits, reportCapacity, type ReturnConsumedCapacity } from './capacity.ts';
import type { CheckedRequest } from './dynalite.ts';
import type { Projection } from './projection.ts';
import { validationFault } from './fault.ts';
import { readKey, writeIdentity } from './key.ts';
import {
  checkExpressionParameters,
  checkItemValues,
  readRequest,
  refuseParameters,
  type RequestBody,
  type TableRequest,
} from './request.ts';
import { findTable, type Store } from './store.ts';
import { findRow, type Table } from './table.ts';

interface GetRequest extends TableRequest {
  readonly Key: Item;
  readonly ConsistentRead?: boolean;
}

interface TableKeys extends CheckedRequest {
  readonly Keys: readonly Item[];
  readonly ConsistentRead?: boolean;
}

interface BatchGetRequest extends CheckedRequest {
  readonly RequestItems: Readonly<Record<string, TableKeys>>;
  readonly ReturnConsumedCapacity?: ReturnConsumedCapacity;
}

const BATCH_KEYS_MAX = 100;
const BATCH_RESPONSE_BYTES_MAX = 16 * 1024 * 1024;
const TABLE_KEYS_PARAMETERS: ReadonlySet<string> = new Set([
  'Keys',
  'ConsistentRead',
  'ProjectionExpression',
  'ExpressionAttributeNames',
]);

export function getItem(store: Store, body: RequestBody): object {
  const request = readRequest<GetRequest>('GetItem', body);
  checkExpressionParameters(request, ['ProjectionExpression']);
  checkItemValues(request.Key);
  const { projection } = store.resolveExpressions(request);
  const table = findTable(store, request.TableName);
  const row = findRow(table, readKey(table.key, request.Key));
  const units = { table: countReadUnits(row?.sizeBytes ?? 0, request.ConsistentRead), indexes: {} };
  const capacity = reportCapacity(request.ReturnConsumedCapacity, table.name, units);
  return {
    ...(row && { Item: projection?.(row.item) ?? row.item }),
    ...(capacity && { ConsumedCapacity: capacity }),
  };
}

export function batchGetItem(store: Store, body: RequestBody): object {
  for (const keys of Object.values((body['RequestItems'] ?? {}) as Record<string, RequestBody | null>)) {
    if (keys !== null && typeof keys === 'object') refuseParameters('BatchGetItem', keys, TABLE_KEYS_PARAMETERS);
  }
  const request = readRequest<BatchGetRequest>('BatchGetItem', body);
  const requests = Object.entries(request.RequestItems);
  if (requests.reduce((count, [, { Keys }]) => count + Keys.length, 0) > BATCH_KEYS_MAX) {
    throw validationFault('Too many items requested for the BatchGetItem call');
  }
  const reads = requests.map(([name, keys]) => planTableRead(store, name, keys));
  const Responses: Record<string, Item[]> = {};
  const UnprocessedKeys: Record<string, TableKeys> = {};
  let bytes = 0;
  const capacities = reads.map(({ name, table, keys, places, projection }) => {
    const found: Item[] = [];
    const left: Item[] = [];
    let units = 0;
    places.forEach((place, at) => {
      const row = findRow(table, place);
      const sizeBytes = row?.sizeBytes ?? 0;
      if (bytes + sizeBytes > BATCH_RESPONSE_BYTES_MAX) return left.push(keys.Keys[at] as Item);
      bytes += sizeBytes;
      units += countReadUnits(sizeBytes, keys.ConsistentRead);
      return row && found.push(projection?.(row.item) ?? row.item);
    });
    Responses[name] = found;
    if (left.length > 0) UnprocessedKeys[name] = { ...pickTableKeys(keys), Keys: left };
    return reportCapacity(request.ReturnConsumedCapacity, table.name, { table: units, indexes: {} });
  });
  const asked = capacities.filter((capacity) => capacity !== undefined);
  return { Responses, UnprocessedKeys, ...(asked.length > 0 && { ConsumedCapacity: asked }) };
}

interface TableRead {
  readonly name: string;
  readonly table: Table;
  readonly keys: TableKeys;
  readonly places: readonly ReturnType<typeof readKey>[];
  readonly projection: Projection | undefined;
}

function planTableRead(store: Store, name: string, keys: TableKeys): TableRead {
  checkExpressionParameters(keys, ['ProjectionExpression']);
  for (const key of keys.Keys) checkItemValues(key);
  const { projection } = store.resolveExpressions(keys);
  const table = findTable(store, name);
  const places = keys.Keys.map((key) => readKey(table.key, key));
  if (new Set(places.map(writeIdentity)).size < places.length) {
    throw validationFault('Provided list of item keys contains duplicates');
  }
  return { name, table, keys, places, projection };
}

/** Without what dynalite's check added to it. */
function pickTableKeys(keys: TableKeys): TableKeys {
  return Object.fromEntries(
    Object.entries(keys).filter(([name]) => TABLE_KEYS_PARAMETERS.has(name)),
  ) as unknown as TableKeys;
}
