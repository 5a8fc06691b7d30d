/** Mutants of the moves of a scope's row: what each is conditional on, and which fields go with it. */
import type { Write } from '../../../schema/request.ts';
import { judgeDue } from '../../../functions/core/backlog.ts';
import { START_MS } from '../engine/kernel.ts';
import { readQuickly } from './erase-scenes.ts';
import { type Mutant, onWrite, rewriting, without } from './mutant.ts';
import type { Plan } from '../plans/plan.ts';
import { given } from './quiet-scenes.ts';
import { asked } from './scope-mutants.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const STANDS_DUE = '#workPartition = :due';
const AT_BACKLOG_VERSION = '#backlogVersion = :backlogVersion';
const WAITING = '#waitingSinceMs = if_not_exists(#waitingSinceMs, :now)';

/** An update with its expression written anew; values that nothing names any more are left out. */
const worded =
  (change: (text: string) => string) =>
  (write: Write): Write => {
    if (write.kind !== 'update') return write;
    const UpdateExpression = change(write.input.UpdateExpression ?? '');
    const said = `${UpdateExpression} ${write.input.ConditionExpression ?? ''}`;
    const named = Object.entries(write.input.ExpressionAttributeValues ?? {}).filter(([name]) =>
      new RegExp(`${name}\\b`).test(said),
    );
    const ExpressionAttributeValues = Object.fromEntries(named);
    return { ...write, input: { ...write.input, UpdateExpression, ExpressionAttributeValues } };
  };

/** Without taking these fields off. */
const keeping = (...names: readonly string[]) =>
  worded((text) => {
    const [head = '', removed = ''] = text.split(' REMOVE ');
    const [list = '', ...rest] = removed.split(/ (?=ADD |SET )/);
    const left = list.split(', ').filter((name) => !names.includes(name.replace('#', '')));
    return [head, ...(left.length > 0 && removed ? [`REMOVE ${left.join(', ')}`] : []), ...rest].join(' ');
  });

const unset = (clause: string) =>
  worded((text) => text.replace(`, ${clause}`, '').replace(`${clause}, `, '').replace(`SET ${clause} `, ''));

/** A mark that says also since when its scope waits. */
const beginsWait = (write: Write): Write => {
  if (write.kind !== 'update') return write;
  const { UpdateExpression = '', ExpressionAttributeNames, ExpressionAttributeValues } = write.input;
  const input = {
    ...write.input,
    UpdateExpression: UpdateExpression.replace('SET ', `SET ${WAITING}, `),
    ExpressionAttributeNames: { ...ExpressionAttributeNames, '#waitingSinceMs': 'waitingSinceMs' },
    ExpressionAttributeValues: { ...ExpressionAttributeValues, ':now': START_MS },
  };
  return { ...write, input };
};

/** Sources come all the time, each in a call of its own, while scopes are paused and passes fail. */
export const fed =
  (faults: Plan['faults'], settings: Plan['settings'] = {}) =>
  (plan: Plan): Plan => {
    const calls = Array.from({ length: 50 }, (_, k) => {
      const scope = plan.scopes[k % plan.scopes.length] ?? '';
      const text = `Source f${k}, told once.\n@claim Ann | fed | ${k}`;
      const source = { scope, id: `f${k}`, text, capturedAtMs: START_MS - k * SECOND_MS, completed: true };
      return { atMs: START_MS + 5 * k * SECOND_MS, scope, sources: [source] };
    });
    const quiet = { ...plan, ingests: calls, erasing: undefined, calmFromMs: START_MS + 6 * MINUTE_MS };
    const shown = { ...asked(faults, settings)(quiet), lagsMaxMs: [0, 0] as const };
    return { ...shown, requests: shown.requests.filter((_, k) => k % 5 === 0) };
  };

const PAUSED = fed({ pauseScope: 1, outliveTimeout: 1 });
/** What comes is left to wait for a batch that is never full. */
const WAITS = fed({ outliveTimeout: 1 }, { batchTokens: 4000, maxWaitMs: 30 * SECOND_MS });

/** What comes now and then is put off by a tick: it waits for others, unless it is asked for. */
const BATCHED = { settings: { batchTokens: 4000, maxWaitMs: 120 * SECOND_MS } };
/** … is read at once: what a tick finds then is nothing. */
const AT_ONCE = { askedAfterMs: SECOND_MS, settings: { batchTokens: 0, maxWaitMs: 0 } };

