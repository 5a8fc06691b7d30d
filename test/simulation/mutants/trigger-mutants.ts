/** Mutants of what becomes of a trigger: that its outcome is one, is true, and is told. */
import type { Store } from '../../../functions/io/ports.ts';
import type { Item } from '../../../schema/request.ts';
import { START_MS } from '../engine/kernel.ts';
import { type Mutant, onWrite, rewriting, without } from './mutant.ts';
import type { Plan, PlannedRequest } from '../plans/plan.ts';
import { asked } from './scope-mutants.ts';
import { away, SIDE_BY_SIDE } from './working-scenes.ts';
import type { SlowWrite } from '../engine/slow-writes.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

/** Each message comes twice, one copy long after the other, while work comes and goes. */
const inCopies = asked(
  { triggerDouble: 1, triggerLate: 0.5, executorFail: 0.5, outliveTimeout: 1 },
  { maxConcurrentPasses: 4, maxPassesPerScope: 2 },
);

/** The same at once, while one copy of the index shows what the other does not: each copy finds another backlog. */
const seenApart = (plan: Plan): Plan => {
  const scope = plan.scopes[0] ?? '';
  const calls = Array.from({ length: 30 }, (_, k) => {
    const text = `Source t${k}, told once.\n@claim Ann | told | ${k}`;
    const source = { scope, id: `t${k}`, text, capturedAtMs: START_MS - k * SECOND_MS, completed: true };
    return { atMs: START_MS + 8 * k * SECOND_MS, scope, sources: [source] };
  });
  return {
    ...asked({ triggerDouble: 1 }, { maxConcurrentPasses: 4, maxPassesPerScope: 3 })(plan),
    ingests: calls,
    requests: calls.flatMap(({ atMs }) => askedAt(scope, atMs + 2 * SECOND_MS)),
    calmFromMs: START_MS + 5 * MINUTE_MS,
    lagsMaxMs: [0, 20 * SECOND_MS],
    model: undefined,
    dispute: undefined,
    erasing: undefined,
    setters: [],
  };
};

/** The same for several passes at once. */
const sideBySide = (plan: Plan): Plan => ({
  ...plan,
  settings: { ...plan.settings, ...SIDE_BY_SIDE },
  requests: plan.requests.map((request) => ({ ...request, parallel: 3 })),
});

const askedAt = (scope: string, atMs: number): PlannedRequest[] => [
  { atMs, scope, origin: 'drain', parallel: 1, idempotencyKey: undefined },
];

/** Somebody gives something and asks at once, while the index is a little behind. */
const givenAndAsked = (plan: Plan): Plan => {
  const given = seenApart(plan);
  const requests = given.ingests.flatMap(({ scope, atMs }) => askedAt(scope, atMs + 300));
  return { ...given, requests, faults: {}, lagsMaxMs: [900, 900] };
};

/** One key in three calls at the same moment, before there is anything. */
const refusedTogether = (plan: Plan): Plan => {
  const scope = plan.scopes[0] ?? '';
  const keys = Array.from({ length: 20 }, (_, k) => ({ k, atMs: START_MS + k * SECOND_MS }));
  return {
    ...plan,
    requests: keys.flatMap(({ k, atMs }) =>
      [0, 300, 301, 302].map((afterMs) => ({
        atMs: atMs + afterMs,
        scope,
        origin: 'trigger' as const,
        parallel: undefined,
        idempotencyKey: `together-${k}`,
      })),
    ),
    ingests: plan.ingests.map((call) => ({ ...call, atMs: Math.max(call.atMs, START_MS + MINUTE_MS) })),
    faults: {},
    erasing: undefined,
  };
};

/** A scheduler's reads, each shown so; `hasAnnounced`: after it announced a refusal. */
const shown =
  (show: (item: Item, hasAnnounced: boolean) => Item | undefined): NonNullable<Mutant['wrapStore']> =>
  (store, { role, scope }) => {
    if (role !== 'scheduler' || scope === undefined) return undefined;
    let hasAnnounced = false;
    const get: Store['get'] = async (read) => {
      const item = await store.get(read);
      return item && show(item, hasAnnounced);
    };
    const noted = onWrite(store, (write, name, pass) => {
      if (name === 'trigger:refusal') hasAnnounced = true;
      return pass(write);
    });
    return { ...noted, get };
  };

