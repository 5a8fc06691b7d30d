/**
 * Goal: what is current does not depend on the order of writing (design section 9).
 * Method: the head's registers, as a model and on the embedded engine, under every order, doubled and split between two
 * writers; the view over the citation rows must say the same as the head.
 */
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { makeCitation } from '../../functions/core/claims.ts';
import { currentRegister } from '../../functions/core/registers.ts';
import { viewSlot } from '../../functions/core/slot-view.ts';
import type { Citation } from '../../schema/citation.ts';
import { getHead, headItemSchema, raiseRegister, registerKeyOf, registerOf } from '../../schema/head.ts';
import { hash22, sourceKeyOf } from '../../schema/ids.ts';
import { createTestStore } from '../support/tables.ts';
import { cite, citationArbitrary, DAY_MS, draftOf, onDay, permutationsOf, sourceOf } from './citation-samples.ts';
import { currentOf, headOf, laterOf, outcomeOf, pairwiseTrap, type Registers } from './head-model.ts';

/** The same citations in another order, some of them doubled. */
const rewritten = (citations: readonly Citation[]): fc.Arbitrary<Citation[]> =>
  fc
    .tuple(fc.shuffledSubarray([...citations], { minLength: citations.length }), fc.subarray([...citations]))
    .chain(([all, doubled]) => fc.shuffledSubarray([...all, ...doubled], { minLength: all.length + doubled.length }));

describe('the head ends the same in whatever order it is written', () => {
  it('every permutation of up to five citations', () => {
    fc.assert(
      fc.property(fc.array(citationArbitrary, { minLength: 2, maxLength: 5 }), (citations) => {
        const expected = outcomeOf(headOf(citations));
        for (const order of permutationsOf(citations)) expect(outcomeOf(headOf(order))).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('shuffled and doubled, and the view of the rows says the same', () => {
    const histories = fc.array(citationArbitrary, { maxLength: 20 });
    fc.assert(
      fc.property(
        histories.chain((all) => fc.tuple(fc.constant(all), rewritten(all))),
        ([all, order]) => {
          expect(outcomeOf(headOf(order))).toEqual(outcomeOf(headOf(all)));
          expect(viewSlot(all).current?.claimId).toBe(currentOf(headOf(order)));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('the pairwise rule, applied as claims arrive, does depend on the order of this data', () => {
    const samples = fc.sample(fc.array(citationArbitrary, { minLength: 3, maxLength: 4 }), { numRuns: 200, seed: 7 });
    const dependent = samples.filter((citations) => {
      const winners = permutationsOf(citations).map((order) => order.reduce(laterOf).claimId);
      return new Set(winners).size > 1;
    });
    expect(dependent.length).toBeGreaterThan(10);
  });
});

describe('on the embedded engine', () => {
  const tables = createTestStore();
  afterAll(() => tables.close());
  let runs = 0;

  /** Two writers at once, each in its own order, in a scope of their own. */
  async function writeAtOnce(writers: readonly (readonly Citation[])[]): Promise<Registers> {
    const address = { scope: `run-${runs++}`, generation: 1 };
    let ops = 0;
    await Promise.all(
      writers.map(async (citations) => {
        for (const citation of citations) {
          const register = registerOf(citation);
          if (register) await tables.store.write(raiseRegister(address, citation, register, `op-${ops++}`));
        }
      }),
    );
    const [some] = writers.flat();
    const stored = some && (await tables.store.get(getHead(address, some.slot)));
    return stored ? headItemSchema.parse(stored) : {};
  }

  it('two writers with overlapping halves end in the head of the model', async () => {
    const histories = fc.array(citationArbitrary, { minLength: 1, maxLength: 10 });
    const split = histories.chain((all) => fc.tuple(fc.constant(all), rewritten(all), fc.nat({ max: all.length })));
    await fc.assert(
      fc.asyncProperty(split, async ([all, order, at]) => {
        const head = await writeAtOnce([order.slice(0, at), order.slice(at)]);
        expect(outcomeOf(head)).toEqual(outcomeOf(headOf(all)));
      }),
      { numRuns: 40 },
    );
  });

  it('Austin, undated, told in an older session, and the move to Denver: Denver in both orders', async () => {
    const pair = [
      cite({ value: 'Austin', captured: '2024-03-01' }),
      cite({ value: 'Denver', captured: '2024-06-01', event: onDay('2024-05-01') }),
    ];
    for (const order of permutationsOf(pair)) {
      const head = await writeAtOnce([order]);
      expect(currentRegister(head.dated, head.undated)?.value).toBe('Denver');
    }
  });

  it('the three claims on which the pairwise rule depends on order: one head, in all six orders and at once', async () => {
    const triple = pairwiseTrap();
    for (const writers of [...permutationsOf(triple).map((order) => [order]), triple.map((one) => [one])]) {
      const head = await writeAtOnce(writers);
      expect(currentRegister(head.dated, head.undated)?.value).toBe('Y');
    }
  });
});

describe('a register key', () => {
  // The ends of what a key can carry, and the digits around a power of ten.
  const time = fc.oneof(
    fc.integer({ min: -62_135_596_800_000, max: 900_000_000_000_000 }),
    fc.constantFrom(-62_135_596_800_000, -1, 0, 1, 37_864_403_199_999, 37_864_403_200_000),
  );
  const citation = fc
    .record({ startMs: time, capturedAtMs: time, source: fc.constantFrom('a', 'ä', '#', 'b/c'), value: fc.string() })
    .map(({ startMs, capturedAtMs, source, value }) => ({
      ...makeCitation({
        draft: { ...draftOf({ value: 'x' }), value, event: { startMs, endMs: startMs + DAY_MS, precision: 'day' } },
        source: sourceOf(source),
        capturedAtMs,
        executor: 'stub',
        recordedAtMs: 0,
      }),
    }));
  const tupleOf = ({ event, capturedAtMs, source, claimId }: Citation): (number | string)[] => [
    event?.startMs ?? 0,
    capturedAtMs,
    hash22(sourceKeyOf(source)),
    claimId,
  ];

  function isLess(a: readonly (number | string)[], b: readonly (number | string)[]): boolean {
    const k = a.findIndex((part, position) => part !== b[position]);
    const [left, right] = [a[k], b[k]];
    if (typeof left === 'number' && typeof right === 'number') return left < right;
    return k >= 0 && Buffer.compare(Buffer.from(String(left)), Buffer.from(String(right))) < 0;
  }

  it('compares as the tuple of its parts does, numbers by value and text by bytes', () => {
    fc.assert(
      fc.property(citation, citation, (a, b) => {
        expect(registerKeyOf(a) < registerKeyOf(b)).toBe(isLess(tupleOf(a), tupleOf(b)));
      }),
      { numRuns: 500 },
    );
  });
  it('is ASCII, so that bytes and UTF-16 units compare alike', () => {
    fc.assert(
      fc.property(citation, (one) => {
        expect(registerKeyOf(one)).toMatch(/^[\x20-\x7e]+$/);
      }),
    );
  });
});
