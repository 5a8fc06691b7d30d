/** CreateTable, DescribeTable, ListTables, DeleteTable, UpdateTimeToLive and DescribeTimeToLive. */
import { resourceInUseFault, validationFault } from './fault.ts';
import { readRequest, readTableName, refuseParameters, type RequestBody, type TableRequest } from './request.ts';
import { findTable, type Store } from './store.ts';
import { openTable, type Table } from './table.ts';
import { describeNewTable, type TableDefinition } from './table-description.ts';

const TIME_TO_LIVE_PARAMETERS: ReadonlySet<string> = new Set(['TableName', 'TimeToLiveSpecification']);
const TABLES_LISTED_MAX = 100;

/** The table is there at once; AWS takes seconds, so callers wait for ACTIVE all the same. */
export function createTable(store: Store, body: RequestBody): object {
  const request = readRequest<TableRequest & TableDefinition>('CreateTable', body);
  if (store.tables.has(request.TableName)) throw resourceInUseFault(`Table already exists: ${request.TableName}`);
  const description = describeNewTable(request, store.region, store.takeCreationTimeMs());
  store.appendLog({ kind: 'create', description });
  const table = openTable(description);
  store.tables.set(table.name, table);
  return { TableDescription: describe(table) };
}

export function describeTable(store: Store, body: RequestBody): object {
  const request = readRequest<TableRequest>('DescribeTable', body);
  return { Table: describe(findTable(store, request.TableName)) };
}

export function listTables(store: Store, body: RequestBody): object {
  const request = readRequest<TableRequest & { ExclusiveStartTableName?: string; Limit?: number }>('ListTables', body);
  const { ExclusiveStartTableName: after = '', Limit = TABLES_LISTED_MAX } = request;
  const names = [...store.tables.keys()].filter((name) => name > after).sort();
  const listed = names.slice(0, Limit);
  return { TableNames: listed, ...(listed.length < names.length && { LastEvaluatedTableName: listed.at(-1) }) };
}

export function deleteTable(store: Store, body: RequestBody): object {
  const request = readRequest<TableRequest>('DeleteTable', body);
  const table = findTable(store, request.TableName);
  if (table.description.DeletionProtectionEnabled) {
    throw validationFault(
      `Resource cannot be deleted as it is currently protected against deletion. Table name: ${table.name}`,
    );
  }
  store.appendLog({ kind: 'drop', table: table.name });
  store.tables.delete(table.name);
  return { TableDescription: { ...describe(table), TableStatus: 'DELETING' } };
}

export function updateTimeToLive(store: Store, body: RequestBody): object {
  refuseParameters('UpdateTimeToLive', body, TIME_TO_LIVE_PARAMETERS);
  const table = findNamedTable(store, body);
  const specification = (body['TimeToLiveSpecification'] ?? {}) as { Enabled?: unknown; AttributeName?: unknown };
  const { Enabled: enabled, AttributeName: attribute } = specification;
  if (typeof enabled !== 'boolean' || typeof attribute !== 'string' || attribute === '') {
    throw validationFault(
      `TimeToLiveSpecification ${JSON.stringify(specification)} is not valid: Enabled must be true or false and AttributeName a name.`,
    );
  }
  if (enabled === (table.ttlAttribute !== undefined)) {
    throw validationFault(`TimeToLive is already ${enabled ? 'enabled' : 'disabled'}`);
  }
  if (!enabled && attribute !== table.ttlAttribute) {
    throw validationFault(
      `TimeToLive is active on a different AttributeName: current AttributeName is ${table.ttlAttribute}`,
    );
  }
  store.appendLog({ kind: 'ttl', table: table.name, attribute: enabled ? attribute : null });
  table.ttlAttribute = enabled ? attribute : undefined;
  return { TimeToLiveSpecification: { Enabled: enabled, AttributeName: attribute } };
}

export function describeTimeToLive(store: Store, body: RequestBody): object {
  const { ttlAttribute } = findNamedTable(store, body);
  if (ttlAttribute === undefined) return { TimeToLiveDescription: { TimeToLiveStatus: 'DISABLED' } };
  return { TimeToLiveDescription: { TimeToLiveStatus: 'ENABLED', AttributeName: ttlAttribute } };
}

function findNamedTable(store: Store, body: RequestBody): Table {
  const name = body['TableName'];
  if (typeof name !== 'string')
    throw validationFault("The parameter 'TableName' is required but was not present in the request");
  return findTable(store, readTableName(name));
}

function describe(table: Table): object {
  return { ...table.description, ItemCount: table.itemCount, TableSizeBytes: table.sizeBytes };
}
