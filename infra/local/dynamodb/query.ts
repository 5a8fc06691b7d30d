/** Query: one partition of a table or index, in sort key order, a page at a time. */
import { type Item, readAttribute, type Values } from './attribute-value.ts';
import { countReadUnits, reportCapacity, type Units } from './capacity.ts';
import type { Expressions } from './expression.ts';
import { validationFault } from './fault.ts';
import { listKeyAttributes, locate, pickKey, type Place, readKey, writeIdentity } from './key.ts';
import { findKeyRange, type KeyRange } from './key-range.ts';
import {
  checkExpressionParameters,
  checkItemValues,
  readRequest,
  type RequestBody,
  type TableRequest,
} from './request.ts';
import { compareRows, type Row, SortedRows } from './sorted-rows.ts';
import { findTable, type Store } from './store.ts';
import type { Index, Table } from './table.ts';

interface QueryRequest extends TableRequest {
  readonly IndexName?: string;
  readonly Select?: 'ALL_ATTRIBUTES' | 'ALL_PROJECTED_ATTRIBUTES' | 'SPECIFIC_ATTRIBUTES' | 'COUNT';
  readonly Limit?: number;
  readonly ConsistentRead?: boolean;
  readonly ScanIndexForward?: boolean;
  readonly ExclusiveStartKey?: Item;
  readonly ExpressionAttributeValues?: Values;
}

/** AWS ends a page with the item that reaches 1 MB, before any filter. */
const PAGE_BYTES_MAX = 1024 * 1024;

export function query(store: Store, body: RequestBody): object {
  const request = readRequest<QueryRequest>('Query', body);
  checkExpressionParameters(request, ['ProjectionExpression', 'FilterExpression', 'KeyConditionExpression']);
  if (request['KeyConditionExpression'] === undefined) {
    throw validationFault(
      'Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.',
    );
  }
  if (request.ExclusiveStartKey !== undefined) checkItemValues(request.ExclusiveStartKey);
  const expressions = store.resolveExpressions(request);
  const table = findTable(store, request.TableName);
  const index = findIndex(table, request);
  checkSelect(request, expressions, index);
  checkNames(table, index, expressions);
  const range = findKeyRange(index?.key ?? table.key, expressions, request.ExpressionAttributeValues ?? {});
  const start = request.ExclusiveStartKey && readStart(table, index, range, request.ExclusiveStartKey);
  const partitions = index ? store.lateIndexes.rowsOf(index) : table.rows;
  const rows = partitions.find(range.partition) ?? new SortedRows();
  return respond(request, expressions, table, index, readPage(request, expressions, walk(rows, range, start, request)));
}

interface Page {
  readonly items: readonly Item[];
  readonly scannedCount: number;
  readonly sizeBytes: number;
  /** The row the page ended with, unless the range ended first. */
  readonly last: Row | undefined;
}

function* walk(
  rows: SortedRows,
  range: KeyRange,
  start: Pick<Row, 'sort' | 'tie'> | undefined,
  { ScanIndexForward = true }: QueryRequest,
): Generator<Row> {
  const { isBefore, isWithin } = range;
  if (ScanIndexForward) {
    for (const row of rows.forwardFrom(
      (row) => isBefore(row) || (start !== undefined && compareRows(row, start) <= 0),
    )) {
      if (!isWithin(row)) return;
      yield row;
    }
    return;
  }
  for (const row of rows.backwardFrom((row) => isWithin(row) && (start === undefined || compareRows(row, start) < 0))) {
    if (isBefore(row)) return;
    yield row;
  }
}

function readPage(
  { Limit, ExpressionAttributeValues = {} }: QueryRequest,
  { filter }: Expressions,
  rows: Iterable<Row>,
): Page {
  const items: Item[] = [];
  let scannedCount = 0;
  let sizeBytes = 0;
  for (const row of rows) {
    scannedCount++;
    sizeBytes += row.sizeBytes;
    if (filter === undefined || filter(row.item, ExpressionAttributeValues)) items.push(row.item);
    if (scannedCount === Limit || sizeBytes >= PAGE_BYTES_MAX) return { items, scannedCount, sizeBytes, last: row };
  }
  return { items, scannedCount, sizeBytes, last: undefined };
}

