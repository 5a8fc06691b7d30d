/** A change of a claim slot as the API shows it, with a sentence for people. */
import type { CitationItem } from '../../schema/citation.ts';
import { formatSourceRef } from '../../schema/ids.ts';
import type { ChangeKind, SlotChange } from '../core/slot-change.ts';
import { isoOf } from './iso-time.ts';

export interface ChangeBody {
  readonly change: ChangeKind;
  readonly says: string;
  readonly entity: string;
  readonly attribute: string;
  readonly value: string;
  readonly claim: string;
  readonly insteadOf?: { readonly claim: string; readonly value: string };
  /** New to the claim. */
  readonly quotes: readonly {
    readonly id: string;
    readonly text: string;
    readonly source: string;
    readonly at: string;
  }[];
}

/** Quotes of one change shown, newest first. */
const QUOTES_SHOWN_MAX = 10;

const shown = (value: string): string => (value === '' ? 'nothing' : `"${value}"`);

function sentenceOf({ kind, entityName, slot, value, insteadOf }: SlotChange<unknown>): string {
  const what = `${entityName} ${slot.attribute}`;
  const now = value === '' ? `no longer${slot.key === undefined ? '' : ` "${slot.key}"`}` : `"${value}"`;
  switch (kind) {
    case 'adds':
      return `${what}: ${now} is new`;
    case 'replaces':
      return `${what}: ${now} instead of ${shown(insteadOf?.value ?? '')}`;
    case 'ends':
      return `${what}: ${now}, after ${shown(insteadOf?.value ?? '')}`;
    case 'confirms':
      return `${what}: ${now} is said again`;
    case 'adds_history':
      return `${what}: ${now} was so, and something newer stands`;
    case 'plans':
      return `${what}: ${now} is planned`;
    case 'restores':
      return `${what}: ${now} is current again`;
    case 'takes_back':
      return `${what}: ${now} stands no longer`;
  }
}

export function changeBody(change: SlotChange<CitationItem>): ChangeBody {
  const { kind, entityName, slot, value, claimId, insteadOf, citations } = change;
  return {
    change: kind,
    says: sentenceOf(change),
    entity: entityName,
    attribute: slot.attribute,
    value,
    claim: claimId,
    ...(insteadOf && { insteadOf: { claim: insteadOf.claimId, value: insteadOf.value } }),
    quotes: citations.slice(0, QUOTES_SHOWN_MAX).map(({ citationId, quote, source, capturedAtMs }) => ({
      id: citationId,
      text: quote.text,
      source: formatSourceRef(source),
      at: isoOf(capturedAtMs),
    })),
  };
}
