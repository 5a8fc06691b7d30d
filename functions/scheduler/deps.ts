/** What the scheduler reaches the world through. */
import type { ExecutorTraits } from '../../schema/executor.ts';
import type { SettingOverrides } from '../../schema/settings.ts';
import type { judgeDue } from '../core/backlog.ts';
import type { planAdmissions } from '../core/admission.ts';
import type { judgeEntry } from '../core/sweeping.ts';
import type { Clock, Ids, Log, Store, WorkerInvoker } from '../io/ports.ts';

export interface SchedulerDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** How many pools there are; absent: one. */
  readonly pools?: number | undefined;
  readonly invoker: WorkerInvoker;
  readonly deploymentSettings: SettingOverrides;
  /** The executor the deployment is configured with; undefined when the configured name is not known. */
  readonly executor: string | undefined;
  /** What executors are like; those of the schema unless given. */
  readonly executors?: readonly ExecutorTraits[];
  readonly decide: {
    readonly planAdmissions: typeof planAdmissions;
    readonly judgeEntry: typeof judgeEntry;
    readonly judgeDue: typeof judgeDue;
  };
}
