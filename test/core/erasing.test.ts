/** Goal: an erasure ends when nobody can write any of it any more, and knows what is its own. Method: cases. */
import { describe, expect, it } from 'vitest';
import { isErased, planNextLook, tellsOfErased } from '../../functions/core/erasing.ts';
import { forgottenHashOf } from '../../functions/core/forgetting.ts';
import { LIMITS } from '../../schema/limits.ts';
import { NOW_MS, sampleCitation } from '../schema/samples.ts';

const { erasureLookFirstMs: first, erasureLookNextMs: next, erasureLookLastMs: last } = LIMITS;

describe('the next look', () => {
  const after = (beganMs: number, found = 0) =>
    planNextLook({ beganAtMs: NOW_MS + beganMs, found, quietSinceMs: NOW_MS }, NOW_MS + beganMs + 500);

  it.each([
    [0, first],
    [first - 1, first],
    [first, next],
    [next + 5, last],
    [last - 1, last],
  ])('after one that began %i ms later and found nothing is due %i ms after the last that did', (beganMs, dueMs) => {
    expect(after(beganMs)).toEqual({ kind: 'again', dueAtMs: NOW_MS + dueMs, quietSinceMs: NOW_MS });
  });

  it('is none after one that found nothing for longer than a pass can live', () => {
    expect(after(last)).toEqual({ kind: 'finished' });
  });

  it.each([0, last, 10 * last])('begins anew after one that found something, also at %i ms', (beganMs) => {
    const nowMs = NOW_MS + beganMs + 500;
    expect(after(beganMs, 1)).toEqual({ kind: 'again', dueAtMs: nowMs + first, quietSinceMs: nowMs });
  });
});

describe('a forgotten claim', () => {
  const said = (value: string, key?: string) =>
    forgottenHashOf({ slot: { entity: 'ada', attribute: 'likes', ...(key !== undefined && { key }) }, value });

  it('is the same however its value is written, and with one value or many', () => {
    expect(new Set([said(' Green  Tea'), said('green tea'), said('x', 'green tea')]).size).toBe(1);
  });

  it('is another with another value, attribute or entity, and its hash tells nothing', () => {
    const other = forgottenHashOf({ slot: { entity: 'bob', attribute: 'likes' }, value: 'green tea' });
    const third = forgottenHashOf({ slot: { entity: 'ada', attribute: 'hates' }, value: 'green tea' });
    expect(new Set([said('green tea'), said('tea'), other, third]).size).toBe(4);
    expect(said('green tea')).toMatch(/^[A-Za-z0-9_-]{22}$/);
  });
});

describe('what an erasure means', () => {
  const citation = sampleCitation();
  const { kind, id } = citation.source;
  const source = { kind: kind as 'note', id };

  it('are the citations of its source, in any revision, or of its claim', () => {
    expect(isErased({ source }, citation)).toBe(true);
    expect(isErased({ source: { ...source, id: `${id}2` } }, citation)).toBe(false);
    expect(isErased({ hash: forgottenHashOf(citation) }, citation)).toBe(true);
    expect(isErased({ hash: forgottenHashOf({ ...citation, value: 'Oslo' }) }, citation)).toBe(false);
    expect(isErased({}, citation)).toBe(false);
    const emptied = { ...citation, entityName: '', value: '' };
    expect([isErased({ hash: forgottenHashOf(citation) }, emptied), isErased({}, emptied)]).toEqual([true, false]);
  });

  it('are the attentions that quote it, and those about the source itself', () => {
    const side = { claimId: 'c', citationId: 'd', entityName: 'Ada', quote: 'q', capturedAtMs: NOW_MS };
    const row = {
      v: 1,
      sk: 'ATTENTION#contested#ada#lives_in#undated',
      kind: 'contested',
      subject: 'ada#lives_in#undated',
      subjectKey: 'k',
      details: {
        slot: citation.slot,
        sides: [{ ...side, value: citation.value, source: `${kind}:${id}@0123456789abcdef` }],
        because: 'same_time',
      },
      raisedAtMs: NOW_MS,
    };
    expect(tellsOfErased({ source }, row)).toBe(true);
    expect(tellsOfErased({ source: { ...source, id: `${id}2` } }, row)).toBe(false);
    expect(tellsOfErased({ hash: forgottenHashOf(citation) }, row)).toBe(true);
    expect(tellsOfErased({ hash: 'another' }, row)).toBe(false);
    // Ids that hold the name of another: what is about them is about no other.
    for (const hostile of [`x ${kind}:${id}`, `${id}@0123456789abcdef`]) {
      const about = `${kind}:${hostile}@0123456789abcdef`;
      const { details } = row;
      const other = { ...row, details: { ...details, sides: [{ ...details.sides[0], source: about }] } };
      expect([hostile, tellsOfErased({ source }, other)]).toEqual([hostile, false]);
      expect(tellsOfErased({ source: { ...source, id: hostile } }, other)).toBe(true);
      const held = { sk: `ATTENTION#evidence#${kind}#~hash#0123456789abcdef`, details: { source: about } };
      expect([hostile, tellsOfErased({ source }, held)]).toEqual([hostile, false]);
    }
    const stalled = { sk: `ATTENTION#evidence#${kind}#${id}#0123456789abcdef`, details: {} };
    expect(tellsOfErased({ source }, stalled)).toBe(true);
    expect(tellsOfErased({ hash: forgottenHashOf(citation) }, stalled)).toBe(false);
  });
});
