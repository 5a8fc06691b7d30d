/**
 * Sessions that grow while they are read: turns appended by one client or two, sent twice, contradicting each other, and
 * whole files of turns in between. Drawn from a stream of its own for one seed in eight, so that all others stay as they are.
 */
import { START_MS } from '../engine/kernel.ts';
import { Random } from '../engine/random.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
/** Of the seeds in which nothing is erased: one in fifteen of all. */
const SHARE = 0.07;

export interface PlannedTurn {
  readonly id: string;
  readonly speaker: string;
  readonly text: string;
  /** Absent in a session whose turns bear no times. */
  readonly at?: string;
}

/** One call, sent until it is answered. */
export interface PlannedCall {
  readonly atMs: number;
  /** file: all turns of the session up to here, as its owner has them, in place of what stands. */
  readonly form: 'append' | 'file';
  readonly turns: readonly PlannedTurn[];
  readonly completed: boolean;
}

export interface PlannedSession {
  readonly scope: string;
  readonly id: string;
  /**
   * Its turns bear times, each later than the one before, and no two sessions share one. Else none does, or in a session
   * that makes no claims some do, of long ago.
   */
  readonly isTimed: boolean;
  readonly calls: readonly PlannedCall[];
}

export function drawSessions(seed: number, scopes: readonly string[], untilMs: number): readonly PlannedSession[] {
  const random = new Random(seed, 'session plan');
  return random.chance(SHARE) ? planSessions(random, scopes, untilMs, isMixedIn(seed)) : [];
}

/** Whether some turns of the sessions bear times that are not timed. */
const isMixedIn = (seed: number): boolean => new Random(seed, 'mixed sessions').chance(0.5);

/** The sessions of a seed that would have none, for a directed scenario. */
export function sessionsOf(seed: number, scopes: readonly string[], untilMs: number): readonly PlannedSession[] {
  return planSessions(new Random(seed, 'directed sessions'), scopes, untilMs);
}

/** Sessions of which some turns bear times, for a directed scenario. */
export function mixedSessionsOf(seed: number, scopes: readonly string[], untilMs: number): readonly PlannedSession[] {
  const random = new Random(seed, 'directed sessions');
  return [0, 1].map((k) => planSession(random, { scope: random.pick(scopes), k, times: 'some' }, untilMs));
}

export function planSessions(
  random: Random,
  scopes: readonly string[],
  untilMs: number,
  isMixed = false,
): PlannedSession[] {
  return Array.from({ length: random.pick([1, 1, 2]) }, (_, k) => {
    const scope = random.pick(scopes);
    const times = random.chance(0.75) ? 'all' : isMixed ? 'some' : 'none';
    return planSession(random, { scope, k, times }, untilMs);
  });
}

interface Form {
  readonly scope: string;
  readonly k: number;
  /** Which of its turns bear times. */
  readonly times: 'all' | 'some' | 'none';
}

function planSession(random: Random, { scope, k, times }: Form, untilMs: number): PlannedSession {
  const isTimed = times === 'all';
  const calls: PlannedCall[] = [];
  const known: PlannedTurn[] = [];
  const count = random.int(2, 5);
  let atMs = START_MS + random.int(0, 5 * SECOND_MS);
  for (let n = 0; n < count; n++) {
    // Two clients at once in two of five; else before, while or after a pass read what stood.
    if (n > 0 && !random.chance(0.4)) {
      atMs = Math.min(atMs + random.pick([200, 5 * SECOND_MS, 40 * SECOND_MS, 2 * MINUTE_MS]), untilMs - SECOND_MS);
    }
    const turns = Array.from({ length: random.int(1, 2) }, () =>
      drawTurn(random, { k, n: known.length, times, known }),
    );
    const completed = n === count - 1;
    calls.push({ atMs, form: 'append', turns, completed });
    if (random.chance(0.3)) calls.push({ atMs: random.int(atMs, untilMs - 1), form: 'append', turns, completed });
    // What is appended before its time would be history to a file without times.
    if (isTimed && random.chance(0.2)) {
      calls.push({ atMs: atMs + random.pick([0, SECOND_MS]), form: 'file', turns: [...known], completed });
    }
  }
  return { scope, id: `session-${k}`, isTimed, calls: contradict(random, calls) };
}

interface Place {
  readonly k: number;
  readonly n: number;
  readonly times: Form['times'];
  readonly known: PlannedTurn[];
}

/** As it stands in the rendered text: without milliseconds. */
const timeOf = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');

function drawTurn(random: Random, { k, n, times, known }: Place): PlannedTurn {
  const isTimed = times === 'all';
  // No claim slot holds claims of turns with times and of others: of those the order in which they come in decides.
  const entity = isTimed ? random.pick(['Cleo', 'Dan']) : `Eve${k}`;
  const time = random.pick(['', '', ' | 2024-05', ' | 2031-01']);
  const claim = `@claim ${entity} | ${random.pick(['home', 'job'])} | ${random.pick(['north', 'east', 'south'])}${time}`;
  const isQuiet = random.chance(0.25) || times === 'some';
  const said = isQuiet ? 'Nothing much.' : claim;
  const turn = {
    id: `t${n}`,
    speaker: random.pick(['Cleo', 'Dan']),
    text: `Turn ${k}-${n}${random.pick([': ', '\n'])}${said}`,
    ...((isTimed || (times === 'some' && n % 2 === 1)) && {
      at: timeOf(START_MS - 600 * MINUTE_MS + n * MINUTE_MS + k * SECOND_MS),
    }),
  };
  known.push(turn);
  return turn;
}

/** In one session of six that is never sent whole, another client gives other words under an id that is given at that time. */
function contradict(random: Random, calls: readonly PlannedCall[]): readonly PlannedCall[] {
  if (!random.chance(1 / 6) || calls.some(({ form }) => form === 'file')) return calls;
  const call = random.pick(calls);
  const turns = call.turns.map((turn) => ({ ...turn, text: `${turn.text} Or so.` }));
  return [...calls, { ...call, turns, completed: false }];
}
