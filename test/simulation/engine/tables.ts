/**
 * Both tables in memory: conditional writes that apply at once, consistent reads, indexes that lag. Stored items are never
 * changed in place, so that an item once read stays as it was read.
 */
import type { BatchGet, Get, Item, Outcome, Query, Write } from '../../../schema/request.ts';
import { type IndexName, PARTITION_KEY, SORT_KEY, type TableName, TTL_ATTRIBUTE } from '../../../schema/table.ts';
import type { QueryPage } from '../../../functions/io/ports.ts';
import { applyUpdate, compileCondition, isEqual, isPlainMap, type Names, type Values } from './expression.ts';
import { INDEX_PLANS, type LaggingIndex } from './lagging-index.ts';

/** What one write did. */
export interface Change {
  readonly table: TableName;
  readonly pk: string;
  readonly sk: string;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}

/** As the document client marshals: a copy without undefined attributes; a number that no attribute can hold is refused. */
function marshal<T>(value: T): T {
  if (Array.isArray(value)) return value.map(marshal) as T;
  if (!isPlainMap(value)) return value;
  const copy: Item = {};
  for (const name in value) {
    const inner = value[name];
    if (typeof inner === 'number' && !(Math.abs(inner) <= Number.MAX_SAFE_INTEGER))
      throw new RangeError(`${name} is ${inner}, which no attribute holds`);
    if (inner !== undefined) copy[name] = typeof inner === 'object' ? marshal(inner) : inner;
  }
  return copy as T;
}

/** Rows of one partition in sort key order. */
class Partition {
  readonly items = new Map<string, Item>();
  readonly #keys: string[] = [];

  set(sk: string, item: Item | undefined): void {
    if (item === undefined) {
      if (this.items.delete(sk)) this.#keys.splice(this.#placeOf(sk), 1);
      return;
    }
    if (!this.items.has(sk)) this.#keys.splice(this.#placeOf(sk), 0, sk);
    this.items.set(sk, item);
  }

