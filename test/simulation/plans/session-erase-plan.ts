/**
 * Sessions that grow while their scope is erased, or they themselves are: drawn from a stream of its own, for some of the
 * seeds in which something is erased, so that all others stay as they are.
 */
import type { PlannedErasing, PlannedErasure } from './erase-plan.ts';
import { START_MS } from '../engine/kernel.ts';
import { Random } from '../engine/random.ts';
import { type PlannedSession, planSessions } from './session-plan.ts';

const SECOND_MS = 1000;
const SHARE = 0.15;
/** A call asks some ten times, in 5 to 20 ms each, where nothing delays it. */
const CALL_MS = 400;
const NEVER_LIFTED = { liftAtMs: undefined, isLifted: false, erasedAgain: undefined } as const;

interface Given {
  readonly scopes: readonly string[];
  readonly calmFromMs: number;
  readonly erasing: PlannedErasing;
}

export interface DrawnSessions {
  readonly sessions: readonly PlannedSession[];
  readonly erasing: PlannedErasing;
}

export function drawErasedSessions(seed: number, given: Given): DrawnSessions {
  const random = new Random(seed, 'erased sessions');
  if (!random.chance(SHARE)) return { sessions: [], erasing: given.erasing };
  const sessions = planSessions(random, given.scopes, given.calmFromMs);
  const erasures = sessions.flatMap((session) =>
    Array.from({ length: random.pick([1, 1, 2]) }, () => drawErasure(random, session, given.calmFromMs)),
  );
  return { sessions, erasing: { ...given.erasing, erasures: [...given.erasing.erasures, ...erasures] } };
}

/** From its order until a scope has moved on, where nothing delays it. */
const MOVE_MS = 60;

/**
 * For a directed scenario: the scope of a session is erased at every second of its calls, so early that it moves on between
 * what the call reads first and its mark. The calls between are there to be erased.
 */
export function erasuresBeside(seed: number, sessions: readonly PlannedSession[]): readonly PlannedErasure[] {
  const random = new Random(seed, 'directed erasures');
  return sessions.flatMap(({ scope, calls }) =>
    [...new Set(calls.map(({ atMs }) => atMs))]
      .toSorted((a, b) => a - b)
      .filter((_, k) => k % 2 === 1)
      .map((atMs) => ({
        atMs: atMs - random.int(0, MOVE_MS),
        scope,
        what: { kind: 'scope' },
        againAtMs: [],
        ...NEVER_LIFTED,
      })),
  );
}

/** While one of its calls is under way, in two of three; else at some moment. */
function drawErasure(random: Random, { scope, id, calls }: PlannedSession, untilMs: number): PlannedErasure {
  const { atMs: sentAtMs } = random.pick(calls);
  const anyMs = random.int(START_MS + SECOND_MS, untilMs - SECOND_MS);
  const atMs = random.chance(2 / 3) ? Math.min(sentAtMs + random.int(0, CALL_MS), untilMs - SECOND_MS) : anyMs;
  return {
    atMs,
    scope,
    what: random.chance(0.7) ? { kind: 'scope' } : { kind: 'source', id, of: 'transcript' },
    againAtMs: random.chance(0.3) ? [random.int(atMs, untilMs - 1)] : [],
    ...NEVER_LIFTED,
  };
}
