/**
 * The rows of a table or index: partitions by partition key, in each the rows sorted by sort key.
 *
 * A partition is a list of short sorted runs. One flat array would move half of its elements at every insertion, and a
 * scope's evidence queue, one partition, is measured at a million rows.
 */
import type { Item } from './attribute-value.ts';

export interface Row {
  /** Sortable form of the sort key; empty for a table or index without one. */
  readonly sort: string;
  /** In an index the primary key of the item, since rows of an index may share both keys; empty in a table. */
  readonly tie: string;
  readonly item: Item;
  readonly sizeBytes: number;
}

/** Where a row stands: its run, and its place in the run. */
interface Position {
  readonly run: number;
  readonly place: number;
}

/** True for the rows before some point, false from there on. */
export type IsBefore = (row: Row) => boolean;

const RUN_ROWS_MAX = 512;

/** Below zero, zero or above zero, by sort key, then by primary key. */
export function compareRows(a: Pick<Row, 'sort' | 'tie'>, b: Pick<Row, 'sort' | 'tie'>): number {
  if (a.sort !== b.sort) return a.sort < b.sort ? -1 : 1;
  if (a.tie !== b.tie) return a.tie < b.tie ? -1 : 1;
  return 0;
}

export class SortedRows {
  /** No run is empty. */
  readonly #runs: Row[][] = [];

  get isEmpty(): boolean {
    return this.#runs.length === 0;
  }

  get(sort: string, tie: string): Row | undefined {
    const row = this.#at(this.#find((other) => compareRows(other, { sort, tie }) < 0));
    return row?.sort === sort && row.tie === tie ? row : undefined;
  }

  /** Puts the row, replacing the one with the same sort key and tie. */
  set(row: Row): void {
    const { run, place } = this.#find((other) => compareRows(other, row) < 0);
    const found = this.#runs[run]?.[place];
    if (found !== undefined && compareRows(found, row) === 0) {
      (this.#runs[run] as Row[])[place] = row;
      return;
    }
    // Past the last row: append to the last run rather than open a new one for every row.
    const last = this.#runs.at(-1);
    if (run === this.#runs.length && last !== undefined) this.#insert(run - 1, last.length, row);
    else this.#insert(run, place, row);
  }

  delete(sort: string, tie: string): void {
    const { run, place } = this.#find((other) => compareRows(other, { sort, tie }) < 0);
    const rows = this.#runs[run];
    const found = rows?.[place];
    if (rows === undefined || found === undefined || compareRows(found, { sort, tie }) !== 0) return;
    rows.splice(place, 1);
    if (rows.length === 0) this.#runs.splice(run, 1);
  }

  /** The rows from the first that is not before `isBefore` on, in order. */
  *forwardFrom(isBefore: IsBefore): Generator<Row> {
    const start = this.#find(isBefore);
    for (let run = start.run, place = start.place; run < this.#runs.length; run++, place = 0) {
      const rows = this.#runs[run] as Row[];
      for (; place < rows.length; place++) yield rows[place] as Row;
    }
  }

  /** The rows for which `isBefore` holds, from the last to the first. */
  *backwardFrom(isBefore: IsBefore): Generator<Row> {
    const start = this.#find(isBefore);
    for (let run = start.run; run >= 0; run--) {
      const rows = this.#runs[run];
      if (rows === undefined) continue;
      for (let place = (run === start.run ? start.place : rows.length) - 1; place >= 0; place--)
        yield rows[place] as Row;
    }
  }

  #insert(run: number, place: number, row: Row): void {
    const rows = this.#runs[run];
    if (rows === undefined) {
      this.#runs.push([row]);
      return;
    }
    rows.splice(place, 0, row);
    if (rows.length > RUN_ROWS_MAX) this.#runs.splice(run + 1, 0, rows.splice(rows.length >> 1));
  }

  /** The first position not before; one past the last run when all rows are before. */
  #find(isBefore: IsBefore): Position {
    const run = findFirst(this.#runs.length, (at) => !isBefore(this.#runs[at]?.at(-1) as Row));
    const rows = this.#runs[run] ?? [];
    return { run, place: findFirst(rows.length, (at) => !isBefore(rows[at] as Row)) };
  }

  #at({ run, place }: Position): Row | undefined {
    return this.#runs[run]?.[place];
  }
}

/** The first of 0..count-1 for which `holds`, or count; `holds` is false up to some point and true from there on. */
function findFirst(count: number, holds: (at: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** All partitions of a table or index, by the sortable form of their partition key. */
export class Partitions {
  readonly #partitions = new Map<string, SortedRows>();

  find(partition: string): SortedRows | undefined {
    return this.#partitions.get(partition);
  }

  set(partition: string, row: Row): void {
    let rows = this.#partitions.get(partition);
    if (rows === undefined) {
      rows = new SortedRows();
      this.#partitions.set(partition, rows);
    }
    rows.set(row);
  }

  delete(partition: string, sort: string, tie: string): void {
    const rows = this.#partitions.get(partition);
    rows?.delete(sort, tie);
    if (rows?.isEmpty) this.#partitions.delete(partition);
  }

  *rows(): Generator<Row> {
    for (const [, row] of this.entries()) yield row;
  }

  /** Each row with its partition. */
  *entries(): Generator<readonly [partition: string, row: Row]> {
    for (const [partition, rows] of this.#partitions) {
      for (const row of rows.forwardFrom(() => false)) yield [partition, row];
    }
  }
}
