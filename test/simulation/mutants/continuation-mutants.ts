/** Mutants of a scope that goes on by itself, while others wait for the place that it frees. */
import { planAdmissions } from '../../../functions/core/admission.ts';
import { START_MS } from '../engine/kernel.ts';
import { endedEarly } from '../executors/early-ends.ts';
import type { Plan } from '../plans/plan.ts';
import { type Mutant, onWrite } from './mutant.ts';
import { SIDE_BY_SIDE } from './working-scenes.ts';

const SECOND_MS = 1000;

/** One scope with more than it gets through, another with a little, and one place. */
const crowded = (plan: Plan): Plan => {
  const scopes = ['a', 'b'];
  const ingests = Array.from({ length: 30 }, (_, k) => {
    const scope = k < 25 ? 'a' : 'b';
    const text = `Source c${k}, told once.\n@claim Ann | told | ${k}`;
    const source = { scope, id: `c${k}`, text, capturedAtMs: START_MS - k * SECOND_MS, completed: true };
    return { atMs: START_MS + (k < 25 ? k : 10 * k) * 200, scope, sources: [source] };
  });
  return {
    ...plan,
    scopes,
    ingests,
    requests: [],
    faults: {},
    slow: [],
    lagsMaxMs: [0, 0],
    skewMaxMs: 0,
    settings: { ...plan.settings, ...SIDE_BY_SIDE, maxConcurrentPasses: 1, maxPassesPerScope: 1 },
    deployment: { pools: 1, skewMaxMs: undefined, release: undefined, mistake: undefined },
    executorDelayMs: 3000,
    executorLimit: 1,
    model: undefined,
    dispute: undefined,
    erasing: undefined,
    hostile: undefined,
    sessions: [],
    poison: undefined,
    undoing: [],
    slips: [],
    setters: [],
    fragments: undefined,
  };
};

/** Three scopes with more than they get through, two places, and passes of one source that some nobody takes up for a while. */
const full = (plan: Plan): Plan => {
  const scene = endedEarly(crowded(plan));
  const scopes = ['a', 'b', 'c'];
  const twice = scene.ingests.map(({ sources, ...call }) => ({
    ...call,
    sources: sources.map((source) => ({ ...source, id: `${source.id}-again` })),
  }));
  const ingests = [...scene.ingests, ...twice].map((call, k) => {
    const scope = scopes[k % scopes.length] ?? '';
    const sources = call.sources.map((source) => ({ ...source, scope }));
    return { ...call, atMs: START_MS + (k < scopes.length ? 20 * k : k) * SECOND_MS, scope, sources };
  });
  return {
    ...scene,
    scopes,
    ingests,
    faults: { invokeDrop: 0.5 },
    executorDelayMs: 500,
    settings: { ...scene.settings, maxConcurrentPasses: 2 },
  };
};

export const CONTINUATION_MUTANTS: readonly Mutant[] = [
  {
    name: 'continuation alone',
    replaces: 'planTrigger without loadWaiting: a deep scope takes each place that it frees, before any tick looks',
    caughtBy: ['who goes on passes over nobody'],
    within: 20,
    direct: crowded,
    wrapStore: (store, { role, scope }) => {
      if (role !== 'scheduler' || scope !== undefined) return undefined;
      // A tick asks for who is due before it reads the row of any scope.
      let isTick: boolean | undefined;
      const get: typeof store.get = (read) => {
        if (read.input.Key?.sk === 'SCOPE') isTick ??= false;
        return store.get(read);
      };
      const query: typeof store.query = async (read) => {
        const isDue = read.input.IndexName === 'work';
        if (isDue) isTick ??= true;
        return isDue && isTick === false ? { items: [], lastKey: undefined } : store.query(read);
      };
      return { ...onWrite(store, (write, _name, pass) => pass(write)), get, query };
    },
  },
  {
    name: 'as many looked at as there are places',
    replaces:
      'loadWaiting takes the oldest for those that can be served: one that runs all it may stands before the others',
    caughtBy: ['who goes on passes over nobody'],
    within: 20,
    direct: full,
    wrapStore: (store, { role, scope }) => {
      if (role !== 'scheduler' || scope !== undefined) return undefined;
      let own: unknown;
      let free = 0;
      const get: typeof store.get = async (read) => {
        const { pk, sk } = read.input.Key ?? {};
        const item = await store.get(read);
        if (sk === 'SCOPE') own ??= pk;
        if (sk === 'LEDGER') free = 2 - Object.keys((item?.passes as object | undefined) ?? {}).length;
        return item;
      };
      const query: typeof store.query = async (read) => {
        const page = await store.query(read);
        if (read.input.IndexName !== 'work') return page;
        // A tick asks before it reads the row of any scope.
        if (own === undefined) own = '';
        return own === '' ? page : { ...page, items: page.items.filter(({ pk }) => pk !== own).slice(0, free) };
      };
      return { ...onWrite(store, (write, _name, pass) => pass(write)), get, query };
    },
  },
  {
    name: 'continuation before who waits',
    replaces: 'planTrigger puts who goes on before who waits: its due time here, and that of the count, which masks it',
    caughtBy: ['who goes on passes over nobody', 'who waits longest goes first'],
    within: 20,
    direct: crowded,
    decide: {
      planAdmissions: ({ candidates, ...snapshot }, ...given) => {
        const first = candidates.map((it) => (it.request.origin === 'continuation' ? { ...it, dueAtMs: 0 } : it));
        return planAdmissions({ ...snapshot, candidates: first }, ...given);
      },
    },
  },
];
