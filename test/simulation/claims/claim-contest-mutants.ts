/** Mutants of what finds and keeps contests: the looks of those who raise a register, and the clauses of an attention. */
import { tellsOfErased } from '../../../functions/core/erasing.ts';
import { keyOf } from '../../../functions/eraser/erase-source.ts';
import { attentionItemSchema, dropAttention } from '../../../schema/attention.ts';
import { slotKeyOf } from '../../../schema/citation.ts';
import { type ErasureItem, erasureItemSchema } from '../../../schema/erasure.ts';
import type { Item, Query, Write } from '../../../schema/request.ts';
import { SORT_KEY } from '../../../schema/table.ts';
import { clausesOf, withoutClause } from '../../support/without-clause.ts';
import {
  hidingFromRaise,
  isQueryOf,
  lettingBe,
  over,
  readingOnce,
  rewritingRows,
  sortKeyOf,
  textOf,
} from './claim-stores.ts';
import type { ClaimMutant } from './claim-schedule.ts';
import { drawContest, drawDecisions } from './claim-themes.ts';
import { drawErasedContest } from './claim-busy-scenes.ts';
import {
  drawLowered,
  drawMovedOn,
  drawOver,
  drawRecontested,
  drawReopened,
  drawSuperseded,
  drawTies,
} from './claim-contest-scenes.ts';
import { onTheirWay } from './claim-drawing.ts';
import { drawForgottenContest, drawUnraised } from './claim-scenes.ts';
import { without } from '../mutants/mutant.ts';

const ATTENTION = 'ATTENTION#contested#';
/** Of two writes of an attention one is long on its way. */
const ONE_LATE = onTheirWay({ name: 'attention:update', forMs: 150, chance: 0.5 });
/** Erasers die between two writes, and begin again. */
const DYING: NonNullable<ClaimMutant['direct']> = (plan) => ({ ...plan, slow: [], faults: { crashBeforeWrite: 0.2 } });

/** A write of an attention that this clause of its condition refused, without the clause. */
const forcing =
  (clause: string, text = '') =>
  (write: Write): Write | undefined =>
    sortKeyOf(write).startsWith(ATTENTION) && textOf(write).includes(text) && clausesOf(write).includes(clause)
      ? withoutClause(write, clause)
      : undefined;

/** Who looks through all attentions, as an eraser does at the end of a look, raises none after, and takes each for over. */
const tellingNobody: NonNullable<ClaimMutant['wrapStore']> = (store) => {
  let hasListed = false;
  return over(store, {
    query: async (read) => {
      hasListed ||= Object.values(read.input.ExpressionAttributeValues ?? {}).includes('ATTENTION#');
      return store.query(read);
    },
    get: async (read) => {
      const item = await store.get(read);
      return hasListed && String(item?.sk).startsWith(ATTENTION) ? { ...item, resolvedAtMs: 1 } : item;
    },
    write: async (write) =>
      hasListed && sortKeyOf(write).startsWith(ATTENTION) && write.kind === 'update'
        ? { kind: 'won', item: undefined }
        : store.write(write),
  });
};

/** Who looks through all attentions takes each that tells of what it erases before it looks at what is left of its contest. */
const tellingLast: NonNullable<ClaimMutant['wrapStore']> = (store) => {
  let erasure: ErasureItem | undefined;
  let listed: readonly Item[] = [];
  const isOf = (item: Item, read: Query): boolean => {
    const { slot } = attentionItemSchema.parse(item).details;
    return isQueryOf(read, `CLAIM#${slotKeyOf(slot)}#`);
  };
  return over(store, {
    get: async (read) => {
      const row = await store.get(read);
      if (String(read.input.Key?.[SORT_KEY]).startsWith('ERASURE#')) erasure = erasureItemSchema.safeParse(row).data;
      return row;
    },
    query: async (read) => {
      const meant = listed.filter((item) => isOf(item, read));
      listed = listed.filter((item) => !meant.includes(item));
      for (const item of meant) await store.write(dropAttention(keyOf(item), String(item.op)));
      const page = await store.query(read);
      if (erasure && isQueryOf(read, 'ATTENTION#')) {
        const meaning = erasure;
        listed = page.items.filter((item) => tellsOfErased(meaning, item));
      }
      return page;
    },
  });
};

/** A raise that asks for what was raised last at its own state, whatever became of that since. */
const byStateAlone = (write: Write): Write => {
  const { ConditionExpression: condition = '' } = write.input as { ConditionExpression?: string };
  const other = condition.replace('(#op = :seenOp)', '(#op = :seenOp OR #subjectKey = :set_subjectKey)');
  return { ...write, input: { ...write.input, ConditionExpression: other } } as Write;
};

/** An attention that goes however it stands. */
const dropping = (write: Write): Write => (write.kind === 'delete' ? without('#op = :seen')(write) : write);

