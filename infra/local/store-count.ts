/** What a scope's table holds in the end, read from the rows themselves: the last word on what was settled and released. */
import type { Item } from './dynamodb/attribute-value.ts';
import { readText } from './row-text.ts';

export interface StoreCount {
  /** Of the sources asked about: those of whose text nothing waits any more. */
  readonly settled: number;
  /** Evidence rows that bear a lease, and LEASE rows. */
  readonly leasesLeft: number;
}

/** States of evidence whose text somebody still has to read. */
const OWED: ReadonlySet<string> = new Set(['pending', 'quarantined']);

/** `kind:id`, as the sources asked about are named. */
export function nameSource({ kind, id }: { readonly kind: string; readonly id: string }): string {
  return `${kind}:${id}`;
}

/**
 * Counts over the rows of the control table. A source counts as settled when it has evidence and none of it is pending
 * or quarantined: a revision that a newer one replaced is not owed any more.
 */
export function countStore(items: readonly Item[], scope: string, sources: ReadonlySet<string>): StoreCount {
  const settled = new Set<string>();
  const owed = new Set<string>();
  let leasesLeft = 0;
  for (const { pk, sk, kind, id, state, leasePass } of items) {
    if (readText(pk)?.startsWith(`SCOPE#${scope}#`) !== true) continue;
    const row = readText(sk) ?? '';
    if (/^PASS#[^#]+#LEASE#/.test(row)) leasesLeft += 1;
    if (!row.startsWith('EVIDENCE#')) continue;
    if (leasePass !== undefined) leasesLeft += 1;
    const name = nameSource({ kind: readText(kind) ?? '', id: readText(id) ?? '' });
    (OWED.has(readText(state) ?? '') ? owed : settled).add(name);
  }
  const isSettled = (name: string): boolean => settled.has(name) && !owed.has(name);
  return { settled: [...sources].filter(isSettled).length, leasesLeft };
}
