/**
 * Mutants of what is read page by page, of what a person says by their own routes, of imports, and of the room there is for
 * what is forgotten.
 */
import type { Item, Outcome, Query, Write } from '../../../schema/request.ts';
import { SORT_KEY } from '../../../schema/table.ts';
import { onTheirWay } from './claim-drawing.ts';
import { drawRebuilds, drawTaken } from './claim-scenes.ts';
import type { ClaimMutant } from './claim-schedule.ts';
import {
  drawErasedImports,
  drawForgottenWhole,
  drawJoinedAgain,
  drawRoom,
  drawSaidTwice,
  drawSlots,
  drawSpoken,
  LIFTED,
} from './claim-slots.ts';
import { isQueryOf, isRebuild, over, rewritingRows, sortKeyOf, textOf, type WrapStore } from './claim-stores.ts';
import { drawMerges } from './claim-themes.ts';
import { storm, without } from '../mutants/mutant.ts';

/** Whoever reads by such a query takes its first page for all there is. */
const readingOnePage =
  (isMeant: (read: Query) => boolean): WrapStore =>
  (store) =>
    over(store, {
      query: async (read) => {
        const page = await store.query(read);
        return isMeant(read) ? { ...page, lastKey: undefined } : page;
      },
    });

const isBetween = ({ input }: Query): boolean => (input.KeyConditionExpression ?? '').includes('BETWEEN');

/** What writes of some kind are answered with, in place of what became of them. */
const answering =
  (isMeant: (write: Write) => boolean, outcome: Outcome): WrapStore =>
  (store) =>
    over(store, {
      write: async (write) => {
        const own = await store.write(write);
        return isMeant(write) && own.kind === 'won' ? outcome : own;
      },
    });

/** Writes of some kind, answered without being sent. */
const leavingOut =
  (isMeant: (write: Write) => boolean): WrapStore =>
  (store) =>
    over(store, {
      write: async (write) => (isMeant(write) ? { kind: 'won', item: undefined } : store.write(write)),
    });

/** After the write that takes a protection back, its head is let be. */
const liftingTheRowAlone: WrapStore = (store) => {
  let isLifted = false;
  return over(store, {
    write: async (write) => {
      isLifted ||= textOf(write).includes('#protectionLiftedAtMs = ');
      return isLifted && isRebuild(write) ? { kind: 'won', item: undefined } : store.write(write);
    },
    query: async (read) =>
      isLifted && isQueryOf(read, 'CLAIM#') ? { items: [], lastKey: undefined } : store.query(read),
    get: async (read) =>
      isLifted && /^(?:HEAD|ATTENTION)#/.test(String(read.input.Key?.[SORT_KEY])) ? undefined : store.get(read),
  });
};

/** The row of a head bears its entity alone. */
function withoutAttribute(key: Item | undefined): Item | undefined {
  const sk = String(key?.[SORT_KEY]);
  return sk.startsWith('HEAD#') ? { ...key, [SORT_KEY]: sk.split('#').slice(0, 2).join('#') } : key;
}

const headByEntity: WrapStore = (store) =>
  over(store, {
    get: (read) => store.get({ ...read, input: { ...read.input, Key: withoutAttribute(read.input.Key) } }),
    write: (write) =>
      write.kind === 'put'
        ? store.write(write)
        : store.write({ ...write, input: { ...write.input, Key: withoutAttribute(write.input.Key) } } as Write),
  });

const isPutOfEntity = (write: Write): boolean => textOf(write).includes('#nameKey = ');
const isTaking = (write: Write): boolean => /#undone\.#pass = |SET #withdrawnAtMs = /.test(textOf(write));

/** What was emptied keeps all it says beside its value. */
function emptyingHalf(write: Write): Write {
  const text = textOf(write);
  if (!text.includes('#entityName = ') || write.kind !== 'update') return write;
  return { ...write, input: { ...write.input, UpdateExpression: text.replace(/ REMOVE .*$/, '') } };
}

/** Merges are said once, by the clock of whoever says them. */
const sayingOnce: WrapStore = (store) => {
  let refusal: Outcome | undefined;
  return over(store, {
    write: async (write) => {
      if (write.kind !== 'put' || !sortKeyOf(write).startsWith('ALIAS#')) return store.write(write);
      const outcome = refusal ?? (await store.write(write));
      if (outcome.kind === 'held') refusal = outcome;
      return outcome;
    },
  });
};

