/** In which seeds with a model a person says what needs a decision, and when. */
import { START_MS } from '../engine/kernel.ts';
import { Random } from '../engine/random.ts';

const SECOND_MS = 1000;
const SHARE_OF_MODELS = 1 / 10;

export interface PlannedDispute {
  readonly scope: string;
  readonly atMs: number;
}

export function drawDispute(seed: number, scopes: readonly string[], calmFromMs: number): PlannedDispute | undefined {
  const random = new Random(seed, 'dispute');
  if (!random.chance(SHARE_OF_MODELS)) return undefined;
  return { scope: random.pick(scopes), atMs: random.int(START_MS + 10 * SECOND_MS, calmFromMs) };
}
