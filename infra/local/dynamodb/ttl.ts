/** Time to live: the sweep that AWS runs within days and here runs when it is called. */
import { readAttribute } from './attribute-value.ts';
import { locate, type Place } from './key.ts';
import { commitWrite, type Store } from './store.ts';
import type { Table } from './table.ts';

/** AWS leaves older times alone, taking them for a mistake such as milliseconds divided twice. */
const AGE_SECONDS_MAX = 5 * 365 * 24 * 3600;

/**
 * Deletes every item whose TTL attribute is a number of epoch seconds that has passed, at most five years ago.
 * Each deletion is a commit of its own and its stream record bears the service's identity. Returns how many items went.
 */
export function sweepTtl(store: Store): number {
  let deleted = 0;
  for (const table of store.tables.values()) {
    const due = findDue(table, store.now() / 1000);
    for (const place of due) {
      const old = table.rows.find(place.partition)?.get(place.sort, '');
      commitWrite(store, { table, place, old, next: undefined, nextSizeBytes: 0 }, true);
    }
    deleted += due.length;
  }
  return deleted;
}

function findDue(table: Table, nowSeconds: number): Place[] {
  const attribute = table.ttlAttribute;
  if (attribute === undefined) return [];
  const due: Place[] = [];
  for (const { item } of table.rows.rows()) {
    const value = readAttribute(item, attribute);
    const ageSeconds = value !== undefined && 'N' in value ? nowSeconds - Number(value.N) : Number.NaN;
    if (ageSeconds > 0 && ageSeconds < AGE_SECONDS_MAX) due.push(locate(table.key, item) as Place);
  }
  return due;
}
