/** Mutants of the order in which an operator's switch is written: what changes first, and then the plans made before it. */
import type { Store } from '../../../functions/io/ports.ts';
import type { Write } from '../../../schema/request.ts';
import type { Actor } from '../engine/actor.ts';
import { forPools } from '../plans/deployment-plan.ts';
import type { Plan } from '../plans/plan.ts';
import { type Mutant, onWrite } from './mutant.ts';
import { asked } from './scope-mutants.ts';
import { SIDE_BY_SIDE } from './working-scenes.ts';

const SECOND_MS = 1000;
const POOLS = 3;

type Meant = (name: string, write: Write) => boolean;

const isOfFirst = (write: Write): boolean => write.kind === 'update' && write.input.Key?.pk === 'POOL#0';
const isOutdating: Meant = (name) => name === 'ledger:switch';
/** A resume outdates nothing. */
const isChange: Meant = (name, { input }) =>
  name === 'scope:switch' && !('UpdateExpression' in input && input.UpdateExpression?.includes('REMOVE #paused'));

/** An operator's change is sent when it has outdated the plans. */
const changedLater =
  (isHeld: Meant, isLast: Meant) =>
  (store: Store, { role }: Actor): Store | undefined => {
    if (role !== 'operator') return undefined;
    const waiting: Write[] = [];
    return onWrite(store, async (write, name, pass) => {
      if (isHeld(name, write)) {
        waiting.push(write);
        return { kind: 'won', item: undefined };
      }
      const outcome = await pass(write);
      if (isLast(name, write)) for (const late of waiting.splice(0)) await pass(late);
      return outcome;
    });
  };

const switched = (faults: Plan['faults']) =>
  asked({ outliveTimeout: 1, executorSkip: 1, ...faults }, { ...SIDE_BY_SIDE, pageSources: 2 });

const ofAll = (plan: Plan): Plan => {
  const deployment = { pools: POOLS, skewMaxMs: undefined, release: undefined, mistake: undefined };
  const settings = plan.deployment.pools > 1 ? plan.settings : forPools(plan.settings, POOLS);
  return switched({ pauseAll: 1 })({ ...plan, settings, deployment, erasing: undefined });
};

/** What was planned comes to the ledger when the change is answered. */
const SLOW: Mutant['slow'] = [
  { name: 'ledger:admit', role: 'scheduler', forMs: 8 * SECOND_MS },
  { name: 'scope:switch', role: 'operator', forMs: 4 * SECOND_MS },
];

export const SWITCH_MUTANTS: readonly Mutant[] = [
  {
    name: 'plans outdated before a pause',
    replaces: 'pauseOne outdates the plans first: one that is made in between is good for the ledger after the pause',
    caughtBy: ['paused is paused'],
    within: 20,
    direct: switched({ pauseScope: 1 }),
    slow: SLOW,
    wrapStore: changedLater(isChange, isOutdating),
  },
  {
    name: 'plans outdated before a setting',
    replaces: 'changeScopeSettings outdates the plans first',
    caughtBy: ['I4 capacity'],
    within: 20,
    direct: switched({ changeLimits: 1 }),
    slow: SLOW,
    wrapStore: changedLater(isChange, isOutdating),
  },
  {
    name: 'plans of other pools outdated before a pause of all',
    replaces: 'switchAll outdates the plans of the other pools first',
    caughtBy: ['paused is paused'],
    within: 20,
    direct: ofAll,
    slow: [
      { name: 'ledger:admit', role: 'scheduler', forMs: 8 * SECOND_MS },
      { name: 'ledger:switch', role: 'operator', forMs: 4 * SECOND_MS },
    ],
    wrapStore: changedLater(
      (name, write) => isOutdating(name, write) && isOfFirst(write),
      (name, write) => isOutdating(name, write) && isLastPool(write),
    ),
  },
];

function isLastPool(write: Write): boolean {
  return write.kind === 'update' && write.input.Key?.pk === `POOL#${POOLS - 1}`;
}
