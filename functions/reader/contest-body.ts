/** Two sides of a contested claim as the API shows them, each with its quote. */
import type { AttentionDetails } from '../../schema/attention.ts';
import { isoOf } from './iso-time.ts';

export interface ContestBody {
  readonly entity: string;
  readonly attribute: string;
  /** Of a many-valued attribute: which value's claim slot. */
  readonly key?: string;
  readonly because: AttentionDetails['because'];
  /** The one that is ahead first. */
  readonly sides: readonly {
    readonly claim: string;
    readonly citation: string;
    readonly value: string;
    readonly text: string;
    readonly source: string;
    readonly at: string;
  }[];
}

export function contestBody({ slot, sides, because }: AttentionDetails): ContestBody {
  return {
    entity: sides[0]?.entityName ?? slot.entity,
    attribute: slot.attribute,
    ...(slot.key !== undefined && { key: slot.key }),
    because,
    sides: sides.map(({ claimId, citationId, value, quote, source, capturedAtMs }) => ({
      claim: claimId,
      citation: citationId,
      value,
      text: quote,
      source,
      at: isoOf(capturedAtMs),
    })),
  };
}
