/** Mutants of the finalizer and of the sweep: what a pass owes, and who finds it when nobody pays. */
import { judgeEntry } from '../../functions/core/sweeping.ts';
import { planSettlement } from '../../functions/core/settling.ts';
import { triggerIdOf } from '../../schema/ids.ts';
import type { PassStatus } from '../../schema/pass.ts';
import { removeFromLedger } from '../../schema/ledger.ts';
import { type Mutant, onWrite, rewriting, storm, without } from './mutant.ts';

const FENCE = '#leasePass = :me';

export const ENDING_MUTANTS: readonly Mutant[] = [
  {
    name: 'settle without its fence',
    replaces: 'settleEvidence by whoever read it, leased or not',
    caughtBy: ['I2 fence'],
    within: 600,
    wrapStore: rewriting('evidence:settle', without(FENCE)),
  },
  {
    name: 'progress forgotten when another reads on',
    replaces:
      'a finalizer that died after it settled, and comes back when another pass has settled more, counts a failure',
    caughtBy: ['progress is no failure'],
    within: 200,
    direct: (plan) => ({
      ...plan,
      faults: { dieAfterSettle: 0.7, executorPartial: 0.6, streamDrop: 0.3 },
      settings: { ...plan.settings, maxConcurrentPasses: 4, maxPassesPerScope: 3, tokenThreshold: 1, batchTokens: 0 },
    }),
    wrapStore: (store, { role }) =>
      role === 'finalizer'
        ? onWrite(store, async (write, name, pass) => {
            const outcome = await pass(write);
            if (name !== 'evidence:settle' || outcome.kind === 'won') return outcome;
            return { kind: 'held', stored: { ...outcome.stored, cursor: 0 } };
          })
        : undefined,
  },
  {
    name: 'blind release',
    replaces: "releaseEvidence whoever's the lease is",
    caughtBy: ['I6 own release', 'I1 settle once'],
    within: 200,
    // Whose the lease is was read just before: between the two it has to pass to another.
    direct: storm({ executorSkip: 1, streamDouble: 1, pauseWrite: 0.2, outliveTimeout: 1, crashAfterWrite: 0.05 }),
    wrapStore: rewriting('evidence:release', without(FENCE)),
  },
  {
    name: 'failed pass settles',
    replaces: 'planSettlement takes what a failed pass acknowledged',
    caughtBy: ['I9 reviewed only'],
    within: 200,
    decide: {
      planSettlement: (pass, leasePages, reviewPages) =>
        planSettlement({ ...pass, status: 'completed', reviewRows: 1000 }, leasePages, reviewPages),
    },
  },
  {
    name: 'ledger entry removed before finalized is marked',
    replaces: 'the order of the finalizer: a crash between the two leaves a pass that nobody looks for',
    caughtBy: ['the ledger outlives the pass'],
    within: 5,
    wrapStore: (store, actor) =>
      actor.role === 'finalizer'
        ? onWrite(store, async (write, name, pass) => {
            if (name === 'pass:finalize') await pass(removeFromLedger(actor.passId ?? '', actor.ids.fresh()));
            return pass(write);
          })
        : undefined,
  },
  {
    name: 'self-trigger without progress',
    replaces: 'asksForMore: every end of a pass asks for the next',
    caughtBy: ['no trigger without progress'],
    within: 50,
    wrapStore: (store, actor, world) =>
      actor.role === 'finalizer'
        ? onWrite(store, async (write, name, pass) => {
            const outcome = await pass(write);
            if (name === 'ledger:remove' && outcome.kind === 'won') {
              const { passId = '', scope = '' } = actor;
              const triggerId = triggerIdOf(world.kernel.nowMs, `after ${passId}`);
              await world
                .triggersOf(actor)
                .send({ v: 1, triggerId, scope, origin: 'continuation', kind: 'incremental' });
            }
            return outcome;
          })
        : undefined,
  },
];

/** The sweep leaves passes of this status alone. */
function leaving(status: PassStatus | 'missing' | 'terminal'): Mutant['decide'] {
  return {
    judgeEntry: (entry, pass, nowMs) => {
      const verdict = judgeEntry(entry, pass, nowMs);
      const found = !pass ? 'missing' : verdict.kind === 'kick' ? 'terminal' : pass.status;
      return found === status ? { kind: 'leave' } : verdict;
    },
  };
}

export const SWEEPING_MUTANTS: readonly Mutant[] = [
  {
    name: 'unstarted pass not swept',
    replaces: 'judgeEntry leaves an admitted pass that no worker took up',
    caughtBy: ['V1 liveness', 'V2 liveness'],
    within: 50,
    decide: leaving('admitted') ?? {},
  },
  {
    name: 'dead pass not swept',
    replaces: 'judgeEntry leaves a running pass whose heartbeat stopped',
    caughtBy: ['V1 liveness', 'V2 liveness'],
    within: 200,
    decide: leaving('running') ?? {},
  },
  {
    name: 'lost stream record not repaired',
    replaces: 'judgeEntry leaves a terminal pass that is not finalized',
    caughtBy: ['V1 liveness', 'V2 liveness'],
    within: 50,
    decide: leaving('terminal') ?? {},
  },
  {
    name: 'missing pass row not carried forward',
    replaces: 'judgeEntry leaves an entry whose scheduler died before it put the PASS row',
    caughtBy: ['V1 liveness', 'V2 liveness'],
    within: 200,
    decide: leaving('missing') ?? {},
  },
];
