/** Mutants of what keeps claims right: each clause, and each look that a writer takes again, is missed when it is gone. */
import type { Store } from '../../../functions/io/ports.ts';
import type { Item } from '../../../schema/request.ts';
import { CONTEST_MUTANTS } from './claim-contest-mutants.ts';
import { ENTITY_MUTANTS } from './claim-entity-mutants.ts';
import { ROW_MUTANTS } from './claim-row-mutants.ts';
import { drawProtections, drawRebuilds, drawRetractions } from './claim-scenes.ts';
import { both, rebuildingOnce, rewritingRows } from './claim-stores.ts';
import { MORE_CLAIM_MUTANTS } from './claim-more-mutants.ts';
import { TAKEN_MUTANTS } from './claim-taken-mutants.ts';
import type { ClaimMutant } from './claim-schedule.ts';
import { type Mutant, onWrite, rewriting, storm, without } from '../mutants/mutant.ts';

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

/** A process that stands still between two requests: others come in between. */
const STANDSTILL = storm({ freeze: 0.1, outliveTimeout: 1 });

const REGISTER_MUTANTS: readonly ClaimMutant[] = [
  {
    name: 'dated register raised blindly',
    replaces: 'raiseRegister by whoever comes, lower or not',
    caughtBy: ['heads'],
    within: 300,
    wrapStore: rewriting(HEAD, without('attribute_not_exists(#datedKey) OR #datedKey < :key')),
  },
  {
    name: 'undated register raised blindly',
    replaces: 'raiseRegister by whoever comes, lower or not',
    caughtBy: ['heads'],
    within: 100,
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
    within: 60,
    deeds: drawRetractions,
    wrapStore: rewriting(HEAD, without('attribute_not_exists(#retracted.#claim) OR #retracted.#claim < :captured')),
  },
  {
    name: 'head rebuilt over a raise',
    replaces: 'the version in the condition of a rebuild, and its look after',
    caughtBy: ['heads'],
    within: 200,
    isOnce: true,
    deeds: drawRebuilds,
    direct: storm({ pauseWrite: 0.25, outliveTimeout: 1 }),
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
    within: 300,
    direct: STANDSTILL,
    wrapStore: (store) => ({
      write: (write) => store.write(write),
      get: async (read) => {
        const row = await store.get(read);
        const isCitation = row !== undefined && String(row.sk).startsWith('CLAIM#');
        return isCitation ? { ...row, withdrawnAtMs: undefined, undone: {}, protectionLiftedAtMs: undefined } : row;
      },
      query: (read) => store.query(read),
      batchGet: (read) => store.batchGet(read),
    }),
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
    within: 100,
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
