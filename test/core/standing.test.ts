import { describe, expect, it } from 'vitest';
import { isKnown, judgeStanding, placeOf, planRequeue } from '../../functions/core/standing.ts';
import type { EvidenceItem } from '../../schema/evidence.ts';
import { continuationKey, freshKey, waitingKey } from '../../schema/queue.ts';
import { newestKeyOf, type SourceItem } from '../../schema/source.ts';

const KEY = 'note#a#aaaaaaaaaaaaaaaa';
const NOW_MS = 1_000_000;

function evidence(changes: Partial<EvidenceItem> = {}): EvidenceItem {
  return {
    v: 1,
    sk: `EVIDENCE#incremental#${KEY}`,
    state: 'pending',
    kind: 'note',
    id: 'a',
    revision: 'aaaaaaaaaaaaaaaa',
    cursor: 0,
    length: 10,
    tokens: 3,
    seq: 7,
    stalls: 0,
    attempts: 0,
    crashesAlone: 0,
    capturedAtMs: 500,
    homeKey: freshKey(500, KEY),
    ...changes,
  };
}

function source(revision: string, capturedAtMs: number, completed = true): SourceItem {
  return {
    v: 1,
    kind: 'note',
    id: 'a',
    revision,
    capturedAtMs,
    capturedFrom: 'call',
    newestKey: newestKeyOf({ capturedAtMs, ingestedAtMs: 50, revision }),
    format: 'text',
    length: 10,
    completed,
    ingestedAtMs: 50,
  };
}

describe('planRequeue', () => {
  const waiting = (untilMs: number) => evidence({ homeKey: waitingKey(untilMs, KEY) });
  const fresh = { capturedAtMs: 500, newestKey: 'k' };
  const later = { capturedAtMs: 900, newestKey: 'k' };
  it.each([
    ['stands right', evidence(), fresh, undefined],
    ['stands right, captured later than thought', evidence(), { ...fresh, capturedAtMs: 400 }, undefined],
    ['is raised to a later captured time', evidence(), later, { ...later, seq: 7, putBackAtMs: NOW_MS }],
    ['is obsolete', evidence({ state: 'obsolete' }), later, { ...later, seq: 7, putBackAtMs: NOW_MS }],
    [
      'is obsolete, and shall wait',
      evidence({ state: 'obsolete' }),
      { ...later, waitUntilMs: 5 },
      { ...later, seq: 7, putBackAtMs: NOW_MS, waitUntilMs: 5 },
    ],
    ['waits, and is complete now', waiting(NOW_MS + 1), fresh, { ...fresh, seq: 7 }],
    [
      'waits, is complete now, and began behind what was read before',
      { ...waiting(NOW_MS + 1), cursor: 4, beganAt: 4 },
      fresh,
      { ...fresh, seq: 7, cursor: 4, beganAt: 4 },
    ],
    [
      'began behind what was read before, and is raised to a later captured time',
      { ...waiting(NOW_MS + 1), cursor: 4, beganAt: 4 },
      later,
      { ...later, seq: 7, putBackAtMs: NOW_MS },
    ],
    [
      'is raised to a later captured time, and shares what was settled with what it replaces',
      { ...waiting(NOW_MS + 1), cursor: 6, beganAt: 4 },
      { ...later, beginsAt: 4 },
      { ...later, seq: 7, putBackAtMs: NOW_MS, cursor: 4, beganAt: 4 },
    ],
    [
      'is obsolete, and shares what was settled with what it replaces',
      evidence({ state: 'obsolete' }),
      { ...later, beginsAt: 4 },
      { ...later, seq: 7, putBackAtMs: NOW_MS, cursor: 4, beganAt: 4 },
    ],
    [
      'waits, is complete now, and was read beyond what it shares',
      { ...waiting(NOW_MS + 1), cursor: 6, beganAt: 4 },
      { ...fresh, beginsAt: 4 },
      { ...fresh, seq: 7, cursor: 6, beganAt: 4 },
    ],
    ['waits on', waiting(NOW_MS + 1), { ...fresh, waitUntilMs: NOW_MS + 9 }, undefined],
    [
      'waits on, raised, until the first time',
      waiting(NOW_MS + 1),
      { ...later, waitUntilMs: NOW_MS + 9 },
      { ...later, seq: 7, putBackAtMs: NOW_MS, waitUntilMs: NOW_MS + 1 },
    ],
    [
      'waits for its end, is complete now, and shall wait for its turn',
      waiting(NOW_MS + 9),
      { ...fresh, waitUntilMs: NOW_MS + 1 },
      { ...fresh, seq: 7, waitUntilMs: NOW_MS + 1 },
    ],
    ['has waited long enough', waiting(NOW_MS), fresh, undefined],
    ['waits, is complete now, and is held', { ...waiting(NOW_MS + 1), leasePass: 'p' }, fresh, undefined],
    ['is held', evidence({ leasePass: 'p' }), fresh, undefined],
    [
      'is held, and was captured earlier',
      evidence({ leasePass: 'p' }),
      later,
      { ...later, seq: 7, putBackAtMs: NOW_MS },
    ],
    [
      'is held, and obsolete',
      evidence({ state: 'obsolete', leasePass: 'p' }),
      fresh,
      { ...fresh, seq: 7, putBackAtMs: NOW_MS },
    ],
    [
      'is held for a while, and obsolete',
      evidence({ state: 'obsolete', leasePass: 'p', leaseExpiresAtMs: NOW_MS + 5 }),
      fresh,
      { ...fresh, seq: 7, putBackAtMs: NOW_MS, waitUntilMs: NOW_MS + 5 },
    ],
    [
      'is held for a while, and shall wait for longer',
      evidence({ state: 'obsolete', leasePass: 'p', leaseExpiresAtMs: NOW_MS + 5 }),
      { ...later, waitUntilMs: NOW_MS + 9 },
      { ...later, seq: 7, putBackAtMs: NOW_MS, waitUntilMs: NOW_MS + 9 },
    ],
    [
      'was held until a moment ago, and is obsolete',
      evidence({ state: 'obsolete', leasePass: 'p', leaseExpiresAtMs: NOW_MS - 5 }),
      fresh,
      { ...fresh, seq: 7, putBackAtMs: NOW_MS },
    ],
    ['is read in part', evidence({ cursor: 3, homeKey: continuationKey(5, KEY) }), fresh, undefined],
    [
      'is read in part, and was captured earlier',
      evidence({ cursor: 3, homeKey: continuationKey(5, KEY) }),
      later,
      { ...later, seq: 7, putBackAtMs: NOW_MS },
    ],
    ['is settled', evidence({ state: 'settled', cursor: 10 }), fresh, undefined],
    [
      'is settled, and was captured earlier',
      evidence({ state: 'settled', cursor: 10 }),
      later,
      { ...later, seq: 7, putBackAtMs: NOW_MS },
    ],
    ['is quarantined', evidence({ state: 'quarantined' }), later, undefined],
  ])('known evidence that %s', (_, known, wanted, plan) => {
    expect(planRequeue(known, wanted, NOW_MS)).toEqual(plan);
  });
});

