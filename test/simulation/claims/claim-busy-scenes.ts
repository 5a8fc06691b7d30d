/**
 * Scenes in several claim slots at once, in which a head is written while another write of it is on its way: only mutants
 * ask for them. Each names in its mutant what is long on its way.
 */
import { makeStatement } from '../../../functions/core/person-claims.ts';
import { BASE_MS, citationOf, DAY_MS, type Deed, passIds, SLOT, VALUES } from './claim-deeds.ts';
import { copyOf, inEach, onTheirWay, tellOf, times, writeOf } from './claim-drawing.ts';
import { START_MS } from '../engine/kernel.ts';
import type { Random } from '../engine/random.ts';

/** Of two writes of a head one is long on its way. */
export const ONE_LATE = onTheirWay({ name: 'head:raise', forMs: 200, chance: 0.5 });
/** By then all that began at once is through, though it was long on its way. */
const THROUGH_MS = 300;
const soon = (random: Random): number => THROUGH_MS - random.int(0, 40);

/** Three are told of different times, in any order: all happened some day, or none did. */
export function drawRaises(random: Random): Deed[] {
  return inEach((entity) => {
    const day = random.chance(0.7) ? random.int(0, 3) : undefined;
    return times(3, (k) => {
      const happened = day === undefined ? {} : { day: day + k };
      return writeOf(
        citationOf({ entity, value: VALUES[k] as string, id: `h-${k}-${entity}`, captured: k, ...happened }),
        k,
      );
    });
  });
}

/** What was said is taken back, while executions that say it once more are under way. */
export function drawLateCopies(random: Random): Deed[] {
  return inEach((entity) => {
    const citation = citationOf({ entity, value: 'east', id: `l-${entity}`, captured: 2 });
    const first = writeOf(citation, 0);
    const copies = times(3, () => ({ ...copyOf(first), delayMs: soon(random) }));
    return [first, { kind: 'withdraw', citation, delayMs: THROUGH_MS }, ...copies];
  });
}

/** A person's word is lifted, while calls that say it once more are under way. */
export function drawLiftedCopies(random: Random): Deed[] {
  return inEach((entity) => {
    const told = {
      ...SLOT,
      entity,
      value: 'east',
      author: 'ann',
      mode: 'protects',
      saidAtMs: BASE_MS + DAY_MS,
    } as const;
    const citation = makeStatement(told, START_MS);
    const copies = times(2, (): Deed => ({ kind: 'say', citation, isCopy: true, delayMs: soon(random) }));
    return [{ kind: 'say', citation }, { kind: 'lift', citation, delayMs: THROUGH_MS }, ...copies];
  });
}

/** A claim is called wrong while passes say it from before that, and from after. */
export function drawRetractions(random: Random): Deed[] {
  return inEach((entity) => {
    const told = { ...SLOT, entity, value: 'east', author: 'ann', mode: 'retracts' } as const;
    const citation = makeStatement({ ...told, saidAtMs: BASE_MS + 2 * DAY_MS + 1 }, START_MS);
    const writes = times(3, (k) => {
      const captured = random.int(0, 3);
      return writeOf(citationOf({ entity, value: 'east', id: `w-${captured}-${entity}`, captured }), k);
    });
    return [{ kind: 'say', citation }, ...writes];
  });
}

/** Sources go back to what they said, more than once: the same words, each time captured otherwise. */
export function drawReturnsAtOnce(random: Random): Deed[] {
  return inEach((entity) =>
    times(3, (k) => writeOf(citationOf({ entity, value: 'east', id: `r-${entity}`, captured: random.int(0, 5) }), k)),
  );
}

/** What one pass said above another is undone, while a third says it again. */
export function drawResaid(random: Random): Deed[] {
  return inEach((entity, k) => {
    const passId = passIds(20)[10 + k] as string;
    const low = citationOf({ entity, value: 'north', id: `q-0-${entity}`, captured: 0 });
    const citation = citationOf({ entity, value: 'east', id: `q-1-${entity}`, captured: 2 });
    return [
      writeOf(low, 1),
      { kind: 'write', passId, citation },
      { kind: 'undo', passId, delayMs: THROUGH_MS },
      { ...writeOf(citation, 2), delayMs: THROUGH_MS + random.int(30, 120) },
    ];
  });
}

/** The upper of two is taken back, while another is told: of a time between them, or after both. */
const drawTakenTop =
  (day: number) =>
  (random: Random): Deed[] =>
    inEach((entity) => {
      const told = (captured: number) =>
        citationOf({ entity, value: captured === day ? 'south' : 'north', id: `n-${captured}-${entity}`, captured });
      const [low, other, top] = [told(0), told(day), told(5)];
      return [
        ...[low, top].map(writeOf),
        { kind: 'withdraw', citation: top } as const,
        { ...writeOf(other, 2), delayMs: random.int(30, 200) },
      ];
    });
export const drawUndercut = drawTakenTop(3);
export const drawOvertaken = drawTakenTop(7);

/** One source says all that is known, and is erased; meanwhile another tells of some time before that, or after. */
export function drawOnlyErased(random: Random): Deed[] {
  const told = inEach((entity, k) => {
    const first = citationOf({ entity, value: 'east', id: 'o-1', captured: 3 });
    const other = citationOf({ entity, value: 'north', id: `o-2-${entity}`, captured: random.pick([1, 5]) });
    return [tellOf(first, 0), { ...tellOf(other, 1), delayMs: 130 + 110 * k + random.int(0, 110) }];
  });
  return [...told, { kind: 'erase', id: 'o-1', delayMs: 100 }];
}

/** Three contest each place, and one of them is erased; which of them stand ahead, their ids decide. */
export function drawErasedContest(random: Random): Deed[] {
  const n = random.int(0, 999);
  return inEach((entity) => {
    const told = VALUES.slice(0, 3).map((value) =>
      citationOf({ entity, value, id: `g-${value}-${entity}-${n}`, captured: 1 }),
    );
    return [...told.map(tellOf), { kind: 'erase', id: `g-north-${entity}-${n}`, delayMs: THROUGH_MS }];
  });
}
