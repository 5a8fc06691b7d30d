/** Mutants of a pass that does not start, or breaks off: who is asked again, how often, and who waits for how long. */
import { planCount } from '../../../functions/core/outcome.ts';
import { judgeEntry } from '../../../functions/core/sweeping.ts';
import type { Store } from '../../../functions/io/ports.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { Item } from '../../../schema/request.ts';
import { settleUsage, type UsageItem } from '../../../schema/usage.ts';
import { START_MS } from '../engine/kernel.ts';
import type { Actor } from '../engine/actor.ts';
import type { Plan } from '../plans/plan.ts';
import { type Mutant, onWrite, storm } from './mutant.ts';
import { asked } from './scope-mutants.ts';
import { SIDE_BY_SIDE } from './working-scenes.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const NOTHING = { tokensIn: 0, tokensOut: 0, costMicroUsd: 0 };

/** Who follows a failed invocation is shown its pass so; a tick or a trigger is shown what stands. */
const toldOfFailure =
  (show: (pass: Item, actor: Actor) => Item | undefined): NonNullable<Mutant['wrapStore']> =>
  (store, actor) => {
    if (actor.role !== 'scheduler') return undefined;
    const get: Store['get'] = async (read) => {
      const item = await store.get(read);
      const isTold = actor.failedRequestId !== undefined && String(read.input.Key?.sk).startsWith('PASS#');
      return item && isTold ? show(item, actor) : item;
    };
    return { ...onWrite(store, (write, _name, pass) => pass(write)), get };
  };

/** Nobody is reached for so long that passes are given up which nobody took up. */
const unreached = (plan: Plan): Plan => ({ ...asked({ invokeDrop: 1 })(plan), calmFromMs: START_MS + 20 * MINUTE_MS });

const failing = asked({ executorFail: 1 }, SIDE_BY_SIDE);

type Counted = NonNullable<ReturnType<typeof planCount>>;
const counted = (change: (count: Counted, nowMs: number) => Counted): NonNullable<Mutant['decide']> => ({
  planCount: (counting) => {
    const count = planCount(counting);
    return count && change(count, counting.nowMs);
  },
});

/** A scheduler's reads of this row are shown to it so, where it weighs a budget. */
const shown =
  (row: RegExp, show: (item: Item) => Item): NonNullable<Mutant['wrapStore']> =>
  (store, { role }) => {
    if (role !== 'scheduler') return undefined;
    const get: Store['get'] = async (read) => {
      const item = await store.get(read);
      return item && row.test(String(read.input.Key?.sk)) ? show(item) : item;
    };
    return { ...onWrite(store, (write, _name, pass) => pass(write)), get };
  };

/** People ask once more when closed entries are past their time. */
const askedMuchLater = (plan: Plan): Plan => {
  const scene = asked({}, SIDE_BY_SIDE)(plan);
  const again = scene.requests.slice(0, 6).map((request) => ({ ...request, atMs: request.atMs + 12 * MINUTE_MS }));
  return {
    ...scene,
    erasing: undefined,
    requests: [...scene.requests, ...again],
    calmFromMs: Math.max(plan.calmFromMs, START_MS + 14 * MINUTE_MS),
  };
};

type Reserved = Readonly<Record<string, { readonly expiresAtMs: number; readonly closed?: string }>>;

/** What is set aside on a day's row, as if its time were over. */
const overdue = shown(/^USAGE#/, (item) => {
  const reserved = Object.entries(item.reserved as Reserved);
  return { ...item, reserved: Object.fromEntries(reserved.map(([id, it]) => [id, { ...it, expiresAtMs: 0 }])) };
});

/** … as if what is settled were still set aside. */
const reopened = shown(/^USAGE#/, (item) => {
  const reserved = Object.entries(item.reserved as Reserved).map(([id, { closed, ...it }]) => [
    id,
    closed === 'settled' ? it : { ...it, ...(closed && { closed }) },
  ]);
  return { ...item, reserved: Object.fromEntries(reserved) };
});

/** Whoever reads a day's row gives back what is past its time, whichever ledger lists it. */
const givenBack: NonNullable<Mutant['wrapStore']> = (store, { role, clock, ids }) => {
  if (role !== 'scheduler') return undefined;
  const get: Store['get'] = async (read) => {
    const item = await store.get(read);
    const { pk, sk } = read.input.Key ?? {};
    if (!item || !String(sk).startsWith('USAGE#')) return item;
    const [, scope = '', generation] = String(pk).split('#');
    const address = { scope, generation: Number(generation), day: String(item.day) };
    for (const [passId, reserved] of Object.entries(item.reserved as UsageItem['reserved'])) {
      if (reserved.closed || reserved.expiresAtMs >= clock.nowMs()) continue;
      const closing = { expiresAtMs: clock.nowMs() + LIMITS.usageClosedKeepMs, drop: [], op: ids.fresh() };
      await store.write(settleUsage(address, { passId, reserved, used: NOTHING, ran: false, ...closing }));
    }
    return store.get(read);
  };
  return { ...onWrite(store, (write, _name, pass) => pass(write)), get };
};

/** Finalizers are not woken for longer than a reservation is kept, and people ask then. */
const unfinalized = (plan: Plan): Plan => {
  const scene = asked({ streamDrop: 1 }, SIDE_BY_SIDE)(plan);
  const requests = scene.requests.map((request, k) => ({
    ...request,
    atMs: k < 5 ? request.atMs : START_MS + 33 * MINUTE_MS + k * SECOND_MS,
  }));
  return { ...scene, requests, erasing: undefined, calmFromMs: START_MS + 36 * MINUTE_MS };
};

