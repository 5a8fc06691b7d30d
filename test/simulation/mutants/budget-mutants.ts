/** Mutants of a day's budget: what it refuses of what is admitted, what binds it, and on which day it is counted. */
import type { Store } from '../../../functions/io/ports.ts';
import type { Item, Write } from '../../../schema/request.ts';
import type { TriggerOutcome } from '../../../schema/trigger.ts';
import { dayOf } from '../../../schema/usage.ts';
import { START_MS } from '../engine/kernel.ts';
import { modelOf, type PlannedModel } from '../executors/model.ts';
import type { Plan } from '../plans/plan.ts';
import { drained } from './limit-mutants.ts';
import { type Mutant, onWrite, rewriting, without } from './mutant.ts';
import { outbid, OUTBID_SLOW } from './working-scenes.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A budget that several passes at once are too many for. */
const bounded =
  (model: Partial<PlannedModel>) =>
  (plan: Plan): Plan => {
    const { settings, deployment, ...scene } = outbid(plan);
    const { budgetPasses: _, ...others } = settings;
    const drawn = modelOf(plan.seed, plan.calmFromMs);
    return {
      ...scene,
      settings: others,
      deployment: { ...deployment, release: undefined },
      model: { ...drawn, budgetPasses: 50, awayFromMs: START_MS, awayUntilMs: START_MS, ...model },
      setters: [],
    };
  };

const SLOW_TO_RESERVE: Mutant['slow'] = [{ name: 'usage:reserve', forMs: 5 * SECOND_MS, chance: 0.5 }];

/** A reservation that finds room for all of one kind. */
const boundless = (counter: string): NonNullable<Mutant['wrapStore']> =>
  rewriting('usage:reserve', (write) => {
    const values = write.input.ExpressionAttributeValues;
    const room = `:room_${counter}`;
    if (values?.[room] === undefined) return write;
    return { ...write, input: { ...write.input, ExpressionAttributeValues: { ...values, [room]: 1e12 } } } as Write;
  });

/** Everything comes in the last minute of a day; people ask for a while, from ten seconds after that began. */
const overMidnight =
  (faults: Plan['faults'], askingForS: number, model: Partial<PlannedModel> = {}) =>
  (plan: Plan): Plan => {
    const scene = bounded(model)(plan);
    const fromMs = DAY_MS - MINUTE_MS;
    return {
      ...scene,
      faults,
      calmFromMs: START_MS + DAY_MS + 6 * MINUTE_MS,
      ttlDelayMs: undefined,
      ingests: plan.ingests.map((call) => ({ ...call, atMs: START_MS + fromMs + (call.atMs % (20 * SECOND_MS)) })),
      settings: { ...scene.settings, passTimeoutMs: 30 * SECOND_MS },
      requests: Array.from({ length: 40 }, (_, k) => ({
        atMs: START_MS + fromMs + 10 * SECOND_MS + k * askingForS * 25,
        scope: plan.scopes[k % plan.scopes.length] ?? '',
        origin: 'drain' as const,
        parallel: 3,
        idempotencyKey: undefined,
      })),
    };
  };

const isDayEnd = (timeMs: number): boolean => timeMs % DAY_MS === 0;
const isUsage = (key: { readonly sk?: unknown } | undefined): boolean => String(key?.sk).startsWith('USAGE#');

/** An update of a day's row that goes to another day's. */
function onDay(write: Write, day: string): Write {
  if (write.kind !== 'update') return write;
  const { Key, ExpressionAttributeValues: values } = write.input;
  const named = values?.[':set_day'] === undefined ? values : { ...values, ':set_day': day };
  return {
    ...write,
    input: { ...write.input, Key: { ...Key, sk: `USAGE#${day}` }, ExpressionAttributeValues: named },
  } as Write;
}

/** A budget's answer to a scheduler: which passes it refused. */
const refusedOf = (write: Write): string => String(write.input.ExpressionAttributeNames?.['#pass']);

