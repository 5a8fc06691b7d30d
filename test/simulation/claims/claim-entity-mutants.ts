/** Mutants of entities, merges and forgotten claims. */
import type { Write } from '../../../schema/request.ts';
import { both, droppingOnce, isQueryOf, missingForgotten, NONE, over, rewritingRows } from './claim-stores.ts';
import type { ClaimMutant } from './claim-schedule.ts';
import { drawDeeds } from './claim-deeds.ts';
import { drawForgetting, drawMerges, drawTypes } from './claim-themes.ts';
import { drawOnlyErased } from './claim-busy-scenes.ts';
import { onTheirWay } from './claim-drawing.ts';
import { drawForgottenAlone, drawSplits } from './claim-scenes.ts';
import { without } from '../mutants/mutant.ts';
import type { Random } from '../engine/random.ts';

const forgetting = (random: Random) => drawForgetting(random, drawDeeds(random));
const EXISTS = 'attribute_exists(#pk)';

/** What an eraser decided is on its way while others write. */
const LATE_DROPS = onTheirWay({ name: 'head:erase', forMs: 100 });
const dropWithout = (write: Write): Write => (write.kind === 'delete' ? without('#version = :seen')(write) : write);

export const ENTITY_MUTANTS: readonly ClaimMutant[] = [
  {
    name: 'entity called as it was last',
    replaces: 'putEntity whatever its spelling ranks',
    caughtBy: ['entities'],
    within: 60,
    deeds: drawTypes,
    wrapStore: rewritingRows('ENTITY#', without('attribute_not_exists(#nameKey) OR #nameKey < :nameKey')),
  },
  {
    name: 'entity typed as it was last',
    replaces: 'typeEntity whatever the word on its type ranks',
    caughtBy: ['entities'],
    within: 60,
    deeds: drawTypes,
    wrapStore: rewritingRows('ENTITY#', without('attribute_not_exists(#typeKey) OR #typeKey < :typeKey')),
  },
  {
    name: 'unknown entity typed',
    replaces: 'typeEntity of an entity that nobody made known',
    caughtBy: ['whole rows'],
    within: 60,
    deeds: drawTypes,
    wrapStore: rewritingRows('ENTITY#', without(EXISTS)),
  },
  {
    name: 'merge said anew',
    replaces: 'putAlias over a merge that stands',
    caughtBy: ['merges'],
    within: 60,
    deeds: drawMerges,
    wrapStore: rewritingRows('ALIAS#', without('attribute_not_exists(#pk) OR #endedAtMs < :saidAtMs')),
  },
  {
    name: 'merge ended twice',
    replaces: 'endAlias of a merge that was ended',
    caughtBy: ['merges'],
    within: 100,
    deeds: drawSplits,
    wrapStore: rewritingRows('ALIAS#', without('attribute_not_exists(#endedAtMs)')),
  },
  {
    name: 'merge ended that never was',
    replaces: 'endAlias of what nobody merged',
    caughtBy: ['whole rows'],
    within: 60,
    deeds: drawSplits,
    wrapStore: rewritingRows('ALIAS#', without('#recordedAtMs <= :set_endedAtMs')),
  },
  {
    name: 'no look for forgotten claims before a write',
    replaces: "the writer's first look: its words are written, and taken out again",
    caughtBy: ['forgotten'],
    within: 60,
    deeds: forgetting,
    wrapStore: missingForgotten('before'),
  },
  {
    name: 'no look for forgotten claims after a write',
    replaces: "the writer's second look: a claim was forgotten while it was on its way",
    caughtBy: ['forgotten'],
    within: 20,
    deeds: forgetting,
    direct: onTheirWay({ name: 'citation:put', forMs: 150, chance: 0.6 }),
    wrapStore: missingForgotten('after'),
  },
  {
    name: 'erased row emptied',
    replaces: 'emptyCitation of a row that the eraser removed meanwhile',
    caughtBy: ['whole rows'],
    within: 300,
    deeds: forgetting,
    wrapStore: rewritingRows('CLAIM#', without(EXISTS), '#entityName = '),
  },
  {
    name: 'erased row withdrawn',
    replaces: 'withdrawCitation of a row that the eraser removed meanwhile',
    caughtBy: ['whole rows'],
    within: 20,
    deeds: drawForgottenAlone,
    direct: onTheirWay({ name: 'citation:empty', forMs: 200 }),
    wrapStore: rewritingRows('CLAIM#', without(EXISTS), 'SET #withdrawnAtMs = '),
  },
  {
    name: 'erased protection lifted',
    replaces: 'liftProtection of a row that the eraser removed meanwhile',
    caughtBy: ['whole rows'],
    within: 300,
    deeds: drawForgottenAlone,
    wrapStore: rewritingRows('CLAIM#', without('attribute_exists(#protects)')),
  },
  {
    name: 'head dropped over a raise',
    replaces: 'dropHead at whatever version: a claim was told after the rows were read; and the look after',
    caughtBy: ['heads'],
    within: 20,
    isOnce: true,
    deeds: drawOnlyErased,
    direct: LATE_DROPS,
    wrapStore: both(droppingOnce, rewritingRows('HEAD#', dropWithout)),
  },
  {
    name: 'dropped head looks no more',
    replaces: 'the look after a head was dropped: what was told meanwhile lost to what it held',
    caughtBy: ['heads'],
    within: 20,
    isOnce: true,
    deeds: drawOnlyErased,
    direct: LATE_DROPS,
    wrapStore: droppingOnce,
  },
  {
    name: 'merge not followed',
    replaces: 'loadAliases: a person who names one entity means those that are one with it',
    caughtBy: ['citations'],
    within: 60,
    deeds: drawMerges,
    wrapStore: (store) =>
      over(store, { query: async (read) => (isQueryOf(read, 'ALIAS#') ? NONE : store.query(read)) }),
  },
  {
    name: 'erasure ordered anew',
    replaces: 'openErasure over an order that stands',
    caughtBy: ['forgotten'],
    within: 60,
    deeds: forgetting,
    wrapStore: rewritingRows('ERASURE#', without('attribute_not_exists(#pk) OR attribute_exists(#liftedAtMs)')),
  },
];
