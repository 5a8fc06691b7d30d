/** Mutants of admission and of the scope's due time: who may run, and which scopes have work. */
import { planAdmissions } from '../../../functions/core/admission.ts';
import { idleScope } from '../../../schema/scope.ts';
import type { LedgerItem } from '../../../schema/ledger.ts';
import type { Write } from '../../../schema/request.ts';
import { KEY_MUTANTS } from './key-mutants.ts';
import { type Mutant, onWrite, rewriting, storm, without } from './mutant.ts';
import { PASS_MUTANTS } from './pass-mutants.ts';
import { POOL_MUTANTS } from './pool-mutants.ts';
import { given, QUIET, WIDE } from './quiet-scenes.ts';
import { fed } from './scope-move-mutants.ts';
import { asked, pausedWhileAsked, SCOPE_MUTANTS } from './scope-mutants.ts';
import { SIDE_BY_SIDE } from './working-scenes.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
/** A scope that was drained within a minute is looked at for the second time in the fourth, and then cleared. */
const SECOND_LOOK_MS = 4 * MINUTE_MS + 30_000;

/** Removes the entry in place of closing it. */
function forgetEntry(write: Write): Write {
  if (write.kind !== 'update') return write;
  const { ':settled': _, ...values } = write.input.ExpressionAttributeValues ?? {};
  const kept = (write.input.UpdateExpression ?? '')
    .replace('#reserved.#pass = :settled, ', '')
    .replace(', #reserved.#pass = :settled', '');
  const UpdateExpression = kept.includes(' REMOVE ')
    ? kept.replace(' REMOVE ', ' REMOVE #reserved.#pass, ')
    : `${kept} REMOVE #reserved.#pass`;
  return { ...write, input: { ...write.input, UpdateExpression, ExpressionAttributeValues: values } };
}

