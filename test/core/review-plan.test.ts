import { describe, expect, it } from 'vitest';
import { joinRanges, planReview, type Standing } from '../../functions/core/review-plan.ts';

const TEXT = 'One. Two. Three. Two. End.';
const standing: Standing = {
  source: 'note:a@0123456789abcdef',
  cursor: 100,
  deliveredTo: 100 + TEXT.length,
  reviewedTo: 100,
  text: TEXT,
  textStart: 100,
};
const codeOf = (of: Partial<Standing>, item: Parameters<typeof planReview>[1]) => {
  const plan = planReview({ ...standing, ...of }, item);
  return plan.kind === 'refused' ? plan.error.code : [plan.from, plan.to];
};

describe('what an item acknowledges', () => {
  it('is all that was delivered, from what is acknowledged, unless it says less', () => {
    expect(codeOf({}, {})).toEqual([100, 126]);
    expect(codeOf({ reviewedTo: 105 }, {})).toEqual([105, 126]);
    expect(codeOf({}, { through: 110 })).toEqual([100, 110]);
    expect(codeOf({}, { from: 110 })).toEqual([110, 126]);
  });

  it('ends where the first occurrence of a quote ends that is not acknowledged', () => {
    expect(codeOf({}, { through: 'Two.' })).toEqual([100, 109]);
    expect(codeOf({ reviewedTo: 109 }, { through: 'Two.' })).toEqual([109, 121]);
    expect(codeOf({ text: '👩‍👧 é.', deliveredTo: 106 }, { through: 'e\u0301' })).toEqual([100, 105]);
  });

  it('is nothing for an item that brings claims alone', () => {
    expect(codeOf({ reviewedTo: 105 }, { through: 105 })).toEqual([105, 105]);
  });

  it.each<[string, Partial<Standing>, Parameters<typeof planReview>[1]]>([
    ['not_delivered', { deliveredTo: 100, text: '' }, {}],
    ['already_reviewed', { reviewedTo: 126, text: '', textStart: 126 }, {}],
    ['already_reviewed', { reviewedTo: 110 }, { through: 105 }],
    ['already_reviewed', { reviewedTo: 110 }, { through: 'One.' }],
    ['quote_not_found', {}, { through: 'Four.' }],
    ['quote_not_found', {}, { through: '' }],
    ['quote_not_found', { text: 'a \u{1f600}.', deliveredTo: 104 }, { through: '\ud83d' }],
    ['quote_not_found', { text: 'a \u{1f600}.', deliveredTo: 104 }, { through: 'a \ud83d' }],
    ['offset_out_of_range', {}, { through: 127 }],
    ['offset_out_of_range', {}, { through: -1 }],
    ['offset_out_of_range', {}, { through: 110.5 }],
    ['offset_out_of_range', {}, { from: 99 }],
    ['offset_out_of_range', {}, { from: 120, through: 110 }],
    ['offset_out_of_range', {}, { through: Number.NaN }],
  ])('is refused: %s', (code, of, item) => {
    expect(codeOf(of, item)).toBe(code);
  });
});

describe('ranges acknowledged out of order', () => {
  it('stop at the gap, and count once it is closed', () => {
    expect(joinRanges(0, [{ from: 20, to: 30 }])).toEqual({ to: 0, waiting: [{ from: 20, to: 30 }] });
    const closing = [
      { from: 20, to: 30 },
      { from: 0, to: 10 },
    ];
    expect(joinRanges(0, closing)).toEqual({ to: 10, waiting: [{ from: 20, to: 30 }] });
    expect(
      joinRanges(10, [
        { from: 20, to: 30 },
        { from: 8, to: 20 },
      ]),
    ).toEqual({ to: 30, waiting: [] });
  });
});