describe('judgeStanding', () => {
  const incoming = (revision: string, capturedAtMs: number, completed = true) => ({
    revision,
    capturedAtMs,
    capturedFrom: 'call' as const,
    completed,
  });
  const A = 'aaaaaaaaaaaaaaaa';
  const B = 'bbbbbbbbbbbbbbbb';
  it.each([
    ['unknown', incoming(A, 1), { source: undefined }, undefined],
    ['the same text', incoming(A, 9), { source: source(A, 1) }, 'unchanged'],
    ['the same text, still unfinished', incoming(A, 1, false), { source: source(A, 1, false) }, 'unchanged'],
    ['the same text, finished now', incoming(A, 1), { source: source(A, 1, false) }, undefined],
    ['the same text, unfinished again', incoming(A, 1, false), { source: source(A, 1) }, 'unchanged'],
    ['newer', incoming(A, 2), { source: source(B, 1), own: evidence({ state: 'obsolete' }) }, undefined],
    ['older and new', incoming(A, 1), { source: source(B, 2) }, undefined],
    ['older and history', incoming(A, 1), { source: source(B, 2), own: evidence({ state: 'obsolete' }) }, 'older'],
    [
      'older and settled',
      incoming(A, 1),
      { source: source(B, 2), own: evidence({ state: 'settled', cursor: 10 }) },
      'older',
    ],
    ['older and still pending', incoming(A, 1), { source: source(B, 2), own: evidence() }, undefined],
    ['as old, and history', incoming(A, 2), { source: source(B, 2), own: evidence({ state: 'obsolete' }) }, 'older'],
    ['as old, and new', incoming(A, 2), { source: source(B, 2) }, undefined],
    ['as old, and queued by a call that died', incoming(A, 2), { source: source(B, 2), own: evidence() }, undefined],
    [
      'of inferred time, and history: its source went back to it',
      { ...incoming(A, 1), capturedFrom: 'inferred' },
      { source: source(B, 2), own: evidence({ state: 'obsolete' }) },
      undefined,
    ],
    [
      'the same text, with something left of a dead call',
      incoming(A, 1),
      { source: source(A, 1), replaced: evidence() },
      undefined,
    ],
    [
      'the same text, what it replaced being held and not obsolete yet',
      incoming(A, 1),
      { source: source(A, 1), replaced: evidence({ leasePass: 'p', cursor: 3 }) },
      undefined,
    ],
    [
      'the same text, what it replaced being quarantined still',
      incoming(A, 1),
      { source: source(A, 1), replaced: evidence({ state: 'quarantined', cursor: 3 }) },
      undefined,
    ],
    [
      'the same text, what it replaced being held and obsolete',
      incoming(A, 1),
      { source: source(A, 1), replaced: evidence({ state: 'obsolete', leasePass: 'p' }) },
      'unchanged',
    ],
  ] as const)('%s', (_, given, standing, outcome) => {
    expect(judgeStanding(given, standing)).toBe(outcome);
  });
});

