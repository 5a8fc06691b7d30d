/** Mutants of a scope's row: its place among the due, and what is counted and changed on it by several at once. */
import type { Write } from '../../../schema/request.ts';
import { START_MS } from '../engine/kernel.ts';
import { type Mutant, onWrite, rewriting, without } from './mutant.ts';
import type { Plan } from '../plans/plan.ts';
import { given, QUIET, WIDE } from './quiet-scenes.ts';

const NOT_PARKED = 'attribute_not_exists(#workPartition) OR #workPartition <> :parked';
const NOT_DUE_BEFORE = 'attribute_not_exists(#workPartition) OR #workPartition <> :due OR #workDueAtMs > :now';
const NEXT_STATS = '#statsVersion = if_not_exists(#statsVersion, :zero) + :one';
const SECOND_MS = 1000;

/** People who ask all the time, while these faults strike. */
export const asked =
  (faults: Plan['faults'], settings: Plan['settings'] = {}) =>
  (plan: Plan): Plan => ({
    ...plan,
    faults,
    settings: { ...plan.settings, ...settings },
    requests: Array.from({ length: 40 }, (_, k) => ({
      atMs: START_MS + (2 + 4 * k) * SECOND_MS,
      scope: plan.scopes[k % plan.scopes.length] ?? '',
      origin: 'trigger',
      parallel: undefined,
      idempotencyKey: undefined,
    })),
  });

/** Passes of one scope that end side by side, with finalizers that are slow. */
const SIDE_BY_SIDE = { maxConcurrentPasses: 4, maxPassesPerScope: 3, tokenThreshold: 1, batchTokens: 0 };

/** Without one part of what an update sets. */
const unset =
  (clause: string) =>
  (write: Write): Write => {
    if (write.kind !== 'update') return write;
    const text = (write.input.UpdateExpression ?? '').replace(`, ${clause}`, '').replace(`${clause}, `, '');
    const { ':one': _, ...values } = write.input.ExpressionAttributeValues ?? {};
    return { ...write, input: { ...write.input, UpdateExpression: text, ExpressionAttributeValues: values } };
  };

/** Each source comes in a call of its own, one right after the other. */
const givenApart = (plan: Plan): Plan => ({
  ...plan,
  ingests: plan.ingests.flatMap((call) =>
    call.sources.map((source, k) => ({ ...call, atMs: call.atMs + 300 * k, sources: [source] })),
  ),
});

/** Nothing is ever read, people ask all the time, and as long as they do somebody pauses and resumes. */
export const pausedWhileAsked = (plan: Plan): Plan => ({
  ...asked({ pauseScope: 1, outliveTimeout: 1, executorSkip: 1 }, WIDE)(plan),
  ...QUIET,
  calmFromMs: START_MS + 170 * SECOND_MS,
});

export const SCOPE_MUTANTS: readonly Mutant[] = [
  {
    name: 'mark that wakes who is paused',
    replaces: 'markScopeDue of a scope that is paused or halted',
    caughtBy: ['who is held back is parked'],
    within: 20,
    direct: given({
      everyMs: 20 * SECOND_MS,
      count: 15,
      settings: { batchTokens: 4000, maxWaitMs: 120 * SECOND_MS },
      faults: { pauseScope: 1 },
    }),
    slow: [{ name: 'scope:mark', forMs: 60 * SECOND_MS }],
    wrapStore: rewriting('scope:mark', without(NOT_PARKED)),
  },
  {
    name: 'place lost by every mark',
    replaces: 'markScopeDue of a scope that is due already: who is fed all the time is never the oldest',
    caughtBy: ['who waits keeps its place'],
    within: 20,
    direct: givenApart,
    slow: [{ name: 'scope:mark', forMs: SECOND_MS }],
    wrapStore: rewriting('scope:mark', without(NOT_DUE_BEFORE)),
  },
  {
    name: 'pause that a count takes back',
    replaces: 'pauseScope and resumeScope leave statsVersion: an outcome that was judged before moves the scope again',
    caughtBy: ['who is held back is parked', 'a switch outdates counts'],
    within: 100,
    direct: asked({ pauseScope: 1, executorFail: 0.5, pauseWrite: 0.3, outliveTimeout: 1 }, SIDE_BY_SIDE),
    wrapStore: rewriting('scope:switch', unset(NEXT_STATS)),
  },
  {
    name: "outcome counted over another's",
    replaces: 'countOutcome without statsVersion: of two passes that end at once one is not counted',
    caughtBy: ['I5 monotone', 'counted once'],
    within: 100,
    direct: asked({ pauseWrite: 0.2, outliveTimeout: 1 }, SIDE_BY_SIDE),
    wrapStore: rewriting(
      'scope:count',
      without('attribute_not_exists(#statsVersion) OR #statsVersion = :statsVersion'),
    ),
  },
  {
    name: 'settings of all set over a change',
    replaces: 'setLiveSettings whatever was changed since it was read',
    caughtBy: ['I5 monotone'],
    within: 100,
    direct: asked({ changeLimits: 1, pauseWrite: 0.5, outliveTimeout: 1 }),
    wrapStore: rewriting(
      'ledger:switch',
      without('#settingsVersion = :seen', 'attribute_not_exists(#settingsVersion)'),
    ),
  },
  {
    name: 'settings of a scope set over a change',
    replaces: 'setScopeSettings whatever was changed since it was read',
    caughtBy: ['I5 monotone'],
    within: 100,
    direct: asked({ changeLimits: 1, pauseWrite: 0.5, outliveTimeout: 1 }),
    wrapStore: rewriting('scope:switch', without('#settingsVersion = :seen', 'attribute_not_exists(#settingsVersion)')),
  },
  {
    name: 'limit changed, plans left standing',
    replaces: 'changeScopeSettings does not outdate the plans that are on their way to the ledger',
    caughtBy: ['I4 capacity'],
    within: 60,
    direct: asked(
      { changeLimits: 1, outliveTimeout: 1, executorSkip: 1 },
      { maxConcurrentPasses: 4, maxPassesPerScope: 3, tokenThreshold: 1, batchTokens: 0 },
    ),
    slow: [{ name: 'ledger:admit', forMs: 8 * SECOND_MS }],
    wrapStore: (store, actor) =>
      actor.role === 'operator' && actor.scope !== undefined
        ? onWrite(store, async (write, name, pass) =>
            name === 'ledger:switch' ? { kind: 'won', item: undefined } : pass(write),
          )
        : undefined,
  },
  {
    name: 'scope read before the ledger',
    replaces: 'planTrigger plans from a scope row that is older than the ledger whose version it commits on',
    caughtBy: ['paused is paused', 'I4 capacity'],
    within: 20,
    direct: pausedWhileAsked,
    wrapStore: (store, { role, scope, clock }) => {
      if (role !== 'scheduler' || scope === undefined) return undefined;
      let early: ReturnType<typeof store.get> | undefined;
      const get: typeof store.get = async (read) => {
        const row = read.input.Key;
        if (row?.sk === 'SCOPE') return early ?? store.get(read);
        if (row?.sk !== 'LEDGER') return store.get(read);
        early = store.get({ ...read, input: { ...read.input, Key: { pk: `SCOPE#${scope}`, sk: 'SCOPE' } } });
        await early;
        // Between the two reads lies what a slow network takes.
        await clock.sleep(3 * SECOND_MS);
        return store.get(read);
      };
      return { ...onWrite(store, (write, _name, pass) => pass(write)), get };
    },
  },
];
