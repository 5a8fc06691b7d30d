/** Mutants of how a scope is marked when a person puts back what was given up: before, for a call that dies, and after. */
import { START_MS } from '../engine/kernel.ts';
import type { Plan } from '../plans/plan.ts';
import { type Mutant, onWrite } from './mutant.ts';
import { givenUp } from './working-scenes.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const GIVEN_UP_MS = 8 * MINUTE_MS;

/** Nobody asks any more when it is given up; then its scope goes idle, and people requeue it so long after. */
const leftAlone =
  (requeuedAfterMs: number, isByClass: boolean, calmAfterMs: number) =>
  (plan: Plan): Plan => {
    const requeuedAtMs = START_MS + GIVEN_UP_MS + requeuedAfterMs;
    const scene = givenUp({ outliveTimeout: 1 }, { requeuesAtMs: [requeuedAtMs], isByClass })(plan);
    const requests = scene.requests.filter(({ atMs }) => atMs < START_MS + GIVEN_UP_MS);
    return { ...scene, requests, calmFromMs: requeuedAtMs + calmAfterMs };
  };

/** An operator whose call is slow: meanwhile its scope is found empty twice. */
const slowly = (isByClass: boolean) => leftAlone(20 * SECOND_MS, isByClass, 14 * MINUTE_MS);
/** … whose call dies of its own timeout while its write is on its way. */
const dying =
  (isByClass: boolean) =>
  (plan: Plan): Plan => ({ ...leftAlone(9 * MINUTE_MS, isByClass, 2 * MINUTE_MS)(plan), faults: {} });

const MARKS = /^scope:(mark|note)$/;

/** An operator marks on one side of what it puts back. */
const marking =
  (side: 'before' | 'after'): NonNullable<Mutant['wrapStore']> =>
  (store, actor, world) => {
    if (actor.role !== 'operator') return undefined;
    let hasPutBack = false;
    return onWrite(store, async (write, name, pass) => {
      if (name === 'evidence:reopen') hasPutBack = true;
      if (!MARKS.test(name) || hasPutBack === (side === 'after')) return pass(write);
      return { kind: 'won', item: world.tables.peek(`SCOPE#${actor.scope}`, 'SCOPE') };
    });
  };

const caughtBy = ['V1 liveness'];

export const REQUEUE_MUTANTS: readonly Mutant[] = [
  {
    name: 'scope marked before it is requeued alone',
    replaces: 'the second mark of requeue: so slow a call that its scope was found empty twice meanwhile',
    caughtBy,
    within: 20,
    direct: slowly(false),
    slow: [{ name: 'evidence:reopen', role: 'operator', forMs: 12 * MINUTE_MS }],
    wrapStore: marking('before'),
  },
  {
    name: 'scope marked after it is requeued alone',
    replaces: 'the first mark of requeue: a call that dies behind what it puts back is refused when it is sent again',
    caughtBy,
    within: 20,
    direct: dying(false),
    slow: [{ name: 'evidence:reopen', role: 'operator', forMs: 12 * SECOND_MS }],
    wrapStore: marking('after'),
  },
  {
    name: 'scope marked before its class is requeued alone',
    replaces: 'the second mark of requeueClass, as of a single one',
    caughtBy,
    within: 20,
    direct: slowly(true),
    slow: [{ name: 'evidence:reopen', role: 'operator', forMs: 12 * MINUTE_MS }],
    wrapStore: marking('before'),
  },
  {
    name: 'scope marked after its class is requeued alone',
    replaces: 'the first mark of requeueClass, as of a single one',
    caughtBy,
    within: 20,
    direct: dying(true),
    slow: [{ name: 'evidence:reopen', role: 'operator', forMs: 12 * SECOND_MS }],
    wrapStore: marking('after'),
  },
];
