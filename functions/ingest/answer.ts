/** The answer of ingest: one result for each source, in the order given. */
import type { SourceItem } from '../../schema/source.ts';
import type { PreparedSource, SourceRefusal } from '../core/intake.ts';

export interface IngestResult {
  /** As given; absent when a refused source named none. */
  readonly kind?: string;
  readonly id?: string;
  readonly outcome: 'created' | 'revised' | 'unchanged' | 'older' | 'refused';
  readonly revision?: string;
  /** ISO 8601 in UTC. */
  readonly capturedAt?: string;
  readonly capturedFrom?: string;
  /** Characters of the rendered text. */
  readonly length?: number;
  /** What was changed on the way in: a name, or a name and how often, as in `line-endings: 12`. */
  readonly changes?: readonly string[];
  /** What was passed over, as in `line 7: it is not JSON`; the rest was taken. */
  readonly warnings?: readonly string[];
  readonly error?: SourceRefusal;
}

export interface IngestAnswer {
  readonly results: readonly IngestResult[];
}

// As long as a source id may be: what is longer is not echoed whole.
const ECHOED_MAX = 512;

export function describeRefusal(given: unknown, error: SourceRefusal): IngestResult {
  const { kind, id } = (typeof given === 'object' && given !== null ? given : {}) as Record<string, unknown>;
  return {
    ...(typeof kind === 'string' && { kind: kind.slice(0, ECHOED_MAX) }),
    ...(typeof id === 'string' && { id: id.slice(0, ECHOED_MAX) }),
    outcome: 'refused',
    error,
  };
}

/** `older` tells the captured time that came in, every other outcome the one that stands. */
export function describeOutcome(
  source: PreparedSource,
  outcome: Exclude<IngestResult['outcome'], 'refused'>,
  stands: SourceItem | undefined,
): IngestResult {
  const { capturedAtMs, capturedFrom } = outcome !== 'older' && stands ? stands : source;
  return {
    kind: source.kind,
    id: source.id,
    outcome,
    revision: source.revision,
    capturedAt: new Date(capturedAtMs).toISOString(),
    capturedFrom,
    length: source.length,
    ...(source.changes.length > 0 && { changes: source.changes }),
    ...(source.warnings.length > 0 && { warnings: source.warnings }),
  };
}
