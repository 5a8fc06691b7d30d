/** Mutants of the finalizer and of the sweep: what a pass owes, and who finds it when nobody pays. */
import { judgeEntry } from '../../../functions/core/sweeping.ts';
import { planSettlement } from '../../../functions/core/settling.ts';
import { triggerIdOf } from '../../../schema/ids.ts';
import type { PassStatus } from '../../../schema/pass.ts';
import { removeFromLedger } from '../../../schema/ledger.ts';
import { FINALIZING_MUTANTS } from './finalizing-mutants.ts';
import { type Mutant, onWrite, rewriting, without } from './mutant.ts';
import { asked } from './scope-mutants.ts';
import { readOn, SIDE_BY_SIDE } from './working-scenes.ts';

const FENCE = '#leasePass = :me';

export const ENDING_MUTANTS: readonly Mutant[] = [
  {
    name: 'settle without its fence',
    replaces: 'settleEvidence by whoever read it, leased or not',
    caughtBy: ['I2 fence'],
    within: 20,
    // The lease is over by then, and another has it.
    direct: (plan) => ({
      ...asked({ outliveTimeout: 1, tickDouble: 1 }, { ...SIDE_BY_SIDE, passTimeoutMs: 30_000 })(plan),
      calmFromMs: plan.calmFromMs + 300_000,
    }),
    slow: [{ name: 'evidence:settle', forMs: 150_000, chance: 0.4 }],
    wrapStore: rewriting('evidence:settle', without(FENCE)),
  },
  {
    name: 'progress forgotten when another reads on',
    replaces:
      'a finalizer that died after it settled, and comes back when another pass has settled more, counts a failure',
    caughtBy: ['progress is no failure'],
    within: 20,
    direct: readOn,
    slow: [{ name: 'evidence:settle', forMs: 30_000, chance: 0.4 }],
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
    within: 20,
    // Whose the lease is was read just before: between the two it has to pass to another.
    direct: (plan) => ({
      ...asked({ executorSkip: 1, outliveTimeout: 1, tickDouble: 1 }, { ...SIDE_BY_SIDE, passTimeoutMs: 30_000 })(plan),
      calmFromMs: plan.calmFromMs + 300_000,
    }),
    slow: [{ name: 'evidence:release', forMs: 150_000, chance: 0.4 }],
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
  ...FINALIZING_MUTANTS,
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
    within: 20,
    direct: asked({ invokeDrop: 0.9 }, SIDE_BY_SIDE),
    decide: leaving('admitted') ?? {},
  },
  {
    name: 'dead pass not swept',
    replaces: 'judgeEntry leaves a running pass whose heartbeat stopped',
    caughtBy: ['V1 liveness', 'V2 liveness'],
    within: 20,
    direct: asked({ killAtRandom: 0.3, failureDrop: 1, executorSlow: 1 }, SIDE_BY_SIDE),
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
