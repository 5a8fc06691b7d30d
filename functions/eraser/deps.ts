/** What the eraser's runs are made of. */
import type { planNextLook } from '../core/erasing.ts';
import type { Clock, Ids, Log, Store } from '../io/ports.ts';

export interface EraserDeps {
  /** Over both tables. */
  readonly store: Pick<Store, 'get' | 'query' | 'write'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** How many pools there are; absent: one. */
  readonly pools?: number | undefined;
  readonly decide: { readonly planNextLook: typeof planNextLook };
}
