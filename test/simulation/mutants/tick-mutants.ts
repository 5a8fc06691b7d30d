/** Mutants of a tick: that a part of it which fails stops no other, and that one which comes twice admits once. */
import type { Store } from '../../../functions/io/ports.ts';
import type { LedgerItem } from '../../../schema/ledger.ts';
import { ServiceError } from '../engine/simulated-store.ts';
import type { Plan } from '../plans/plan.ts';
import { withUnreadable } from '../unreadable.ts';
import { type Mutant, onWrite } from './mutant.ts';
import { fed } from './scope-move-mutants.ts';
import { SIDE_BY_SIDE } from './working-scenes.ts';

const ofScope = (plan: Plan): Plan => withUnreadable(plan, 'scope', ['a', 'b', 'c']);
/** One scope a pool. */
const ofPool = (plan: Plan): Plan => withUnreadable(plan, 'pool', ['d', 'a', 'b']);

type Sent = 'get' | 'query' | 'write';

/** What a scheduler sends fails from the first read of such a row on that failed. */
const failingWith =
  (isMeant: (sk: string) => boolean, fails: (sent: Sent, name: string) => boolean): NonNullable<Mutant['wrapStore']> =>
  (store, { role }) => {
    if (role !== 'scheduler') return undefined;
    let hasFailed = false;
    const check = (sent: Sent, name: string): void => {
      if (hasFailed && fails(sent, name)) throw new ServiceError('another part of it failed');
    };
    const get: Store['get'] = async (read) => {
      const sk = String(read.input.Key?.sk);
      check('get', sk);
      try {
        return await store.get(read);
      } catch (error) {
        if (isMeant(sk)) hasFailed = true;
        throw error;
      }
    };
    const query: Store['query'] = async (read) => {
      check('query', String(read.input.IndexName));
      return store.query(read);
    };
    const written = onWrite(store, async (write, name, pass) => {
      check('write', name);
      return pass(write);
    });
    return { ...written, get, query };
  };

/** What a tick knows of a pass by its name, when it plans: nothing. Its sweep is over by then, and it is no continuation. */
const forgetful: NonNullable<Mutant['wrapStore']> = (store, { role, scope }) => {
  if (role !== 'scheduler' || scope !== undefined) return undefined;
  let stage: 'sweeps' | 'plans' | 'continues' = 'sweeps';
  const get: Store['get'] = async (read) => {
    const item = await store.get(read);
    const sk = String(read.input.Key?.sk);
    if (sk === 'SCOPE' && stage === 'sweeps') stage = 'continues';
    if (stage !== 'plans' || !item) return item;
    if (sk.startsWith('PASS#')) return undefined;
    if (sk !== 'LEDGER') return item;
    const { passes } = item as unknown as LedgerItem;
    return { ...item, passes: Object.fromEntries(Object.entries(passes).map(([id, entry]) => [`-${id}`, entry])) };
  };
  const query: Store['query'] = (read) => {
    if (stage === 'sweeps') stage = 'plans';
    return store.query(read);
  };
  return { ...onWrite(store, (write, _name, pass) => pass(write)), get, query };
};

export const TICK_MUTANTS: readonly Mutant[] = [
  {
    name: 'scope that cannot be judged stops all',
    replaces: 'loadServable without its catch: nobody is admitted as long as one scope that is due cannot be read',
    caughtBy: ['what cannot be read stops nobody else'],
    within: 20,
    direct: ofScope,
    wrapStore: failingWith(
      (sk) => sk === 'SCOPE',
      (_sent, name) => name === 'ledger:admit',
    ),
  },
  {
    name: 'entry that cannot be swept stops the tick',
    replaces: 'sweepLedger throws what it met: nobody is admitted as long as the row of one pass cannot be read',
    caughtBy: ['what cannot be read stops nobody else'],
    within: 20,
    direct: ofScope,
    wrapStore: failingWith(
      (sk) => sk.startsWith('PASS#'),
      (sent, name) => sent === 'query' && name === 'work',
    ),
  },
  {
    name: 'pool that cannot be read stops all',
    replaces: 'runTick looks at one pool after the other, up to the first that fails',
    caughtBy: ['what cannot be read stops nobody else'],
    within: 20,
    direct: ofPool,
    wrapStore: failingWith(
      (sk) => sk === 'LEDGER',
      () => true,
    ),
  },
  {
    name: 'tick that comes twice plans twice',
    replaces: 'judgeScope without findPlanned: the second copy of a tick admits the pass of the first once more',
    caughtBy: ['I8 idempotent trigger'],
    within: 20,
    direct: fed({ tickDouble: 1 }, SIDE_BY_SIDE),
    wrapStore: forgetful,
  },
];
