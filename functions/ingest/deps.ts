/** What ingest touches the world through. */
import type { SettingOverrides } from '../../schema/settings.ts';
import type { UploadDecisions } from '../core/upload-assembly.ts';
import type { Clock, Ids, Log, Store } from '../io/ports.ts';

export type IngestStore = Pick<Store, 'write' | 'get' | 'batchGet'>;

export interface IngestDeps {
  readonly store: IngestStore;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly ids: Ids;
  readonly log: Log;
  /** How many pools there are; absent: one. */
  readonly pools?: number | undefined;
  readonly deploymentSettings: SettingOverrides;
}

/** What the function as a whole needs: completing an upload decides, and a test may decide otherwise. */
export interface UploadDeps extends IngestDeps {
  readonly decide: UploadDecisions;
}
