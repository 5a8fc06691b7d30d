/**
 * The two tables: their keys, their indexes named for the question each answers, and their TTL attribute.
 *
 * `control` holds everything but text and has one stream; `text` holds what people wrote and has neither stream nor index,
 * so that no stream record, dead letter or log can carry what a person wrote. All indexes stand in the first template
 * because CloudFormation changes one index per update (design section 4).
 */

export type TableName = 'control' | 'text';

/** Both tables use the same key names, so that one reader of keys serves both. */
export const PARTITION_KEY = 'pk';
export const SORT_KEY = 'sk';

/** Epoch seconds; only cleans, hours after nothing depends on the row any more (design rule 3). */
export const TTL_ATTRIBUTE = 'ttl';

export interface IndexShape {
  readonly partition: { readonly name: string; readonly type: 'S' };
  readonly sort: { readonly name: string; readonly type: 'S' | 'N' };
  /** Attributes beside the keys; none means KEYS_ONLY. */
  readonly include: readonly string[];
}

/**
 * `queue`: which evidence of a scope and lane comes next? `work`: which scopes have work? `due`, `b16`, `b256`, `b4096`:
 * which receipt is due first, and which is the oldest among those due (blocks of 16, 256 and 4,096 seconds)?
 */
export const INDEXES = {
  queue: {
    partition: { name: 'queuePartition', type: 'S' },
    sort: { name: 'queueKey', type: 'S' },
    include: ['cursor', 'seq', 'length', 'tokens', 'attempts'],
  },
  work: {
    partition: { name: 'workPartition', type: 'S' },
    sort: { name: 'workDueAtMs', type: 'N' },
    include: [],
  },
  due: { partition: { name: 'dueDomain', type: 'S' }, sort: { name: 'dueKey', type: 'S' }, include: [] },
  b16: { partition: { name: 'b16Block', type: 'S' }, sort: { name: 'creationKey', type: 'S' }, include: [] },
  b256: { partition: { name: 'b256Block', type: 'S' }, sort: { name: 'creationKey', type: 'S' }, include: [] },
  b4096: { partition: { name: 'b4096Block', type: 'S' }, sort: { name: 'creationKey', type: 'S' }, include: [] },
} as const satisfies Record<string, IndexShape>;

export type IndexName = keyof typeof INDEXES;

/** The version every item carries as `v`; readers take it and the previous one (design rule 12). */
export const ITEM_VERSION = 1;
