/**
 * An index as readers see it: two copies that each follow the table with a lag of their own, one of which answers a
 * query. So a read may be stale, and a later read staler still; of one item the changes always arrive in their order.
 */
import type { Item } from '../../../schema/request.ts';
import { INDEXES, type IndexName, PARTITION_KEY, SORT_KEY } from '../../../schema/table.ts';
import type { Random } from './random.ts';
import { isEqual } from './expression.ts';

interface Entry {
  readonly partition: string;
  readonly sort: string | number;
  readonly item: Item;
}
interface Pending {
  readonly dueMs: number;
  readonly identity: string;
  readonly entry: Entry | undefined;
}

interface IndexPlan {
  readonly name: IndexName;
  readonly partition: string;
  readonly sort: string;
  readonly projected: readonly string[];
}

export const INDEX_PLANS: readonly IndexPlan[] = Object.entries(INDEXES).map(([name, shape]) => ({
  name: name as IndexName,
  partition: shape.partition.name,
  sort: shape.sort.name,
  projected: [PARTITION_KEY, SORT_KEY, shape.partition.name, shape.sort.name, ...shape.include],
}));

function entryOf(plan: IndexPlan, item: Item | undefined): Entry | undefined {
  const partition = item?.[plan.partition];
  const sort = item?.[plan.sort];
  if (!item || typeof partition !== 'string' || (typeof sort !== 'string' && typeof sort !== 'number'))
    return undefined;
  const projected: Item = {};
  for (const name of plan.projected) if (item[name] !== undefined) projected[name] = item[name];
  return { partition, sort, item: projected };
}

/** Rows of one partition in sort order; equal keys stand in the order of their items' identities. */
class Copy {
  readonly #partitions = new Map<string, { sort: string | number; identity: string; item: Item }[]>();
  readonly #places = new Map<string, Entry>();
  #pending: Pending[] = [];
  readonly #lastDueMs = new Map<string, number>();

  push(nowMs: number, lagMs: number, identity: string, entry: Entry | undefined): void {
    const dueMs = Math.max(nowMs + lagMs, this.#lastDueMs.get(identity) ?? 0);
    if (lagMs === 0 && this.#pending.length === 0) return this.#apply(identity, entry);
    this.#lastDueMs.set(identity, dueMs);
    this.#pending.push({ dueMs, identity, entry });
  }

  rows(nowMs: number, partition: string): readonly { sort: string | number; item: Item }[] {
    if (this.#pending.some((change) => change.dueMs <= nowMs)) {
      const later: Pending[] = [];
      for (const change of this.#pending) {
        if (change.dueMs <= nowMs) this.#apply(change.identity, change.entry);
        else later.push(change);
      }
      this.#pending = later;
    }
    return this.#partitions.get(partition) ?? [];
  }

  #apply(identity: string, entry: Entry | undefined): void {
    const old = this.#places.get(identity);
    if (old) {
      const rows = this.#partitions.get(old.partition) ?? [];
      const at = rows.findIndex((row) => row.identity === identity);
      rows.splice(at, 1);
      this.#places.delete(identity);
    }
    if (!entry) return;
    let rows = this.#partitions.get(entry.partition);
    if (!rows) this.#partitions.set(entry.partition, (rows = []));
    let at = rows.length;
    while (at > 0) {
      const before = rows[at - 1] as (typeof rows)[number];
      if (before.sort < entry.sort || (before.sort === entry.sort && before.identity < identity)) break;
      at--;
    }
    rows.splice(at, 0, { sort: entry.sort, identity, item: entry.item });
    this.#places.set(identity, entry);
  }
}

export class LaggingIndex {
  readonly plan: IndexPlan;
  readonly #random: Random;
  #lagsMaxMs: readonly [number, number];
  readonly #copies = [new Copy(), new Copy()] as const;

  /** `lagsMaxMs`: the most each of the two copies may lag. */
  constructor(plan: IndexPlan, random: Random, lagsMaxMs: readonly [number, number]) {
    this.plan = plan;
    this.#random = random;
    this.#lagsMaxMs = lagsMaxMs;
  }

  follow(nowMs: number, identity: string, before: Item | undefined, after: Item | undefined): void {
    const [old, next] = [entryOf(this.plan, before), entryOf(this.plan, after)];
    if (old === undefined && next === undefined) return;
    if (old && next && isEqual(old.item, next.item)) return;
    this.#copies.forEach((copy, k) => {
      const most = this.#lagsMaxMs[k] as number;
      copy.push(nowMs, most === 0 ? 0 : this.#random.int(0, most), identity, next);
    });
  }

  /** A lag of many seconds is a fault too; what remains when faults end is the usual. */
  calmDown(lagMaxMs: number): void {
    const [first, second] = this.#lagsMaxMs;
    this.#lagsMaxMs = [Math.min(first, lagMaxMs), Math.min(second, lagMaxMs)];
  }

  rows(nowMs: number, partition: string): readonly { sort: string | number; item: Item }[] {
    const [first, second] = this.#lagsMaxMs;
    const copy = first === 0 && second === 0 ? this.#copies[0] : this.#random.pick(this.#copies);
    return copy.rows(nowMs, partition);
  }
}
