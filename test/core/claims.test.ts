import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClaimDraft } from '../../functions/core/claim-draft.ts';
import { type CitationInput, isPlanned, makeCitation, normalizeValue, slotOf } from '../../functions/core/claims.ts';
import { viewSlot } from '../../functions/core/slot-view.ts';
import { citationKey } from '../../schema/citation.ts';
import { DAY_MS, dayMs, draftOf, inMonth, onDay, sourceOf } from './citation-samples.ts';

const MAY = inMonth('2024-05');
const INPUT: CitationInput = {
  draft: draftOf({ value: 'Denver', event: MAY }),
  source: sourceOf('session-1'),
  capturedAtMs: dayMs('2024-06-01'),
  executor: 'rules',
  recordedAtMs: dayMs('2024-06-02'),
};
const withDraft = (change: Partial<ClaimDraft>): CitationInput => ({ ...INPUT, draft: { ...INPUT.draft, ...change } });

describe('values', () => {
  it.each([
    ['Denver', 'denver'],
    ['  New \n York ', 'new york'],
    ['ＤＥＮＶＥＲ', 'denver'],
    ['STRASSE', 'strasse'],
    ['', ''],
  ])('%j is the same value as %j', (value, same) => {
    expect(normalizeValue(value)).toBe(same);
  });
  it('normalising twice changes nothing more', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(normalizeValue(normalizeValue(text))).toBe(normalizeValue(text));
      }),
    );
  });
});

describe('claim slots', () => {
  it('one for all values, or one for each', () => {
    expect(slotOf(INPUT.draft)).toEqual({ entity: 'maya', attribute: 'lives_in' });
    expect(slotOf({ ...INPUT.draft, cardinality: 'many', value: 'Green  Tea' }).key).toBe('green tea');
  });
  it('the end of a value goes into the claim slot of that value', () => {
    const likes = { ...INPUT.draft, attribute: 'likes', cardinality: 'many' as const };
    expect(slotOf({ ...likes, value: '', ends: 'GREEN tea' })).toEqual(slotOf({ ...likes, value: 'green tea' }));
  });
  it('rows of a one-valued slot sort before all of the many-valued ones', () => {
    const address = { scope: 's', generation: 1 };
    const keyOf = (change: Partial<ClaimDraft>) => citationKey(address, makeCitation(withDraft(change))).sk;
    const ones = ['Austin', 'Boston', 'Denver', 'Oslo', ''].map((value) => keyOf({ value }));
    const values = ['zebra', '0', ' ', '%', '~', 'a'.repeat(300), 'ünï', 'AUSTIN'].filter((value) => value !== ' ');
    const many = values.map((value) => keyOf({ cardinality: 'many', value }));
    for (const one of ones) for (const other of many) expect(one < other).toBe(true);
  });
});

describe('a citation is captured', () => {
  const { capturedAtMs } = INPUT;

  it.each([
    ['when its words were said', { saidAtMs: capturedAtMs - 1 }, capturedAtMs - 1],
    ['with its source, where that is not known', {}, capturedAtMs],
    ['no later than its source, whatever an executor says', { saidAtMs: capturedAtMs + 1 }, capturedAtMs],
  ])('%s', (_, change, wanted) => {
    expect(makeCitation(withDraft(change)).capturedAtMs).toBe(wanted);
  });

  it('so that of two statements of one session the later stands, however the session went on', () => {
    const at = (saidAtMs: number, value: string, start: number) =>
      makeCitation(
        withDraft({ event: undefined, saidAtMs, value, quote: { text: value, start, end: start + value.length } }),
      );
    const said = [at(1000, 'Bergen', 0), at(2000, 'Oslo', 50)].map((it) => ({
      ...it,
      passes: { p: 1 },
      passCount: 1,
      undone: {},
    }));
    for (const order of [said, said.toReversed()]) {
      expect(viewSlot(order)).toMatchObject({
        claims: [
          { value: 'Oslo', state: 'active' },
          { value: 'Bergen', state: 'superseded' },
        ],
      });
    }
  });
});

describe('a citation says the same under the same id', () => {
  const { claimId, citationId } = makeCitation(INPUT);

  it.each([
    ['another time of recording', { ...INPUT, recordedAtMs: 0 }],
    ['another executor', { ...INPUT, executor: 'stub' }],
    ['another captured time', { ...INPUT, capturedAtMs: 0 }],
    ['another rule and confidence', withDraft({ rule: 'other@2', confidence: 0.1 })],
  ])('%s: the same citation', (_, input) => {
    expect(makeCitation(input)).toMatchObject({ claimId, citationId });
  });

  it.each([
    ['another spelling', withDraft({ value: 'DENVER' })],
    ['another place', withDraft({ quote: { text: 'Denver', start: 5, end: 11 } })],
    ['another source', { ...INPUT, source: sourceOf('session-2') }],
    ['another revision', { ...INPUT, source: { ...INPUT.source, revision: 'fedcba9876543210' } }],
    ['another event time', withDraft({ event: inMonth('2024-04') })],
    ['another precision', withDraft({ event: { ...MAY, precision: 'day' } })],
    ['no event time', withDraft({ event: undefined })],
  ])('%s: another citation of the same claim', (_, input) => {
    const other = makeCitation(input);
    expect(other.claimId).toBe(claimId);
    expect(other.citationId).not.toBe(citationId);
  });

  it.each([
    ['another value', withDraft({ value: 'Boston' })],
    ['an end', withDraft({ value: '' })],
    ['another entity', withDraft({ entity: 'Tom' })],
    ['another attribute', withDraft({ attribute: 'works_at' })],
    ['a claim slot of its own', withDraft({ cardinality: 'many' })],
  ])('%s: another claim', (_, input) => {
    expect(makeCitation(input).claimId).not.toBe(claimId);
  });

  it('stores the quote as the text has it', () => {
    const draft = { ...INPUT.draft, quote: { text: 'cafe\u0301\r\n', start: 0, end: 5 } };
    expect(makeCitation({ ...INPUT, draft }).quote.text).toBe('café\n');
  });
});

describe('a plan is not yet true', () => {
  const captured = dayMs('2024-05-10');
  it.each([
    ['next month', inMonth('2024-07'), true],
    ['tomorrow', onDay('2024-05-11'), false],
    ['the day after tomorrow', onDay('2024-05-12'), true],
    ['this month', inMonth('2024-05'), false],
    ['next month, known to the month', inMonth('2024-06'), false],
    ['last year', inMonth('2023-05'), false],
    ['exactly by its precision', { startMs: captured + DAY_MS, endMs: captured + 2 * DAY_MS, precision: 'day' }, false],
    [
      'by one millisecond more',
      { startMs: captured + DAY_MS + 1, endMs: captured + 2 * DAY_MS + 1, precision: 'day' },
      true,
    ],
  ] as const)('%s, told on the tenth of May: planned is %s', (_, event, planned) => {
    expect(isPlanned(event, captured)).toBe(planned);
  });
  it('without an event there is no plan', () => {
    expect(isPlanned(undefined, captured)).toBe(false);
    expect(makeCitation(withDraft({ event: undefined })).planned).toBe(false);
  });
});