export const MORE_CLAIM_MUTANTS: readonly ClaimMutant[] = [
  {
    name: 'first page of a claim slot taken for all',
    replaces: 'readSlotRows reads on: a head is rebuilt from the rows of one page',
    caughtBy: ['heads', 'citations'],
    within: 20,
    rowsPerPage: 1,
    deeds: drawRebuilds,
    wrapStore: readingOnePage((read) => isBetween(read) && isQueryOf(read, 'CLAIM#')),
  },
  {
    name: 'first page of all claims taken for all',
    replaces: 'walkSlots reads on: an undo ends with the first page',
    caughtBy: ['citations'],
    within: 20,
    rowsPerPage: 1,
    deeds: drawTaken,
    wrapStore: readingOnePage((read) => !isBetween(read) && isQueryOf(read, 'CLAIM#')),
  },
  {
    name: 'first page of merges taken for all',
    replaces: 'loadAliases reads on: whoever names one entity means those of the first merge alone',
    caughtBy: ['citations'],
    within: 60,
    rowsPerPage: 1,
    deeds: drawMerges,
    wrapStore: readingOnePage((read) => isQueryOf(read, 'ALIAS#')),
  },
  {
    name: 'taken back and not told',
    replaces: 'takeBack and withdraw count what they took back',
    caughtBy: ['an answer counts what it changed'],
    within: 20,
    deeds: drawTaken,
    wrapStore: answering(isTaking, { kind: 'held', stored: undefined }),
  },
  {
    name: 'head by its entity alone',
    replaces: 'slotKeyOf in the key of a head: attributes of one entity share one',
    caughtBy: ['heads'],
    within: 20,
    deeds: drawSlots,
    wrapStore: headByEntity,
  },
  {
    name: 'one register key for two places of a source',
    replaces: 'registerKeyOf ends with the citation: of two that are alike in all else the first to come stays',
    caughtBy: ['heads'],
    within: 60,
    deeds: drawSaidTwice,
    wrapStore: rewritingRows('HEAD#', (write) => {
      const { ExpressionAttributeValues: values } = write.input as { ExpressionAttributeValues?: Item };
      const cut = (key: unknown): unknown => (typeof key === 'string' ? key.replace(/\|[^|]+$/, '|') : key);
      const named = Object.entries(values ?? {}).map(([name, value]) =>
        /^:(?:key|set_(?:un)?datedKey)$/.test(name) ? [name, cut(value)] : [name, value],
      );
      return { ...write, input: { ...write.input, ExpressionAttributeValues: Object.fromEntries(named) } } as Write;
    }),
  },
  {
    name: 'entity of what a person says not made known',
    replaces: 'putEntity before a statement',
    caughtBy: ['entities'],
    within: 20,
    deeds: drawSpoken,
    wrapStore: leavingOut(isPutOfEntity),
  },
  {
    name: 'protection lifted in its row alone',
    replaces: 'unprotectClaims rebuilds the head',
    caughtBy: ['heads'],
    within: 20,
    isOnce: true,
    deeds: drawSpoken,
    wrapStore: liftingTheRowAlone,
  },
  {
    name: 'emptied row goes on saying',
    replaces: 'emptyCitation takes out the event, the contradiction and the reason, too',
    caughtBy: ['forgotten', 'citations'],
    within: 20,
    deeds: drawForgottenWhole,
    direct: onTheirWay({ name: 'citation:put', forMs: 150, chance: 0.6 }),
    wrapStore: rewritingRows('CLAIM#', emptyingHalf),
  },
  {
    name: 'hastened from the middle of a look',
    replaces: 'hastenErasure forgets where a look stood: what was written behind that is not looked for',
    caughtBy: ['forgotten'],
    within: 20,
    rowsPerPage: 1,
    deeds: drawForgottenWhole,
    direct: onTheirWay({ name: 'citation:put', forMs: 150, chance: 0.6 }),
    wrapStore: rewritingRows(
      'ERASURE#',
      (write) =>
        ({
          ...write,
          input: { ...write.input, UpdateExpression: textOf(write).replace(/ REMOVE .*$/, '') },
        }) as Write,
      'ADD #version',
    ),
  },
  {
    name: 'import that asks for no tombstone',
    replaces: 'findErased: lines of a source that was erased come in again',
    caughtBy: ['erased is kept out'],
    within: 20,
    deeds: drawErasedImports,
    wrapStore: (store) =>
      over(store, {
        get: async (read) => (String(read.input.Key?.[SORT_KEY]).startsWith('SOURCE#') ? undefined : store.get(read)),
      }),
  },
  {
    name: 'types of an export left out',
    replaces: 'importMemory says what entities are, after it made them known',
    caughtBy: ['entities'],
    within: 20,
    deeds: drawErasedImports,
    wrapStore: leavingOut((write) => textOf(write).includes('#typeKey = ')),
  },
  {
    name: 'merge not said again by a clock that is behind',
    replaces: 'mergeEntities asks once, by its own clock: what was taken back stays so',
    caughtBy: ['merges'],
    within: 20,
    isOnce: true,
    deeds: drawJoinedAgain,
    direct: storm({}, { skewMaxMs: 5000 }),
    wrapStore: sayingOnce,
  },
  {
    name: 'no room made for what is forgotten',
    replaces: 'makeRoom: what was lifted stays, and writers look at the first 500 alone',
    caughtBy: ['forgotten'],
    within: 20,
    lifted: LIFTED,
    deeds: drawRoom,
    wrapStore: leavingOut((write) => write.kind === 'delete' && sortKeyOf(write).startsWith('ERASURE#CLAIM#')),
  },
  {
    name: 'room made of what is forgotten anew',
    replaces: 'dropLiftedErasure of an order that was given again since',
    caughtBy: ['forgotten'],
    within: 20,
    lifted: LIFTED,
    deeds: drawRoom,
    direct: onTheirWay({ name: 'erasure:erase', forMs: 100 }),
    wrapStore: rewritingRows('ERASURE#CLAIM#', without('#liftedAtMs = :at')),
  },
];
