/** Keys: where a row stands, and what AWS refuses as a key of a table or index. */
import { type AttributeValue, type Item, readAttribute, typeOf } from './attribute-value.ts';
import { validationFault } from './fault.ts';
import { binarySizeBytes, textSizeBytes } from './size.ts';
import { toSortable } from './sort-order.ts';

export interface KeyAttribute {
  readonly name: string;
  readonly type: 'S' | 'N' | 'B';
}

export interface Key {
  readonly partition: KeyAttribute;
  readonly sort: KeyAttribute | undefined;
}

/** Sortable forms of the two key values; `sort` is empty without a sort key. */
export interface Place {
  readonly partition: string;
  readonly sort: string;
}

const PARTITION_KEY_BYTES_MAX = 2048;
const SORT_KEY_BYTES_MAX = 1024;
const NO_MATCH = 'The provided key element does not match the schema';

export function listKeyAttributes(key: Key): readonly KeyAttribute[] {
  return key.sort === undefined ? [key.partition] : [key.partition, key.sort];
}

/** Where the item stands under this key, or undefined when it lacks a key attribute (a sparse index leaves it out). */
export function locate(key: Key, item: Item): Place | undefined {
  const partition = readAttribute(item, key.partition.name);
  const sort = key.sort && readAttribute(item, key.sort.name);
  if (partition === undefined || (key.sort !== undefined && sort === undefined)) return undefined;
  return { partition: toSortable(partition), sort: sort === undefined ? '' : toSortable(sort) };
}

/** One string per primary key, no two alike. */
export function writeIdentity({ partition, sort }: Place): string {
  return `${partition.length}:${partition}${sort}`;
}

/** Only the key attributes of an item. */
export function pickKey(key: Key, item: Item): Item {
  return Object.fromEntries(listKeyAttributes(key).map(({ name }) => [name, item[name] as AttributeValue]));
}

/**
 * The place of a `Key` parameter, which must hold the key attributes and nothing else.
 * Throws a ValidationException.
 */
export function readKey(key: Key, given: Item): Place {
  const attributes = listKeyAttributes(key);
  if (Object.keys(given).length !== attributes.length) throw validationFault(NO_MATCH);
  for (const { name, type } of attributes) {
    const value = readAttribute(given, name);
    if (value === undefined || typeOf(value) !== type) throw validationFault(NO_MATCH);
    checkNotEmpty(value, `Key: ${name}`);
  }
  checkKeySizes(key, given);
  return locate(key, given) as Place;
}

/** The place of a whole item. Throws a ValidationException. */
export function readItemKey(key: Key, item: Item): Place {
  for (const { name, type } of listKeyAttributes(key)) {
    const value = readAttribute(item, name);
    if (value === undefined) {
      throw validationFault(`One or more parameter values were invalid: Missing the key ${name} in the item`);
    }
    if (typeOf(value) !== type) {
      throw validationFault(
        `One or more parameter values were invalid: Type mismatch for key ${name} expected: ${type} actual: ${typeOf(value)}`,
      );
    }
    checkNotEmpty(value, `Key: ${name}`);
  }
  checkKeySizes(key, item);
  return locate(key, item) as Place;
}

/** Whatever index key attributes the item has must be of the index's types, not empty and not too long. */
export function checkIndexKey(indexName: string, key: Key, item: Item): void {
  for (const { name, type } of listKeyAttributes(key)) {
    const value = readAttribute(item, name);
    if (value === undefined) continue;
    if (typeOf(value) !== type) {
      throw validationFault(
        `One or more parameter values were invalid: Type mismatch for Index Key ${name} Expected: ${type} Actual: ${typeOf(value)} IndexName: ${indexName}`,
      );
    }
    checkNotEmpty(value, `IndexName: ${indexName}, IndexKey: ${name}`);
  }
  checkKeySizes(key, item);
}

export function checkNotEmpty(value: AttributeValue, where: string): void {
  const kind = 'S' in value && value.S === '' ? 'string' : 'B' in value && value.B === '' ? 'binary' : undefined;
  if (kind === undefined) return;
  throw validationFault(
    `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty ${kind} value. ${where}`,
  );
}

function checkKeySizes(key: Key, item: Item): void {
  if (keySizeBytes(key.partition, item) > PARTITION_KEY_BYTES_MAX) {
    // The missing space is AWS's.
    throw validationFault(
      'One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes',
    );
  }
  if (key.sort !== undefined && keySizeBytes(key.sort, item) > SORT_KEY_BYTES_MAX) {
    throw validationFault(
      'One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of 1024 bytes',
    );
  }
}

function keySizeBytes({ name }: KeyAttribute, item: Item): number {
  const value = readAttribute(item, name);
  if (value === undefined) return 0;
  if ('S' in value) return textSizeBytes(value.S);
  return 'B' in value ? binarySizeBytes(value.B) : 0;
}
