/**
 * Indexes that are served late, as AWS's are: queries answer from a copy that gets each change so many milliseconds
 * after the write. What a write costs is still reckoned from the true index.
 */
import { Partitions } from './sorted-rows.ts';
import type { Index, IndexChange, Table } from './table.ts';

interface LateCopy {
  readonly rows: Partitions;
  /** Oldest first. */
  readonly pending: { readonly dueMs: number; readonly change: IndexChange }[];
}

export class LateIndexes {
  readonly #now: () => number;
  readonly #tables: ReadonlyMap<string, Table>;
  #lagMs = 0;
  /** A table that is deleted takes its copies with it. */
  #copies = new WeakMap<Index, LateCopy>();

  constructor(now: () => number, tables: ReadonlyMap<string, Table>) {
    this.#now = now;
    this.#tables = tables;
  }

  /** From now on indexes are `lagMs` behind; 0 serves everything at once again. A changed lag starts from the truth. */
  setLag(lagMs: number): void {
    if (lagMs === this.#lagMs) return;
    this.#lagMs = lagMs;
    this.#copies = new WeakMap();
    if (lagMs === 0) return;
    for (const table of this.#tables.values()) for (const index of table.indexes) this.#copy(index);
  }

  /** Takes note of what a write changed. */
  note(changes: readonly IndexChange[]): void {
    if (this.#lagMs === 0) return;
    const dueMs = this.#now() + this.#lagMs;
    for (const change of changes) {
      if (change.before === change.after) continue;
      // An index created since the lag was set was empty then.
      const copy = this.#copies.get(change.index) ?? { rows: new Partitions(), pending: [] };
      this.#copies.set(change.index, copy);
      copy.pending.push({ dueMs, change });
      this.#catchUp(copy);
    }
  }

  /** The rows that a query of this index sees now. */
  rowsOf(index: Index): Partitions {
    const copy = this.#copies.get(index);
    // No lag, or an index created since: nothing was written into it, or there would be a copy.
    if (copy === undefined) return index.rows;
    this.#catchUp(copy);
    return copy.rows;
  }

  #catchUp({ rows, pending }: LateCopy): void {
    const nowMs = this.#now();
    const dueCount = pending.findIndex(({ dueMs }) => dueMs > nowMs);
    for (const { change } of pending.splice(0, dueCount < 0 ? pending.length : dueCount)) applyChange(rows, change);
  }

  #copy(index: Index): void {
    const rows = new Partitions();
    for (const [partition, row] of index.rows.entries()) rows.set(partition, row);
    this.#copies.set(index, { rows, pending: [] });
  }
}

function applyChange(rows: Partitions, { before, after, from, to }: IndexChange): void {
  if (from !== undefined && before !== undefined) rows.delete(from.partition, before.sort, before.tie);
  if (to !== undefined && after !== undefined) rows.set(to.partition, after);
}