  /** Where a key stands, or would. */
  #placeOf(sk: string): number {
    let [low, high] = [0, this.#keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#keys[middle] as string) < sk) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The keys from one on, as long as they hold: what is asked for stands together. */
  keysFrom(low: string, holds: (sk: string) => boolean): string[] {
    const from = this.#placeOf(low);
    let to = from;
    while (to < this.#keys.length && holds(this.#keys[to] as string)) to++;
    return this.#keys.slice(from, to);
  }
}

const NO_NAMES: Names = {};
const NO_VALUES: Values = {};
const KEY_CONDITION = /^(#\w+) = (:\w+)(?: AND (?:(#\w+) BETWEEN (:\w+) AND (:\w+)|begins_with\((#\w+), (:\w+)\)))?$/;

interface KeyRange {
  readonly partition: string;
  /** The lowest key that it may hold. */
  readonly low: string;
  readonly holds: (sort: string | number) => boolean;
}

const parsedKeys = new Map<string, RegExpExecArray>();
function readKeyRange(read: Query): KeyRange {
  const { KeyConditionExpression: text = '', ExpressionAttributeValues: values = {} } = read.input;
  let match = parsedKeys.get(text);
  if (!match) {
    const found = KEY_CONDITION.exec(text);
    if (!found) throw new Error(`the simulated store does not read this key condition: ${text}`);
    parsedKeys.set(text, (match = found));
  }
  const partition = values[match[2] as string] as string;
  if (match[4] && match[5]) {
    const [from, to] = [values[match[4]] as string, values[match[5]] as string];
    return { partition, low: from, holds: (sort) => sort >= from && sort <= to };
  }
  if (match[7]) {
    const prefix = values[match[7]] as string;
    return { partition, low: prefix, holds: (sort) => String(sort).startsWith(prefix) };
  }
  return { partition, low: '', holds: () => true };
}

export class Tables {
  readonly #partitions: Record<TableName, Map<string, Partition>> = { control: new Map(), text: new Map() };
  readonly #indexes: ReadonlyMap<IndexName, LaggingIndex>;
  readonly #expiring = new Map<string, Item>();
  /** Called after each write that changed an item. */
  onChange: (change: Change, write: Write | undefined) => void = () => undefined;

  constructor(indexOf: (plan: (typeof INDEX_PLANS)[number]) => LaggingIndex) {
    this.#indexes = new Map(INDEX_PLANS.map((plan) => [plan.name, indexOf(plan)]));
  }

  calmDown(lagMaxMs: number): void {
    for (const index of this.#indexes.values()) index.calmDown(lagMaxMs);
  }

  peek(pk: string, sk: string, table: TableName = 'control'): Item | undefined {
    return this.#partitions[table].get(pk)?.items.get(sk);
  }
  /** The partition of a scope's generation as it stands. */
  partitionOf(scope: string): string {
    const generation = this.peek(`SCOPE#${scope}`, 'SCOPE')?.generation as number | undefined;
    return `SCOPE#${scope}#${generation ?? 1}`;
  }
  /** Every item of a partition whose sort key begins so, in key order. */
  list(pk: string, prefix: string): Item[] {
    const partition = this.#partitions.control.get(pk);
    if (!partition) return [];
    const keys = partition.keysFrom(prefix, (sk) => sk.startsWith(prefix));
    return keys.map((sk) => partition.items.get(sk) as Item);
  }
  items(table: TableName = 'control'): Item[] {
    return [...this.#partitions[table].values()].flatMap((partition) => [...partition.items.values()]);
  }

  /** Applies a write, or tells what refused it. Throws what DynamoDB would refuse as a request. */
  apply(write: Write, nowMs: number): Outcome {
    const { table, input } = write;
    const key = write.kind === 'put' ? write.input.Item : write.input.Key;
    const pk = key?.[PARTITION_KEY] as string;
    const sk = key?.[SORT_KEY] as string;
    const before = this.peek(pk, sk, table);
    const names = input.ExpressionAttributeNames ?? NO_NAMES;
    const values = input.ExpressionAttributeValues ?? NO_VALUES;
    const condition = input.ConditionExpression;
    if (condition !== undefined && !compileCondition(condition)(before ?? {}, names, values)) {
      return { kind: 'held', stored: before };
    }
    let after: Item | undefined;
    if (write.kind === 'put') after = marshal(write.input.Item as Item);
    if (write.kind === 'update') {
      const text = write.input.UpdateExpression ?? '';
      after = applyUpdate(text, before ?? { pk, sk }, names, marshal(values));
    }
    const changed = before === undefined || after === undefined ? before !== after : !isEqual(before, after);
    if (changed) this.#commit({ table, pk, sk, before, after }, nowMs, write);
    if (write.kind === 'put') return { kind: 'won', item: write.input.Item };
    return { kind: 'won', item: input.ReturnValues === 'ALL_NEW' ? after : undefined };
  }

  #commit(change: Change, nowMs: number, write: Write | undefined): void {
    const { table, pk, sk, before, after } = change;
    let partition = this.#partitions[table].get(pk);
    if (!partition) this.#partitions[table].set(pk, (partition = new Partition()));
    partition.set(sk, after);
    if (table === 'control') {
      const identity = `${pk} ${sk}`;
      for (const index of this.#indexes.values()) index.follow(nowMs, identity, before, after);
      if (after?.[TTL_ATTRIBUTE] === undefined) this.#expiring.delete(identity);
      else this.#expiring.set(identity, after);
    }
    this.onChange(change, write);
  }

  /** Deletes what its TTL has passed by `delayMs`, as the service does; answers the keys. */
  reap(nowMs: number, delayMs: number): { pk: string; sk: string }[] {
    const due = [...this.#expiring.values()].filter((item) => (item[TTL_ATTRIBUTE] as number) * 1000 < nowMs - delayMs);
    return due.map((item) => {
      const [pk, sk] = [item[PARTITION_KEY] as string, item[SORT_KEY] as string];
      this.#commit({ table: 'control', pk, sk, before: item, after: undefined }, nowMs, undefined);
      return { pk, sk };
    });
  }

  get(read: Get): Item | undefined {
    return this.peek(read.input.Key?.[PARTITION_KEY] as string, read.input.Key?.[SORT_KEY] as string, read.table);
  }

  batchGet(read: BatchGet): Item[] {
    return read.keys.flatMap(({ pk, sk }): Item[] => {
      const item = this.peek(pk as string, sk as string, read.table);
      return item ? [item] : [];
    });
  }

  query(read: Query, nowMs: number): QueryPage {
    const range = readKeyRange(read);
    const { Limit, IndexName: name, ScanIndexForward, ExclusiveStartKey, FilterExpression } = read.input;
    const newestFirst = ScanIndexForward === false;
    const rows = name
      ? this.#readIndex(name as IndexName, range, nowMs, newestFirst)
      : this.#readPartition(read.table, range, ExclusiveStartKey, newestFirst);
    const page = rows.slice(0, Limit);
    const last = page.length === Limit ? page.at(-1) : undefined;
    const lastKey = last && this.#keyOf(name as IndexName | undefined, last);
    if (FilterExpression === undefined) return { items: page, lastKey };
    const filter = compileCondition(FilterExpression);
    const { ExpressionAttributeNames: names = NO_NAMES, ExpressionAttributeValues: values = NO_VALUES } = read.input;
    return { items: page.filter((item) => filter(item, names, values)), lastKey };
  }

  #readIndex(name: IndexName, range: KeyRange, nowMs: number, newestFirst: boolean): Item[] {
    const index = this.#indexes.get(name);
    if (!index) throw new Error(`there is no index ${name}`);
    const rows = index.rows(nowMs, range.partition).flatMap(({ sort, item }) => (range.holds(sort) ? [item] : []));
    return newestFirst ? rows.reverse() : rows;
  }

  #readPartition(table: TableName, range: KeyRange, startKey: Item | undefined, newestFirst: boolean): Item[] {
    const partition = this.#partitions[table].get(range.partition);
    if (!partition) return [];
    const start = startKey?.[SORT_KEY] as string | undefined;
    const keys = partition.keysFrom(range.low, range.holds);
    if (newestFirst) keys.reverse();
    const from = keys.filter((sk) => start === undefined || (newestFirst ? sk < start : sk > start));
    return from.map((sk) => partition.items.get(sk) as Item);
  }

  #keyOf(name: IndexName | undefined, item: Item): Item {
    const key: Item = { [PARTITION_KEY]: item[PARTITION_KEY], [SORT_KEY]: item[SORT_KEY] };
    const plan = name && this.#indexes.get(name)?.plan;
    if (plan) for (const attribute of [plan.partition, plan.sort]) key[attribute] = item[attribute];
    return key;
  }
}
