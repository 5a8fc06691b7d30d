/** Mutants of a pass at work and of who follows it: what it tells of itself, what it gives back, and who goes on. */
import { choosePage } from '../../../functions/core/paging.ts';
import type { Store } from '../../../functions/io/ports.ts';
import type { Write } from '../../../schema/request.ts';
import { endedEarly } from '../executors/early-ends.ts';
import { type Mutant, onWrite, rewriting, storm } from './mutant.ts';
import { misquoted } from '../executors/misquotes.ts';
import { withoutTicks } from '../tickless.ts';
import { away, fragmented, givenUp, givenUpAndEdited, losing, skipped, withoutAny } from './working-scenes.ts';

const SECOND_MS = 1000;
const ENDS = /^pass:(completed|failed)$/;

const expressionOf = (write: Write): string => (write.kind === 'update' ? (write.input.UpdateExpression ?? '') : '');
const isClearing = (write: Write, name: string): boolean =>
  name === 'attention:update' && expressionOf(write).includes('#resolution = ');
const isProving = (write: Write): boolean =>
  expressionOf(write).includes('#provider = ') && write.input.ExpressionAttributeValues?.[':proven'] !== undefined;
const isAway = (write: Write): boolean => expressionOf(write).includes('#provider = ') && !isProving(write);

/** With one counter of its row as if nothing had been counted. */
const uncounted = (name: string): NonNullable<Mutant['wrapStore']> =>
  rewriting(ENDS, (write) => {
    const { ':set_counters': counters, ...values } = write.input.ExpressionAttributeValues ?? {};
    const changed = { ...values, ':set_counters': { ...(counters as object), [name]: 0 } };
    return { ...write, input: { ...write.input, ExpressionAttributeValues: changed } } as Write;
  });

const isRejecting = ({ input }: Write): boolean =>
  'Item' in input && ((input.Item?.rejected as unknown[] | undefined)?.length ?? 0) > 0;

/** A finalizer is not told that it took the entry off the ledger: then it asks for nothing. */
const untold: NonNullable<Mutant['wrapStore']> = (store, { role }) =>
  role === 'finalizer'
    ? onWrite(store, async (write, name, pass) => {
        const outcome = await pass(write);
        return name === 'ledger:remove' ? { kind: 'held', stored: undefined } : outcome;
      })
    : undefined;

