/** What the reader's runs are made of. They only read: nothing here can write. */
import type { ExecutorTraits } from '../../schema/executor.ts';
import type { SettingOverrides } from '../../schema/settings.ts';
import type { Clock, Log, Store } from '../io/ports.ts';

export interface ReaderDeps {
  readonly store: Pick<Store, 'get' | 'query'>;
  readonly clock: Clock;
  readonly log: Log;
  /** How many pools there are; absent: one. */
  readonly pools?: number | undefined;
  /** What the deployment sets in place of the defaults. */
  readonly deploymentSettings: SettingOverrides;
  readonly executor: string;
  /** What executors are like; those of the schema unless given. */
  readonly executors?: readonly ExecutorTraits[];
}
