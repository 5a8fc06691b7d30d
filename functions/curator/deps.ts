/** What the curator's runs are made of. */
import type { Clock, Ids, Log, Store } from '../io/ports.ts';

export interface CuratorDeps {
  readonly store: Pick<Store, 'get' | 'query' | 'write'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** How many pools there are; absent: one. */
  readonly pools?: number | undefined;
}
