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
import { getHead, type HeadItem, headItemSchema, raiseRegister, registerKeyOf, registerOf } from '../../schema/head.ts';
import { hash22, sourceKeyOf } from '../../schema/ids.ts';
import { createTestStore } from '../support/tables.ts';
import {
  cite,
  citationArbitrary,
  DAY_MS,
  dayMs,
  draftOf,
  onDay,
  permutationsOf,
  type Said,
  sourceOf,
} from './citation-samples.ts';

type Registers = Pick<HeadItem, 'dated' | 'datedKey' | 'undated' | 'undatedKey'>;

/** What `raiseRegister` does to the head: sets the register when it is unset or lower. */
function raise(head: Registers, citation: Citation): Registers {
  const register = registerOf(citation);
  if (!register) return head;
  const key = registerKeyOf(citation);
  const stored = head[`${register}Key`];
  if (stored !== undefined && !(stored < key)) return head;
  const { claimId, citationId, value, capturedAtMs } = citation;
  return { ...head, [register]: { claimId, citationId, value, capturedAtMs }, [`${register}Key`]: key };
}

/**
 * What must not depend on the order. Two places or spellings of one value in one source have one register key, and the
 * first of them stays in the register; claim and times are the same then.
 */
function outcomeOf(head: Registers): object {
  const { dated, datedKey, undated, undatedKey } = head;
  return { datedKey, dated: dated?.claimId, undatedKey, undated: undated?.claimId, current: currentOf(head) };
}

const currentOf = ({ dated, undated }: Registers): string | undefined => currentRegister(dated, undated)?.claimId;
const headOf = (citations: readonly Citation[]): Registers => citations.reduce(raise, {});

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

/** The later event if both are dated and differ, otherwise the later captured; else the one that was there. */
function laterOf(a: Citation, b: Citation): Citation {
  const events = a.event && b.event ? b.event.startMs - a.event.startMs : 0;
  return (events || b.capturedAtMs - a.capturedAtMs) > 0 ? b : a;
}

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
    const triple = [
      cite({ value: 'X', captured: '2024-01-06', event: onDay('2024-01-05') }),
      cite({ value: 'Y', captured: '2024-01-07' }),
      cite({ value: 'Z', captured: '2024-01-08', event: onDay('2024-01-03') }),
    ];
    const heads = new Set(permutationsOf(triple).map((order) => JSON.stringify(outcomeOf(headOf(order)))));
    expect(heads.size).toBe(1);
    expect(currentRegister(headOf(triple).dated, headOf(triple).undated)?.value).toBe('Y');
  });
});
