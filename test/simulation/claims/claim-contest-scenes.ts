/**
 * Scenes of contests in several claim slots at once: only mutants ask for them. Each names in its mutant what is long on
 * its way.
 */
import type { Citation } from '../../../schema/citation.ts';
import { citationOf, type Deed } from './claim-deeds.ts';
import { inEach, otherPass, times, writeOf } from './claim-drawing.ts';
import type { Random } from '../engine/random.ts';

/** Two values of one time. */
const pairOf = (entity: string, captured: number, day?: number): Citation[] =>
  ['north', 'south'].map((value) =>
    citationOf({ entity, value, id: `v-${value}-${captured}-${entity}`, captured, day }),
  );

/** Two values are told of one time; nothing else is. */
export function drawTies(random: Random): Deed[] {
  return inEach((entity) => pairOf(entity, 1, random.chance(0.5) ? 0 : undefined).map(writeOf));
}

/** What two contest is over by what comes so much later. */
export const drawOver =
  (afterMs: readonly [number, number]) =>
  (random: Random): Deed[] =>
    inEach((entity) => {
      const top = citationOf({ entity, value: 'east', id: `t-${entity}`, captured: 3 });
      return [...pairOf(entity, 1).map(writeOf), { ...writeOf(top, 2), delayMs: random.int(...afterMs) }];
    });

/** One claim is called wrong, and later superseded by what was told before that. */
export function drawSuperseded(random: Random): Deed[] {
  return inEach((entity) => {
    const wrong = citationOf({ entity, value: 'north', id: `c-1-${entity}`, captured: 1 });
    const accusing = citationOf({ entity, value: 'south', id: `c-5-${entity}`, captured: 5, contradicts: true });
    const between = citationOf({ entity, value: 'east', id: `c-4-${entity}`, captured: 4 });
    return [...[wrong, accusing].map(writeOf), { ...writeOf(between, 2), delayMs: random.int(120, 200) }];
  });
}

/** Of two contests, one after the other, the second begins at so many milliseconds, one side after the other. */
function comingBack(entity: string, fromMs: number, apartMs: number): Deed[] {
  const later = pairOf(entity, 3).map((citation, k): Deed => {
    return { ...writeOf(citation, k), delayMs: fromMs + apartMs * k };
  });
  return [...pairOf(entity, 1).map(writeOf), ...later];
}

/** A contest is over by what came later, and that is contested in turn, while who ended the first is at it. */
export function drawRecontested(random: Random): Deed[] {
  return inEach((entity) => comingBack(entity, 300, random.int(40, 120)));
}

/** What is contested changes while passes decide. */
export function drawMovedOn(random: Random): Deed[] {
  const decisions = times(3, (k): Deed => ({ kind: 'decide', passId: otherPass(k), delayMs: 250 + 60 * k }));
  return [...inEach((entity) => comingBack(entity, random.int(260, 700), 0)), ...decisions];
}

/** The upper of two contests is taken back by two hands, and the lower is decided meanwhile. */
export function drawLowered(random: Random): Deed[] {
  const contests = inEach((entity) => {
    const [lower, upper] = [pairOf(entity, 1), pairOf(entity, 3)];
    const taken = [...upper, ...upper].map((citation, k): Deed => {
      return { kind: 'withdraw', citation, delayMs: 300 + random.int(0, 30), ...(k > 1 && { isCopy: true }) };
    });
    return [...[...lower, ...upper].map(writeOf), ...taken];
  });
  const decisions = times(4, (k): Deed => ({ kind: 'decide', passId: otherPass(k), delayMs: 340 + 40 * k }));
  return [...contests, ...decisions];
}

/** What ended a contest is taken back by two hands, and the contest is decided meanwhile. */
export function drawReopened(random: Random): Deed[] {
  const contests = inEach((entity) => {
    const top = citationOf({ entity, value: 'east', id: `t-${entity}`, captured: 3 });
    const taken = times(2, (k): Deed => {
      return { kind: 'withdraw', citation: top, delayMs: 600 + random.int(0, 30), ...(k > 0 && { isCopy: true }) };
    });
    return [...pairOf(entity, 1).map(writeOf), { ...writeOf(top, 2), delayMs: 300 }, ...taken];
  });
  const decisions = times(4, (k): Deed => ({ kind: 'decide', passId: otherPass(k), delayMs: 640 + 40 * k }));
  return [...contests, ...decisions];
}
