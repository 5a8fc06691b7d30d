/** What ingest touches the world through. */
import type { SettingOverrides } from '../../schema/settings.ts';
import type { Clock, Ids, Log, Store } from '../io/ports.ts';

export interface IngestDeps {
  readonly store: Pick<Store, 'write' | 'get'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly ids: Ids;
  readonly log: Log;
  readonly deploymentSettings: SettingOverrides;
}
