/** Mutants of what keeps claims right: each clause, and each look that a writer takes again, is missed when it is gone. */
import type { Store } from '../../../functions/io/ports.ts';
import type { Item } from '../../../schema/request.ts';
import { CONTEST_MUTANTS } from './claim-contest-mutants.ts';
import { ENTITY_MUTANTS } from './claim-entity-mutants.ts';
import { ROW_MUTANTS } from './claim-row-mutants.ts';
import {
  drawLateCopies,
  drawLiftedCopies,
  drawOvertaken,
  drawRaises,
  drawRetractions,
  ONE_LATE,
} from './claim-busy-scenes.ts';
import { drawOver } from './claim-contest-scenes.ts';
import { onTheirWay } from './claim-drawing.ts';
import { drawProtections } from './claim-scenes.ts';
import { both, over, rebuildingOnce, rewritingRows } from './claim-stores.ts';
import { MORE_CLAIM_MUTANTS } from './claim-more-mutants.ts';
import { TAKEN_MUTANTS } from './claim-taken-mutants.ts';
import type { ClaimMutant } from './claim-schedule.ts';
import { type Mutant, onWrite, rewriting, without } from '../mutants/mutant.ts';

const HEAD = /^head:/;
const CITATION = /^citation:/;

/** Answers citation rows changed, wherever they are read. */
function misreading(change: (row: Item) => Item): NonNullable<Mutant['wrapStore']> {
  const read = (row: Item | undefined): Item | undefined =>
    row !== undefined && String(row.sk).startsWith('CLAIM#') ? change(row) : row;
  return (store): Store => ({
    write: async (write) => {
      const outcome = await store.write(write);
      return outcome.kind === 'held' ? { kind: 'held', stored: read(outcome.stored) } : outcome;
    },
    get: async (one) => read(await store.get(one)),
    query: async (one) => {
      const page = await store.query(one);
      return { ...page, items: page.items.map((row) => read(row) as Item) };
    },
    batchGet: (one) => store.batchGet(one),
  });
}

/** Whoever looks at one citation row again finds it with these. */
const lookingAgainAt =
  (found: Item): NonNullable<Mutant['wrapStore']> =>
  (store) =>
    over(store, {
      get: async (read) => {
        const row = await store.get(read);
        return row !== undefined && String(row.sk).startsWith('CLAIM#') ? { ...row, ...found } : row;
      },
    });

const REGISTER_MUTANTS: readonly ClaimMutant[] = [
  {
    name: 'dated register raised blindly',
    replaces: 'raiseRegister by whoever comes, lower or not',
    caughtBy: ['heads'],
    within: 20,
    isOnce: true,
    deeds: drawRaises,
    wrapStore: rewriting(HEAD, without('attribute_not_exists(#datedKey) OR #datedKey < :key')),
  },
  {
    name: 'undated register raised blindly',
    replaces: 'raiseRegister by whoever comes, lower or not',
    caughtBy: ['heads'],
    within: 20,
    isOnce: true,
    deeds: drawRaises,
    wrapStore: rewriting(HEAD, without('attribute_not_exists(#undatedKey) OR #undatedKey < :key')),
  },
  {
    name: 'protected register raised blindly',
    replaces: 'the last word written for the last word said',
    caughtBy: ['heads'],
    within: 60,
    deeds: drawProtections,
    wrapStore: rewriting(HEAD, without('attribute_not_exists(#protectedKey) OR #protectedKey < :key')),
  },
  {
    name: 'retracted claim rises again',
    replaces: 'the retraction in the condition of a raise',
    caughtBy: ['heads'],
    within: 20,
    deeds: drawRetractions,
    direct: onTheirWay({ name: 'head:raise', forMs: 200, chance: 0.5 }),
    wrapStore: rewriting(HEAD, without('attribute_not_exists(#retracted.#claim) OR #retracted.#claim < :captured')),
  },
  {
    name: 'head rebuilt over a raise',
    replaces: 'the version in the condition of a rebuild, and its look after',
    caughtBy: ['heads'],
    within: 20,
    isOnce: true,
    deeds: drawOvertaken,
    direct: ONE_LATE,
    wrapStore: both(rewritingRows('HEAD#', without('#version = :seen', 'attribute_not_exists(#pk)')), rebuildingOnce()),
  },
  {
    name: 'head not rebuilt',
    replaces: 'rebuildHead, answered without being sent',
    caughtBy: ['heads'],
    within: 60,
    wrapStore: rebuildingOnce(true),
  },
  {
    name: 'no second look after a raise',
    replaces: 'the reading of the row after its register was raised, and of the head by who finds it taken back',
    caughtBy: ['heads'],
    within: 20,
    isOnce: true,
    deeds: drawLateCopies,
    direct: ONE_LATE,
    wrapStore: lookingAgainAt({ withdrawnAtMs: undefined, undone: {}, protectionLiftedAtMs: undefined }),
  },
  {
    name: 'lifted protection raised',
    replaces: 'whether a row still protects, of the second look after a raise: it was lifted while that was on its way',
    caughtBy: ['heads'],
    within: 20,
    isOnce: true,
    deeds: drawLiftedCopies,
    direct: ONE_LATE,
    wrapStore: lookingAgainAt({ protectionLiftedAtMs: undefined }),
  },
  {
    name: 'withdrawal overlooked',
    replaces: 'stands(): a withdrawn citation counts',
    caughtBy: ['heads'],
    within: 60,
    wrapStore: misreading((row) => ({ ...row, withdrawnAtMs: undefined })),
  },
  {
    name: 'undone pass counts on',
    replaces: 'stands(): what an undone pass said counts',
    caughtBy: ['heads'],
    within: 60,
    wrapStore: misreading((row) => ({ ...row, undone: {} })),
  },
  {
    name: 'protection never lifted',
    replaces: 'protects(): a lifted protection stands',
    caughtBy: ['heads'],
    within: 100,
    wrapStore: misreading((row) => ({ ...row, protectionLiftedAtMs: undefined })),
  },
  {
    name: 'citation written over',
    replaces: 'putCitation over the row that stands',
    caughtBy: ['citations'],
    within: 60,
    wrapStore: rewriting(CITATION, without('attribute_not_exists(#pk)')),
  },
  {
    name: 'contest not looked at again',
    replaces: 'the flag that makes every raise look at the attentions',
    caughtBy: ['attention'],
    within: 20,
    isOnce: true,
    deeds: drawOver([120, 200]),
    direct: onTheirWay(),
    wrapStore: (store) =>
      onWrite(store, async (write, _name, pass) => {
        const text = write.kind === 'update' ? (write.input.UpdateExpression ?? '') : '';
        return text.includes('#contested = ') ? { kind: 'won', item: undefined } : pass(write);
      }),
  },
];

export const CLAIM_MUTANTS: readonly ClaimMutant[] = [
  ...REGISTER_MUTANTS,
  ...ROW_MUTANTS,
  ...CONTEST_MUTANTS,
  ...ENTITY_MUTANTS,
  ...TAKEN_MUTANTS,
  ...MORE_CLAIM_MUTANTS,
];
