/**
 * One table: its description, its rows, its indexes, its stream.
 *
 * Indexes are kept in the same turn as the table, so they are never stale here; `late-indexes.ts` serves them late, as
 * AWS may. A row of an index that projects everything is the item itself; the others hold their own smaller item.
 */
import { areItemsEqual, type AttributeValue, type Item, readAttribute } from './attribute-value.ts';
import { type Key, type KeyAttribute, listKeyAttributes, locate, type Place, writeIdentity } from './key.ts';
import { itemSizeBytes } from './size.ts';
import { Partitions, type Row } from './sorted-rows.ts';
import { TableStream } from './stream.ts';
import type { KeySchema, TableDescription } from './table-description.ts';

export interface Index {
  readonly name: string;
  readonly key: Key;
  /** The attributes an entry holds, or `ALL`. */
  readonly projected: ReadonlySet<string> | 'ALL';
  readonly rows: Partitions;
}

export interface Table {
  readonly name: string;
  readonly description: TableDescription;
  readonly key: Key;
  readonly indexes: readonly Index[];
  readonly rows: Partitions;
  readonly stream: TableStream | undefined;
  /** The attribute that holds the epoch seconds of an item's end, while TTL is enabled. */
  ttlAttribute: string | undefined;
  itemCount: number;
  sizeBytes: number;
}

/** The entry of an index before and after a write; both absent when the write does not concern the index. */
export interface IndexChange {
  readonly index: Index;
  readonly before: Row | undefined;
  readonly after: Row | undefined;
  /** Where the entry stood and where it stands. */
  readonly from: Place | undefined;
  readonly to: Place | undefined;
  /** The entry's key stayed the same, so that one write replaces it in place. */
  readonly inPlace: boolean;
}

/** An empty table as described. */
export function openTable(description: TableDescription): Table {
  const types = new Map(
    description.AttributeDefinitions.map(({ AttributeName, AttributeType }) => [AttributeName, AttributeType]),
  );
  const key = readSchema(description.KeySchema, types);
  const indexes = (description.GlobalSecondaryIndexes ?? []).map(({ IndexName, KeySchema, Projection }): Index => {
    const indexKey = readSchema(KeySchema, types);
    const keyNames = [key, indexKey].flatMap(listKeyAttributes).map(({ name }) => name);
    const projected =
      Projection.ProjectionType === 'ALL' ? 'ALL' : new Set([...keyNames, ...(Projection.NonKeyAttributes ?? [])]);
    return { name: IndexName, key: indexKey, projected, rows: new Partitions() };
  });
  return {
    name: description.TableName,
    description,
    key,
    indexes,
    rows: new Partitions(),
    stream: description.LatestStreamArn === undefined ? undefined : new TableStream(description),
    ttlAttribute: undefined,
    itemCount: 0,
    sizeBytes: 0,
  };
}

function readSchema(schema: KeySchema, types: ReadonlyMap<string, KeyAttribute['type']>): Key {
  const [partition, sort] = schema.map(({ AttributeName: name }) => ({
    name,
    type: types.get(name) as KeyAttribute['type'],
  }));
  return { partition: partition as KeyAttribute, sort };
}

export function findRow(table: Table, { partition, sort }: Place): Row | undefined {
  return table.rows.find(partition)?.get(sort, '');
}

/**
 * Puts `next` in the place of `old`, in the table and in its indexes.
 * `next` undefined deletes. Returns what changed in each index, for the capacity.
 */
export function replaceItem(
  table: Table,
  place: Place,
  old: Row | undefined,
  next: Item | undefined,
  nextSizeBytes: number,
): IndexChange[] {
  const { partition, sort } = place;
  if (next === undefined) table.rows.delete(partition, sort, '');
  else table.rows.set(partition, { sort, tie: '', item: next, sizeBytes: nextSizeBytes });
  table.itemCount += (next === undefined ? 0 : 1) - (old === undefined ? 0 : 1);
  table.sizeBytes += nextSizeBytes - (old?.sizeBytes ?? 0);
  const tie = writeIdentity(place);
  return table.indexes.map((index) => replaceEntry(index, tie, old, next, nextSizeBytes));
}

function replaceEntry(
  index: Index,
  tie: string,
  old: Row | undefined,
  next: Item | undefined,
  nextSizeBytes: number,
): IndexChange {
  const from = old && locate(index.key, old.item);
  const to = next && locate(index.key, next);
  const before = from && index.rows.find(from.partition)?.get(from.sort, tie);
  const inPlace = from !== undefined && to !== undefined && from.partition === to.partition && from.sort === to.sort;
  const after = to && next && buildEntry(index, to, tie, next, nextSizeBytes);
  if (inPlace && before && after && before.item !== after.item && areItemsEqual(before.item, after.item)) {
    return { index, before, after: before, from, to, inPlace };
  }
  if (from !== undefined && !inPlace) index.rows.delete(from.partition, from.sort, tie);
  if (to !== undefined && after !== undefined) index.rows.set(to.partition, after);
  return { index, before, after, from, to, inPlace };
}

function buildEntry(index: Index, { sort }: Place, tie: string, item: Item, sizeBytes: number): Row {
  if (index.projected === 'ALL') return { sort, tie, item, sizeBytes };
  const entry: Record<string, AttributeValue> = {};
  for (const name of index.projected) {
    const value = readAttribute(item, name);
    if (value !== undefined) entry[name] = value;
  }
  return { sort, tie, item: entry, sizeBytes: itemSizeBytes(entry) };
}