export const START_MUTANTS: readonly Mutant[] = [
  {
    name: 'too old, and nobody invoked again',
    replaces: 'runFailedInvocation does not invoke again what grew too old on its way: it waits for a sweep',
    caughtBy: ['a failed invocation is followed up'],
    within: 20,
    direct: storm({ invokeLate: 1 }),
    wrapStore: toldOfFailure((pass) => (pass.status === 'admitted' ? undefined : pass)),
  },
  {
    name: 'failed, and left to the sweep',
    replaces: 'runFailedInvocation does not end the pass whose invocation failed',
    caughtBy: ['a failed invocation is followed up'],
    within: 20,
    direct: storm({ killAtRandom: 0.5 }),
    wrapStore: toldOfFailure((pass) => (pass.status === 'running' ? undefined : pass)),
  },
  {
    name: 'ended for the failure of another',
    replaces:
      'runFailedInvocation whichever invocation started the pass: one that came second, and failed, ends the first',
    caughtBy: ['who runs is not given up'],
    within: 20,
    direct: (plan) => ({
      ...asked({ invokeLate: 0.7, killAtRandom: 0.5, executorSlow: 1 }, { passTimeoutMs: 2 * MINUTE_MS })(plan),
      calmFromMs: START_MS + 12 * MINUTE_MS,
    }),
    slow: [{ name: 'pass:start', forMs: 60 * SECOND_MS, chance: 0.5 }],
    wrapStore: toldOfFailure((pass, { failedRequestId }) => ({ ...pass, requestId: failedRequestId })),
  },
  {
    name: 'invoked again for ever',
    replaces: 'judgeEntry without passStartGiveUpMs: a pass that nobody takes up is invoked once a minute, for ever',
    caughtBy: ['who never starts is given up'],
    within: 20,
    direct: unreached,
    decide: {
      judgeEntry: (...given) => {
        const verdict = judgeEntry(...given);
        return verdict.kind === 'expire-unstarted' ? { kind: 'invoke-again' } : verdict;
      },
    },
  },
  {
    name: 'given up at the first look',
    replaces: 'judgeEntry gives up what it would invoke again: a pass whose worker is only late',
    caughtBy: ['who runs is not given up'],
    within: 20,
    direct: storm({ invokeDrop: 0.5 }),
    decide: {
      judgeEntry: (...given) => {
        const verdict = judgeEntry(...given);
        return verdict.kind === 'invoke-again' ? { kind: 'expire-unstarted' } : verdict;
      },
    },
  },
  {
    name: 'given up while it beats',
    replaces: 'judgeEntry takes every running pass for silent, whenever it beat last',
    caughtBy: ['who runs is not given up'],
    within: 20,
    direct: storm({ executorSlow: 0.5 }),
    decide: {
      judgeEntry: (entry, pass, nowMs) => {
        const { status, attempt, heartbeatAtMs } = pass ?? {};
        if (status !== 'running' || attempt === undefined || heartbeatAtMs === undefined)
          return judgeEntry(entry, pass, nowMs);
        return { kind: 'expire-running', attempt, heartbeatAtMs };
      },
    },
  },
  {
    name: 'lost invocation left alone',
    replaces: 'judgeEntry does not invoke again: a pass whose invocation is lost waits until it is given up',
    caughtBy: ['V1 liveness', 'V2 liveness'],
    within: 20,
    direct: storm({ invokeDrop: 0.9 }),
    decide: {
      judgeEntry: (...given) => {
        const verdict = judgeEntry(...given);
        return verdict.kind === 'invoke-again' ? { kind: 'leave' } : verdict;
      },
    },
  },
  {
    name: 'back-off without end',
    replaces: 'backOffUntilMs doubles with each failure, however many there were',
    caughtBy: ['a back-off ends'],
    within: 20,
    direct: failing,
    decide: counted((count) => {
      if (count.move.kind !== 'due' || count.failures === 0) return count;
      const lastMs = count.failureTimesMs.at(-1) ?? 0;
      return { ...count, move: { kind: 'due', atMs: lastMs + LIMITS.backOffBaseMs * 2 ** count.failures } };
    }),
  },
  {
    name: 'never halted',
    replaces: 'mustHalt of nobody: what fails every time is tried for ever',
    caughtBy: ['who fails again and again is halted'],
    within: 20,
    direct: failing,
    decide: counted((count, nowMs) =>
      count.move.kind === 'halt' ? { ...count, move: { kind: 'due', atMs: nowMs + LIMITS.backOffBaseMs } } : count,
    ),
  },
  {
    name: 'orphan before its time',
    replaces: 'findOrphans takes whatever is on no ledger, as it was read before, for what nobody will ever settle',
    caughtBy: ['V2 liveness', 'what is set aside is counted', 'marked last'],
    within: 20,
    direct: (plan) =>
      asked(
        { freeze: 0.1, outliveTimeout: 1 },
        { ...SIDE_BY_SIDE, maxConcurrentPasses: 16, maxPassesPerScope: 8 },
      )(plan),
    wrapStore: overdue,
  },
  {
    name: 'orphan though it is settled',
    replaces:
      'findOrphans takes a closed entry for what is set aside: once its time is over, it is given back once more',
    caughtBy: ['V2 liveness', 'a pass is counted once'],
    within: 20,
    direct: askedMuchLater,
    wrapStore: reopened,
  },
  {
    name: 'orphan though it is listed',
    replaces:
      'findOrphans takes what is past its time for an orphan though a ledger lists its pass, which will settle it',
    caughtBy: ['V2 liveness', 'a pass is counted once'],
    within: 20,
    direct: unfinalized,
    wrapStore: givenBack,
  },
];
