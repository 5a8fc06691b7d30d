/** Mutants of doors: what is refused would have left something behind. */
import { markBacklog } from '../../../functions/io/backlog-mark.ts';
import type { Store } from '../../../functions/io/ports.ts';
import type { Write } from '../../../schema/request.ts';
import { type Mutant, onWrite, without } from './mutant.ts';
import type { Plan } from '../plans/plan.ts';
import { Random } from '../engine/random.ts';
import { slipsOf } from '../plans/sloppy-plan.ts';

/** A hundred odd calls, and nobody else who would be refused. */
const careless = (plan: Plan): Plan => ({
  ...plan,
  erasing: undefined,
  hostile: undefined,
  sessions: [],
  undoing: [],
  faults: {},
  slips: slipsOf(new Random(plan.seed, 'directed slips'), plan.scopes, plan.calmFromMs, 100),
});

const passed = (store: Store): Store => onWrite(store, (write, _, pass) => pass(write));
const isOfMerge = (write: Write): boolean =>
  write.kind === 'update' && String(write.input.Key?.sk).startsWith('ALIAS#');

export const SLOPPY_MUTANTS: readonly Mutant[] = [
  {
    name: 'scope marked before it is known for what',
    replaces: 'appendTurns and ingestSources mark their scope first: what is refused then wakes it',
    caughtBy: ['a refused call leaves nothing'],
    within: 20,
    wrapStore: (store, actor) => {
      if (actor.role !== 'ingest') return undefined;
      let isMarked = false;
      const get: typeof store.get = async (read) => {
        const item = await store.get(read);
        if (read.input.Key?.sk !== 'SCOPE' || isMarked) return item;
        isMarked = true;
        const { clock, ids, pools } = actor;
        await markBacklog({ store, clock, ids, pools }, actor.scope ?? '', undefined);
        return item;
      };
      return { ...passed(store), get };
    },
    direct: careless,
  },
  {
    name: 'merge taken apart that never was',
    replaces: 'endAlias without its row: what nobody said is ended, and the row of it is made',
    caughtBy: ['an odd call is refused'],
    within: 20,
    wrapStore: (store, { role }) =>
      role !== 'curator'
        ? undefined
        : onWrite(store, (write, _, pass) =>
            pass(isOfMerge(write) ? without('#recordedAtMs <= :set_endedAtMs')(write) : write),
          ),
    direct: careless,
  },
];