/** A plan is made, and comes to the ledger when others are through. */
const SLOW_TO_ADMIT: readonly SlowWrite[] = [{ name: 'ledger:admit', role: 'scheduler', forMs: 3 * SECOND_MS }];

/** Writes of the scheduler that never leave it, though it takes them for done. */
const unsent =
  (gone: string): NonNullable<Mutant['wrapStore']> =>
  (store, { role }) =>
    role === 'scheduler'
      ? onWrite(store, async (write, name, pass) => (name === gone ? { kind: 'won', item: undefined } : pass(write)))
      : undefined;

export const TRIGGER_MUTANTS: readonly Mutant[] = [
  {
    name: 'what was told not asked for',
    replaces: 'planTrigger without loadTold: a late copy of a message admits for a trigger that was refused',
    caughtBy: ['what was refused stays refused', 'one key, one trigger'],
    within: 20,
    direct: inCopies,
    wrapStore: shown((item) => (item.sk === 'TRIGGER' ? undefined : item)),
  },
  {
    name: 'told asked for once',
    replaces:
      'planTrigger asks what was told before the first round alone: who lost the ledger to a refusal admits all the same',
    caughtBy: ['what was refused stays refused'],
    within: 20,
    direct: seenApart,
    slow: SLOW_TO_ADMIT,
    wrapStore: (store, { role, scope }) => {
      if (role !== 'scheduler' || scope === undefined) return undefined;
      let first: ReturnType<Store['get']> | undefined;
      const get: Store['get'] = (read) => {
        if (read.input.Key?.sk !== 'TRIGGER') return store.get(read);
        first ??= store.get(read);
        return first;
      };
      return { ...onWrite(store, (write, _name, pass) => pass(write)), get };
    },
  },
  {
    name: 'announcement passed over',
    replaces: 'loadTold takes an outcome alone for told: what comes between announcement and record is admitted',
    caughtBy: ['a trigger is answered', 'what was refused stays refused'],
    within: 20,
    direct: seenApart,
    slow: [{ name: 'trigger:outcome', forMs: 8 * SECOND_MS }, ...SLOW_TO_ADMIT],
    wrapStore: shown((item) => ({ ...item, refusal: undefined })),
  },
  {
    name: 'half of a trigger told',
    replaces:
      'servedBefore looks at the ledger once: rows that are put one by one are taken for all that a copy admitted',
    caughtBy: ['a trigger is answered'],
    within: 50,
    direct: (plan) => sideBySide(seenApart(plan)),
    slow: [
      { name: 'pass:get', role: 'scheduler', forMs: 50, chance: 0.3 },
      { name: 'pass:put', role: 'scheduler', forMs: 3 * SECOND_MS, chance: 0.5 },
    ],
    wrapStore: (store, { role, scope }) => {
      if (role !== 'scheduler' || scope === undefined) return undefined;
      const ledgers = new Map<string, ReturnType<Store['get']>>();
      let hasLooked = false;
      const get: Store['get'] = (read) => {
        const { pk, sk } = read.input.Key ?? {};
        if (String(sk).startsWith('PASS#')) hasLooked = true;
        if (sk !== 'LEDGER') return store.get(read);
        const known = ledgers.get(String(pk));
        if (known && hasLooked) return known;
        const found = store.get(read);
        ledgers.set(String(pk), found);
        return found;
      };
      const noted = onWrite(store, (write, _name, pass) => {
        // What it writes it plans from the ledger that it read last, or reads it anew after.
        ledgers.clear();
        hasLooked = false;
        return pass(write);
      });
      return { ...noted, get };
    },
  },
  {
    name: 'refusal not announced',
    replaces: 'tellOutcome records a refusal at once: a copy that has planned before comes to the ledger after it',
    caughtBy: ['what was refused stays refused', 'a trigger is answered'],
    within: 50,
    direct: seenApart,
    slow: SLOW_TO_ADMIT,
    wrapStore: (store, actor, world) => {
      if (actor.role !== 'scheduler') return undefined;
      return onWrite(store, async (write, name, pass) => {
        if (name !== 'trigger:refusal' || write.kind !== 'update') return pass(write);
        const row = world.tables.peek(String(write.input.Key?.pk), 'TRIGGER');
        // As if the trigger had no row: then nothing is announced, and nothing looked at again.
        return row ? { kind: 'held', stored: undefined } : pass(write);
      });
    },
  },
  {
    name: 'refusal leaves plans standing',
    replaces: 'confirmRefusal without outdatePlans: what a copy planned before is still good for the ledger',
    caughtBy: ['what was refused stays refused'],
    within: 50,
    direct: seenApart,
    slow: SLOW_TO_ADMIT,
    wrapStore: unsent('ledger:switch'),
  },
  {
    name: 'refusal not looked at again',
    replaces: 'confirmRefusal without a second look: a copy that was on the ledger before is told as refused',
    caughtBy: ['a trigger is answered'],
    within: 50,
    direct: seenApart,
    // An announcement is long enough on its way for the other copy to be on the ledger, and not to have told.
    slow: [
      { name: 'trigger:refusal', forMs: 2 * SECOND_MS },
      { name: 'trigger:outcome', forMs: 8 * SECOND_MS, chance: 0.5 },
    ],
    wrapStore: shown((item, hasAnnounced) => {
      if (!hasAnnounced) return item;
      return item.sk === 'LEDGER' ? { ...item, passes: {} } : String(item.sk).startsWith('PASS#') ? undefined : item;
    }),
  },
  {
    name: 'outcome told to nobody',
    replaces: 'runTrigger does not record what came of its trigger',
    caughtBy: ['a trigger is answered'],
    within: 20,
    wrapStore: unsent('trigger:outcome'),
  },
  {
    name: 'outcome recorded over another',
    replaces: 'recordOutcome whatever was recorded before',
    caughtBy: ['a trigger is answered'],
    within: 50,
    direct: seenApart,
    wrapStore: rewriting('trigger:outcome', without('attribute_not_exists(#outcome)')),
  },
  {
    name: 'outcome of what nobody asked',
    replaces: 'recordOutcome and announceRefusal without a row: they make one that goes by no TTL',
    caughtBy: ['a trigger is answered'],
    within: 20,
    // Who proves a provider asks for those that were held back: such a trigger has no row, and may be refused.
    direct: away(true, { triggerDouble: 1, triggerLate: 0.5 }),
    wrapStore: rewriting(/^trigger:(outcome|refusal)$/, without('attribute_exists(#pk)')),
  },
  {
    name: 'looks once, whatever it was just given',
    replaces: 'loadAsked without its second look: who gave something and asks is told that there is nothing to do',
    caughtBy: ['who gave is not told of nothing'],
    within: 20,
    direct: givenAndAsked,
    wrapStore: (store, { role, scope }) => {
      if (role !== 'scheduler' || scope === undefined) return undefined;
      const answers = new Map<string, ReturnType<Store['query']>>();
      const query: Store['query'] = (read) => {
        // Its bounds move with the clock; what it asks for does not.
        const asks = JSON.stringify(read.input).replace(/\d+/g, '');
        const answer = answers.get(asks) ?? store.query(read);
        answers.set(asks, answer);
        return answer;
      };
      return { ...onWrite(store, (write, _name, pass) => pass(write)), query };
    },
  },
  {
    name: 'lost key waited for',
    replaces: 'bind asks once: who loses its key to a call that was refused at once waits for what nobody will tell',
    caughtBy: ['a trigger is answered'],
    within: 20,
    direct: refusedTogether,
    wrapStore: (store, { role, clock }) => {
      if (role !== 'trigger') return undefined;
      let hasLost = false;
      const noted = onWrite(store, async (write, name, pass) => {
        const outcome = await pass(write);
        if (name === 'trigger:rebind' && outcome.kind === 'held') hasLost = true;
        return outcome;
      });
      const get: Store['get'] = async (read) => {
        const item = await store.get(read);
        const { pk, sk } = read.input.Key ?? {};
        if (item || !hasLost || sk !== 'TRIGGER') return item;
        const triggerId = String(pk).slice('TRIGGER#'.length);
        const asks = { origin: 'trigger', kind: 'incremental', scope: '' };
        return { pk, sk, v: 1, triggerId, ...asks, requestedAtMs: clock.nowMs() } as Item;
      };
      return { ...noted, get };
    },
  },
];
