/** Mutants of uploads: bytes that nobody compared, and bytes that nobody may put right. */
import { type Mutant, onWrite } from './mutant.ts';
import type { Plan } from '../plans/plan.ts';
import { Random } from '../engine/random.ts';
import { uploadsOf } from '../plans/upload-plan.ts';
import type { World } from '../engine/world.ts';

/** Nothing but uploads, each of which comes in spoiled. */
const spoiled = (plan: Plan): Plan => {
  const ingests = uploadsOf(new Random(plan.seed, 'spoiled uploads'), plan.scopes, plan.calmFromMs);
  return {
    ...plan,
    erasing: undefined,
    hostile: undefined,
    poison: undefined,
    fragments: undefined,
    sessions: [],
    undoing: [],
    slips: [],
    ingests: ingests.map((call) => {
      const { upload } = call;
      return upload ? { ...call, upload: { ...upload, fates: upload.fates.map(() => 'spoiled') } } : call;
    }),
  };
};

/** Of each world, the parts that stand. */
const standing = new WeakMap<World, Set<string>>();

export const UPLOAD_MUTANTS: readonly Mutant[] = [
  {
    name: 'upload taken unseen',
    replaces: 'isIntact: the bytes laid end to end are not compared with what the upload is named for',
    caughtBy: ['an upload stands whole or not at all'],
    within: 20,
    decide: { isIntact: () => true },
    direct: spoiled,
  },
  {
    name: 'part kept as it was first sent',
    replaces: 'putUploadPart that takes the place of none: what spoiled a part on its way spoils its upload',
    caughtBy: ['V1 liveness'],
    within: 20,
    wrapStore: (store, actor, world) => {
      if (actor.role !== 'ingest') return undefined;
      const known = standing.get(world) ?? new Set();
      standing.set(world, known);
      return onWrite(store, async (write, _, pass) => {
        const { pk, sk } = (write.kind === 'put' && write.input.Item) || {};
        if (!String(sk).includes('#PART#')) return pass(write);
        const name = `${pk} ${sk}`;
        if (known.has(name)) return { kind: 'won', item: {} };
        const outcome = await pass(write);
        known.add(name);
        return outcome;
      });
    },
    direct: spoiled,
  },
];