export const WORKING_MUTANTS: readonly Mutant[] = [
  {
    name: 'no continuation',
    replaces: 'finalize asks for no next pass where one got somewhere and left backlog: it waits for a tick',
    caughtBy: ['goes on without a tick'],
    within: 20,
    direct: withoutTicks,
    wrapStore: untold,
  },
  {
    name: 'invoked before it has a row',
    replaces: 'the order of beginPass: whoever is invoked finds nothing to start, until a sweep invokes it again',
    caughtBy: ['goes on without a tick'],
    within: 20,
    direct: withoutTicks,
    wrapStore: (store, { role, clock }) =>
      role === 'scheduler'
        ? onWrite(store, async (write, name, pass) => {
            if (name !== 'pass:put') return pass(write);
            void clock.sleep(SECOND_MS).then(() => pass(write));
            return { kind: 'won', item: undefined };
          })
        : undefined,
  },
  {
    name: 'held back for good',
    replaces: 'releaseHeldBack does not ask for the passes that waited until a provider was proven',
    caughtBy: ['who is held back is let go'],
    within: 20,
    direct: away(true),
    wrapStore: (store, { role }) =>
      role === 'worker'
        ? onWrite(store, async (write, name, pass) => {
            const outcome = await pass(write);
            if (name !== 'pass:start' || outcome.kind !== 'won' || !outcome.item) return outcome;
            const { heldBack: _, ...item } = outcome.item;
            return { kind: 'won', item };
          })
        : undefined,
  },
  {
    name: 'last calls left out',
    replaces: 'a session that is closed writes no CALL row of what was asked since the last tick',
    caughtBy: ['a pass shows what it did'],
    within: 20,
    direct: endedEarly,
    wrapStore: losing('worker', (_write, name) => name === 'call-page:put'),
  },
  ...(['tokensIn', 'reviewed', 'delivered'] as const).map((name) => ({
    name: `${name} not counted`,
    replaces: `endPass without what a pass counted as ${name}`,
    caughtBy: ['a pass shows what it did'],
    within: 20,
    direct: away(true),
    wrapStore: uncounted(name),
  })),
  {
    name: 'end of the queue not told',
    replaces: 'endPass without sawEmptyQueue: who found nothing to do counts as a failure',
    caughtBy: ['a pass shows what it did'],
    within: 20,
    wrapStore: rewriting(ENDS, (write) => {
      const values = { ...write.input.ExpressionAttributeValues, ':set_sawEmptyQueue': false };
      return { ...write, input: { ...write.input, ExpressionAttributeValues: values } } as Write;
    }),
  },
  {
    name: 'misquotes not told',
    replaces:
      'a session that is closed does not note what was cited with nothing but what it does not say: nobody gives it up',
    caughtBy: ['a pass shows what it did'],
    within: 20,
    direct: misquoted,
    wrapStore: losing('worker', (write, name) => name === 'review-page:put' && isRejecting(write)),
  },
  {
    name: 'page larger than its room',
    replaces: 'choosePage takes sources whatever room is left: what is leased and not given counts as passed over',
    caughtBy: ['what is leased is given'],
    within: 60,
    direct: fragmented,
    decide: {
      choosePage: (rows, room) =>
        choosePage(
          rows.map((row) => ({ ...row, length: row.cursor + 1 })),
          room,
        ),
    },
  },
  {
    name: 'suspects beside what was read before',
    replaces:
      'takePage forgets what its pass holds: on another page it takes what passes broke off at, and loses all with it',
    caughtBy: ['suspects are read apart'],
    within: 20,
    direct: givenUp(),
    decide: { choosePage: (rows, { sources, characters }) => choosePage(rows, { sources, characters }) },
  },
  {
    name: 'what was left is left to a tick',
    replaces:
      'finalize asks for no next pass where one read in part or put back: an index that lags shows nothing of it yet',
    caughtBy: ['who got somewhere goes on'],
    within: 20,
    direct: (plan) => ({ ...plan, faults: { executorPartial: 0.6 } }),
    wrapStore: untold,
  },
  {
    name: 'provider proven by nobody',
    replaces: 'releaseHeldBack notes nothing: every pass is a canary, one after another',
    caughtBy: ['the provider is known'],
    within: 20,
    direct: away(true),
    wrapStore: losing('worker', isProving),
  },
  {
    name: 'settled at what was set aside',
    replaces: 'settleUsage leaves what was reserved of tokens in place of what was spent',
    caughtBy: ['what was spent is counted'],
    within: 20,
    direct: away(true),
    wrapStore: rewriting('usage:settle', (write) => {
      const values = { ...write.input.ExpressionAttributeValues, ':add_tokensIn': 0 };
      return { ...write, input: { ...write.input, ExpressionAttributeValues: values } } as Write;
    }),
  },
  {
    name: 'page of a lost pass kept',
    replaces: 'searchOnce does not give back what it leased when its pass was over',
    caughtBy: ['who is lost gives back its page'],
    within: 60,
    direct: storm({ cancelPass: 1, executorSlow: 0.5, pauseWrite: 0.1, outliveTimeout: 1 }),
    wrapStore: losing('worker', (_write, name) => name === 'evidence:release'),
  },
  {
    name: 'attention left though it was read on',
    replaces: 'settleOne does not clear the attention of a source that got on',
    caughtBy: ['an attention stands as long as its cause'],
    within: 60,
    direct: skipped,
    wrapStore: losing('finalizer', isClearing),
  },
  {
    name: 'attention left though it was replaced',
    replaces: 'dropFromQueue does not clear the attention of a revision that is history',
    caughtBy: ['an attention stands as long as its cause'],
    within: 20,
    direct: givenUpAndEdited(),
    wrapStore: losing('ingest', isClearing),
  },
  {
    name: 'attention left though it was requeued',
    replaces: 'requeue does not clear the attention of what it puts back',
    caughtBy: ['an attention stands as long as its cause'],
    within: 20,
    direct: givenUp(),
    wrapStore: losing('operator', isClearing),
  },
  {
    name: 'provider away, and nobody told',
    replaces: 'reportAway notes nothing: each pass of the deployment finds out for itself',
    caughtBy: ['the provider is known'],
    within: 20,
    direct: away(false),
    wrapStore: losing('worker', isAway),
  },
  {
    name: 'provider proven again and again',
    replaces: 'proveProvider where it is proven: every pass writes the ledger that all of them need',
    caughtBy: ['who is away is away'],
    within: 20,
    direct: away(true),
    wrapStore: (store: Store) =>
      onWrite(store, (write, _name, pass) => pass(isProving(write) ? withoutAny('#state <> :proven')(write) : write)),
  },
  {
    name: 'provider proven while it is away',
    replaces: 'proveProvider of one that was found away since: a pass that began before speaks for it',
    caughtBy: ['who is away is away'],
    within: 20,
    direct: away(true),
    // All that a worker writes there.
    slow: [{ name: 'ledger:admit', role: 'worker', forMs: 8 * SECOND_MS }],
    wrapStore: (store: Store) =>
      onWrite(store, (write, _name, pass) => pass(isProving(write) ? withoutAny('#untilMs <= :now')(write) : write)),
  },
  {
    name: 'provider back sooner than was said',
    replaces: 'noteProviderAway of one that is away for longer already',
    caughtBy: ['who is away is away'],
    within: 20,
    // Many passes meet it away, one soon after the other.
    direct: (plan) => {
      const scene = away(false)(plan);
      const settings = { ...scene.settings, maxConcurrentPasses: 16, maxPassesPerScope: 5 };
      return { ...scene, settings, executorDelayMs: 5 * SECOND_MS, executorLimit: 1 };
    },
    // All that a worker writes there.
    slow: [{ name: 'ledger:admit', role: 'worker', forMs: 6 * SECOND_MS, chance: 0.5 }],
    wrapStore: (store: Store) =>
      onWrite(store, (write, _name, pass) => pass(isAway(write) ? withoutAny('#untilMs < :until')(write) : write)),
  },
];
