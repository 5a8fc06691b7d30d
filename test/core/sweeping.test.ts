import { describe, expect, it } from 'vitest';
import { judgeEntry } from '../../functions/core/sweeping.ts';
import type { LedgerEntry } from '../../schema/ledger.ts';
import { LIMITS } from '../../schema/limits.ts';
import { NO_COUNTERS, type PassItem } from '../../schema/pass.ts';

const NOW = Date.UTC(2026, 0, 1);
const entry: LedgerEntry = {
  scope: 'a',
  generation: 1,
  kind: 'incremental',
  slotNumber: 0,
  triggerId: 't',
  origin: 'trigger',
  admittedAtMs: NOW - LIMITS.passRowGraceMs - 1,
  op: 'o',
};

function pass(over: Partial<PassItem>): PassItem {
  const { attention: _, ...rest } = entry;
  return {
    v: 1,
    passId: 'p',
    ...rest,
    lane: 'incremental',
    status: 'running',
    pageSources: 20,
    pageCharacters: 32_000,
    passTimeoutMs: 300_000,
    executor: 'stub',
    admittedAtMs: NOW - 1000,
    invokedAtMs: NOW - 1000,
    attempt: 'x',
    heartbeatAtMs: NOW - 1000,
    counters: NO_COUNTERS,
    sawEmptyQueue: false,
    reviewRows: 0,
    kicks: 0,
    ...over,
  };
}

describe('judgeEntry: every way to get stuck has one repair, and nothing else is touched', () => {
  const table: [string, PassItem | undefined, Partial<LedgerEntry>, string][] = [
    ['a row that is missing for long is carried forward', undefined, {}, 'carry-forward'],
    [
      'a row a slow scheduler may still write is left',
      undefined,
      { admittedAtMs: NOW - LIMITS.passRowGraceMs },
      'leave',
    ],
    [
      'a pass just invoked is left',
      pass({ status: 'admitted', invokedAtMs: NOW - LIMITS.passStartRetryMs }),
      {},
      'leave',
    ],
    [
      'a pass nobody started is invoked again',
      pass({ status: 'admitted', invokedAtMs: NOW - LIMITS.passStartRetryMs - 1 }),
      {},
      'invoke-again',
    ],
    [
      'a pass never started is given up',
      pass({ status: 'admitted', admittedAtMs: NOW - LIMITS.passStartGiveUpMs - 1 }),
      {},
      'expire-unstarted',
    ],
    ['a pass that beats is left', pass({ heartbeatAtMs: NOW - LIMITS.heartbeatSilenceMs }), {}, 'leave'],
    ['a silent pass is expired', pass({ heartbeatAtMs: NOW - LIMITS.heartbeatSilenceMs - 1 }), {}, 'expire-running'],
    [
      'a pass that just ended is left to the stream',
      pass({ status: 'completed', endedAtMs: NOW - LIMITS.finalizeGraceMs }),
      {},
      'leave',
    ],
    [
      'a terminal pass whose record is lost is kicked',
      pass({ status: 'failed', endedAtMs: NOW - LIMITS.finalizeGraceMs - 1 }),
      {},
      'kick',
    ],
    ['an expired one too', pass({ status: 'expired', endedAtMs: NOW - LIMITS.finalizeGraceMs - 1 }), {}, 'kick'],
    [
      'a finalized one only leaves its entry',
      pass({ status: 'completed', endedAtMs: NOW, finalizedAtMs: NOW }),
      {},
      'remove',
    ],
  ];
  it.each(table)('%s', (_, row, over, expected) => {
    expect(judgeEntry({ ...entry, ...over }, row, NOW).kind).toBe(expected);
  });

  it('judges a silent pass by the attempt and heartbeat it saw', () => {
    const heartbeatAtMs = NOW - LIMITS.heartbeatSilenceMs - 1;
    expect(judgeEntry(entry, pass({ heartbeatAtMs, attempt: 'mine' }), NOW)).toEqual({
      kind: 'expire-running',
      attempt: 'mine',
      heartbeatAtMs,
    });
  });
});