describe('isKnown', () => {
  const A = 'aaaaaaaaaaaaaaaa';
  const newest = source('bbbbbbbbbbbbbbbb', 2);
  it.each([
    ['nothing stands of it', undefined, newest, false],
    ['it is in the queue: its call died before the SOURCE row', evidence(), newest, false],
    ['it is in the queue, and is what the newest replaced', evidence(), { ...newest, replaces: A }, true],
    ['it was read', evidence({ state: 'settled', cursor: 10 }), newest, true],
    ['it is obsolete', evidence({ state: 'obsolete' }), newest, true],
  ])('when %s', (_, own, seen, known) => {
    expect(isKnown({ source: seen, own }, A)).toBe(known);
  });
});

describe('placeOf', () => {
  const newest = source('bbbbbbbbbbbbbbbb', 500);
  const [A, C] = ['aaaaaaaaaaaaaaaa', 'cccccccccccccccc'] as const;
  interface Scene {
    readonly seen?: SourceItem | undefined;
    readonly wasKnown?: boolean;
    readonly capturedFrom?: 'call' | 'inferred';
    readonly nowMs?: number;
  }
  const place = (revision: string, capturedAtMs: number, scene: Scene = {}) => {
    const { seen, wasKnown = false, capturedFrom = 'call', nowMs = NOW_MS } = { seen: newest, ...scene };
    return placeOf({ revision, capturedAtMs, capturedFrom }, seen, { wasKnown, nowMs });
  };

  it('of the first revision is what it says', () => {
    const first = place(A, 5, { seen: undefined, nowMs: 9, capturedFrom: 'inferred' });
    expect(first).toMatchObject({ isOlder: false, capturedAtMs: 5, ingestedAtMs: 9 });
  });

  it.each([A, C])('of equal time is above what stands, whatever it hashes to: %s', (revision) => {
    // Also when the clock of this function is behind that of the one before.
    for (const nowMs of [0, 50, NOW_MS]) {
      const above = place(revision, 500, { nowMs });
      expect(above).toMatchObject({
        isOlder: false,
        capturedAtMs: 501,
        statedAtMs: 500,
        ingestedAtMs: Math.max(nowMs, 51),
      });
      expect(above.newestKey > newest.newestKey).toBe(true);
    }
  });

  it('is judged by what the sources told, not by what their times were raised to', () => {
    const seen = { ...newest, capturedAtMs: 503, statedAtMs: 500 };
    expect(place(A, 500, { seen })).toMatchObject({ isOlder: false, capturedAtMs: 504, statedAtMs: 500 });
    expect(place(A, 501, { seen })).toMatchObject({ isOlder: false, capturedAtMs: 504, statedAtMs: 501 });
    expect(place(A, 499, { seen })).toMatchObject({ isOlder: true, capturedAtMs: 499 });
    expect(place(A, 900, { seen })).not.toHaveProperty('statedAtMs');
  });

  it('of equal time is below it when it was the newest before', () => {
    expect(place(A, 500, { wasKnown: true }).isOlder).toBe(true);
    expect(place(A, 501, { wasKnown: true }).isOlder).toBe(false);
    expect(place(A, 499).isOlder).toBe(true);
  });

  it('of inferred time is above it, since that says only when it came in', () => {
    const capturedFrom = 'inferred';
    expect(place(A, 100, { capturedFrom })).toMatchObject({ isOlder: false, capturedAtMs: 501 });
    expect(place(A, 100, { capturedFrom })).not.toHaveProperty('statedAtMs');
    expect(place(A, 900, { capturedFrom, wasKnown: true })).toMatchObject({ isOlder: false, capturedAtMs: 900 });
  });
});
