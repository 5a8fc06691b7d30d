/** Directed scenarios of sessions that grow, for the mutants. */
import { START_MS } from '../engine/kernel.ts';
import { readQuickly } from './erase-scenes.ts';
import { storm } from './mutant.ts';
import type { Plan } from '../plans/plan.ts';
import { erasuresBeside } from '../plans/session-erase-plan.ts';
import { mixedSessionsOf, type PlannedCall, type PlannedSession, sessionsOf } from '../plans/session-plan.ts';

const SECOND_MS = 1000;

/** Nothing but sessions that grow, and these faults. */
export const grown =
  (faults: Plan['faults'] = {}) =>
  (plan: Plan): Plan => ({
    ...storm(faults)(plan),
    erasing: undefined,
    hostile: undefined,
    undoing: [],
    fragments: undefined,
    ingests: [],
    sessions: sessionsOf(plan.seed, plan.scopes, plan.calmFromMs),
  });

/** … of which some turns bear times, of long before they come. */
export const timedInPart = (plan: Plan): Plan => ({
  ...grown()(plan),
  sessions: mixedSessionsOf(plan.seed, plan.scopes, plan.calmFromMs),
});

/** … each turn sent three times at once. */
export const sentAtOnce = (plan: Plan): Plan => {
  const scene = grown()(plan);
  const sessions = scene.sessions.map((session) => ({
    ...session,
    calls: session.calls.flatMap((call) =>
      (call.form === 'append' ? [0, 2, 4] : [0]).map((afterMs) => ({ ...call, atMs: call.atMs + afterMs })),
    ),
  }));
  return { ...scene, sessions, slow: [{ name: 'source:put', forMs: 30, chance: 0.5 }] };
};

/** Its turns as they are appended, each by a call of its own. */
function turnByTurn({ calls }: PlannedSession): PlannedCall[] {
  const appends = calls.filter(({ form }) => form === 'append');
  const turns = new Map(appends.flatMap((call) => call.turns.map((turn) => [turn.id, { ...call, turns: [turn] }])));
  return [...turns.values()];
}

/** … each given whole, again and again: most of them several times at once, by calls of which some die. */
export const givenAtOnce = (plan: Plan): Plan => {
  const scene = grown()(plan);
  // Only by their times is the longer of two files the later one.
  const timed = scene.sessions.filter(({ isTimed }) => isTimed);
  const sessions = timed.map((session) => ({
    ...session,
    calls: turnByTurn(session).map((call, k, all): PlannedCall => {
      const turns = all.slice(0, k + 1).flatMap((one) => one.turns);
      const atMs = START_MS + (k === 0 ? SECOND_MS : 20 * SECOND_MS + 4 * k);
      return { ...call, form: 'file', atMs, turns, completed: true };
    }),
  }));
  return { ...scene, faults: {}, sessions, slow: [{ name: 'evidence:obsolete', forMs: 100 * SECOND_MS, chance: 0.7 }] };
};

/** … and while one client says that a session is complete, as it was, another appends to it. */
export const completedBeside = (plan: Plan): Plan => {
  const scene = readQuickly(grown()(plan));
  const atOf = (k: number): number => START_MS + (1 + 20 * k) * SECOND_MS;
  const sessions = scene.sessions.map((session) => ({
    ...session,
    calls: turnByTurn(session).flatMap((call, k, { [k - 1]: before }) => {
      const again = before && [1, 3, 5, 8, 11, 14].map((ms) => ({ ...before, atMs: atOf(k) + ms, completed: true }));
      return [{ ...call, atMs: atOf(k), completed: k % 2 === 0 }, ...(again ?? [])];
    }),
  }));
  const requests = scene.sessions.flatMap((session) =>
    turnByTurn(session).map((_, k) => ({
      atMs: atOf(k) + 2 * SECOND_MS,
      scope: session.scope,
      origin: 'drain' as const,
      parallel: 1,
      idempotencyKey: undefined,
    })),
  );
  return {
    ...scene,
    faults: {},
    sessions,
    requests,
    settings: { ...scene.settings, completeAfterIdleMs: 10 * 60 * SECOND_MS },
    slow: [{ name: 'evidence:requeue', forMs: 60 }],
  };
};

/** … and their scopes are erased over and over, right when one of them is sent. */
export const erasedBeside =
  (faults: Plan['faults']) =>
  (plan: Plan): Plan => {
    const { requests, ...alone } = grown()(plan);
    const erasing = { erasures: erasuresBeside(plan.seed, alone.sessions), afterwards: [] };
    const writing = requests.filter(({ kind }) => kind === undefined);
    return { ...alone, requests: writing, faults, poison: undefined, dispute: undefined, model: undefined, erasing };
  };
