/** What the trigger function reaches the world through. */
import type { ExecutorTraits } from '../../schema/executor.ts';
import type { SettingOverrides } from '../../schema/settings.ts';
import type { Clock, Ids, Log, Store, TriggerQueue } from '../io/ports.ts';

export interface TriggerDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** How many pools there are; absent: one. */
  readonly pools?: number | undefined;
  readonly queue: TriggerQueue;
  readonly deploymentSettings: SettingOverrides;
  readonly executor: string | undefined;
  /** What executors are like; those of the schema unless given. */
  readonly executors?: readonly ExecutorTraits[];
}
