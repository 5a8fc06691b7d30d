import { describe, expect, it } from 'vitest';
import { addCrash, judgeRetry } from '../../functions/core/retries.ts';
import { LIMITS } from '../../schema/limits.ts';

const MINUTE_MS = 60_000;
const NOW_MS = 10 * LIMITS.retryWindowMs;
const at = (...minutesAgo: number[]) =>
  minutesAgo.map((ago, k) => ({ passId: `p${k}`, atMs: NOW_MS - ago * MINUTE_MS }));

describe('what a source remembers', () => {
  it('is each pass once, and the last eight', () => {
    const one = addCrash([], { passId: 'p0', atMs: 1 }) ?? [];
    expect(one).toEqual([{ passId: 'p0', atMs: 1 }]);
    expect(addCrash(one, { passId: 'p0', atMs: 9 })).toBeUndefined();
    const eight = at(8, 7, 6, 5, 4, 3, 2, 1);
    const next = addCrash(eight, { passId: 'new', atMs: NOW_MS }) ?? [];
    expect([next.length, next[0]?.passId, next.at(-1)?.passId]).toEqual([LIMITS.sourceCrashesMax, 'p1', 'new']);
  });

  it('is enough for every doubling', () => {
    expect(LIMITS.sourceCrashesMax).toBe(LIMITS.retryCrashes + LIMITS.retryExponentMax);
    expect(LIMITS.retryBaseMs * 2 ** LIMITS.retryExponentMax).toBeLessThan(LIMITS.retryWindowMs);
  });
});

describe('a revision', () => {
  it.each([
    ['of a source at which no pass broke off', {}],
    ['after two', { crashes: at(2, 1) }],
    ['after three, of which one is an hour old', { crashes: at(60, 2, 1) }],
    ['after two, whatever was counted before', { crashes: at(2, 1), retryAtMs: NOW_MS + 1 }],
  ])('%s is read at once', (_, source) => {
    expect(judgeRetry(source, NOW_MS)).toEqual({ kind: 'free' });
  });

  it.each([
    [3, 1],
    [4, 2],
    [5, 4],
    [6, 8],
    [7, 16],
    [8, 32],
  ])('after %i within an hour waits until %i min after the last', (count, minutes) => {
    const crashes = at(...Array.from({ length: count }, (_, k) => 0.5 * (count - k)));
    const fromMs = NOW_MS - 0.5 * MINUTE_MS + minutes * MINUTE_MS;
    expect(judgeRetry({ crashes }, NOW_MS)).toEqual({ kind: 'count', fromMs });
  });

  it('waits by the last of them, in whatever order they were noted', () => {
    expect(judgeRetry({ crashes: at(0.5, 3, 2) }, NOW_MS)).toEqual({ kind: 'count', fromMs: NOW_MS + MINUTE_MS / 2 });
  });

  it('is counted, and does not wait, when the last of them is long enough ago', () => {
    expect(judgeRetry({ crashes: at(30, 20, 10) }, NOW_MS)).toEqual({ kind: 'count', fromMs: NOW_MS });
  });

  it('takes over a time that was counted, unless it is over, or a pass broke off since', () => {
    const crashes = at(3, 2, 0.5);
    const waitMs = NOW_MS + MINUTE_MS / 2;
    expect(judgeRetry({ crashes, retryAtMs: waitMs }, NOW_MS)).toEqual({ kind: 'counted', atMs: waitMs });
    expect(judgeRetry({ crashes, retryAtMs: waitMs - 1 }, NOW_MS)).toMatchObject({ kind: 'count' });
    expect(judgeRetry({ crashes: at(30, 20, 10), retryAtMs: NOW_MS }, NOW_MS)).toMatchObject({ kind: 'count' });
  });

  it('is never put off by edits alone: each is read no later than the wait after the last crash', () => {
    let source: { crashes: ReturnType<typeof at>; retryAtMs?: number } = { crashes: at(3, 2, 0) };
    for (let edit = 1; edit < 6; edit++) {
      const retry = judgeRetry(source, NOW_MS + edit * 10_000);
      const atMs = retry.kind === 'count' ? retry.fromMs : retry.kind === 'counted' ? retry.atMs : 0;
      expect(atMs).toBe(NOW_MS + MINUTE_MS);
      source = { ...source, retryAtMs: atMs };
    }
  });
});