export const BUDGET_MUTANTS: readonly Mutant[] = [
  {
    name: 'unaffordable pass left on the ledger',
    replaces:
      'beginPass leaves the entry of a pass that its budget refused: it takes a place, and nobody will ever end it',
    caughtBy: ['V2 liveness'],
    within: 20,
    direct: outbid,
    slow: OUTBID_SLOW,
    wrapStore: (store, { role }) => {
      if (role !== 'scheduler') return undefined;
      const refused = new Set<string>();
      return onWrite(store, async (write, name, pass) => {
        if (name === 'ledger:remove' && refused.has(refusedOf(write))) return { kind: 'won', item: undefined };
        const outcome = await pass(write);
        if (name === 'usage:refuse' && outcome.kind === 'won') refused.add(refusedOf(write));
        return outcome;
      });
    },
  },
  {
    name: 'unaffordable pass told as admitted',
    replaces: 'beginAll answers the plan as it was: a person is told of a pass that its budget refused',
    caughtBy: ['a trigger is answered'],
    within: 20,
    direct: bounded({ budgetPasses: 2 }),
    slow: SLOW_TO_RESERVE,
    wrapStore: (store, { role }) => {
      if (role !== 'scheduler') return undefined;
      const refused: string[] = [];
      return onWrite(store, async (write, name, pass) => {
        if (name === 'trigger:refusal' && refused.length > 0) return { kind: 'held', stored: undefined };
        if (name === 'trigger:outcome' && refused.length > 0) return pass(tellingOf(write, refused));
        const outcome = await pass(write);
        if (name === 'usage:refuse' && outcome.kind === 'won') refused.push(refusedOf(write));
        return outcome;
      });
    },
  },
  {
    name: 'budget of tokens read without its bound',
    replaces: 'reserveUsage without the room that is left of the tokens read',
    caughtBy: ['a budget is kept'],
    within: 20,
    direct: bounded({ budgetTokensIn: 60_000 }),
    slow: SLOW_TO_RESERVE,
    wrapStore: boundless('tokensIn'),
  },
  {
    name: 'budget of tokens written without its bound',
    replaces: 'reserveUsage without the room that is left of the tokens written',
    caughtBy: ['a budget is kept'],
    within: 20,
    direct: bounded({ budgetTokensOut: 15_000 }),
    slow: SLOW_TO_RESERVE,
    wrapStore: boundless('tokensOut'),
  },
  {
    name: 'budget in money without its bound',
    replaces: 'reserveUsage whatever was spent since the pass was planned',
    caughtBy: ['a budget is kept'],
    within: 20,
    direct: bounded({ budgetCents: 1, costMicroUsd: 3000 }),
    slow: [{ name: 'usage:reserve', forMs: 20 * SECOND_MS, chance: 0.5 }],
    wrapStore: boundless('costMicroUsd'),
  },
  {
    name: 'nothing set aside',
    replaces:
      'reserveUsage counts a pass, and none of the tokens that it may spend: several at once have the same room',
    caughtBy: ['what is set aside is counted'],
    within: 20,
    direct: bounded({}),
    wrapStore: rewriting('usage:reserve', asideNothing),
  },
  {
    name: 'pass that never ran counted',
    replaces:
      'settleBudget takes a pass that nobody ever started for one that ran: it takes from the budget of its day',
    caughtBy: ['what was spent is counted', 'V2 liveness'],
    within: 20,
    direct: (plan) => ({ ...bounded({})(plan), faults: { invokeDrop: 1 }, calmFromMs: START_MS + 14 * MINUTE_MS }),
    wrapStore: rewriting('usage:settle', (write) => {
      const values = { ...write.input.ExpressionAttributeValues, ':add_passes': 0 };
      return { ...write, input: { ...write.input, ExpressionAttributeValues: values } } as Write;
    }),
  },
  {
    name: 'first of the day, whoever was before',
    replaces: 'reserveUsage makes the row of a day that is there: what stood in it is forgotten',
    caughtBy: ['reserved before it begins', 'V2 liveness', 'marked last'],
    within: 20,
    direct: bounded({}),
    slow: SLOW_TO_RESERVE,
    wrapStore: (store) =>
      onWrite(store, (write, name, pass) =>
        pass(name === 'usage:reserve' ? without('attribute_not_exists(#pk)')(write) : write),
      ),
  },
  {
    name: 'settled on the day it ends',
    replaces: 'settleBudget looks for the reservation on the day of the finalizer: that of a pass over midnight stays',
    caughtBy: ['marked last'],
    within: 20,
    direct: overMidnight({ executorSlow: 0.5 }, 80),
    wrapStore: (store, { role, clock }) => {
      if (role !== 'finalizer') return undefined;
      const get: Store['get'] = (read) => {
        const { Key } = read.input;
        if (!isUsage(Key)) return store.get(read);
        return store.get({ ...read, input: { ...read.input, Key: { ...Key, sk: `USAGE#${dayOf(clock.nowMs())}` } } });
      };
      return { ...onWrite(store, (write, _name, pass) => pass(write)), get };
    },
  },
  {
    name: 'reserved on the day of the repair',
    replaces: 'reserveBudget by the day of who asks: a sweep after midnight does not meet what was reserved before it',
    caughtBy: ['marked last', 'V2 liveness', 'a pass is counted once'],
    within: 20,
    direct: overMidnight({}, 80),
    slow: [{ name: 'usage:reserve', forMs: 40 * SECOND_MS, chance: 0.5 }],
    wrapStore: (store, { role, clock }) =>
      role === 'scheduler'
        ? onWrite(store, (write, name, pass) =>
            pass(/^usage:(reserve|refuse)$/.test(name) ? onDay(write, dayOf(clock.nowMs())) : write),
          )
        : undefined,
  },
  {
    name: 'put off for two days',
    replaces: 'dayEndMs of the day after: who waits for a budget is looked at when that has been there for a day',
    caughtBy: ['who waits for a budget waits for a day'],
    within: 20,
    direct: drained,
    wrapStore: rewriting('scope:defer', (write) => {
      const values = write.input.ExpressionAttributeValues;
      const dueAtMs = Number(values?.[':set_workDueAtMs']);
      if (!isDayEnd(dueAtMs)) return write;
      const later = { ...values, ':set_workDueAtMs': dueAtMs + DAY_MS };
      return { ...write, input: { ...write.input, ExpressionAttributeValues: later } } as Write;
    }),
  },
  {
    name: 'refusal of yesterday forgotten',
    replaces: 'findPlanned asks the day that is: what was refused right before midnight is planned again after it',
    caughtBy: ['I8 idempotent trigger'],
    within: 20,
    direct: overMidnight({ crashAfterWrite: 0.1, executorSkip: 1 }, 45, { budgetPasses: 2 }),
    slow: [{ name: 'usage:reserve', forMs: 5 * SECOND_MS, chance: 0.5 }],
    wrapStore: (store, { role, clock }) => {
      if (role !== 'scheduler') return undefined;
      const get: Store['get'] = async (read) => {
        const item = await store.get(read);
        return isUsage(read.input.Key) && item?.day !== dayOf(clock.nowMs()) ? undefined : item;
      };
      return { ...onWrite(store, (write, _name, pass) => pass(write)), get };
    },
  },
];

function asideNothing(write: Write): Write {
  const values: Item = { ...write.input.ExpressionAttributeValues };
  for (const name of [':add_tokensIn', ':add_tokensOut', ':set_tokensIn', ':set_tokensOut'])
    if (values[name] !== undefined) values[name] = 0;
  return { ...write, input: { ...write.input, ExpressionAttributeValues: values } } as Write;
}

/** The outcome of a trigger as if all of it had begun. */
function tellingOf(write: Write, more: readonly string[]): Write {
  const values: Item = { ...write.input.ExpressionAttributeValues };
  const outcome = values[':set_outcome'] as TriggerOutcome;
  const passIds = [...new Set([...outcome.passIds, ...more])];
  values[':set_outcome'] = { ...outcome, passIds, effective: passIds.length, refused: [] };
  return { ...write, input: { ...write.input, ExpressionAttributeValues: values } } as Write;
}
