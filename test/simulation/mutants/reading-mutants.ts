/** Mutants of a pass at work: taking pages, beating, ending, writing claims. */
import { freshKey } from '../../../schema/queue.ts';
import type { Write } from '../../../schema/request.ts';
import { clausesOf, withoutClause } from '../../support/without-clause.ts';
import { putBack } from '../people/gone-back.ts';
import { START_MS } from '../engine/kernel.ts';
import { type Mutant, onWrite, rewriting, storm, without } from './mutant.ts';
import { asked } from './scope-mutants.ts';
import { SIDE_BY_SIDE } from './working-scenes.ts';

const FENCE = '#leasePass = :me';
const AS_READ = '#seq = :seq';
const PENDING = '#state = :pending';
const LEASABLE = `attribute_not_exists(#leasePass) OR ${FENCE} OR #leaseExpiresAtMs < :expiredBefore`;

export const READING_MUTANTS: readonly Mutant[] = [
  {
    name: 'index believed',
    replaces: 'leaseEvidence without state and seq: what the index showed is taken for what stands',
    caughtBy: ['only pending is leased', 'I1 settle once'],
    within: 20,
    direct: asked({ outliveTimeout: 1 }, SIDE_BY_SIDE),
    slow: [{ name: 'evidence:lease', forMs: 8000, chance: 0.5 }],
    wrapStore: rewriting('evidence:lease', without(PENDING, AS_READ)),
  },
  {
    name: 'expiry left out of the condition',
    replaces: 'leaseEvidence takes leased rows, whenever they expire; and without seq, which masks it',
    caughtBy: ['I3 one live lease'],
    within: 100,
    wrapStore: rewriting('evidence:lease', without(LEASABLE, AS_READ)),
  },
  {
    name: 'gone back, and read at once',
    replaces: 'planRequeue without the lease that is on it: two passes read one text side by side',
    caughtBy: ['I6 own release'],
    within: 20,
    // Nothing breaks but the speed of the executor: the source is edited and put back while it is read.
    direct: (plan) => ({
      ...plan,
      faults: { executorSlow: 1 },
      ingests: putBack(plan.ingests, { editAfterMs: 3000, backAfterMs: 2000 }),
      requests: plan.scopes.flatMap((scope) =>
        [1000, 6000].map((afterMs) => ({
          atMs: START_MS + afterMs,
          scope,
          origin: 'drain' as const,
          parallel: 2,
          idempotencyKey: undefined,
        })),
      ),
      settings: { ...plan.settings, batchTokens: 0, maxConcurrentPasses: 4, maxPassesPerScope: 3 },
    }),
    wrapStore: rewriting('evidence:requeue', (write) => {
      const { ':set_capturedAtMs': capturedAtMs, ...values } = write.input.ExpressionAttributeValues ?? {};
      const sourceKey = String(write.kind === 'update' && write.input.Key?.sk)
        .split('#')
        .slice(2)
        .join('#');
      const key = freshKey(Number(capturedAtMs), sourceKey);
      const changed = { ...values, ':set_capturedAtMs': capturedAtMs, ':set_homeKey': key, ':set_queueKey': key };
      return { ...write, input: { ...write.input, ExpressionAttributeValues: changed } } as Write;
    }),
  },
  {
    name: 'LEASE row put after the leases',
    replaces: 'takePage writes the list of what it may hold when it holds it',
    caughtBy: ['a LEASE row names every lease'],
    within: 20,
    wrapStore: (store, { role }) => {
      if (role !== 'worker') return undefined;
      const owed: Write[] = [];
      return onWrite(store, async (write, name, pass) => {
        if (name === 'lease-page:put') {
          owed.push(write);
          return { kind: 'won', item: undefined };
        }
        if (name !== 'evidence:lease') for (const late of owed.splice(0)) await pass(late);
        return pass(write);
      });
    },
  },
  {
    name: 'no heartbeat check after a page',
    replaces: 'a refused heartbeat is taken for a good one: an ended pass reads on',
    caughtBy: ['a page needs a running pass'],
    within: 20,
    direct: asked({ cancelPass: 1, outliveTimeout: 1 }, { ...SIDE_BY_SIDE, passTimeoutMs: 120_000 }),
    slow: [{ name: 'evidence:lease', forMs: 8000 }],
    wrapStore: (store, { role }) =>
      role === 'worker'
        ? onWrite(store, async (write, name, pass) => {
            const outcome = await pass(write);
            return name === 'pass:beat' ? { kind: 'won', item: undefined } : outcome;
          })
        : undefined,
  },
  {
    name: 'end without the attempt',
    replaces: 'endPass on whatever the pass is by now',
    caughtBy: ['I7 one end'],
    within: 20,
    direct: storm({ freeze: 0.05, outliveTimeout: 1, tickDouble: 1 }),
    slow: [{ name: 'pass:completed', forMs: 90_000, chance: 0.5 }],
    wrapStore: rewriting(/^pass:(completed|failed)$/, without('#status = :running', '#attempt = :attempt')),
  },
  {
    name: 'lost reply taken for a loss',
    replaces: 'isMine: a write that meets itself is given up',
    caughtBy: ['E1 own write given up'],
    within: 50,
    wrapStore: rewriting(/./, (write) => ({ ...write, isMine: () => false })),
  },
  {
    name: 'register raised blindly',
    replaces: 'raiseRegister without the comparison: the last writer wins',
    caughtBy: ['memory'],
    within: 200,
    wrapStore: rewriting('head:raise', (write) => withoutClause(write, clausesOf(write)[0] ?? '')),
  },
];
