/** What a line of the log says. Lines are applied in order; each is one atomic change. */
import type { Item } from './attribute-value.ts';
import type { StreamState } from './stream.ts';
import type { TableDescription } from './table-description.ts';

export type LogEntry =
  | { readonly kind: 'create'; readonly description: TableDescription }
  | { readonly kind: 'drop'; readonly table: string }
  | { readonly kind: 'ttl'; readonly table: string; readonly attribute: string | null }
  /** A write with its stream record: `put` is the item, `delete` the key, `at` epoch seconds. */
  | {
      readonly kind: 'write';
      readonly table: string;
      readonly at: number;
      readonly put?: Item;
      readonly delete?: Item;
      readonly byTtl?: true;
    }
  | { readonly kind: 'ack'; readonly table: string; readonly sequenceNumber: string }
  /** Written by compaction: an item as it stands, without a record. */
  | { readonly kind: 'row'; readonly table: string; readonly item: Item }
  /** Written by compaction: the records nobody has acknowledged yet. */
  | { readonly kind: 'stream'; readonly table: string; readonly state: StreamState };
