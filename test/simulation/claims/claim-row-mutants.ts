/** Mutants of citation rows, and of the looks that keep a head right when rows are taken back: each clause, each order. */
import { stands } from '../../../functions/core/counting.ts';
import { citationItemSchema } from '../../../schema/citation.ts';
import { get, type Item, type Key, type Outcome, type Write } from '../../../schema/request.ts';
import { SORT_KEY } from '../../../schema/table.ts';
import {
  both,
  isRebuild,
  over,
  rebuildingOnce,
  rewritingRows,
  sortKeyOf,
  textOf,
  type WrapStore,
} from './claim-stores.ts';
import type { ClaimMutant } from './claim-schedule.ts';
import {
  drawLateCopies,
  drawLiftedCopies,
  drawResaid,
  drawReturnsAtOnce,
  drawUndercut,
  ONE_LATE,
} from './claim-busy-scenes.ts';
import { onTheirWay } from './claim-drawing.ts';
import { drawSaidAgain } from './claim-scenes.ts';
import { drawManyPasses, drawReturns, drawTwiceTaken } from './claim-themes.ts';
import { without } from '../mutants/mutant.ts';

const sparing =
  (isMeant: (write: Write) => boolean): WrapStore =>
  (store) =>
    over(store, {
      write: async (write) => (isMeant(write) ? { kind: 'won', item: undefined } : store.write(write)),
    });

/** Reads take no longer than a few milliseconds here: so far apart are the two, or hardly anything would come in between. */
const APART_MS = 20;

/** A rebuild goes by the version of a look after the rows were read. */
const versionReadLast: NonNullable<ClaimMutant['wrapStore']> = (store, { clock }) =>
  over(store, {
    write: async (write) => {
      if (!isRebuild(write) || write.kind !== 'update') return store.write(write);
      await clock.sleep(APART_MS);
      const head = await store.get(get(write.input.Key as unknown as Key));
      const values = { ...write.input.ExpressionAttributeValues };
      if (values[':seen'] !== undefined) values[':seen'] = head?.version;
      return store.write({ ...write, input: { ...write.input, ExpressionAttributeValues: values } });
    },
  });

const REGISTER_KEYS = ['datedKey', 'undatedKey', 'protectedKey', 'retracted'];

/** A rebuild is spared where the head that was read is right. */
const sparedWhereRight: WrapStore = (store) => {
  let seen: Item | undefined;
  const isRight = ({ input }: Write): boolean => {
    const values = (input as { ExpressionAttributeValues?: Item }).ExpressionAttributeValues ?? {};
    return REGISTER_KEYS.every((name) => JSON.stringify(values[`:set_${name}`]) === JSON.stringify(seen?.[name]));
  };
  return over(store, {
    write: async (write) =>
      isRebuild(write) && isRight(write) ? { kind: 'won', item: undefined } : store.write(write),
    get: async (read) => {
      const row = await store.get(read);
      if (String(read.input.Key?.[SORT_KEY]).startsWith('HEAD#')) seen = row;
      return row;
    },
  });
};

const rowOf = (outcome: Outcome): Item | undefined => (outcome.kind === 'won' ? outcome.item : outcome.stored);
const isCounting = (row: Item | undefined): boolean => {
  const parsed = citationItemSchema.safeParse(row).data;
  return parsed === undefined || stands(parsed);
};

/** Whoever writes a row again that does not count leaves a head that names it. */
const staleHeadLeft =
  (isMeant: (row: Item | undefined) => boolean): WrapStore =>
  (store) => {
    let isLeft = false;
    return over(store, {
      write: async (write) => {
        const outcome = await store.write(write);
        if (sortKeyOf(write).startsWith('CLAIM#')) isLeft = outcome.kind === 'held' && isMeant(rowOf(outcome));
        return outcome;
      },
      get: async (read) => {
        if (!isLeft || !String(read.input.Key?.[SORT_KEY]).startsWith('HEAD#')) return store.get(read);
        isLeft = false;
        return undefined;
      },
    });
  };

/** Whoever says again what an undone pass said, and loses the raise, takes that for a loss like any other. */
const undoneOverlooked: WrapStore = (store) =>
  over(store, {
    write: async (write) => {
      const outcome = await store.write(write);
      const row = rowOf(outcome);
      if (!sortKeyOf(write).startsWith('CLAIM#') || !row || !isCounting(row)) return outcome;
      const unmarked = { ...row, undone: {} };
      return outcome.kind === 'won' ? { kind: 'won', item: unmarked } : { kind: 'held', stored: unmarked };
    },
  });

