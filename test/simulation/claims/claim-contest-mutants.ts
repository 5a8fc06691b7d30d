/** Mutants of what finds and keeps contests: the looks of those who raise a register, and the clauses of an attention. */
import type { Write } from '../../../schema/request.ts';
import { clausesOf, withoutClause } from '../../support/without-clause.ts';
import { hidingFromRaise, lettingBe, over, readingOnce, rewritingRows, sortKeyOf, textOf } from './claim-stores.ts';
import type { ClaimMutant } from './claim-schedule.ts';
import { drawContest, drawDecisions } from './claim-themes.ts';
import { drawForgottenContest, drawLowered, drawRecontested, drawUnraised } from './claim-scenes.ts';
import { storm, without } from '../mutants/mutant.ts';

const ATTENTION = 'ATTENTION#contested#';
/** What one decided is on its way while others decide. */
const LONG_WAYS = storm({ pauseWrite: 0.25, outliveTimeout: 1 });
/** Nothing but writes: what a raise does not look at, nobody looks at. */
const CALM = { direct: (plan: Parameters<NonNullable<ClaimMutant['direct']>>[0]) => ({ ...plan, faults: {} }) };

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

/** An attention that goes however it stands. */
const dropping = (write: Write): Write => (write.kind === 'delete' ? without('#op = :seen')(write) : write);

export const CONTEST_MUTANTS: readonly ClaimMutant[] = [
  {
    name: 'lost raise looks at no tie',
    replaces: 'isContested of a raise that lost: the register stands at the same time with another claim',
    caughtBy: ['attention'],
    within: 100,
    deeds: drawContest,
    ...CALM,
    wrapStore: hidingFromRaise('held', ['datedKey', 'undatedKey', 'datedWas', 'undatedWas']),
  },
  {
    name: 'lost raise looks at no flag',
    replaces:
      'isContested of a raise that lost in a claim slot that was contested: what stands next to the top counts too',
    caughtBy: ['attention'],
    within: 300,
    isOnce: true,
    deeds: drawContest,
    ...CALM,
    wrapStore: hidingFromRaise('held', ['contested']),
  },
  {
    name: 'won raise looks at no tie',
    replaces: 'isContested of a raise that won: what it displaced stood at the same time',
    caughtBy: ['attention'],
    within: 100,
    deeds: drawContest,
    ...CALM,
    wrapStore: hidingFromRaise('won', ['datedWas', 'undatedWas']),
  },
  {
    name: 'won raise looks at no flag',
    replaces: 'isContested of a raise that won in a claim slot that was contested: it may end that',
    caughtBy: ['attention'],
    within: 200,
    deeds: drawContest,
    ...CALM,
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
    within: 300,
    deeds: drawDecisions,
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
    within: 300,
    isOnce: true,
    deeds: drawLowered,
    direct: LONG_WAYS,
    wrapStore: readingOnce(forcing('#subjectKey = :seenKey', '#raisedAtMs = ')),
  },
  {
    name: 'later attention cleared',
    replaces: 'clearAttention without the state it is of, and the rounds that stand behind it',
    caughtBy: ['attention'],
    within: 300,
    isOnce: true,
    deeds: drawRecontested,
    direct: LONG_WAYS,
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
    within: 300,
    deeds: drawDecisions,
    wrapStore: rewritingRows(ATTENTION, without('#subjectKey = :seenKey'), '#resolvedBy = '),
  },
  {
    name: 'rest of a contest told to nobody',
    replaces: 'dropOne takes the attention that quotes the erased, and raises none for what is contested without it',
    caughtBy: ['attention'],
    within: 100,
    isOnce: true,
    deeds: drawForgottenContest([0, 20]),
    direct: storm({ crashBeforeWrite: 0.08 }),
    wrapStore: tellingNobody,
  },
  {
    name: 'attention dropped however it stands',
    replaces: 'dropAttention without the write that was seen: it is of another contest by then',
    caughtBy: ['attention'],
    within: 20,
    isOnce: true,
    deeds: drawForgottenContest([150, 350]),
    direct: (plan) => ({ ...plan, faults: {}, slow: [{ name: 'attention:erase', forMs: 150 }] }),
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
