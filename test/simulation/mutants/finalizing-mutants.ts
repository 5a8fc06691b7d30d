/** Mutants of the order in which a finalizer pays what a pass owes, and of what it says when it is done. */
import { judgeEntry } from '../../../functions/core/sweeping.ts';
import type { Store } from '../../../functions/io/ports.ts';
import { passAddressOf } from '../../../schema/pass.ts';
import { finalizePass } from '../../../schema/pass-finalization.ts';
import type { Write } from '../../../schema/request.ts';
import type { Actor } from '../engine/actor.ts';
import { EARLY_MS, erased, readSlowly } from './erase-scenes.ts';
import { drained } from './limit-mutants.ts';
import { poisonOf } from '../plans/poison-plan.ts';
import { asked } from './scope-mutants.ts';
import { SIDE_BY_SIDE } from './working-scenes.ts';
import { type Mutant, onWrite, rewriting, storm, without } from './mutant.ts';

const MARK = /^pass:finalize$/;

const CRASHES = { crashAfterWrite: 0.05 };

/** The crash is noted behind what gives the source back. */
function notingLater(store: Store): Store {
  const waiting: Write[] = [];
  return onWrite(store, async (write, name, pass) => {
    if (name === 'source:note-crash') {
      waiting.push(write);
      return { kind: 'won', item: undefined };
    }
    const outcome = await pass(write);
    if (/^evidence:(release|quarantine)$/.test(name)) for (const late of waiting.splice(0)) await pass(late);
    return outcome;
  });
}

/** What a finalizer pays by these writes comes behind its mark. */
const paidLater =
  (held: RegExp) =>
  (store: Store, { role }: Actor) => {
    if (role !== 'finalizer') return undefined;
    const waiting: Write[] = [];
    return onWrite(store, async (write, name, pass) => {
      if (held.test(name)) {
        waiting.push(write);
        return { kind: 'won', item: undefined };
      }
      const outcome = await pass(write);
      if (MARK.test(name)) for (const late of waiting.splice(0)) await pass(late);
      return outcome;
    });
  };

/** The mark comes before anything is given back. */
function markedFirst(store: Store, actor: Actor): Store | undefined {
  if (actor.role !== 'finalizer') return undefined;
  const query: Store['query'] = async (read) => {
    const partition = String(read.input.ExpressionAttributeValues?.[':partition'] ?? '');
    const address = passAddressOf(partition, `PASS#${actor.passId ?? ''}`);
    if (address && read.input.IndexName === undefined)
      await store.write(
        finalizePass(address, { nowMs: actor.clock.nowMs(), settled: 0, released: 0, op: actor.ids.fresh() }),
      );
    return store.query(read);
  };
  return { ...onWrite(store, (write, _name, pass) => pass(write)), query };
}

export const FINALIZING_MUTANTS: readonly Mutant[] = [
  {
    name: 'marked before it is counted',
    replaces: 'the order of the finalizer: a crash between the two leaves an outcome that nobody counts',
    caughtBy: ['marked last'],
    within: 5,
    wrapStore: paidLater(/^scope:count$/),
  },
  {
    name: 'marked before its budget is settled',
    replaces: 'the order of the finalizer: a crash between the two leaves a budget set aside until it is an orphan',
    caughtBy: ['marked last'],
    within: 5,
    wrapStore: paidLater(/^usage:settle$/),
  },
  {
    name: 'marked before it gave back',
    replaces: 'the order of the finalizer: a crash between the two leaves leases that nobody gives back',
    caughtBy: ['a finalized pass holds nothing'],
    within: 20,
    wrapStore: markedFirst,
  },
  {
    name: 'marked twice',
    replaces: 'finalizePass of a pass that another run marked meanwhile',
    caughtBy: ['I7 one end'],
    within: 50,
    direct: storm({ streamDouble: 1, streamLate: 0.3, pauseWrite: 0.2, outliveTimeout: 1, lostReply: 0.05 }),
    wrapStore: rewriting('pass:finalize', without('attribute_not_exists(#finalizedAtMs)')),
  },
  {
    name: 'entry of a finalized pass left',
    replaces: 'judgeEntry leaves an entry whose pass is finalized: its finalizer died between the two',
    caughtBy: ['V2 liveness'],
    within: 20,
    // Also the retries of its record fail.
    direct: asked({ throttle: 0.5 }, SIDE_BY_SIDE),
    decide: {
      judgeEntry: (...given) => {
        const verdict = judgeEntry(...given);
        return verdict.kind === 'remove' ? { kind: 'leave' } : verdict;
      },
    },
  },
  {
    name: 'counted in another generation',
    replaces: 'countOnce of a scope that was erased since: how its last passes ended counts for what it holds now',
    caughtBy: ['no generation counts for the next'],
    within: 100,
    direct: (plan) => readSlowly(erased({ kind: 'scope', atMs: EARLY_MS })(plan)),
    wrapStore: (store, { role }) => {
      if (role !== 'finalizer') return undefined;
      let generation: unknown;
      const get: Store['get'] = async (read) => {
        const item = await store.get(read);
        if (item?.passId !== undefined) generation = item.generation;
        return item?.sk === 'SCOPE' ? { ...item, generation } : item;
      };
      return { ...onWrite(store, (write, _name, pass) => pass(write)), get };
    },
  },
  {
    name: 'budget settled by each run',
    replaces: 'settleUsage whatever became of the reservation since it was read: it is given back twice',
    caughtBy: ['what is set aside is counted', 'a pass is counted once'],
    within: 50,
    direct: (plan) => storm({ streamDouble: 1, pauseWrite: 0.2, outliveTimeout: 1 })(drained(plan)),
    wrapStore: rewriting('usage:settle', without('#reserved.#pass.#op = :reservation')),
  },
  {
    name: 'crash noted when it is given back',
    replaces: 'giveBack notes the crash behind the write that gives the source back, and dies in between',
    caughtBy: ['a source forgets no crash'],
    within: 50,
    direct: (plan) => {
      const { ingests, requests, ...poison } = poisonOf(plan.seed, plan.scopes.slice(0, 1), plan.calmFromMs);
      const others = { sessions: [], model: undefined, dispute: undefined, erasing: undefined, hostile: undefined };
      return { ...plan, ...others, ingests, requests, poison: { ingests, requests, ...poison }, faults: CRASHES };
    },
    wrapStore: (store, { role }) => (role === 'finalizer' ? notingLater(store) : undefined),
  },
];
