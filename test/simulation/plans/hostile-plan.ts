/** Which seeds have an executor that means ill, and how often it shows. */
import { Random } from '../engine/random.ts';

const SHARE = 1 / 10;

export interface PlannedHostile {
  /** So many of its executions mean ill; the others are those of every seed. */
  readonly share: number;
  /** The most calls it slips in beside each honest one. */
  readonly callsMax: number;
  /** How often it breaks off half-way, hangs, or goes on when its run is over. */
  readonly strayShare: number;
}

export function drawHostile(seed: number): PlannedHostile | undefined {
  const random = new Random(seed, 'hostile');
  return random.chance(SHARE) ? hostileOf(random) : undefined;
}

export function hostileOf(random: Random): PlannedHostile {
  return { share: random.pick([0.5, 1]), callsMax: random.pick([1, 2]), strayShare: random.pick([0, 0.1, 0.3]) };
}
