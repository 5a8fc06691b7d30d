/** Ties the store to its log file: replay on opening, a line for each change, compaction now and then. */
import type { LogEntry } from './log-entry.ts';
import { LogFile } from './log-file.ts';
import { pickKey, readItemKey, readKey } from './key.ts';
import { itemSizeBytes } from './size.ts';
import { findTable, type Store } from './store.ts';
import { findRow, openTable, replaceItem, type Table } from './table.ts';

/**
 * A log this many times the size it had after its last compaction is compacted again: each byte is rewritten a bounded
 * number of times.
 */
const GROWTH_BEFORE_COMPACTION = 4;
/** Below this a compaction is not worth its file operations. */
const COMPACTION_BYTES_MIN = 4 * 1024 * 1024;

export interface Log {
  append(entry: LogEntry): void;
  /** Compacts when the log has grown enough. To be called between changes, when the store and the log agree. */
  compactIfGrown(): void;
  /** Compacts and closes. */
  close(): void;
}

/**
 * Opens the log and brings `tables` to the state it holds.
 * Throws an Error that names the line when a line other than a torn last one cannot be read.
 */
export function openLog(path: string, tables: Store['tables']): Log {
  const file = new LogFile(path, (line, number) => {
    try {
      applyEntry(tables, JSON.parse(line) as LogEntry);
    } catch (cause) {
      throw new Error(
        `Line ${number} of the DynamoDB log ${path} cannot be applied. Move the file away to start empty.`,
        { cause },
      );
    }
  });
  let compactedBytes = 0;
  const compact = () => {
    file.replace(writeState(tables));
    compactedBytes = file.sizeBytes;
  };
  return {
    append: (entry) => file.append(JSON.stringify(entry)),
    compactIfGrown: () => {
      if (file.sizeBytes <= Math.max(COMPACTION_BYTES_MIN, GROWTH_BEFORE_COMPACTION * compactedBytes)) return;
      try {
        compact();
      } catch (error) {
        // The change is committed and the long log is whole: say so, and try again when it has grown as much once more.
        compactedBytes = file.sizeBytes;
        process.emitWarning(`The DynamoDB log ${path} could not be compacted: ${String(error)}`);
      }
    },
    close: () => {
      compact();
      file.close();
    },
  };
}

function applyEntry(tables: Store['tables'], entry: LogEntry): void {
  if (entry.kind === 'create') {
    tables.set(entry.description.TableName, openTable(entry.description));
    return;
  }
  const table = findTable({ tables }, entry.table);
  switch (entry.kind) {
    case 'drop':
      tables.delete(entry.table);
      return;
    case 'ttl':
      table.ttlAttribute = entry.attribute ?? undefined;
      return;
    case 'ack':
      table.stream?.acknowledge(entry.sequenceNumber);
      return;
    case 'stream':
      table.stream?.restore(entry.state);
      return;
    case 'row':
      replaceItem(table, readItemKey(table.key, entry.item), undefined, entry.item, itemSizeBytes(entry.item));
      return;
    case 'write':
      applyWrite(table, entry);
  }
}

function applyWrite(table: Table, { put, delete: key, byTtl, at }: LogEntry & { kind: 'write' }): void {
  const place = put === undefined ? readKey(table.key, key ?? {}) : readItemKey(table.key, put);
  const old = findRow(table, place);
  const keys = key ?? pickKey(table.key, put ?? {});
  replaceItem(table, place, old, put, put === undefined ? 0 : itemSizeBytes(put));
  table.stream?.append({ keys, old: old?.item, next: put, byTtl: byTtl ?? false, atSeconds: at });
}

/** The lines of a compacted log. */
function* writeState(tables: Store['tables']): Generator<string> {
  const write = (entry: LogEntry) => JSON.stringify(entry);
  for (const table of tables.values()) {
    yield write({ kind: 'create', description: table.description });
    if (table.ttlAttribute !== undefined)
      yield write({ kind: 'ttl', table: table.name, attribute: table.ttlAttribute });
    for (const { item } of table.rows.rows()) yield write({ kind: 'row', table: table.name, item });
    if (table.stream !== undefined) yield write({ kind: 'stream', table: table.name, state: table.stream.state });
  }
}
