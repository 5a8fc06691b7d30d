/** Mutants of what an idempotency key stands for: one trigger, one request, and an answer that stays. */
import type { Store } from '../../../functions/io/ports.ts';
import type { Item, Write } from '../../../schema/request.ts';
import { type Mutant, onWrite, rewriting, without } from './mutant.ts';
import type { Actor } from '../engine/actor.ts';
import { otherBodies, refusedFirst, sentLater, sentWhileItRuns, twinned } from '../plans/twin-plan.ts';

const isBind = (write: Write): boolean => write.kind === 'put' && write.input.Item?.requestHash !== undefined;
const isTrigger = (item: Item | undefined): item is Item => item?.requestedAtMs !== undefined;

const REFUSED = { passIds: [], alreadyRunning: [], requested: 1, effective: 0, refused: [] };

/** The trigger rows that an execution reads are shown to it so. */
const showing = (show: (trigger: Item, actor: Actor) => Item | undefined) => (store: Store, actor: Actor) => {
  if (actor.role !== 'trigger') return undefined;
  const get: Store['get'] = async (read) => {
    const item = await store.get(read);
    return isTrigger(item) ? show(item, actor) : item;
  };
  return { ...onWrite(store, (write, _name, pass) => pass(write)), get };
};

export const KEY_MUTANTS: readonly Mutant[] = [
  {
    name: 'key bound before its trigger',
    replaces:
      'requestLook binds the key first: an identical call finds a key whose trigger has no row, and takes it over',
    caughtBy: ['one key, one trigger'],
    within: 20,
    direct: twinned,
    wrapStore: (store, { role }) => {
      if (role !== 'trigger') return undefined;
      let held: Write | undefined;
      return onWrite(store, async (write, name, pass) => {
        const isBinding =
          name === 'trigger:rebind' || (write.kind === 'put' && 'requestHash' in (write.input.Item ?? {}));
        if (name === 'trigger:put' && !isBinding) {
          held = write;
          return { kind: 'won', item: undefined };
        }
        const outcome = await pass(write);
        if (isBinding && outcome.kind === 'won' && held) await pass(held);
        return outcome;
      });
    },
  },
  {
    name: 'key bound over',
    replaces: 'bindTrigger whatever the key is bound to: each call starts its own passes',
    caughtBy: ['one key, one trigger'],
    within: 20,
    direct: twinned,
    wrapStore: rewriting('trigger:put', (write) =>
      isBind(write) ? without('attribute_not_exists(#pk)')(write) : write,
    ),
  },
  {
    name: 'key bound anew by whoever comes',
    replaces:
      'rebindTrigger without the trigger that was refused: of two calls after a refusal each takes the key over',
    caughtBy: ['one key, one trigger'],
    within: 20,
    direct: refusedFirst,
    wrapStore: rewriting('trigger:rebind', without('#triggerId = :refused')),
  },
  {
    name: 'unanswered trigger taken for refused',
    replaces: 'bind takes the key over from a trigger of which nothing is recorded yet',
    caughtBy: ['one key, one trigger', 'a trigger is answered'],
    within: 20,
    direct: twinned,
    wrapStore: showing((trigger) => (trigger.outcome ? trigger : { ...trigger, outcome: REFUSED })),
  },
  {
    name: 'lost message waited for',
    replaces:
      'bind takes every trigger for one that was sent just now: where its message was lost, its key is dead for a day',
    caughtBy: ['a silent trigger is sent again'],
    within: 20,
    direct: sentLater,
    wrapStore: showing((trigger, { clock }) => ({ ...trigger, requestedAtMs: clock.nowMs() })),
  },
  {
    name: 'key taken for any request',
    replaces: 'bind without the hash of the request: another body is answered with what the first one admitted',
    caughtBy: ['one key, one request'],
    within: 20,
    direct: otherBodies,
    wrapStore: (store, { role }) =>
      role === 'trigger'
        ? onWrite(store, async (write, _name, pass) => {
            const outcome = await pass(write);
            if (outcome.kind === 'won' || !outcome.stored || write.kind !== 'put') return outcome;
            return { kind: 'held', stored: { ...outcome.stored, requestHash: write.input.Item?.requestHash } };
          })
        : undefined,
  },
  {
    name: 'refused at once, whatever the key admitted',
    replaces: 'requestLook answers what scope and ledger rule out before it asks what the key stands for',
    caughtBy: ['a key answers what it admitted'],
    within: 20,
    direct: sentWhileItRuns,
    wrapStore: (store, { role }) => {
      if (role !== 'trigger') return undefined;
      // What is refused at once puts no trigger before it binds its key.
      let hasPut = false;
      return onWrite(store, async (write, name, pass) => {
        if (isBind(write) && !hasPut) return { kind: 'won', item: undefined };
        if (name === 'trigger:put') hasPut = true;
        return pass(write);
      });
    },
  },
];
