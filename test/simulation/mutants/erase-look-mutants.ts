/** Mutants of what a look of an erasure leaves for a later one: names of young texts, and rows of passes. */
import type { Store } from '../../../functions/io/ports.ts';
import type { Item } from '../../../schema/request.ts';
import { EARLY_MS, erased, OVER_AND_OVER_MS, readQuickly } from './erase-scenes.ts';
import { type Mutant, onWrite } from './mutant.ts';

const SECOND_MS = 1000;

/** An eraser that reads each row as this answers it. */
const seeing =
  (see: (item: Item) => Item): NonNullable<Mutant['wrapStore']> =>
  (store, { role }) => {
    if (role !== 'eraser') return undefined;
    const get: Store['get'] = async (read) => {
      const item = await store.get(read);
      return item && see(item);
    };
    const query: Store['query'] = async (read) => {
      const { items, lastKey } = await store.query(read);
      return { items: items.map(see), lastKey };
    };
    return { ...onWrite(store, (write, _name, pass) => pass(write)), get, query };
  };

/** The same with one attribute in place of what the row has, where it has it. */
const having = (name: string, value: unknown) => seeing((item) => (name in item ? { ...item, [name]: value } : item));

export const ERASE_LOOK_MUTANTS: readonly Mutant[] = [
  {
    name: 'name of a young text removed',
    replaces: 'eraseNamed without textListGraceMs: a text that is on its way comes when nothing names it any more',
    caughtBy: ['erased stays erased'],
    within: 60,
    direct: erased({ kind: 'source', atMs: [600, 900, 1200, 2000, 4000], faults: { pauseWrite: 0.1 } }),
    wrapStore: having('listedAtMs', 0),
  },
  {
    name: 'listed pass erased',
    replaces: 'endPasses: the rows of passes that are on the ledger go with their generation',
    caughtBy: ['a listed pass keeps its row'],
    within: 20,
    direct: erased({ kind: 'scope', atMs: EARLY_MS, faults: { streamDrop: 0.9 } }),
    wrapStore: having('passes', {}),
  },
  {
    name: 'finalized pass erased at once',
    replaces:
      'mayBePutAnew: the row of a pass that was finalized goes with its generation, whoever may yet put it again',
    caughtBy: ['I7 one end'],
    within: 60,
    direct: (plan) =>
      readQuickly(
        erased({
          kind: 'scope',
          atMs: OVER_AND_OVER_MS,
          sentAgainMs: [2 * SECOND_MS, 5 * SECOND_MS],
          faults: { pauseWrite: 0.05, outliveTimeout: 1 },
        })(plan),
      ),
    wrapStore: having('finalizedAtMs', 0),
  },
];
