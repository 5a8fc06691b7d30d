/**
 * Callers who do not read the manual: what they send is odd, and mostly refused. Drawn from a stream of its own for one
 * seed in eighteen, so that all others stay as they are.
 */
import { START_MS } from '../engine/kernel.ts';
import { Random } from '../engine/random.ts';

const SECOND_MS = 1000;
const SHARE = 1 / 18;
const CALLS = 14;

export interface PlannedSlip {
  readonly atMs: number;
  readonly scope: string;
  /** Names what is sent, and how. */
  readonly draw: number;
}

export function drawSlips(seed: number, scopes: readonly string[], untilMs: number): readonly PlannedSlip[] {
  const random = new Random(seed, 'sloppy plan');
  return random.chance(SHARE) ? slipsOf(random, scopes, untilMs) : [];
}

export function slipsOf(
  random: Random,
  scopes: readonly string[],
  untilMs: number,
  calls: number = CALLS,
): readonly PlannedSlip[] {
  return Array.from({ length: calls }, () => ({
    // Nobody is told no by a scope that nobody fed: most come when something is there.
    atMs: random.int(START_MS + SECOND_MS, untilMs - 1),
    scope: random.pick(scopes),
    draw: random.int(0, 2 ** 31),
  }));
}
