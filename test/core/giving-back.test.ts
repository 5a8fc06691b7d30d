import { describe, expect, it } from 'vitest';
import { planReturn } from '../../functions/core/giving-back.ts';
import { choosePage } from '../../functions/core/paging.ts';
import { LIMITS } from '../../schema/limits.ts';
import { freshKey, type QueueRow, stalledKey, waitingKey } from '../../schema/queue.ts';

const NOW = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;
const row = { stalls: 0, attempts: 1, crashesAlone: 0, capturedAtMs: NOW - 5 };

describe('a source that a completed pass did not acknowledge', () => {
  it('goes home, and behind all that is fresh from the third time on', () => {
    const marksAt = (stalls: number) => planReturn({ ...row, stalls }, 'a', { kind: 'stalled' }, NOW);
    expect(marksAt(0)).toEqual({ kind: 'release', orderly: true, marks: { stalls: 1 } });
    expect(marksAt(1)).toEqual({ kind: 'release', orderly: true, marks: { stalls: 2 } });
    const homeKey = stalledKey(NOW - 5, 'a');
    expect(marksAt(2)).toEqual({ kind: 'release', orderly: true, marks: { stalls: 3, homeKey } });
    expect(marksAt(4)).toMatchObject({ kind: 'release', marks: { stalls: 5, homeKey } });
  });

  it('is quarantined after three deliveries more', () => {
    const after = planReturn({ ...row, stalls: LIMITS.stallsMax - 1 }, 'a', { kind: 'stalled' }, NOW);
    expect(after).toEqual({ kind: 'quarantine', why: 'stalled', marks: { stalls: 6 } });
  });

  it('is quarantined when three passes cited it with nothing but what it does not say; one, or two, never do', () => {
    const rejected = (rejections: number) =>
      planReturn({ ...row, rejections }, 'a', { kind: 'stalled', rejected: true }, NOW);
    expect(rejected(0)).toEqual({ kind: 'release', orderly: true, marks: { stalls: 1, rejections: 1 } });
    expect(rejected(1)).toMatchObject({ kind: 'release', marks: { rejections: 2 } });
    expect(rejected(2)).toEqual({ kind: 'quarantine', why: 'quote_mismatch', marks: { stalls: 1, rejections: 3 } });
    expect(planReturn({ ...row, rejections: 2 }, 'a', { kind: 'stalled' }, NOW)).toMatchObject({ kind: 'release' });
  });
});

describe('a source whose pass broke off', () => {
  const after = (attempts: number, crashesAlone = 0, alone = false) =>
    planReturn({ ...row, attempts, crashesAlone }, 'a', { kind: 'broke-off', alone }, NOW);

  it('goes home the first time, and waits longer each time from the second on', () => {
    expect(after(1)).toEqual({ kind: 'release', orderly: false, marks: { crashesAlone: 0 } });
    for (const [attempts, minutes] of [
      [2, 20],
      [3, 40],
      [6, 320],
      [9, 320],
    ] as const) {
      const homeKey = waitingKey(NOW + minutes * MINUTE_MS, 'a');
      expect(after(attempts)).toEqual({ kind: 'release', orderly: false, marks: { crashesAlone: 0, homeKey } });
    }
  });

  it('is quarantined the third time it was alone, however often it was not', () => {
    expect(after(9, 2, false)).toMatchObject({ kind: 'release', marks: { crashesAlone: 2 } });
    expect(after(3, 1, true)).toMatchObject({ kind: 'release', marks: { crashesAlone: 2 } });
    expect(after(4, 2, true)).toEqual({
      kind: 'quarantine',
      why: 'broke_off',
      marks: { crashesAlone: LIMITS.crashesAloneMax },
    });
  });
});

describe('a page of suspects', () => {
  const source = (name: string, attempts: number, at = NOW): QueueRow => ({
    sk: name,
    queueKey: freshKey(at, name),
    cursor: 0,
    seq: 1,
    length: 100,
    tokens: 25,
    attempts,
  });
  const choose = (rows: readonly QueueRow[], room: Partial<Parameters<typeof choosePage>[1]> = {}) => {
    const { chosen, left } = choosePage(rows, { sources: 4, characters: 32_000, ...room });
    return [chosen.map(({ sk }) => sk).join(''), left];
  };
  const once = ['a', 'b', 'c', 'd', 'e'].map((name) => source(name, 1));
  const sound = ['v', 'w', 'x', 'y', 'z'].map((name) => source(name, 0));

  it('is half as large after one crash, and one source after two', () => {
    expect(choose(sound)).toEqual(['vwxy', 1]);
    expect(choose(once)).toEqual(['ab', 3]);
    expect(choose([source('p', 2), ...once])).toEqual(['p', 5]);
    expect(choose([...once.slice(0, 1), source('p', 2), ...once])).toEqual(['a', 6]);
  });

  it('holds nothing sound, nor is a suspect read beside anything sound', () => {
    expect(choose([...once.slice(0, 1), ...sound])).toEqual(['a', 0]);
    expect(choose([...sound.slice(0, 1), ...once, ...sound.slice(1)])).toEqual(['vwxy', 1]);
    expect(choose([...once, ...sound], { holds: 'others' })).toEqual(['vwxy', 1]);
    expect(choose([...sound, ...once], { holds: 'suspects' })).toEqual(['ab', 3]);
    expect(choose(sound, { holds: 'suspects' })).toEqual(['', 0]);
  });
});
