/** Mutants of what people change: settings at the same moment, what was given up for one reason; and of what nobody settles. */
import type { Store } from '../../../functions/io/ports.ts';
import type { Item } from '../../../schema/request.ts';
import { forPools } from '../plans/deployment-plan.ts';
import { START_MS } from '../engine/kernel.ts';
import { type Mutant, onWrite, rewriting, without } from './mutant.ts';
import type { Plan } from '../plans/plan.ts';
import { poisonOf } from '../plans/poison-plan.ts';
import { asked } from './scope-mutants.ts';
import { manySetters } from '../plans/settings-plan.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

const QUIET = { sessions: [], model: undefined, dispute: undefined, erasing: undefined, hostile: undefined } as const;

/** Many people who change settings, two or more at a time. */
const set = (plan: Plan): Plan => ({
  ...asked({ pauseWrite: 0.05, outliveTimeout: 1 })({ ...plan, ...QUIET }),
  setters: manySetters(plan.seed, plan.scopes, plan.calmFromMs),
});

const setInPools = (plan: Plan): Plan => {
  const deployment = { pools: 3, skewMaxMs: undefined, release: undefined, mistake: undefined };
  const settings = plan.deployment.pools > 1 ? plan.settings : forPools(plan.settings, 3);
  return set({ ...plan, settings, deployment });
};

/** Edited texts that are given up by the eighth minute; then people requeue them by their class, again and again. */
const byClass = (plan: Plan): Plan => {
  const [scopes, mendedAtMs] = [plan.scopes.slice(0, 1), START_MS + 8 * MINUTE_MS];
  const drawn = poisonOf(plan.seed, scopes, mendedAtMs);
  const [neighbours, ...texts] = drawn.ingests;
  const [first] = texts;
  if (!neighbours || !first) return plan;
  // Replaced when it has been given up.
  const edited = {
    ...first,
    atMs: START_MS + 5 * MINUTE_MS,
    sources: first.sources.map((it) => ({
      ...it,
      text: `${it.text}\nEdited.`,
      capturedAtMs: it.capturedAtMs + 60_000,
    })),
  };
  const poison = {
    ...drawn,
    mendedAtMs,
    isByClass: true,
    isDoubled: true,
    requeuesAtMs: Array.from({ length: 10 }, (_, k) => mendedAtMs + k * 12 * SECOND_MS),
    ingests: [neighbours, first, edited],
    requests: Array.from({ length: 36 }, (_, k) => ({
      atMs: START_MS + (2 + 15 * k) * SECOND_MS,
      scope: drawn.scope,
      origin: 'trigger' as const,
      parallel: undefined,
      idempotencyKey: undefined,
    })),
  };
  const { ingests, requests } = poison;
  return { ...plan, ...QUIET, poison, ingests, requests, faults: {}, calmFromMs: mendedAtMs + 3 * MINUTE_MS };
};

/** What an operator's execution reads, shown so. */
const shownTo =
  (show: (item: Item) => Item): NonNullable<Mutant['wrapStore']> =>
  (store, { role }) => {
    if (role !== 'operator') return undefined;
    const get: Store['get'] = async (read) => {
      const item = await store.get(read);
      return item && show(item);
    };
    return { ...onWrite(store, (write, _name, pass) => pass(write)), get };
  };

export const PERSON_MUTANTS: readonly Mutant[] = [
  {
    name: 'setting of all lost to another',
    replaces: 'setLiveSettings whatever was changed since: of two people who set another thing each, one is forgotten',
    caughtBy: ['what was set stays set', 'I5 monotone'],
    within: 20,
    direct: set,
    wrapStore: rewriting(
      'ledger:switch',
      without('#settingsVersion = :seen', 'attribute_not_exists(#settingsVersion)'),
    ),
  },
  {
    name: 'setting of a scope lost to another',
    replaces: 'setScopeSettings whatever was changed since it was read',
    caughtBy: ['what was set stays set', 'I5 monotone'],
    within: 20,
    direct: set,
    wrapStore: rewriting('scope:switch', without('#settingsVersion = :seen', 'attribute_not_exists(#settingsVersion)')),
  },
  {
    name: 'changed from what stood first',
    replaces: 'changeLiveSettings and changeScopeSettings put a change in the place of all that was set before',
    caughtBy: ['what was set stays set'],
    within: 20,
    direct: set,
    wrapStore: shownTo((item) => (item.settings === undefined ? item : { ...item, settings: {} })),
  },
  {
    name: 'pool without a share',
    replaces: 'refuseShareless: what is counted over all is set so low that a pool has nothing of it',
    caughtBy: ['each pool has its share'],
    within: 20,
    direct: setInPools,
    wrapStore: (store, { role }) => {
      if (role !== 'operator') return undefined;
      // The refused change is one of a number that is too low: as if another had been asked for.
      return onWrite(store, (write, name, pass) => {
        const values = (write.kind === 'update' && write.input.ExpressionAttributeValues) || {};
        const settings = values[':set_settings'] as Record<string, number> | undefined;
        if (name !== 'ledger:switch' || write.kind !== 'update' || settings?.maxModelConcurrency === undefined)
          return pass(write);
        const low = { ...settings, maxModelConcurrency: 2 };
        const input = { ...write.input, ExpressionAttributeValues: { ...values, ':set_settings': low } };
        return pass({ ...write, input });
      });
    },
  },
  {
    name: 'orphan left to itself',
    replaces: 'loadSoundUsage counts what is set aside for passes that nobody will ever settle',
    caughtBy: ['what nobody settles is given back'],
    within: 20,
    direct: (plan) => ({ ...plan, ...QUIET, hasOrphans: true }),
    wrapStore: (store, { role }) =>
      role === 'scheduler'
        ? onWrite(store, async (write, name, pass) =>
            name === 'usage:settle' ? { kind: 'won', item: undefined } : pass(write),
          )
        : undefined,
  },
  {
    name: 'class requeued with the others',
    replaces: 'findMeant whatever a source was given up for',
    caughtBy: ['requeued as it was meant'],
    within: 20,
    direct: byClass,
    wrapStore: shownTo((item) => (item.quarantineClass ? { ...item, quarantineClass: 'quote_mismatch' } : item)),
  },
  {
    name: 'class requeued as told by nobody',
    replaces: 'requeueClass tells of all that it looked at, whatever became of it',
    caughtBy: ['a requeue tells what it did'],
    within: 50,
    direct: byClass,
    wrapStore: (store, { role }) =>
      role === 'operator'
        ? onWrite(store, async (write, name, pass) => {
            const outcome = await pass(write);
            return name === 'evidence:reopen' ? { kind: 'won', item: undefined } : outcome;
          })
        : undefined,
  },
];