export const ADMISSION_MUTANTS: readonly Mutant[] = [
  {
    name: 'count-then-act admission',
    replaces: 'admitPasses without its version: the plan was made from a count that others change',
    caughtBy: ['I4 capacity', 'I8 idempotent trigger', 'the ledger outlives the pass'],
    within: 100,
    wrapStore: rewriting('ledger:admit', without('#version = :seenVersion', 'attribute_not_exists(#version)')),
  },
  {
    name: 'finished pass not asked for',
    replaces: 'servedBefore looks in the ledger alone: a trigger delivered again after its pass ended is planned again',
    caughtBy: ['I8 idempotent trigger'],
    within: 20,
    // A copy comes when the pass is over, and its outcome is not told yet.
    direct: (plan) => ({
      ...fed({ triggerDouble: 1, triggerLate: 0.5, outliveTimeout: 1 }, WIDE)(plan),
      ...QUIET,
    }),
    slow: [{ name: 'trigger:outcome', role: 'scheduler', forMs: 150 * SECOND_MS }],
    wrapStore: (store, actor) => {
      if (actor.role !== 'scheduler' || actor.scope === undefined || actor.passId !== undefined) return undefined;
      const get: typeof store.get = async (read) =>
        String(read.input.Key?.sk).startsWith('PASS#') ? undefined : store.get(read);
      return { ...onWrite(store, (write, _name, pass) => pass(write)), get };
    },
  },
  {
    name: 'trigger planned again after a lost race',
    replaces:
      'servedBefore is asked before the first round alone: who lost the ledger to a doubled delivery admits anew',
    caughtBy: ['I8 idempotent trigger'],
    within: 20,
    direct: asked({ triggerDouble: 1, executorSkip: 1 }, { ...SIDE_BY_SIDE, passTimeoutMs: MINUTE_MS }),
    slow: [{ name: 'ledger:admit', role: 'scheduler', forMs: 3 * SECOND_MS, chance: 0.5 }],
    wrapStore: (store, actor) => {
      if (actor.role !== 'scheduler' || actor.scope === undefined || actor.passId !== undefined) return undefined;
      let hasLost = false;
      const get: typeof store.get = async (read) => {
        const item = await store.get(read);
        if (!hasLost || !item) return item;
        if (item.sk !== 'LEDGER') return /^(PASS#|TRIGGER$)/.test(String(item.sk)) ? undefined : item;
        const others = Object.entries((item as unknown as LedgerItem).passes).map(
          ([passId, entry]) => [passId, { ...entry, triggerId: 'another' }] as const,
        );
        return { ...item, passes: Object.fromEntries(others) };
      };
      const counted = onWrite(store, async (write, name, pass) => {
        const outcome = await pass(write);
        if (name === 'ledger:admit' && outcome.kind === 'held') hasLost = true;
        return outcome;
      });
      return { ...counted, get };
    },
  },
  {
    name: 'attention for everybody',
    replaces: 'every pass owns the attention of its scope, whoever has it already',
    caughtBy: ['I10 attention'],
    within: 50,
    decide: {
      planAdmissions: (...given) => {
        const plan = planAdmissions(...given);
        return { ...plan, admitted: plan.admitted.map((pass) => ({ ...pass, attention: true })) };
      },
    },
  },
  {
    name: 'reserved as often as asked',
    replaces: 'a reservation is made again by whoever goes on with the pass: a slow scheduler, a sweep',
    caughtBy: ['a pass is counted once'],
    within: 50,
    direct: storm({ pauseWrite: 0.2, outliveTimeout: 1 }),
    wrapStore: rewriting('usage:reserve', without('attribute_not_exists(#reserved.#pass)')),
  },
  {
    name: 'settled reservation forgotten',
    replaces: 'settleUsage takes the entry off: what a scheduler reserves late is settled once more',
    caughtBy: ['a pass is counted once'],
    within: 20,
    // The sweep goes on with the pass meanwhile, which is soon over.
    direct: asked({ outliveTimeout: 1, tickDouble: 1 }, SIDE_BY_SIDE),
    slow: [{ name: 'usage:reserve', role: 'scheduler', forMs: 100 * SECOND_MS, chance: 0.3 }],
    wrapStore: rewriting('usage:settle', forgetEntry),
  },
  {
    name: 'pause leaves plans standing',
    replaces: 'a scope is paused without outdating the plans that are on their way to the ledger',
    caughtBy: ['paused is paused'],
    within: 20,
    slow: [{ name: 'ledger:admit', role: 'scheduler', forMs: 8 * SECOND_MS }],
    direct: pausedWhileAsked,
    wrapStore: (store, { role }) =>
      role === 'operator'
        ? onWrite(store, async (write, name, pass) =>
            name === 'ledger:switch' ? { kind: 'won', item: undefined } : pass(write),
          )
        : undefined,
  },
  {
    name: 'due by the index alone',
    replaces: 'a tick serves what the index named, without the due time on the scope row',
    caughtBy: ['a scope with work is never idle'],
    within: 200,
    direct: storm({ tickDouble: 1 }, { lagsMaxMs: [30_000, 30_000] }),
    wrapStore: (store, actor) => {
      if (actor.role !== 'scheduler' || actor.scope !== undefined) return undefined;
      const get: typeof store.get = async (read) => {
        const item = await store.get(read);
        return item && read.input.Key?.sk === 'SCOPE' ? { ...item, workDueAtMs: 0 } : item;
      };
      return { ...onWrite(store, (write, _name, pass) => pass(write)), get };
    },
  },
  {
    name: 'work cleared at the first empty probe',
    replaces: 'noteEmptyProbe makes the scope idle at once',
    caughtBy: ['found empty twice', 'a scope with work is never idle', 'V1 liveness'],
    within: 20,
    wrapStore: rewriting('scope:empty', (write) => {
      const { Key, ExpressionAttributeValues: values = {} } = write.input as { Key: { pk: string } } & Write['input'];
      const [op, backlogVersion] = [values[':set_op'] as string, values[':backlogVersion'] as number];
      const scope = Key.pk.slice('SCOPE#'.length);
      return without('#emptyAtVersion = :backlogVersion')(idleScope({ scope, op, backlogVersion }));
    }),
  },
  {
    name: 'cleared at another backlog version',
    replaces: 'idleScope whatever was ingested since the second look',
    caughtBy: ['a scope with work is never idle', 'V1 liveness'],
    within: 20,
    // What is ingested comes between the look and the clearing.
    direct: given({ everyMs: SECOND_LOOK_MS, count: 4, settings: { batchTokens: 0, maxWaitMs: 0 } }),
    slow: [{ name: 'scope:idle', forMs: 40 * SECOND_MS }],
    wrapStore: rewriting('scope:idle', without('#backlogVersion = :backlogVersion')),
  },
  {
    name: 'no mark after the evidence',
    replaces: 'ingest marks its scope before it writes, and not again',
    caughtBy: ['a scope with work is never idle', 'V1 liveness'],
    within: 50,
    direct: (plan) => {
      // One slow call a scope, and nobody else who marks or asks.
      const slow = { ...plan, requests: [], faults: { pauseWrite: 0.3, outliveTimeout: 1 } };
      const first = plan.scopes.flatMap((scope) => plan.ingests.find((call) => call.scope === scope) ?? []);
      const calmFromMs = Math.max(...first.map((call) => call.atMs)) + 12 * MINUTE_MS;
      return { ...slow, ingests: first, calmFromMs, settings: { ...plan.settings, passTimeoutMs: 2 * MINUTE_MS } };
    },
    wrapStore: (store, actor, world) => {
      if (actor.role !== 'ingest') return undefined;
      let hasWritten = false;
      return onWrite(store, async (write, name, pass) => {
        if (name === 'source:put') hasWritten = true;
        if (!hasWritten || !/^scope:(mark|note)$/.test(name)) return pass(write);
        return { kind: 'won', item: world.tables.peek(`SCOPE#${actor.scope}`, 'SCOPE') };
      });
    },
  },
  ...KEY_MUTANTS,
  ...PASS_MUTANTS,
  ...SCOPE_MUTANTS,
  ...POOL_MUTANTS,
];
