import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { capturedBeforeOf, judgeStanding, planRequeue } from '../../functions/core/standing.ts';
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
    newestKey: newestKeyOf(capturedAtMs, revision),
    format: 'text',
    length: 10,
    completed,
    ingestedAtMs: 0,
  };
}

describe('planRequeue', () => {
  const waiting = (untilMs: number) => evidence({ homeKey: waitingKey(untilMs, KEY) });
  const fresh = { capturedAtMs: 500 };
  const later = { capturedAtMs: 900 };
  it.each([
    ['stands right', evidence(), fresh, undefined],
    ['stands right, captured later than thought', evidence(), { capturedAtMs: 400 }, undefined],
    ['is raised to a later captured time', evidence(), later, { seq: 7, capturedAtMs: 900 }],
    ['is obsolete', evidence({ state: 'obsolete' }), later, { seq: 7, capturedAtMs: 900 }],
    [
      'is obsolete, and shall wait',
      evidence({ state: 'obsolete' }),
      { ...later, waitUntilMs: 5 },
      { seq: 7, capturedAtMs: 900, waitUntilMs: 5 },
    ],
    ['waits, and is complete now', waiting(NOW_MS + 1), fresh, { seq: 7, capturedAtMs: 500 }],
    ['waits on', waiting(NOW_MS + 1), { ...fresh, waitUntilMs: NOW_MS + 9 }, undefined],
    [
      'waits on, raised, until the first time',
      waiting(NOW_MS + 1),
      { ...later, waitUntilMs: NOW_MS + 9 },
      { seq: 7, capturedAtMs: 900, waitUntilMs: NOW_MS + 1 },
    ],
    ['has waited long enough', waiting(NOW_MS), fresh, undefined],
    ['is held', evidence({ state: 'obsolete', leasePass: 'p' }), later, undefined],
    ['is read in part', evidence({ cursor: 3, homeKey: continuationKey(5, KEY) }), later, undefined],
    ['is settled', evidence({ state: 'settled', cursor: 10 }), later, undefined],
    ['is quarantined', evidence({ state: 'quarantined' }), later, undefined],
  ])('known evidence that %s', (_, known, wanted, plan) => {
    expect(planRequeue(known, wanted, NOW_MS)).toEqual(plan);
  });
});

describe('judgeStanding', () => {
  const incoming = (revision: string, capturedAtMs: number, completed = true) => ({
    revision,
    newestKey: newestKeyOf(capturedAtMs, revision),
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
    [
      'as old, and before it by its revision',
      incoming(A, 2),
      { source: source(B, 2), own: evidence({ state: 'obsolete' }) },
      'older',
    ],
    [
      'the same text, with something left of a dead call',
      incoming(A, 1),
      { source: source(A, 1), replaced: evidence() },
      undefined,
    ],
    [
      'the same text, what it replaced being held',
      incoming(A, 1),
      { source: source(A, 1), replaced: evidence({ leasePass: 'p' }) },
      'unchanged',
    ],
  ] as const)('%s', (_, given, standing, outcome) => {
    expect(judgeStanding(given, standing)).toBe(outcome);
  });
});

describe('capturedBeforeOf', () => {
  it('is the same order as that of the SOURCE row', () => {
    const revisions = fc.constantFrom('a', 'b', 'c').map((letter) => letter.repeat(16));
    const times = fc.integer({ min: 0, max: 3 });
    fc.assert(
      fc.property(revisions, times, revisions, times, (older, olderMs, newer, newerMs) => {
        fc.pre(older !== newer);
        const before = capturedBeforeOf({ capturedAtMs: newerMs, revision: newer }, older);
        expect(olderMs < before).toBe(newestKeyOf(olderMs, older) < newestKeyOf(newerMs, newer));
      }),
    );
  });
});
