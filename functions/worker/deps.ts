/** What the worker reaches the world through. */
import type { ExecutorTraits } from '../../schema/executor.ts';
import type { planDraft } from '../core/claim-plan.ts';
import type { choosePage } from '../core/paging.ts';
import type { planReview } from '../core/review-plan.ts';
import type { Clock, Ids, Log, Store, TriggerQueue } from '../io/ports.ts';
import type { Executor } from './executor/executor.ts';

export interface WorkerDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** How many pools there are; absent: one. */
  readonly pools?: number | undefined;
  /** Loads an executor by name, lazily; undefined when the deployment has none of that name. */
  loadExecutor(name: string): Promise<Executor | undefined>;
  readonly queue: TriggerQueue;
  /** What executors are like; those of the schema unless given. */
  readonly executors?: readonly ExecutorTraits[];
  readonly decide: {
    readonly choosePage: typeof choosePage;
    readonly planReview: typeof planReview;
    readonly planDraft: typeof planDraft;
  };
}

/** What an invocation knows of itself. */
export interface Invocation {
  readonly requestId: string;
  /** Milliseconds until the function's own limit. */
  remainingMs(): number;
}
