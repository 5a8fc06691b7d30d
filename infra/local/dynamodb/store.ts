/** The engine's state, and the one way to change it: log, then apply, then tell the stream's listeners. */
import { areItemsEqual, type Item } from './attribute-value.ts';
import { countIndexUnits, countWriteUnits, type Units } from './capacity.ts';
import type { ResolveExpressions } from './expression.ts';
import { resourceNotFoundFault } from './fault.ts';
import { pickKey, type Place } from './key.ts';
import type { LateIndexes } from './late-indexes.ts';
import type { LogEntry } from './log-entry.ts';
import type { Row } from './sorted-rows.ts';
import type { StreamRecord, TableStream } from './stream.ts';
import { replaceItem, type Table } from './table.ts';

export interface Store {
  readonly tables: Map<string, Table>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly region: string;
  /** Epoch milliseconds, later at every call: two tables of one name must not share a stream's label. */
  readonly takeCreationTimeMs: () => number;
  readonly resolveExpressions: ResolveExpressions;
  readonly lateIndexes: LateIndexes;
  /**
   * Writes one line to the log; does nothing without a log. Called before the change is made, so that a full disk
   * refuses it.
   */
  readonly appendLog: (entry: LogEntry) => void;
}

/** One item's next state, decided and checked; nothing has happened yet. */
export interface PlannedWrite {
  readonly table: Table;
  readonly place: Place;
  readonly old: Row | undefined;
  readonly next: Item | undefined;
  /** 0 when the item is deleted. */
  readonly nextSizeBytes: number;
}

/** Throws a ResourceNotFoundException. */
export function findTable(store: Pick<Store, 'tables'>, name: string): Table {
  const table = store.tables.get(name);
  if (table === undefined) throw resourceNotFoundFault(`Requested resource not found: Table: ${name} not found`);
  return table;
}

/**
 * Makes a planned write true and returns what it cost. A write that changes nothing touches no index, no log and no
 * stream. `byTtl` marks the deletion as the service's own.
 */
export function commitWrite(store: Store, write: PlannedWrite, byTtl = false): Units {
  const { table, old, next } = write;
  const units = countWriteUnits(old?.sizeBytes ?? 0, write.nextSizeBytes);
  const isUnchanged = old === undefined ? next === undefined : next !== undefined && areItemsEqual(old.item, next);
  if (isUnchanged) return { table: units, indexes: {} };
  const atSeconds = Math.floor(store.now() / 1000);
  const keys = pickKey(table.key, (next ?? old?.item) as Item);
  store.appendLog({
    kind: 'write',
    table: table.name,
    at: atSeconds,
    ...(next === undefined ? { delete: keys } : { put: next }),
    ...(byTtl && { byTtl }),
  });
  const changes = replaceItem(table, write.place, old, next, write.nextSizeBytes);
  store.lateIndexes.note(changes);
  const record = table.stream?.append({ keys, old: old?.item, next, byTtl, atSeconds });
  if (record !== undefined) tellListeners(table.stream as TableStream, record);
  return { table: units, indexes: countIndexUnits(changes) };
}

/** A listener that throws must not turn a committed write into a failed reply: its error surfaces by itself. */
function tellListeners({ listeners }: TableStream, record: StreamRecord): void {
  for (const listener of listeners) {
    try {
      listener(record);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
