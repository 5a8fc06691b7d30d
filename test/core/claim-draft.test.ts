import { describe, expect, it } from 'vitest';
import { claimDraftSchema } from '../../functions/core/claim-draft.ts';

const DRAFT = {
  entity: 'Maya',
  attribute: 'lives_in',
  cardinality: 'one',
  value: 'Denver',
  quote: { text: 'I live in Denver', start: 10, end: 26 },
};
const MAY = { startMs: 1, endMs: 2, precision: 'month' };

describe('what an executor may hand over', () => {
  it.each([
    ['a plain draft', {}],
    ['an event, a rule and a confidence', { event: MAY, rule: 'rules-en/lives-in@1', confidence: 0.8 }],
    ['an end of a one-valued attribute', { value: '' }],
    ['an end of one value of many', { cardinality: 'many', value: '', ends: 'tea' }],
    ['an attribute of 64 characters', { attribute: `a${'b'.repeat(63)}` }],
    ['a value of 1,000 characters', { value: 'v'.repeat(1000) }],
  ])('%s is taken', (_, change) => {
    expect(claimDraftSchema.safeParse({ ...DRAFT, ...change }).success).toBe(true);
  });

  it.each([
    ['a blank entity', { entity: ' \u00a0' }, "an entity's name is not blank"],
    ['an entity of 201 characters', { entity: 'e'.repeat(201) }, "an entity's name is at most 200 characters"],
    ['an attribute of 65 characters', { attribute: `a${'b'.repeat(64)}` }, 'an attribute is 1 to 64 characters'],
    ['an attribute in capitals', { attribute: 'Lives' }, 'an attribute is 1 to 64 characters'],
    ['an attribute with a number sign', { attribute: 'a#b' }, 'an attribute is 1 to 64 characters'],
    ['a value of white space', { value: ' \n' }, 'says nothing'],
    ['a value of 1,001 characters', { value: 'v'.repeat(1001) }, 'a value is at most 1000 characters'],
    ['an empty quote', { quote: { text: '', start: 0, end: 1 } }, 'a quote is not empty'],
    ['a quote that ends where it starts', { quote: { text: 'x', start: 3, end: 3 } }, 'its end lies behind its start'],
    ['a quote of 2,001 characters', { quote: { text: 'x', start: 0, end: 2001 } }, 'a quote is 1 to 2000'],
    ['an event that ends when it starts', { event: { ...MAY, endMs: 1 } }, 'an event ends after it starts'],
    ['an event that ends before it starts', { event: { ...MAY, endMs: 0 } }, 'an event ends after it starts'],
    ['an event before the year 1', { event: { ...MAY, startMs: -62_135_596_800_001 } }, '-62135596800000'],
    ['half a millisecond', { event: { ...MAY, startMs: 0.5 } }, 'int'],
    ['an end of many that does not say of which', { cardinality: 'many', value: '' }, 'ends goes with'],
    ['ends beside a value', { cardinality: 'many', value: 'coffee', ends: 'tea' }, 'ends goes with'],
    ['ends for one value', { value: '', ends: 'tea' }, 'ends goes with'],
    ['a confidence above 1', { confidence: 1.1 }, '1'],
  ])('%s is refused', (_, change, reason) => {
    const parsed = claimDraftSchema.safeParse({ ...DRAFT, ...change });
    expect(parsed.error?.issues.map(({ message }) => message).join('; ')).toContain(reason);
  });
});
