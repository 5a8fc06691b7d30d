/** Scenes that set one layer of what keeps claims right apart from those behind it: only mutants ask for them. */
import { BASE_MS, citationOf, DAY_MS, type Deed, statementOf, VALUES } from './claim-deeds.ts';
import { copyOf, delayed, inEach, otherPass, times, writeOf } from './claim-drawing.ts';
import type { Random } from '../engine/random.ts';

/** Nothing but plans, of which one calls another wrong: there is no head. */
export function drawUnraised(random: Random): Deed[] {
  const day = random.int(6, 9);
  const plans = times(2, (k) => citationOf({ value: VALUES[k] as string, id: `u-${k}`, captured: k, day }));
  return [...plans, citationOf({ value: 'south', id: 'u-3', captured: 3, day, contradicts: true })].map(writeOf);
}

/** A merge that is taken back twice, and one that never was. */
export function drawSplits(random: Random): Deed[] {
  const merge = { from: 'Anna', into: 'Ann' } as const;
  const citation = citationOf({ value: random.pick(VALUES), id: 'm-0', captured: 1 });
  const unmerge: Deed = { kind: 'unmerge', ...merge };
  const unsaid: Deed = { kind: 'unmerge', from: 'Bob', into: 'Rob' };
  return [writeOf(citation, 0), { kind: 'merge', ...merge }, unmerge, copyOf(unmerge), unsaid];
}

/** A few passes say one thing, each in two executions. */
export function drawSaidAgain(random: Random): Deed[] {
  const citation = citationOf({ value: random.pick(VALUES), id: 's-1', captured: 1 });
  const writes = times(3, (k) => writeOf(citation, k));
  return [...writes, ...writes.map(copyOf), ...writes.map(copyOf)];
}

/** What one pass said above another of some entities is undone. */
export function drawTaken(random: Random): Deed[] {
  const said = inEach((entity) => {
    const low = citationOf({ entity, value: 'north', id: `x-0-${entity}`, captured: 0 });
    const tops = times(2, (k) =>
      citationOf({ entity, value: random.pick(VALUES), id: `x-${k + 1}-${entity}`, captured: k + 2 }),
    );
    return [writeOf(low, 1), ...tops.map((citation) => writeOf(citation, 0))];
  });
  return [...said, { kind: 'undo', passId: otherPass(0) }];
}

/** One source says several things, and all of it is taken back. */
export function drawTakenWhole(random: Random): Deed[] {
  const captured = random.int(0, 3);
  const said = VALUES.slice(0, 3).map((value) => citationOf({ value, id: 'y-1', captured }));
  const [citation] = said;
  if (!citation) throw new Error('there are no values');
  return [...said.map(writeOf), { kind: 'withdraw', citation, isWhole: true }];
}

/** Two of three are taken back, and each has the head rebuilt, while what stands above them is told. */
export function drawRebuilds(random: Random): Deed[] {
  const low = times(3, (k) => citationOf({ value: VALUES[k] as string, id: `k-${k}`, captured: k }));
  const top = citationOf({ value: 'south', id: 'k-9', captured: 5 });
  return [
    ...low.map(writeOf),
    ...low.slice(1).map((citation): Deed => ({ kind: 'withdraw', citation })),
    delayed(random, writeOf(top, 3)),
  ];
}

/** What is said above sources, at different times, and never lifted. */
export function drawProtections(random: Random): Deed[] {
  return times(3, (k): Deed => {
    const saidAtMs = BASE_MS + random.int(0, 5) * DAY_MS + k;
    return { kind: 'say', citation: statementOf({ value: random.pick(VALUES), mode: 'protects', saidAtMs }) };
  });
}

/** A value is forgotten while its rows are taken back. */
export function drawForgottenAlone(random: Random): Deed[] {
  const citation = citationOf({ value: 'east', id: 'f-1', captured: 1 });
  const said = statementOf({ value: 'east', mode: 'protects', saidAtMs: BASE_MS + DAY_MS });
  const passId = otherPass(0);
  const taken = times(
    3,
    (): Deed =>
      random.pick<Deed>([
        { kind: 'withdraw', citation },
        { kind: 'lift', citation: said },
      ]),
  );
  return [
    { kind: 'tell', passId, citation },
    { kind: 'correct', citation: said },
    delayed(random, { kind: 'forget', value: 'east' }),
    ...taken.map((deed, k) => delayed(random, k === 0 ? deed : copyOf(deed))),
  ];
}

/**
 * Two contest a place, one of them is forgotten, and a third is told of that time meanwhile; which of them stand ahead,
 * their ids decide.
 */
export function drawForgottenContest(random: Random): Deed[] {
  const n = random.int(0, 999);
  const [first, second, third] = VALUES.map((value) => citationOf({ value, id: `g-${value}-${n}`, captured: 1 }));
  if (!first || !second || !third) throw new Error('there are fewer than three values');
  return [
    ...[first, second].map((citation, k): Deed => ({ kind: 'tell', passId: otherPass(k), citation })),
    { kind: 'forget', value: first.value, delayMs: 60 },
    { kind: 'tell', passId: otherPass(2), citation: third, delayMs: random.int(150, 350) },
  ];
}
