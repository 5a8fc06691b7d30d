/**
 * Decides what an erasure means and when it is looked at again.
 *
 * One look is never enough: who read the source, the claim or the generation before it went may write after. So it is
 * looked at again, later each time, and ends with a look that finds nothing so long after one that did that nobody who
 * held anything of it can still be running.
 */
import { attentionItemSchema } from '../../schema/attention.ts';
import { type Citation, isEmptied } from '../../schema/citation.ts';
import type { ErasureItem } from '../../schema/erasure.ts';
import { EVIDENCE_ATTENTION } from '../../schema/evidence-attention.ts';
import { keyPart, parseSourceRef } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Item } from '../../schema/request.ts';
import { forgottenHashOf } from './forgetting.ts';

export interface FinishedLook {
  readonly beganAtMs: number;
  /** Rows it removed, or had to leave for now. */
  readonly found: number;
  readonly quietSinceMs: number;
}

export type NextLook =
  | { readonly kind: 'finished' }
  | { readonly kind: 'again'; readonly dueAtMs: number; readonly quietSinceMs: number };

const LOOKS_AFTER_MS = [LIMITS.erasureLookFirstMs, LIMITS.erasureLookNextMs, LIMITS.erasureLookLastMs] as const;

/** When the next look is due, after one that went through everything. */
export function planNextLook({ beganAtMs, found, quietSinceMs }: FinishedLook, nowMs: number): NextLook {
  const quietMs = found > 0 ? nowMs : quietSinceMs;
  const passedMs = found > 0 ? 0 : beganAtMs - quietSinceMs;
  const nextAfterMs = LOOKS_AFTER_MS.find((afterMs) => afterMs > passedMs);
  if (nextAfterMs === undefined) return { kind: 'finished' };
  return { kind: 'again', dueAtMs: quietMs + nextAfterMs, quietSinceMs: quietMs };
}

type Meaning = Pick<ErasureItem, 'source' | 'hash'>;
type Named = NonNullable<Meaning['source']>;
type Said = Pick<Citation, 'source' | 'slot' | 'value' | 'entityName'>;

/**
 * Whether a citation is among what is erased. One that its writer emptied no longer tells which claim it was of: the first
 * erasure of any claim takes it.
 */
export function isErased({ source, hash }: Meaning, citation: Said): boolean {
  if (source) return citation.source.kind === source.kind && citation.source.id === source.id;
  return hash !== undefined && (isEmptied(citation) || forgottenHashOf(citation) === hash);
}

/** Whether an attention, as it is stored, tells of what is erased: it holds values and quotes of its own. */
export function tellsOfErased({ source, hash }: Meaning, row: Item): boolean {
  const { details } = attentionItemSchema.safeParse(row).data ?? {};
  if (source) {
    if (details) return details.sides.some((side) => isOf(source, parseSourceRef(side.source)));
    return String(row.sk).startsWith(`ATTENTION#${EVIDENCE_ATTENTION}#${source.kind}#${keyPart(source.id)}#`);
  }
  return details?.sides.some(({ value }) => forgottenHashOf({ slot: details.slot, value }) === hash) ?? false;
}

function isOf({ kind, id }: Named, named: Named | undefined): boolean {
  return named?.kind === kind && named.id === id;
}
