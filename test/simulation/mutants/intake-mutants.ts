/** Mutants of what ingest writes of a source, in which order, and on which conditions. */
import { freshKey, tierOf } from '../../../schema/queue.ts';
import type { Item, Write } from '../../../schema/request.ts';
import { type Mutant, onWrite, rewriting, storm, without } from './mutant.ts';
import { grown } from './session-scenes.ts';

const WAITING_TIER = 3;
const IN_QUEUE = '#state IN (:pending, :quarantined)';
const UNREAD_OR_HELD =
  '#cursor <= :start OR #cursor = #beganAt OR attribute_exists(#leasePass) OR #state = :quarantined';

/** Among the fresh ones, whatever it is to wait for. */
function atOnce(write: Write): Write {
  if (write.kind !== 'put') return write;
  const item = write.input.Item as Item;
  if (tierOf(String(item.homeKey)) !== WAITING_TIER) return write;
  const sourceKey = String(item.sk).split('#').slice(2).join('#');
  const homeKey = freshKey(Number(item.capturedAtMs), sourceKey);
  return { ...write, input: { ...write.input, Item: { ...item, homeKey, queueKey: homeKey } } };
}

export const INTAKE_MUTANTS: readonly Mutant[] = [
  {
    name: 'source stands before its evidence',
    replaces: 'the order of tryToStand: a call that dies in between is told "unchanged" when it is sent again',
    caughtBy: ['memory'],
    within: 20,
    direct: storm({ crashAfterWrite: 0.1 }),
    wrapStore: (store, { role }) => {
      if (role !== 'ingest') return undefined;
      const late: Write[] = [];
      return onWrite(store, async (write, name, pass) => {
        if (name === 'evidence:put') {
          late.push(write);
          return { kind: 'won', item: undefined };
        }
        const outcome = await pass(write);
        for (const evidence of late.splice(0)) await pass(evidence);
        return outcome;
      });
    },
  },
  {
    name: 'evidence put over',
    replaces: 'putEvidence whether or not the revision stands in the queue: what was read of it is forgotten',
    caughtBy: ['I5 monotone', 'I1 settle once', 'a row moves as its schema says'],
    within: 60,
    wrapStore: rewriting('evidence:put', without('attribute_not_exists(#pk)')),
  },
  {
    name: 'settled revision taken out of the queue',
    replaces: 'obsoleteEvidence without the state of the row, nor how far it was read, which masks it',
    caughtBy: ['I1 settle once', 'a row moves as its schema says'],
    within: 20,
    wrapStore: rewriting('evidence:obsolete', without(IN_QUEUE, UNREAD_OR_HELD)),
  },
  {
    name: 'unfinished session read at once',
    replaces: 'waitOf: a session that nobody has completed is queued among the fresh ones',
    caughtBy: ['an unfinished session waits'],
    within: 20,
    direct: grown(),
    wrapStore: rewriting('evidence:put', atOnce),
  },
];
