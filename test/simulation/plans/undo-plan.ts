/**
 * A person who undoes passes, beside those that run. Drawn from a stream of its own for one seed in twenty, so that all
 * others stay as they are.
 */
import { START_MS } from '../engine/kernel.ts';
import { Random } from '../engine/random.ts';

const SECOND_MS = 1000;
/** Of the seeds in which nothing is erased and no session grows: one in twenty of all. */
const SHARE = 0.06;

/**
 * Which pass they mean. listed: one that the ledger lists. rowless: one that stands in the ledger and has no row yet.
 * ended: one that is over, however it ended. stopped: one that was cancelled or expired.
 */
export type UndoneKind = 'listed' | 'rowless' | 'ended' | 'stopped';

export interface PlannedUndo {
  readonly atMs: number;
  readonly scope: string;
  readonly which: UndoneKind;
  /** They send it from two windows. */
  readonly isDoubled: boolean;
  /** They cancel what they are told still runs; else they wait for it to end. */
  readonly isCancelling: boolean;
}

export function drawUndoing(seed: number, scopes: readonly string[], untilMs: number): readonly PlannedUndo[] {
  const random = new Random(seed, 'undo plan');
  if (!random.chance(SHARE)) return [];
  return Array.from({ length: random.int(1, 6) }, () => ({
    // Most while the first sources are read: there is something to undo then.
    atMs: START_MS + (random.chance(0.6) ? random.int(2, 90) * SECOND_MS : random.int(0, untilMs - START_MS)),
    scope: random.pick(scopes),
    which: random.pick<UndoneKind>(['listed', 'listed', 'rowless', 'ended', 'ended', 'stopped']),
    isDoubled: random.chance(0.3),
    isCancelling: random.chance(0.5),
  }));
}

/** A directed scenario: in every scope somebody undoes such a pass each time that many seconds are over. */
export function undosOf(
  scopes: readonly string[],
  untilMs: number,
  { which, everyMs, isCancelling = false }: { which: UndoneKind; everyMs: number; isCancelling?: boolean },
): readonly PlannedUndo[] {
  const times = Array.from({ length: Math.floor((untilMs - START_MS) / everyMs) }, (_, k) => START_MS + k * everyMs);
  return times.flatMap((atMs) => scopes.map((scope) => ({ atMs, scope, which, isDoubled: false, isCancelling })));
}
