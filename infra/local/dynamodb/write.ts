/** PutItem, UpdateItem, DeleteItem and BatchWriteItem: decide the next item, check it, commit it. */
import type { Item, Values } from './attribute-value.ts';
import { addUnits, reportCapacity, type ReturnConsumedCapacity, type Units } from './capacity.ts';
import type { CheckedRequest } from './dynalite.ts';
import type { Expressions } from './expression.ts';
import { conditionFault, validationFault } from './fault.ts';
import { checkIndexKey, listKeyAttributes, type Place, readItemKey, readKey, writeIdentity } from './key.ts';
import {
  checkExpressionParameters,
  checkItemValues,
  readRequest,
  type RequestBody,
  type TableRequest,
} from './request.ts';
import { ITEM_BYTES_MAX, itemSizeBytes } from './size.ts';
import type { Row } from './sorted-rows.ts';
import { commitWrite, findTable, type PlannedWrite, type Store } from './store.ts';
import { findRow, type Table } from './table.ts';
import { applyUpdate } from './update.ts';

interface WriteRequest extends TableRequest {
  readonly ReturnValues?: 'NONE' | 'ALL_OLD' | 'ALL_NEW' | 'UPDATED_OLD' | 'UPDATED_NEW';
  readonly ReturnValuesOnConditionCheckFailure?: unknown;
  readonly ExpressionAttributeValues?: Values;
}

interface PutRequest extends WriteRequest {
  readonly Item: Item;
}

interface KeyedRequest extends WriteRequest {
  readonly Key: Item;
}

interface BatchRequest extends CheckedRequest {
  readonly RequestItems: Readonly<
    Record<string, readonly { PutRequest?: { Item: Item }; DeleteRequest?: { Key: Item } }[]>
  >;
  readonly ReturnConsumedCapacity?: ReturnConsumedCapacity;
}

export function putItem(store: Store, body: RequestBody): object {
  const request = readRequest<PutRequest>('PutItem', body);
  checkReturnValues(request, ['NONE', 'ALL_OLD']);
  checkExpressionParameters(request, ['ConditionExpression']);
  checkItemValues(request.Item);
  const expressions = store.resolveExpressions(request);
  const table = findTable(store, request.TableName);
  const place = readItemKey(table.key, request.Item);
  // An item that could never be stored is refused whatever the condition says.
  const write = planWrite(table, place, findRow(table, place), request.Item);
  checkCondition(request, expressions, write.old);
  return respond(request, write, commitWrite(store, write), expressions);
}

export function deleteItem(store: Store, body: RequestBody): object {
  const request = readRequest<KeyedRequest>('DeleteItem', body);
  checkReturnValues(request, ['NONE', 'ALL_OLD']);
  checkExpressionParameters(request, ['ConditionExpression']);
  checkItemValues(request.Key);
  const expressions = store.resolveExpressions(request);
  const table = findTable(store, request.TableName);
  const place = readKey(table.key, request.Key);
  const write = planWrite(table, place, findRow(table, place), undefined);
  checkCondition(request, expressions, write.old);
  return respond(request, write, commitWrite(store, write), expressions);
}

export function updateItem(store: Store, body: RequestBody): object {
  const request = readRequest<KeyedRequest>('UpdateItem', body);
  checkReturnValues(request, ['NONE', 'ALL_OLD', 'ALL_NEW', 'UPDATED_OLD', 'UPDATED_NEW']);
  checkExpressionParameters(request, ['UpdateExpression', 'ConditionExpression']);
  checkItemValues(request.Key);
  const expressions = store.resolveExpressions(request);
  const table = findTable(store, request.TableName);
  const place = readKey(table.key, request.Key);
  checkUpdatedNames(table, expressions);
  const old = findRow(table, place);
  checkCondition(request, expressions, old);
  const next = applyUpdate(expressions.update ?? [], old?.item, request.Key, request.ExpressionAttributeValues ?? {});
  const write = planWrite(table, place, old, next, 'Item size to update has exceeded the maximum allowed size');
  return respond(request, write, commitWrite(store, write), expressions);
}

