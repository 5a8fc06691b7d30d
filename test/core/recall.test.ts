import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseClaims, chooseEntities, tokensOf, wordsOf } from '../../functions/core/recall.ts';

const candidate = (slug: string, ...names: string[]) => ({ slug, names: names.length > 0 ? names : [slug] });
const claim = (text: string, sinceMs = 0, entityRank = 0) => ({ id: text, text, sinceMs, entityRank });

describe('which entities a question is about', () => {
  const all = [candidate('maya', 'Maya', 'Mary Ann'), candidate('tom'), candidate("maya's-sister", "Maya's sister")];
  it.each([
    ['Where does Tom live?', ['tom']],
    ['what of MARY ann?', ['maya']],
    ["Maya's sister's job", ["maya's-sister", 'maya']],
    ['where do I live?', ['maya', "maya's-sister", 'tom']],
  ])('%s', (q, slugs) => {
    expect(chooseEntities(q, all, 8).map(({ slug }) => slug)).toEqual(slugs);
  });
  it('no more than are asked for', () => {
    expect(chooseEntities('anything', all, 2)).toHaveLength(2);
  });
});

describe('which claims', () => {
  it('those that share words first, then the entity meant most, then the newest', () => {
    const claims = [claim('Maya lives_in: Oslo', 1), claim('Maya pets: a cat', 2), claim('Tom pets: a dog', 3, 1)];
    const order = (q: string) => chooseClaims(q, claims, 1000).chosen.map(({ text }) => text.split(': ')[1]);
    expect(order('a cat?')).toEqual(['a cat', 'Oslo', 'a dog']);
    expect(order('pets of Maya')[0]).toBe('a cat');
  });
  it('never over the budget, and what does not fit makes room for what does', () => {
    const long = claim('x'.repeat(400), 9);
    const { chosen, tokens } = chooseClaims('q', [long, claim('short', 1)], 50);
    expect([chosen.map(({ text }) => text), tokens]).toEqual([['short'], tokensOf('short')]);
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 80 })), fc.integer({ min: 1, max: 60 }), (texts, budget) => {
        const answer = chooseClaims(
          'some question',
          texts.map((text, k) => claim(text, k)),
          budget,
        );
        const prompt = answer.chosen.map(({ text }) => `${text}\n`).join('');
        expect(Math.ceil(prompt.length / 4)).toBeLessThanOrEqual(budget);
        expect(answer.tokens).toBeLessThanOrEqual(budget);
      }),
    );
  });
});

it('words are those that tell one thing from another', () => {
  expect([...wordsOf('Where does Zoë’s  DOG live?')]).toEqual(['zoë', 's', 'dog', 'live']);
});
