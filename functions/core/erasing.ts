/**
 * Decides what an erasure means and when it is looked at again.
 *
 * One look is never enough: who read the source, the claim or the generation before it went may write after. So it is
 * looked at again, later each time, and ends with a look that finds nothing so long after one that did that nobody who
 * held anything of it can still be running.
 */
import { attentionItemSchema } from '../../schema/attention.ts';
import type { Citation } from '../../schema/citation.ts';
import type { ErasureItem } from '../../schema/erasure.ts';
import { formatSourceRef, keyPart } from '../../schema/ids.ts';
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

/** Whether a citation is among what is erased. */
export function isErased({ source, hash }: Meaning, citation: Pick<Citation, 'source' | 'slot' | 'value'>): boolean {
  if (source) return citation.source.kind === source.kind && citation.source.id === source.id;
  return hash !== undefined && forgottenHashOf(citation) === hash;
}

/** Whether an attention, as it is stored, tells of what is erased: it holds values and quotes of its own. */
export function tellsOfErased({ source, hash }: Meaning, row: Item): boolean {
  if (source) {
    const key = `#${source.kind}#${keyPart(source.id)}#`;
    const named = JSON.stringify(formatSourceRef({ ...source, revision: '' })).slice(1, -1);
    return String(row.sk).includes(key) || JSON.stringify(row.details ?? null).includes(named);
  }
  const { details } = attentionItemSchema.safeParse(row).data ?? {};
  return details?.sides.some(({ value }) => forgottenHashOf({ slot: details.slot, value }) === hash) ?? false;
}