/** Everything is checked before anything is written; then each item is a commit of its own, as on AWS. */
export function batchWriteItem(store: Store, body: RequestBody): object {
  const request = readRequest<BatchRequest>('BatchWriteItem', body);
  const writes = Object.entries(request.RequestItems).flatMap(([name, operations]) => {
    const table = findTable(store, name);
    return operations.map((operation) => planBatchOperation(table, operation));
  });
  if (writes.length > 25) throw validationFault('Too many items requested for the BatchWriteItem call');
  const identities = new Set(writes.map(({ table, place }) => `${table.name} ${writeIdentity(place)}`));
  if (identities.size < writes.length) throw validationFault('Provided list of item keys contains duplicates');
  const unitsByTable = new Map<string, Units>();
  for (const write of writes) {
    const units = commitWrite(store, write);
    const sum = unitsByTable.get(write.table.name);
    unitsByTable.set(write.table.name, sum === undefined ? units : addUnits(sum, units));
  }
  const capacities = [...unitsByTable].map(([name, units]) =>
    reportCapacity(request.ReturnConsumedCapacity, name, units),
  );
  const asked = capacities.filter((capacity) => capacity !== undefined);
  return { UnprocessedItems: {}, ...(asked.length > 0 && { ConsumedCapacity: asked }) };
}

function planBatchOperation(
  table: Table,
  { PutRequest, DeleteRequest }: BatchRequest['RequestItems'][string][number],
): PlannedWrite {
  if ((PutRequest === undefined) === (DeleteRequest === undefined)) {
    throw validationFault(
      'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes',
    );
  }
  const given = PutRequest?.Item ?? (DeleteRequest?.Key as Item);
  checkItemValues(given);
  const place = PutRequest ? readItemKey(table.key, given) : readKey(table.key, given);
  return planWrite(table, place, findRow(table, place), PutRequest?.Item);
}

/** Checks what the item becomes: its size, and its keys in the indexes. */
function planWrite(
  table: Table,
  place: Place,
  old: Row | undefined,
  next: Item | undefined,
  tooLarge = 'Item size has exceeded the maximum allowed size',
): PlannedWrite {
  if (next === undefined) return { table, place, old, next, nextSizeBytes: 0 };
  const nextSizeBytes = itemSizeBytes(next);
  if (nextSizeBytes > ITEM_BYTES_MAX) throw validationFault(tooLarge);
  for (const index of table.indexes) checkIndexKey(index.name, index.key, next);
  return { table, place, old, next, nextSizeBytes };
}

/** Throws a ConditionalCheckFailedException, with the item when that was asked for. */
function checkCondition(request: WriteRequest, { condition }: Expressions, old: Row | undefined): void {
  const item = old?.item;
  if (condition === undefined || condition(item ?? {}, request.ExpressionAttributeValues ?? {})) return;
  const isAsked = request.ReturnValuesOnConditionCheckFailure === 'ALL_OLD';
  throw conditionFault(isAsked && item !== undefined ? { Item: item } : {});
}

function checkReturnValues(request: WriteRequest, allowed: readonly string[]): void {
  const { ReturnValues = 'NONE', ReturnValuesOnConditionCheckFailure: onFailure = 'NONE' } = request;
  if (!allowed.includes(ReturnValues)) throw validationFault('ReturnValues can only be ALL_OLD or NONE');
  if (onFailure === 'ALL_OLD' || onFailure === 'NONE') return;
  throw validationFault(
    `1 validation error detected: Value '${String(onFailure)}' at 'returnValuesOnConditionCheckFailure' failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, NONE]`,
  );
}

function checkUpdatedNames(table: Table, { updatedNames, nestedNames }: Expressions): void {
  for (const { name } of listKeyAttributes(table.key)) {
    if (!updatedNames.has(name)) continue;
    throw validationFault(
      `One or more parameter values were invalid: Cannot update attribute ${name}. This attribute is part of the key`,
    );
  }
  for (const { name } of table.indexes.flatMap(({ key }) => listKeyAttributes(key))) {
    if (!nestedNames.has(name)) continue;
    throw validationFault(
      `Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: IndexKey: ${name}`,
    );
  }
}

function respond(
  request: WriteRequest,
  { table, old, next }: PlannedWrite,
  units: Units,
  { updated }: Expressions,
): object {
  const attributes = {
    NONE: undefined,
    ALL_OLD: old?.item,
    ALL_NEW: next,
    UPDATED_OLD: old && updated?.(old.item),
    UPDATED_NEW: next && updated?.(next),
  }[request.ReturnValues ?? 'NONE'];
  const capacity = reportCapacity(request.ReturnConsumedCapacity, table.name, units);
  return {
    ...(attributes && Object.keys(attributes).length > 0 && { Attributes: attributes }),
    ...(capacity && { ConsumedCapacity: capacity }),
  };
}