export const ROW_MUTANTS: readonly ClaimMutant[] = [
  {
    name: 'pass listed twice',
    replaces: 'addCitationPass of a pass that is listed: two executions of one pass',
    caughtBy: ['citations'],
    within: 100,
    deeds: drawSaidAgain,
    wrapStore: rewritingRows('CLAIM#', without('attribute_not_exists(#passes.#pass)')),
  },
  {
    name: 'passes without end',
    replaces: 'addCitationPass to a row that lists twenty',
    caughtBy: ['citations'],
    within: 5,
    deeds: drawManyPasses,
    wrapStore: rewritingRows('CLAIM#', without('#passCount < :most')),
  },
  {
    name: 'captured time taken back',
    replaces: 'recaptureCitation by whoever comes, later or not',
    caughtBy: ['citations'],
    within: 20,
    deeds: drawReturnsAtOnce,
    direct: onTheirWay({ name: 'citation:add-pass', forMs: 200, chance: 0.5 }),
    wrapStore: rewritingRows('CLAIM#', without('#capturedAtMs < :captured')),
  },
  {
    name: 'source that went back',
    replaces: 'recaptureCitation: what was written first stays captured when it was',
    caughtBy: ['citations'],
    within: 20,
    deeds: drawReturns,
    wrapStore: sparing((write) => textOf(write).startsWith('SET #capturedAtMs = ')),
  },
  {
    name: 'pass undone twice',
    replaces: 'undoCitationPass of a pass that was undone: since when it was is another time',
    caughtBy: ['citations'],
    within: 20,
    deeds: drawTwiceTaken,
    wrapStore: rewritingRows('CLAIM#', without('attribute_not_exists(#undone.#pass)')),
  },
  {
    name: 'row withdrawn twice',
    replaces: 'withdrawCitation of a row that was withdrawn',
    caughtBy: ['citations'],
    within: 20,
    deeds: drawTwiceTaken,
    wrapStore: rewritingRows('CLAIM#', without('attribute_not_exists(#withdrawnAtMs)')),
  },
  {
    name: 'protection lifted twice',
    replaces: 'liftProtection of a protection that was lifted',
    caughtBy: ['citations'],
    within: 20,
    deeds: drawTwiceTaken,
    wrapStore: rewritingRows('CLAIM#', without('attribute_not_exists(#protectionLiftedAtMs)')),
  },
  {
    name: 'rebuild looks no more',
    replaces: 'the look after a rebuild: what was told meanwhile lost to the register it lowered',
    caughtBy: ['heads'],
    within: 20,
    isOnce: true,
    deeds: drawUndercut,
    direct: ONE_LATE,
    wrapStore: rebuildingOnce(),
  },
  {
    name: 'version read after the rows',
    replaces: 'the order of a rebuild: the head first, then its rows; and its look after',
    caughtBy: ['heads'],
    within: 20,
    isOnce: true,
    deeds: drawUndercut,
    direct: ONE_LATE,
    wrapStore: (store, actor, world) => versionReadLast(rebuildingOnce()(store), actor, world),
  },
  {
    name: 'rebuild spared where the head is right',
    replaces: 'isChanged: a rebuild that read before, and is on its way, has to lose; and its look after',
    caughtBy: ['heads'],
    within: 20,
    isOnce: true,
    deeds: drawResaid,
    direct: ONE_LATE,
    wrapStore: both(sparedWhereRight, rebuildingOnce()),
  },
  {
    name: 'stale head left to itself',
    replaces: 'lowerStaleHead: who raised it died before the second look',
    caughtBy: ['heads'],
    within: 20,
    isOnce: true,
    deeds: drawLateCopies,
    // So long that its process has no time left: it arrives, and nobody looks after; or it does not.
    direct: onTheirWay({ name: 'head:raise', forMs: 10_000, chance: 0.3 }),
    wrapStore: staleHeadLeft((row) => !isCounting(row)),
  },
  {
    name: 'lifted protection left in the head',
    replaces: 'lowerStaleHead where a protection was lifted: who raised it died before the second look',
    caughtBy: ['heads'],
    within: 40,
    isOnce: true,
    deeds: drawLiftedCopies,
    direct: onTheirWay({ name: 'head:raise', forMs: 10_000, chance: 0.3 }),
    wrapStore: staleHeadLeft((row) => row?.protectionLiftedAtMs !== undefined),
  },
  {
    name: 'lost raise of what was undone',
    replaces:
      'the rebuild of a raise that lost, where a pass that said the same was undone; and the look after a rebuild',
    caughtBy: ['heads'],
    within: 20,
    isOnce: true,
    deeds: drawResaid,
    direct: ONE_LATE,
    wrapStore: both(undoneOverlooked, rebuildingOnce()),
  },
];
