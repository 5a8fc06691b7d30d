/** What the finalizer reaches the world through. */
import type { planReturn } from '../core/giving-back.ts';
import type { planCount } from '../core/outcome.ts';
import type { planSettlement } from '../core/settling.ts';
import type { Clock, Ids, Log, Store, TriggerQueue } from '../io/ports.ts';

export interface FinalizerDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** How many pools there are; absent: one. */
  readonly pools?: number | undefined;
  readonly queue: TriggerQueue;
  readonly decide: {
    readonly planSettlement: typeof planSettlement;
    readonly planCount: typeof planCount;
    readonly planReturn: typeof planReturn;
  };
}
