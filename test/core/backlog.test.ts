import { describe, expect, it } from 'vitest';
import { type Backlog, isDeep, judgeDue, restStalled, weighBacklog } from '../../functions/core/backlog.ts';
import { choosePage, startOffset } from '../../functions/core/paging.ts';
import { LIMITS } from '../../schema/limits.ts';
import { continuationKey, freshKey, leasedKey, type QueueRow, stalledKey, waitingKey } from '../../schema/queue.ts';
import { DEFAULT_SETTINGS } from '../../schema/settings.ts';

const NOW = Date.UTC(2026, 0, 1);
const PASS = '064000000000000-abcdefghijklmnopqrstuv';

function row(name: string, over: Partial<QueueRow> = {}): QueueRow {
  return {
    sk: `EVIDENCE#incremental#${name}`,
    queueKey: freshKey(NOW, name),
    cursor: 0,
    attempts: 0,
    seq: 1,
    length: 1000,
    tokens: 250,
    ...over,
  };
}

describe('weighBacklog', () => {
  it('counts at most fifty sources and says when there are more', () => {
    const rows = Array.from({ length: 51 }, (_, k) => row(`s${k}`));
    expect(weighBacklog({ takeable: rows, ripe: [], nowMs: NOW })).toMatchObject({
      sources: 50,
      tokens: 12_500,
      capped: true,
    });
    expect(weighBacklog({ takeable: rows.slice(1), ripe: [], nowMs: NOW })).toMatchObject({
      sources: 50,
      capped: false,
    });
  });

  it('counts only unread tokens of a half-read source', () => {
    const half = row('h', { cursor: 500, queueKey: continuationKey(NOW, 'h') });
    expect(weighBacklog({ takeable: [half], ripe: [], nowMs: NOW })).toMatchObject({
      tokens: 125,
      continuations: true,
    });
  });

  it('takes an expired lease for work and a live one for held, with the time it may end', () => {
    const expired = row('e', { queueKey: leasedKey(NOW - LIMITS.leaseMarginMs - 1, PASS, 'e') });
    expect(weighBacklog({ takeable: [], ripe: [], firstLeased: expired, nowMs: NOW })).toMatchObject({
      sources: 1,
      held: false,
    });
    const live = row('l', { queueKey: leasedKey(NOW + 1000, PASS, 'l') });
    expect(weighBacklog({ takeable: [], ripe: [], firstLeased: live, nowMs: NOW })).toEqual({
      sources: 0,
      tokens: 0,
      capped: false,
      continuations: false,
      nextAtMs: NOW + 1000 + LIMITS.leaseMarginMs,
      held: true,
    });
  });

  it('names when the first waiting source comes', () => {
    const waiting = row('w', { queueKey: waitingKey(NOW + 77, 'w') });
    expect(weighBacklog({ takeable: [], ripe: [], nextWaiting: waiting, nowMs: NOW }).nextAtMs).toBe(NOW + 77);
  });
});

describe('judgeDue', () => {
  const settings = DEFAULT_SETTINGS;
  const some: Backlog = { sources: 1, tokens: 10, capped: false, continuations: false, held: false };
  it.each([
    ['nothing at all is empty', { ...some, sources: 0 }, NOW, { kind: 'empty' }],
    [
      'nothing while a pass may hold something is looked at again',
      { ...some, sources: 0, reading: true },
      NOW,
      { kind: 'defer', untilMs: NOW + LIMITS.emptyProbeAgainMs },
    ],
    [
      'nothing yet waits for its time',
      { ...some, sources: 0, nextAtMs: NOW + 5 },
      NOW,
      { kind: 'defer', untilMs: NOW + 5 },
    ],
    ['a little waits for a batch', some, NOW - 1, { kind: 'defer', untilMs: NOW - 1 + settings.maxWaitMs }],
    ['a little that has waited is served', some, NOW - settings.maxWaitMs, { kind: 'serve' }],
    ['a little of unknown age is served', some, undefined, { kind: 'serve' }],
    ['a batch is served', { ...some, tokens: settings.batchTokens }, NOW, { kind: 'serve' }],
    ['a half-read source is served', { ...some, continuations: true }, NOW, { kind: 'serve' }],
  ] as const)('%s', (_, backlog, waitingSinceMs, expected) => {
    expect(judgeDue(backlog, settings, waitingSinceMs, NOW)).toEqual(expected);
  });

  it('is deep by tokens or by the cap', () => {
    expect(isDeep(some, settings)).toBe(false);
    expect(isDeep({ ...some, capped: true }, settings)).toBe(true);
    expect(isDeep({ ...some, tokens: settings.tokenThreshold }, settings)).toBe(true);
  });
});

