import { describe, expect, it } from 'vitest';
import { backOffUntilMs, mustHalt } from '../../functions/core/back-off.ts';
import { asksForMore, judgeOutcome, type PassOutcome, planCount } from '../../functions/core/outcome.ts';
import { LIMITS } from '../../schema/limits.ts';
import { NO_COUNTERS } from '../../schema/pass.ts';
import type { ScopeItem } from '../../schema/scope.ts';

const NOW = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;

function scope(over: Partial<ScopeItem> = {}): ScopeItem {
  return {
    v: 1,
    scope: 'a',
    generation: 1,
    backlogVersion: 1,
    workPartition: 'due#0',
    workDueAtMs: NOW,
    failureTimesMs: [],
    failures: 0,
    counted: {},
    statsVersion: 0,
    ...over,
  };
}

describe('judgeOutcome', () => {
  it.each([
    ['completed', 3, false, 5, 'success'],
    ['completed', 0, false, 0, 'failure'],
    ['completed', 0, true, 0, 'neutral'],
    // It was given something, and left it: that the queue was empty afterwards excuses nothing.
    ['completed', 0, true, 5, 'failure'],
    ['failed', 0, false, 0, 'failure'],
    ['failed', 0, true, 0, 'failure'],
    ['expired', 0, true, 0, 'failure'],
    ['cancelled', 0, false, 0, 'neutral'],
  ] as const)(
    '%s, %i settled, saw an empty queue: %s, delivered %i → %s',
    (status, settled, sawEmptyQueue, delivered, expected) => {
      const counters = { ...NO_COUNTERS, delivered };
      expect(judgeOutcome({ status, sawEmptyQueue, counters }, settled)).toBe(expected);
    },
  );
});

describe('back-off and halt', () => {
  it('doubles from 10 minutes to 320 and stays there', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7].map((n) => ((backOffUntilMs(n, [NOW]) ?? 0) - NOW) / MINUTE_MS);
    expect(waits).toEqual([10, 20, 40, 80, 160, 320, 320]);
    expect(backOffUntilMs(0, [])).toBeUndefined();
  });

  it('halts at the fifth failure within a day, not when the first is a day old', () => {
    const times = [0, 1, 2, 3, 4].map((k) => NOW - k);
    expect(mustHalt(times, NOW)).toBe(true);
    expect(mustHalt(times.slice(1), NOW)).toBe(false);
    expect(mustHalt([...times.slice(1), NOW - LIMITS.haltWindowMs], NOW)).toBe(false);
  });
});

describe('planCount', () => {
  const count = (outcome: PassOutcome, over: Partial<ScopeItem> = {}, backlogLeft = false) =>
    planCount({ scope: scope(over), passId: 'p', endedAtMs: NOW, outcome, backlogLeft, nowMs: NOW });

  it('counts a pass once', () => {
    expect(count('failure', { counted: { p: 1 } })).toBeUndefined();
    expect(count('failure')?.counted).toEqual({ p: NOW });
  });

  it('moves the time of the last pass forward only', () => {
    expect(count('success', { lastPassAtMs: NOW + 5 })?.lastPassAtMs).toBe(NOW + 5);
    expect(count('success', { lastPassAtMs: NOW - 5 })?.lastPassAtMs).toBe(NOW);
  });

  it('defers after a failure, halts after the fifth, comes back after a success', () => {
    expect(count('failure')?.move).toEqual({ kind: 'due', atMs: NOW + 10 * MINUTE_MS });
    const four = { failures: 4, failureTimesMs: [NOW - 4, NOW - 3, NOW - 2, NOW - 1] };
    expect(count('failure', four)?.move).toEqual({ kind: 'halt', atMs: NOW });
    expect(count('success', { ...four, haltedAtMs: NOW - 1 })).toMatchObject({
      failures: 0,
      failureTimesMs: [],
      move: { kind: 'due' },
    });
  });

  it('leaves a paused scope where it is', () => {
    expect(count('failure', { paused: true })?.move).toEqual({ kind: 'stay' });
  });

  it('makes a scope with backlog left due now: a lost trigger is found by the next tick', () => {
    expect(count('success', {}, true)?.move).toEqual({ kind: 'due', atMs: NOW });
    expect(count('success', {}, false)?.move).toEqual({ kind: 'stay' });
  });

  it('remembers a bounded number of counted passes, the newest', () => {
    const counted = Object.fromEntries(Array.from({ length: 100 }, (_, k) => [`old-${k}`, k]));
    const kept = count('success', { counted })?.counted ?? {};
    expect(Object.keys(kept)).toHaveLength(LIMITS.countedPassesMax);
    expect(kept['old-99']).toBe(99);
    expect(kept.p).toBe(NOW);
  });
});

describe('asksForMore', () => {
  it('needs progress and backlog', () => {
    expect(asksForMore('success', 1, true)).toBe(true);
    expect(asksForMore('success', 1, false)).toBe(false);
    expect(asksForMore('failure', 0, true)).toBe(false);
    expect(asksForMore('neutral', 0, true)).toBe(false);
  });
});
