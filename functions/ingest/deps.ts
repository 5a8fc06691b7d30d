/** What ingest touches the world through. */
import type { SettingOverrides } from '../../schema/settings.ts';
import { prepareAppend } from '../core/append.ts';
import { UPLOAD_DECISIONS } from '../core/upload-assembly.ts';
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

/** Completing an upload decides, and so does an append: a test may decide otherwise. */
export const INGEST_DECISIONS = { ...UPLOAD_DECISIONS, prepareAppend };

export interface UploadDeps extends IngestDeps {
  readonly decide: Pick<typeof INGEST_DECISIONS, 'isIntact'>;
}

export interface AppendDeps extends IngestDeps {
  readonly decide: Pick<typeof INGEST_DECISIONS, 'prepareAppend'>;
}

/** What the function as a whole needs. */
export type DecidingIngestDeps = UploadDeps & AppendDeps;