function respond(
  request: QueryRequest,
  { projection }: Expressions,
  table: Table,
  index: Index | undefined,
  page: Page,
): object {
  const readUnits = countReadUnits(page.sizeBytes, request.ConsistentRead);
  const units: Units = index ? { table: 0, indexes: { [index.name]: readUnits } } : { table: readUnits, indexes: {} };
  const capacity = reportCapacity(request.ReturnConsumedCapacity, table.name, units);
  return {
    Count: page.items.length,
    ScannedCount: page.scannedCount,
    ...(request.Select !== 'COUNT' && { Items: projection ? page.items.map(projection) : page.items }),
    ...(page.last && {
      LastEvaluatedKey: { ...pickKey(table.key, page.last.item), ...(index && pickKey(index.key, page.last.item)) },
    }),
    ...(capacity && { ConsumedCapacity: capacity }),
  };
}

/** Where to go on after: the start key must be a row's place in this very range. Throws a ValidationException. */
function readStart(table: Table, index: Index | undefined, range: KeyRange, given: Item): Pick<Row, 'sort' | 'tie'> {
  const names = new Set([table.key, ...(index ? [index.key] : [])].flatMap(listKeyAttributes).map(({ name }) => name));
  if (
    Object.keys(given).length !== names.size ||
    ![...names].every((name) => readAttribute(given, name) !== undefined)
  ) {
    throw validationFault('The provided starting key is invalid');
  }
  const place = readKey(table.key, pickKey(table.key, given));
  const indexPlace: Place = index ? readIndexPlace(index, given) : place;
  if (indexPlace.partition !== range.partition) {
    throw validationFault('The provided starting key is outside query boundaries based on provided conditions');
  }
  const start = { sort: indexPlace.sort, tie: index ? writeIdentity(place) : '' };
  if (range.isBefore(start) || !range.isWithin(start)) {
    throw validationFault('The provided starting key does not match the range key predicate');
  }
  return start;
}

function readIndexPlace(index: Index, given: Item): Place {
  readKey(index.key, pickKey(index.key, given));
  return locate(index.key, given) as Place;
}

function findIndex(table: Table, { IndexName, ConsistentRead }: QueryRequest): Index | undefined {
  if (IndexName === undefined) return undefined;
  const index = table.indexes.find(({ name }) => name === IndexName);
  if (index === undefined) throw validationFault(`The table does not have the specified index: ${IndexName}`);
  if (ConsistentRead) throw validationFault('Consistent reads are not supported on global secondary indexes');
  return index;
}

function checkSelect(
  { Select, IndexName }: QueryRequest,
  { projection, projectedNames, filterNames }: Expressions,
  index: Index | undefined,
): void {
  const invalid = 'One or more parameter values were invalid: ';
  if (Select === 'SPECIFIC_ATTRIBUTES' && projection === undefined) {
    throw validationFault(
      `${invalid}Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES`,
    );
  }
  if (Select !== undefined && Select !== 'SPECIFIC_ATTRIBUTES' && projection !== undefined) {
    throw validationFault(`Cannot specify the ProjectionExpression when choosing to get ${Select}`);
  }
  if (Select === 'ALL_PROJECTED_ATTRIBUTES' && index === undefined) {
    throw validationFault(`${invalid}ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName`);
  }
  if (index === undefined || index.projected === 'ALL') return;
  if (Select === 'ALL_ATTRIBUTES') {
    throw validationFault(
      `${invalid}Select type ALL_ATTRIBUTES is not supported for global secondary index ${IndexName} because its projection type is not ALL`,
    );
  }
  const projected = index.projected;
  const missing = [...projectedNames, ...filterNames].filter((name) => !projected.has(name));
  if (missing.length > 0) {
    throw validationFault(`${invalid}Global secondary index ${IndexName} does not project [${missing.join(', ')}]`);
  }
}

/** Keys are scalars, and a filter is applied after the keys have chosen. */
function checkNames(table: Table, index: Index | undefined, { filterNames, nestedNames }: Expressions): void {
  for (const { name } of listKeyAttributes(index?.key ?? table.key)) {
    if (!filterNames.has(name)) continue;
    throw validationFault(
      `Filter Expression can only contain non-primary key attributes: Primary key attribute: ${name}`,
    );
  }
  for (const { name } of [table.key, ...table.indexes.map(({ key }) => key)].flatMap(listKeyAttributes)) {
    if (!nestedNames.has(name)) continue;
    throw validationFault(
      `Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: ${name}`,
    );
  }
}