export const CONTEST_MUTANTS: readonly ClaimMutant[] = [
  {
    name: 'lost raise looks at no tie',
    replaces: 'isContested of a raise that lost: the register stands at the same time with another claim',
    caughtBy: ['attention'],
    within: 20,
    isOnce: true,
    deeds: drawTies,
    direct: onTheirWay(),
    wrapStore: hidingFromRaise('held', ['datedKey', 'undatedKey', 'datedWas', 'undatedWas']),
  },
  {
    name: 'lost raise looks at no flag',
    replaces:
      'isContested of a raise that lost in a claim slot that was contested: what stands next to the top counts too',
    caughtBy: ['attention'],
    within: 20,
    isOnce: true,
    deeds: drawSuperseded,
    direct: onTheirWay(),
    wrapStore: hidingFromRaise('held', ['contested']),
  },
  {
    name: 'won raise looks at no tie',
    replaces: 'isContested of a raise that won: what it displaced stood at the same time',
    caughtBy: ['attention'],
    within: 20,
    isOnce: true,
    deeds: drawTies,
    direct: onTheirWay(),
    wrapStore: hidingFromRaise('won', ['datedWas', 'undatedWas']),
  },
  {
    name: 'won raise looks at no flag',
    replaces: 'isContested of a raise that won in a claim slot that was contested: it may end that',
    caughtBy: ['attention'],
    within: 20,
    isOnce: true,
    deeds: drawOver([120, 200]),
    direct: onTheirWay(),
    wrapStore: hidingFromRaise('won', ['contested']),
  },
  {
    name: 'first contest let be',
    replaces: 'settleContests of a claim slot that was not contested before',
    caughtBy: ['attention'],
    within: 60,
    deeds: drawContest,
    wrapStore: lettingBe,
  },
  {
    name: 'contest settled by one reading',
    replaces: 'the rounds of settleContests: it acts on the citations it read first',
    caughtBy: ['attention'],
    within: 20,
    isOnce: true,
    deeds: drawOver([60, 130]),
    direct: onTheirWay({ name: 'attention:update', forMs: 200 }),
    wrapStore: readingOnce(),
  },
  {
    name: 'attention raised over a later one',
    replaces: 'raiseAttention without the comparison, and the rounds that stand behind it',
    caughtBy: ['attention', 'decisions'],
    within: 300,
    deeds: drawDecisions,
    wrapStore: readingOnce(forcing('attribute_not_exists(#subjectKey) OR #subjectKey < :subjectKey')),
  },
  {
    name: 'attention lowered unseen',
    replaces: 'lowerAttention whatever stands by now, and the rounds that stand behind it',
    caughtBy: ['attention', 'decisions'],
    within: 20,
    isOnce: true,
    deeds: drawLowered,
    direct: ONE_LATE,
    wrapStore: readingOnce(forcing('#op = :seenOp', '#raisedAtMs = ')),
  },
  {
    name: 'attention raised over a decision',
    replaces: 'lowerAttention by its state alone: another raised it again at that state, and a pass declined it',
    caughtBy: ['decisions'],
    within: 20,
    isOnce: true,
    deeds: drawReopened,
    direct: ONE_LATE,
    wrapStore: rewritingRows(ATTENTION, byStateAlone, '#raisedAtMs = '),
  },
  {
    name: 'later attention cleared',
    replaces: 'clearAttention without the state it is of, and the rounds that stand behind it',
    caughtBy: ['attention'],
    within: 20,
    isOnce: true,
    deeds: drawRecontested,
    direct: ONE_LATE,
    wrapStore: readingOnce(forcing('#subjectKey < :belowKey')),
  },
  {
    name: 'decision cleared over',
    replaces: 'clearAttention and decideAttention of one that is closed',
    caughtBy: ['decisions'],
    within: 300,
    deeds: drawDecisions,
    wrapStore: rewritingRows(ATTENTION, without('attribute_not_exists(#resolvedAtMs)')),
  },
  {
    name: 'decided unseen',
    replaces: 'decideAttention without the state that was seen: the subject is another question by now',
    caughtBy: ['decisions'],
    within: 20,
    isOnce: true,
    deeds: drawMovedOn,
    direct: ONE_LATE,
    wrapStore: rewritingRows(ATTENTION, without('#subjectKey = :seenKey'), '#resolvedBy = '),
  },
  {
    name: 'rest of a contest told to nobody',
    replaces: 'dropOne takes the attention that quotes the erased, and raises none for what is contested without it',
    caughtBy: ['attention'],
    within: 20,
    isOnce: true,
    deeds: drawErasedContest,
    direct: DYING,
    wrapStore: tellingNobody,
  },
  {
    name: 'attention dropped before the rest is told',
    replaces: 'the order of dropOne: who dies between the two leaves what is contested without the erased to nobody',
    caughtBy: ['attention'],
    within: 20,
    isOnce: true,
    deeds: drawErasedContest,
    direct: DYING,
    wrapStore: tellingLast,
  },
  {
    name: 'attention dropped however it stands',
    replaces: 'dropAttention without the write that was seen: it is of another contest by then',
    caughtBy: ['attention'],
    within: 20,
    isOnce: true,
    deeds: drawForgottenContest,
    direct: onTheirWay({ name: 'attention:erase', forMs: 150 }),
    wrapStore: rewritingRows(ATTENTION, dropping),
  },
  {
    name: 'head made for a contest',
    replaces: 'flagContest where there is no head',
    caughtBy: ['whole rows'],
    within: 60,
    deeds: drawUnraised,
    wrapStore: rewritingRows('HEAD#', without('attribute_exists(#pk)'), '#contested = '),
  },
];
