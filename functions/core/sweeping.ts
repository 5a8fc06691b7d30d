/**
 * What the sweep does about one ledger entry (design section 8): the ledger is the list of all passes that still owe
 * work, so every way for a pass to get stuck ends here. In a healthy system every verdict is `leave`.
 */
import type { LedgerEntry } from '../../schema/ledger.ts';
import { LIMITS } from '../../schema/limits.ts';
import { isTerminal, type PassItem } from '../../schema/pass.ts';

export type EntryVerdict =
  /** Nothing is owed, or it is too early to tell. */
  | { readonly kind: 'leave' }
  /** The PASS row is missing: write it and invoke; a slow scheduler may still do the same. Never dropped. */
  | { readonly kind: 'carry-forward' }
  | { readonly kind: 'invoke-again' }
  | { readonly kind: 'expire-unstarted' }
  | { readonly kind: 'expire-running'; readonly attempt: string; readonly heartbeatAtMs: number }
  /** Terminal, and its stream record is lost or late: change the row, so that the stream carries it again. */
  | { readonly kind: 'kick' }
  /** Finalized: only the entry is left. */
  | { readonly kind: 'remove' };

export function judgeEntry(entry: LedgerEntry, pass: PassItem | undefined, nowMs: number): EntryVerdict {
  if (!pass) {
    return nowMs - entry.admittedAtMs > LIMITS.passRowGraceMs ? { kind: 'carry-forward' } : { kind: 'leave' };
  }
  if (pass.finalizedAtMs !== undefined) return { kind: 'remove' };
  if (isTerminal(pass.status)) {
    const endedAtMs = pass.endedAtMs ?? pass.admittedAtMs;
    return nowMs - endedAtMs > LIMITS.finalizeGraceMs ? { kind: 'kick' } : { kind: 'leave' };
  }
  if (pass.status === 'admitted') {
    if (nowMs - pass.admittedAtMs > LIMITS.passStartGiveUpMs) return { kind: 'expire-unstarted' };
    return nowMs - pass.invokedAtMs > LIMITS.passStartRetryMs ? { kind: 'invoke-again' } : { kind: 'leave' };
  }
  const { attempt, heartbeatAtMs } = pass;
  if (attempt === undefined || heartbeatAtMs === undefined) return { kind: 'leave' };
  const silent = nowMs - heartbeatAtMs > LIMITS.heartbeatSilenceMs;
  return silent ? { kind: 'expire-running', attempt, heartbeatAtMs } : { kind: 'leave' };
}
