/** Directed scenarios of sessions that grow, for the mutants. */
import { storm } from './mutant.ts';
import type { Plan } from '../plans/plan.ts';
import { erasuresBeside } from '../plans/session-erase-plan.ts';
import { sessionsOf } from '../plans/session-plan.ts';

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

/** … and their scopes are erased over and over, right when one of them is sent. */
export const erasedBeside =
  (faults: Plan['faults']) =>
  (plan: Plan): Plan => {
    const { requests, ...alone } = grown()(plan);
    const erasing = { erasures: erasuresBeside(plan.seed, alone.sessions), afterwards: [] };
    const writing = requests.filter(({ kind }) => kind === undefined);
    return { ...alone, requests: writing, faults, poison: undefined, dispute: undefined, model: undefined, erasing };
  };
