/**
 * Capacity units, counted as AWS bills on-demand requests: writes by started 1 KB, reads by started 4 KB, half for an
 * eventually consistent read. They are counted here, not measured on AWS.
 */
import type { IndexChange } from './table.ts';

const WRITE_UNIT_BYTES = 1024;
const READ_UNIT_BYTES = 4096;

/** Units of the table itself and of each index that was charged; an index that was not is absent. */
export interface Units {
  readonly table: number;
  readonly indexes: Readonly<Record<string, number>>;
}

export type ReturnConsumedCapacity = 'NONE' | 'TOTAL' | 'INDEXES' | undefined;

export interface ConsumedCapacity {
  readonly TableName: string;
  readonly CapacityUnits: number;
  readonly Table?: { readonly CapacityUnits: number };
  readonly GlobalSecondaryIndexes?: Readonly<Record<string, { readonly CapacityUnits: number }>>;
}

/** A read of nothing costs as much as one of the smallest item. */
export function countReadUnits(sizeBytes: number, isConsistent: boolean | undefined): number {
  return Math.max(1, Math.ceil(sizeBytes / READ_UNIT_BYTES)) * (isConsistent ? 1 : 0.5);
}

/** The larger of the item before and after; a write that finds and leaves nothing still costs one. */
export function countWriteUnits(oldSizeBytes: number, nextSizeBytes: number): number {
  return Math.max(1, writeUnits(oldSizeBytes), writeUnits(nextSizeBytes));
}

/** An entry replaced in place costs once, one that moves is deleted and put, an unchanged one costs nothing. */
export function countIndexUnits(changes: readonly IndexChange[]): Units['indexes'] {
  const units: Record<string, number> = {};
  for (const { index, before, after, inPlace } of changes) {
    if (before === after) continue;
    const [removed, added] = [writeUnits(before?.sizeBytes ?? 0), writeUnits(after?.sizeBytes ?? 0)];
    units[index.name] = inPlace ? Math.max(removed, added) : removed + added;
  }
  return units;
}

export function addUnits(a: Units, b: Units): Units {
  const indexes = { ...a.indexes };
  for (const [name, units] of Object.entries(b.indexes)) indexes[name] = (indexes[name] ?? 0) + units;
  return { table: a.table + b.table, indexes };
}

/** The ConsumedCapacity of a response, or undefined when the request did not ask for it. */
export function reportCapacity(
  asked: ReturnConsumedCapacity,
  tableName: string,
  { table, indexes }: Units,
): ConsumedCapacity | undefined {
  if (asked !== 'TOTAL' && asked !== 'INDEXES') return undefined;
  const entries = Object.entries(indexes);
  const total = { TableName: tableName, CapacityUnits: entries.reduce((sum, [, units]) => sum + units, table) };
  if (asked === 'TOTAL') return total;
  return {
    ...total,
    Table: { CapacityUnits: table },
    ...(entries.length > 0 && {
      GlobalSecondaryIndexes: Object.fromEntries(entries.map(([name, units]) => [name, { CapacityUnits: units }])),
    }),
  };
}

function writeUnits(sizeBytes: number): number {
  return Math.ceil(sizeBytes / WRITE_UNIT_BYTES);
}