/** What comes shows in no index when a tick looks; then it is asked for, and read at once. */
const unseen = (plan: Plan): Plan => {
  const scope = plan.scopes[0] ?? '';
  const times = Array.from({ length: 10 }, (_, k) => START_MS + k * MINUTE_MS);
  const ingests = times.map((atMs, k) => {
    const text = `Source f${k}, told once.\n@claim Ann | fed | ${k}`;
    const source = { scope, id: `f${k}`, text, capturedAtMs: START_MS - k * SECOND_MS, completed: true };
    return { atMs: atMs + 50 * SECOND_MS, scope, sources: [source] };
  });
  const requests = times.map((atMs) => {
    const asked = { scope, origin: 'drain' as const, parallel: 2, idempotencyKey: undefined };
    return { ...asked, atMs: atMs + MINUTE_MS + 25 * SECOND_MS };
  });
  const lagsMaxMs = [30 * SECOND_MS, 30 * SECOND_MS] as const;
  return { ...readQuickly(plan), ingests, requests, faults: {}, erasing: undefined, lagsMaxMs };
};

export const SCOPE_MOVE_MUTANTS: readonly Mutant[] = [
  {
    name: 'served, and said to wait',
    replaces: 'serveScope leaves since when the scope waits',
    caughtBy: ['a row says where it stands'],
    within: 20,
    direct: PAUSED,
    wrapStore: rewriting('scope:serve', keeping('waitingSinceMs')),
  },
  {
    name: 'served, and first again',
    replaces: 'admit does not serve the scopes it admitted for: they stay before all who wait',
    caughtBy: ['who was served goes behind'],
    within: 20,
    wrapStore: (store) =>
      onWrite(store, async (write, name, pass) =>
        name === 'scope:serve' ? { kind: 'won', item: undefined } : pass(write),
      ),
  },
  {
    name: 'served wherever it stands',
    replaces: 'serveScope of a scope that was paused, or found empty, meanwhile',
    caughtBy: ['who is not due is let be'],
    within: 20,
    direct: PAUSED,
    slow: [{ name: 'scope:serve', forMs: 10 * SECOND_MS }],
    wrapStore: rewriting('scope:serve', without(STANDS_DUE)),
  },
  {
    name: 'put off wherever it stands',
    replaces: 'deferScope of a scope that was paused meanwhile',
    caughtBy: ['who is not due is let be'],
    within: 20,
    direct: given({ ...BATCHED, everyMs: 90 * SECOND_MS, count: 6, faults: { pauseScope: 1 } }),
    slow: [{ name: 'scope:defer', forMs: 50 * SECOND_MS }],
    wrapStore: rewriting('scope:defer', without(STANDS_DUE)),
  },
  {
    name: 'put off over what came',
    replaces: 'deferScope whatever was marked since it was judged',
    caughtBy: ['what comes after a look is not put off'],
    within: 20,
    direct: WAITS,
    slow: [{ name: 'scope:defer', forMs: 10 * SECOND_MS }],
    wrapStore: rewriting('scope:defer', without(AT_BACKLOG_VERSION)),
  },
  {
    name: 'put off over a pass that ended',
    replaces: 'deferScope whatever due time it has by now: a pass that ends makes room, and nobody looks',
    caughtBy: ['what comes after a look is not put off'],
    within: 20,
    direct: given({ ...BATCHED, everyMs: 61 * SECOND_MS, count: 8, askedAfterMs: 25 * SECOND_MS }),
    slow: [{ name: 'scope:defer', forMs: 50 * SECOND_MS }],
    wrapStore: rewriting('scope:defer', without('#workDueAtMs = :seenDueAtMs')),
  },
  {
    name: 'empty whatever came',
    replaces: 'noteEmptyProbe whatever was marked since the look',
    caughtBy: ['what comes after a look is not put off'],
    within: 50,
    direct: fed({ outliveTimeout: 1 }),
    slow: [{ name: 'scope:empty', forMs: 10 * SECOND_MS }],
    wrapStore: rewriting('scope:empty', without(AT_BACKLOG_VERSION)),
  },
  {
    name: 'empty wherever it stands',
    replaces: 'noteEmptyProbe of a scope that was paused meanwhile',
    caughtBy: ['who is not due is let be'],
    within: 20,
    direct: given({ ...AT_ONCE, everyMs: 130 * SECOND_MS, count: 6, faults: { pauseScope: 1 } }),
    slow: [{ name: 'scope:empty', forMs: 60 * SECOND_MS }],
    wrapStore: rewriting('scope:empty', without(STANDS_DUE)),
  },
  {
    name: 'idle by one look',
    replaces: 'idleScope without the first look: a tick that comes twice makes both',
    caughtBy: ['found empty twice'],
    within: 50,
    direct: (plan) => ({ ...plan, requests: [] }),
    wrapStore: (store, { role }) => {
      if (role !== 'scheduler') return undefined;
      const idle = without('#emptyAtVersion = :backlogVersion');
      const get: typeof store.get = async (read) => {
        const item = await store.get(read);
        return item?.sk === 'SCOPE' ? { ...item, emptyAtVersion: item.backlogVersion } : item;
      };
      return { ...onWrite(store, (write, name, pass) => pass(name === 'scope:idle' ? idle(write) : write)), get };
    },
  },
  {
    name: 'empty though it is read',
    replaces: 'loadCandidate asks no ledger: what a pass takes is found in neither place by two answers of an index',
    caughtBy: ['who is read is not empty'],
    within: 60,
    direct: (plan) => ({ ...unseen(plan), executorDelayMs: 20 * SECOND_MS }),
    decide: {
      judgeDue: (backlog, ...rest) => {
        const { reading: _, ...seen } = backlog;
        return judgeDue(seen, ...rest);
      },
    },
  },
  {
    name: 'count that leaves the first look',
    replaces: 'countOutcome leaves a scope found empty though a pass of it may have given back since',
    caughtBy: ['a count takes the first look back'],
    within: 60,
    direct: unseen,
    slow: [{ name: 'scope:serve', forMs: 40 * SECOND_MS }],
    wrapStore: rewriting('scope:count', keeping('emptyAtVersion')),
  },
  {
    name: 'idle, and said to wait',
    replaces: 'idleScope leaves what the looks before it noted',
    caughtBy: ['a row says where it stands'],
    within: 50,
    wrapStore: rewriting('scope:idle', keeping('waitingSinceMs', 'emptyAtVersion')),
  },
  {
    name: 'waits anew with every mark',
    replaces:
      'markScopeDue and noteBacklog move the time since when a scope waits: who is fed all the time waits for ever',
    caughtBy: ['who waits is known'],
    within: 20,
    direct: WAITS,
    wrapStore: rewriting(
      /^scope:(mark|note)$/,
      worded((text) => text.replace(WAITING, '#waitingSinceMs = :now')),
    ),
  },
  {
    name: 'mark that tells of no waiting',
    replaces: 'markScopeDue does not say since when the scope waits',
    caughtBy: ['who waits is known'],
    within: 20,
    wrapStore: rewriting('scope:mark', unset(WAITING)),
  },
  {
    name: 'count that tells of no waiting',
    replaces: 'noteBacklog does not say since when the scope waits: one that was served counts as one that waited long',
    caughtBy: ['who waits is known'],
    within: 50,
    direct: fed({}),
    wrapStore: rewriting('scope:note', unset(WAITING)),
  },
  {
    name: 'attention that begins a wait',
    replaces:
      'who raises an attention, or imports, marks the scope as ingest does: what a pass left there waits for a batch once more',
    caughtBy: ['who brings no evidence begins no wait'],
    within: 100,
    wrapStore: (store, { role }) =>
      role === 'worker' || role === 'curator'
        ? onWrite(store, (write, name, pass) => pass(/^scope:(mark|note)$/.test(name) ? beginsWait(write) : write))
        : undefined,
  },
  {
    name: 'resumed, and said to be halted',
    replaces: 'resumeScope leaves when the scope was halted',
    caughtBy: ['who is held back is parked', 'a row says where it stands'],
    within: 100,
    direct: fed({ pauseScope: 1, executorFail: 1 }),
    wrapStore: rewriting('scope:switch', (write) => (isResume(write) ? keeping('haltedAtMs')(write) : write)),
  },
  {
    name: 'resumed, and known to be empty',
    replaces: 'resumeScope leaves what a look found before',
    caughtBy: ['a row says where it stands'],
    within: 50,
    direct: (plan) => PAUSED({ ...plan, calmFromMs: plan.calmFromMs }),
    wrapStore: rewriting('scope:switch', (write) => (isResume(write) ? keeping('emptyAtVersion')(write) : write)),
  },
  {
    name: 'paused twice',
    replaces: 'pauseScope of a scope that is paused: what is being counted loses for nothing',
    caughtBy: ['a switch changes what it must'],
    within: 50,
    direct: PAUSED,
    wrapStore: rewriting('scope:switch', without('attribute_not_exists(#paused) OR #paused <> :true')),
  },
  {
    name: 'resumed whatever it is',
    replaces: 'resumeScope of a scope that nothing holds back: it loses its place among those that wait',
    caughtBy: ['a switch changes what it must'],
    within: 50,
    direct: PAUSED,
    wrapStore: rewriting('scope:switch', without('#workPartition = :parked OR #failures > :zero')),
  },
  {
    name: 'well, and told of a failure',
    replaces: 'countOutcome leaves why the last pass failed after one that did not',
    caughtBy: ['a row says where it stands'],
    within: 20,
    direct: fed({ executorFail: 0.5 }),
    wrapStore: rewriting('scope:count', keeping('lastFailure')),
  },
];

const isResume = (write: Write): boolean =>
  write.kind === 'update' && (write.input.UpdateExpression ?? '').includes('REMOVE #paused');
