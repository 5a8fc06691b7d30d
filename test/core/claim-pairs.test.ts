/**
 * Goal: a row of the source system's own rule for two claims is a test here, and three claims have one answer.
 * Method: the view over the rows and the head as a model, in every order of writing.
 */
import { describe, expect, it } from 'vitest';
import { currentRegister } from '../../functions/core/registers.ts';
import { viewSlot } from '../../functions/core/slot-view.ts';
import { cite, dayMs, onDay, permutationsOf, type Said } from './citation-samples.ts';
import { headOf, laterOf, outcomeOf, pairwiseTrap } from './head-model.ts';

/**
 * The pairs of the source system's own rule, with A written first. `c`: which source was captured later. Where captured
 * times are equal its rule takes the latest write; here the order of writing decides nothing.
 */
describe('pairs of claims', () => {
  const EARLY = onDay('2024-01-10');
  const LATE = onDay('2024-02-10');
  const FIRST = '2024-03-01';
  const SECOND = '2024-04-01';
  const rows: [string, Omit<Said, 'value'>, Omit<Said, 'value'>, 'A' | 'I'][] = [
    [
      '1: both dated, I later, captured later',
      { event: EARLY, captured: FIRST },
      { event: LATE, captured: SECOND },
      'I',
    ],
    [
      '1: both dated, I later, captured before',
      { event: EARLY, captured: SECOND },
      { event: LATE, captured: FIRST },
      'I',
    ],
    [
      '2: both dated, I earlier, captured later',
      { event: LATE, captured: FIRST },
      { event: EARLY, captured: SECOND },
      'A',
    ],
    [
      '2: both dated, I earlier, captured before',
      { event: LATE, captured: SECOND },
      { event: EARLY, captured: FIRST },
      'A',
    ],
    ['3: one event time, I captured later', { event: EARLY, captured: FIRST }, { event: EARLY, captured: SECOND }, 'I'],
    [
      '4: one event time, I captured before',
      { event: EARLY, captured: SECOND },
      { event: EARLY, captured: FIRST },
      'A',
    ],
    ['6: A dated, I captured later', { event: EARLY, captured: FIRST }, { captured: SECOND }, 'I'],
    ['7: A dated, I captured before', { event: EARLY, captured: SECOND }, { captured: FIRST }, 'A'],
    ['9: I dated, captured later', { captured: FIRST }, { event: EARLY, captured: SECOND }, 'I'],
    ['10: I dated, captured before', { captured: SECOND }, { event: EARLY, captured: FIRST }, 'A'],
    ['12: neither dated, I captured later', { captured: FIRST }, { captured: SECOND }, 'I'],
    ['13: neither dated, I captured before', { captured: SECOND }, { captured: FIRST }, 'A'],
    ['8: A dated, captured at one time: the dated one', { event: EARLY, captured: FIRST }, { captured: FIRST }, 'A'],
    ['11: I dated, captured at one time: the dated one', { captured: FIRST }, { event: EARLY, captured: FIRST }, 'I'],
  ];
  it.each(rows)('%s', (_, a, i, current) => {
    const pair = [cite({ ...a, value: 'A', in: 'a' }), cite({ ...i, value: 'I', in: 'i' })];
    for (const order of permutationsOf(pair)) {
      expect(viewSlot(order).current?.value).toBe(current);
      expect(currentRegister(headOf(order).dated, headOf(order).undated)?.value).toBe(current);
    }
  });

  it('15: into an empty claim slot: I', () => {
    expect(viewSlot([cite({ value: 'I', captured: FIRST })]).current?.value).toBe('I');
  });
  it('16: the same value twice is one claim, as current as the later of the two', () => {
    const twice = [cite({ value: 'A', captured: FIRST }), cite({ value: ' a ', captured: SECOND })];
    expect(viewSlot(twice).claims).toHaveLength(1);
    const between = cite({ value: 'B', captured: '2024-03-15' });
    expect(viewSlot([...twice, between]).current?.capturedAtMs).toBe(dayMs(SECOND));
  });
  it.each([
    ['5: both dated', { event: EARLY, captured: FIRST }],
    ['14: neither dated', { captured: FIRST }],
  ])('%s, all times equal: the source decides, in both orders', (_, said) => {
    const pair = [cite({ ...said, value: 'A', in: 'a' }), cite({ ...said, value: 'I', in: 'i' })];
    const currents = permutationsOf(pair).map((order) => viewSlot(order).current?.value);
    expect(new Set(currents).size).toBe(1);
  });
  it('17: several are never active at once: I is current or the best of the others is, in every order', () => {
    const several = [
      cite({ value: 'A', captured: FIRST, event: EARLY }),
      cite({ value: 'B', captured: SECOND }),
      cite({ value: 'I', captured: '2024-03-20', event: LATE }),
    ];
    for (const order of permutationsOf(several)) {
      expect(
        viewSlot(order)
          .claims.filter(({ state }) => state === 'active')
          .map(({ value }) => value),
      ).toEqual(['B']);
    }
  });
  it('the three claims on which the pairwise rule depends on order: one head', () => {
    const triple = pairwiseTrap();
    const heads = new Set(permutationsOf(triple).map((order) => JSON.stringify(outcomeOf(headOf(order)))));
    expect(new Set(permutationsOf(triple).map((order) => order.reduce(laterOf).value)).size).toBeGreaterThan(1);
    expect(heads.size).toBe(1);
    expect(currentRegister(headOf(triple).dated, headOf(triple).undated)?.value).toBe('Y');
  });
});
