/** Mutants of the moves of a pass: who begins it, who may say that it is over, and what stands before each. */
import type { Store } from '../../../functions/io/ports.ts';
import type { Write } from '../../../schema/request.ts';
import { START_MS } from '../engine/kernel.ts';
import { type Mutant, onWrite, rewriting, storm, without } from './mutant.ts';
import { asked } from './scope-mutants.ts';
import { outbid, OUTBID_SLOW, SIDE_BY_SIDE } from './working-scenes.ts';

const ADMITTED = '#status = :admitted';
/** Writes and executions that come long after others went on. */
const LATE = { pauseWrite: 0.2, outliveTimeout: 1, invokeDouble: 0.5 };

const SECOND_MS = 1000;
/** Long enough for passes that nobody takes up to be given up. */
const LONG_MS = START_MS + 20 * 60 * SECOND_MS;

/** Holds the first of these back until the other was sent. */
const afterIt =
  (held: string, other: string) =>
  (store: Store): Store => {
    const waiting: Write[] = [];
    return onWrite(store, async (write, name, pass) => {
      if (name === held) {
        waiting.push(write);
        return { kind: 'won', item: undefined };
      }
      const outcome = await pass(write);
      if (name === other) for (const late of waiting.splice(0)) await pass(late);
      return outcome;
    });
  };

export const PASS_MUTANTS: readonly Mutant[] = [
  {
    name: 'pass row put over',
    replaces: 'putPass whatever stands: a scheduler that stood still begins anew what the sweep began for it',
    caughtBy: ['I7 one end'],
    within: 50,
    direct: storm(LATE),
    wrapStore: rewriting('pass:put', without('attribute_not_exists(#pk)')),
  },
  {
    name: 'pass begun before its budget',
    replaces: 'beginPass puts the PASS row, and reserves after it',
    caughtBy: ['reserved before it begins', 'I7 one end'],
    within: 20,
    wrapStore: (store, { role }) => (role === 'scheduler' ? afterIt('usage:reserve', 'pass:put')(store) : undefined),
  },
  {
    name: 'started by whoever comes',
    replaces: 'startPass whatever the pass is by now: of a doubled invocation both run',
    caughtBy: ['I7 one end'],
    within: 20,
    direct: storm({ invokeDouble: 1 }),
    wrapStore: rewriting('pass:start', without(ADMITTED)),
  },
  {
    name: 'beat of what has ended',
    replaces: 'heartbeatPass whatever the pass is by now',
    caughtBy: ['I7 one end'],
    within: 50,
    direct: storm({ cancelPass: 1, executorSlow: 0.5 }),
    wrapStore: rewriting('pass:beat', without('#status = :running', '#attempt = :attempt')),
  },
  {
    name: 'invoked again whatever it is',
    replaces: 'noteInvoked of a pass that started or ended meanwhile',
    caughtBy: ['I7 one end'],
    within: 100,
    direct: storm({ invokeLate: 0.5, invokeDrop: 0.3, pauseWrite: 0.3, outliveTimeout: 1 }),
    wrapStore: rewriting('pass:note-invoked', without(ADMITTED)),
  },
  {
    name: 'given up though it started',
    replaces: 'expireUnstartedPass of a pass that started at last',
    caughtBy: ['who runs is not given up', 'I7 one end'],
    within: 100,
    direct: (plan) =>
      asked({ invokeLate: 1, invokeDrop: 0.9, failureDrop: 1, outliveTimeout: 1 })({ ...plan, calmFromMs: LONG_MS }),
    slow: [{ name: 'pass:expired', forMs: 90_000 }],
    wrapStore: rewriting('pass:expired', without(ADMITTED)),
  },
  {
    name: 'given up though it beat',
    replaces: 'expireRunningPass whatever it beat since it was judged',
    caughtBy: ['who runs is not given up', 'I7 one end'],
    within: 20,
    // Its beats are long on their way too: one comes when it was judged.
    direct: (plan) => {
      const settings = { ...SIDE_BY_SIDE, passTimeoutMs: 30 * SECOND_MS };
      const scene = asked({ outliveTimeout: 1, tickDouble: 1, executorSlow: 1 }, settings)(plan);
      return { ...scene, calmFromMs: plan.calmFromMs + 300 * SECOND_MS };
    },
    slow: [
      { name: 'pass:beat', forMs: 60 * SECOND_MS, chance: 0.3 },
      { name: 'pass:expired', forMs: 20 * SECOND_MS },
    ],
    wrapStore: rewriting('pass:expired', without('#heartbeatAtMs = :heartbeat')),
  },
  {
    name: 'cancelled whatever it is',
    replaces: 'cancelPass of a pass that ended before',
    caughtBy: ['I7 one end'],
    within: 50,
    direct: storm({ cancelPass: 1, streamDrop: 0.9, pauseWrite: 0.1 }),
    wrapStore: rewriting('pass:cancelled', without('#status IN (:admitted, :running)')),
  },
  {
    name: 'refused over a reservation',
    replaces: 'refuseUsage of a pass that was reserved for meanwhile',
    caughtBy: ['I7 one end', 'the ledger outlives the pass', 'V2 liveness'],
    within: 20,
    direct: outbid,
    slow: OUTBID_SLOW,
    wrapStore: rewriting('usage:refuse', without('attribute_not_exists(#reserved.#pass)')),
  },
  {
    name: 'refusal that lost believed',
    replaces: 'reserveBudget takes a refusal that was held for one that stands: what the sweep began is off the ledger',
    caughtBy: ['the ledger outlives the pass', 'a trigger is answered'],
    within: 20,
    direct: outbid,
    slow: OUTBID_SLOW,
    wrapStore: (store, { role }) =>
      role === 'scheduler'
        ? onWrite(store, async (write, name, pass) => {
            const outcome = await pass(write);
            return name === 'usage:refuse' ? { kind: 'won', item: undefined } : outcome;
          })
        : undefined,
  },
];