describe('stalled evidence', () => {
  const stalled = row('s', { queueKey: stalledKey(NOW, 's') });
  const last = NOW - LIMITS.maxIntervalMs;

  it('is told apart where nothing else can be taken', () => {
    expect(weighBacklog({ takeable: [stalled], ripe: [], nowMs: NOW }).stalledOnly).toBe(true);
    expect(weighBacklog({ takeable: [row('a'), stalled], ripe: [], nowMs: NOW })).not.toHaveProperty('stalledOnly');
    expect(weighBacklog({ takeable: [stalled], ripe: [row('r')], nowMs: NOW })).not.toHaveProperty('stalledOnly');
    expect(weighBacklog({ takeable: [], ripe: [], nowMs: NOW })).not.toHaveProperty('stalledOnly');
  });

  it('alone is no backlog until the interval after the last pass is over, or what waits comes', () => {
    const backlog = weighBacklog({ takeable: [stalled], ripe: [], nowMs: NOW });
    expect(restStalled(backlog, last, NOW)).toBe(backlog);
    expect(restStalled(backlog, undefined, NOW)).toBe(backlog);
    expect(restStalled(backlog, last + 1, NOW)).toMatchObject({ sources: 0, nextAtMs: NOW + 1 });
    expect(restStalled({ ...backlog, nextAtMs: NOW + 3 }, NOW, NOW)).toMatchObject({ sources: 0, nextAtMs: NOW + 3 });
    const { stalledOnly: _, ...fresh } = backlog;
    expect(restStalled(fresh, NOW, NOW)).toBe(fresh);
  });
});

describe('choosePage', () => {
  it('stops at the number of sources', () => {
    const choice = choosePage([row('a'), row('b'), row('c')], { sources: 2, characters: 32_000 });
    expect([choice.chosen.length, choice.left]).toEqual([2, 1]);
  });

  it('takes a source longer than the page in part, alone', () => {
    const choice = choosePage([row('long', { length: 90_000 }), row('b')], { sources: 5, characters: 32_000 });
    expect(choice.chosen.map((it) => it.sk)).toEqual(['EVIDENCE#incremental#long']);
  });

  it('begins no source in a rest of under 2,000 characters unless it fits', () => {
    const rows = [row('a', { length: 31_000 }), row('b', { length: 5_000 })];
    expect(choosePage(rows, { sources: 5, characters: 32_000 }).chosen).toHaveLength(1);
    expect(
      choosePage([rows[0] as QueueRow, row('c', { length: 900 })], { sources: 5, characters: 32_000 }).chosen,
    ).toHaveLength(2);
  });

  it('never mixes continuations and fresh sources', () => {
    const rows = [row('half', { queueKey: continuationKey(NOW, 'half') }), row('fresh')];
    expect(choosePage(rows, { sources: 5, characters: 32_000 }).chosen).toHaveLength(1);
  });

  it('spreads passes by slot number, a hundred rows at most', () => {
    expect([0, 2, 5, 6, 15].map((slot) => startOffset(slot, 20))).toEqual([0, 40, 100, 0, 60]);
  });
});
