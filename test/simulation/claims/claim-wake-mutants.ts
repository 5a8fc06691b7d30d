/** Mutants of how an attention wakes its scope: the mark before it, and the mark after it. */
import type { Item, Outcome } from '../../../schema/request.ts';
import { sortKeyOf } from './claim-stores.ts';
import { START_MS } from '../engine/kernel.ts';
import { modelOf } from '../executors/model.ts';
import { type Mutant, onWrite } from '../mutants/mutant.ts';
import type { Plan } from '../plans/plan.ts';

const MINUTE_MS = 60_000;
const CAUGHT_BY = ['an attention wakes its scope'];

/**
 * Two things are said of one time in a scope in which one source was read long before; nothing but these faults, and long
 * enough for a scope that was woken to go idle again.
 */
const saidLate =
  (faults: Plan['faults']) =>
  (plan: Plan): Plan => {
    const [call] = plan.ingests;
    const scope = call?.scope ?? '';
    return {
      ...plan,
      scopes: [scope],
      deployment: { ...plan.deployment, mistake: undefined },
      settings: { ...plan.settings, passTimeoutMs: 5 * MINUTE_MS },
      model: { ...modelOf(plan.seed, plan.calmFromMs), budgetPasses: 50, awayFromMs: START_MS, awayUntilMs: START_MS },
      erasing: undefined,
      hostile: undefined,
      sessions: [],
      poison: undefined,
      undoing: [],
      dispute: { scope, atMs: START_MS + 25 * MINUTE_MS },
      calmFromMs: START_MS + 40 * MINUTE_MS,
      ingests: call ? [{ ...call, atMs: START_MS, sources: call.sources.slice(0, 1) }] : [],
      requests: [],
      faults,
    };
  };

/** A person's call marks its scope on one side of an attention alone. */
const markingOnly =
  (side: 'before' | 'after'): NonNullable<Mutant['wrapStore']> =>
  (store, { role, scope }, { tables }) => {
    if (role !== 'curator') return undefined;
    let isRaised = false;
    const spared = (): Outcome => ({ kind: 'won', item: tables.peek(`SCOPE#${scope}`, 'SCOPE') as Item });
    return onWrite(store, async (write, name, pass) => {
      if (/^scope:(?:mark|note)$/.test(name)) return (side === 'after') === isRaised ? pass(write) : spared();
      isRaised ||= sortKeyOf(write).startsWith('ATTENTION#');
      return pass(write);
    });
  };

export const WAKE_MUTANTS: readonly Mutant[] = [
  {
    name: 'scope marked after its attention alone',
    replaces: 'the mark before an attention is raised: a call that dies behind it is sent again, and finds it raised',
    caughtBy: CAUGHT_BY,
    within: 40,
    direct: saidLate({ crashAfterWrite: 0.1 }),
    wrapStore: markingOnly('after'),
  },
  {
    name: 'scope marked before its attention alone',
    replaces: 'the mark after an attention was raised: so slow a call that its scope was found empty twice meanwhile',
    caughtBy: CAUGHT_BY,
    within: 60,
    direct: saidLate({ pauseWrite: 0.1, outliveTimeout: 1 }),
    wrapStore: markingOnly('before'),
  },
];
