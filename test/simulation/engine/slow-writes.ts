/**
 * Writes of one builder that are long on their way: what is decided on a row, and written when that has moved on. A fault
 * that strikes any write lets two such moments meet in too few schedules. Drawn from a stream of its own for one seed in
 * nine; a scene names its own. It ends with the faults.
 */
import type { FunctionRole } from './actor.ts';
import type { Mutant } from '../mutants/mutant.ts';
import type { Plan } from '../plans/plan.ts';
import { Random } from './random.ts';

const SECOND_MS = 1000;
const SHARE = 1 / 9;

export interface SlowWrite {
  /** As `nameOfWrite` says it; in a scene also of a row that is read, as `nameOfGet` says it. */
  readonly name: string;
  readonly forMs: number;
  /** Of so many of them; absent: of all. */
  readonly chance?: number;
  /** Absent: whoever sends it. */
  readonly role?: FunctionRole;
}

/** What decides on a row that others move. */
const DRAWN = [
  'evidence:put',
  'evidence:lease',
  'evidence:settle',
  'evidence:release',
  'evidence:quarantine',
  'evidence:requeue',
  'evidence:reopen',
  'evidence:obsolete',
  'source:put',
  'source:note-crash',
  'source:complete',
  'source:tombstone',
  'pass:put',
  'pass:running',
  'pass:beat',
  'pass:completed',
  'pass:failed',
  'pass:cancelled',
  'pass:expired',
  'pass:kick',
  'pass:finalize',
  'pass:note-invoked',
  'lease-page:put',
  'review-page:put',
  'ledger:admit',
  'ledger:remove',
  'ledger:switch',
  'usage:reserve',
  'usage:refuse',
  'usage:settle',
  'scope:mark',
  'scope:note',
  'scope:serve',
  'scope:defer',
  'scope:empty',
  'scope:idle',
  'scope:count',
  'scope:switch',
  'scope:move-on',
  'trigger:put',
  'trigger:outcome',
  'trigger:rebind',
  'citation:put',
  'citation:add-pass',
  'head:raise',
  'entity:put',
  'attention:update',
  'text-list:put',
  'text:put',
  'erasure:open',
  'erasure:save',
  'erasure:lift',
] as const;

export function drawSlow(seed: number): readonly SlowWrite[] {
  const random = new Random(seed, 'slow writes');
  if (!random.chance(SHARE)) return [];
  return Array.from({ length: random.pick([1, 1, 2]) }, () => ({
    name: random.pick(DRAWN),
    forMs: random.pick([1, 5, 20, 60, 150]) * SECOND_MS,
    chance: random.pick([0.3, 0.6]),
  }));
}

/** What a mutant is hunted in: its scene, with the writes that are slow there. */
export function sceneOf({ direct, slow = [] }: Pick<Mutant, 'direct' | 'slow'>, drawn: Plan): Plan {
  const plan = direct?.(drawn) ?? drawn;
  return slow.length === 0 ? plan : { ...plan, slow: [...plan.slow, ...slow] };
}
