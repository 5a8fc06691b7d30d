/** Mutants of what takes claims back: the order in which it is done, and that it is done again by whoever sends it again. */
import type { Item, Outcome, Query, Write } from '../../../schema/request.ts';
import { drawSplits, drawTaken, drawTakenWhole } from './claim-scenes.ts';
import type { ClaimMutant } from './claim-schedule.ts';
import { isQueryOf, isRebuild, over, sortKeyOf, textOf, type WrapStore } from './claim-stores.ts';
import { storm } from '../mutants/mutant.ts';

/** Reads all claim slots, one after the other. */
const isWalk = (read: Query): boolean => Object.values(read.input.ExpressionAttributeValues ?? {}).includes('CLAIM#');

/** Whoever undoes a pass passes over the rows in which it is undone already. */
const passingOverUndone: WrapStore = (store) =>
  over(store, {
    query: async (read) => {
      const page = await store.query(read);
      if (!isWalk(read)) return page;
      const items = page.items.map((row): Item => {
        const { passes, undone } = row as { passes?: Item; undone?: Item };
        return {
          ...row,
          passes: Object.fromEntries(Object.entries(passes ?? {}).filter(([id]) => !(id in (undone ?? {})))),
        };
      });
      return { ...page, items };
    },
  });

/** A row is marked as taken back when its head was rebuilt, and has been looked at once more. */
const markingLast: WrapStore = (store) => {
  const marks: Write[] = [];
  let isRebuilt = false;
  return over(store, {
    write: async (write) => {
      if (/#undone\.#pass = |SET #withdrawnAtMs = /.test(textOf(write))) {
        marks.push(write);
        isRebuilt = false;
        return { kind: 'won', item: undefined };
      }
      const outcome = await store.write(write);
      isRebuilt ||= isRebuild(write) && outcome.kind === 'won';
      return outcome;
    },
    query: async (read) => {
      const page = await store.query(read);
      if (isRebuilt && isQueryOf(read, 'CLAIM#')) for (const mark of marks.splice(0)) await store.write(mark);
      return page;
    },
  });
};

/** Whoever takes a merge back asks once. */
const endingOnce: WrapStore = (store) => {
  let refusal: Outcome | undefined;
  return over(store, {
    write: async (write) => {
      if (!sortKeyOf(write).startsWith('ALIAS#') || write.kind !== 'update') return store.write(write);
      const outcome = refusal ?? (await store.write(write));
      if (outcome.kind === 'held') refusal = outcome;
      return outcome;
    },
  });
};

/** Whoever takes back what a source says stops at the first of it. */
const takingOne: WrapStore = (store) => {
  let hasTaken = false;
  return over(store, {
    write: async (write) => {
      if (!textOf(write).includes('SET #withdrawnAtMs = ')) return store.write(write);
      if (hasTaken) return { kind: 'won', item: undefined };
      hasTaken = true;
      return store.write(write);
    },
  });
};

export const TAKEN_MUTANTS: readonly ClaimMutant[] = [
  {
    name: 'undo passes over what is undone',
    replaces: 'undoPass takes rows that it marked before for done: a call before it died between these and their head',
    caughtBy: ['heads'],
    within: 20,
    isOnce: true,
    deeds: drawTaken,
    direct: (plan) => ({ ...plan, faults: { crashAfterWrite: 0.15 } }),
    wrapStore: passingOverUndone,
  },
  {
    name: 'rows taken back after their head',
    replaces: 'the order of takeBack: the head is rebuilt from rows that still count',
    caughtBy: ['heads'],
    within: 20,
    isOnce: true,
    deeds: drawTaken,
    wrapStore: markingLast,
  },
  {
    name: 'one place of a source taken back',
    replaces: 'withdrawSource takes the first citation of a source that it meets, and lets the others stand',
    caughtBy: ['citations'],
    within: 20,
    isOnce: true,
    deeds: drawTakenWhole,
    wrapStore: takingOne,
  },
  {
    name: 'merge not taken back by a clock that is behind',
    replaces: 'unmergeEntities asks once, by its own clock: it says to end what was not yet said',
    caughtBy: ['merges'],
    within: 20,
    isOnce: true,
    deeds: drawSplits,
    direct: storm({}, { skewMaxMs: 5000 }),
    wrapStore: endingOnce,
  },
];
