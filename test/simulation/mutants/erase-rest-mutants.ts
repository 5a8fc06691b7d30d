/** Mutants of what goes with the erased beside their own rows, of what stays, and of how far a look got. */
import type { Item, Write } from '../../../schema/request.ts';
import { EARLY_MS, erased, naming, OLD_MS, readQuickly, readSlowly, SPREAD_MS } from './erase-scenes.ts';
import { type Mutant, onWrite, rewriting, without } from './mutant.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
/** When all that was sent at first is read. */
const READ_MS = [90, 95, 100, 180, 240].map((s) => s * SECOND_MS);

const LOOKED_AGAIN_MS = Array.from({ length: 60 }, (_, k) => k * SECOND_MS);

const keyOf = (write: Write): string => String((write.kind === 'put' ? write.input.Item : write.input.Key)?.sk);

/** An eraser that finds none by such a query. */
const blindFor =
  (isMeant: (values: readonly unknown[]) => boolean): NonNullable<Mutant['wrapStore']> =>
  (store, { role }) => {
    if (role !== 'eraser') return undefined;
    const over = onWrite(store, (write, _name, pass) => pass(write));
    return {
      ...over,
      query: async (read) =>
        isMeant(Object.values(read.input.ExpressionAttributeValues ?? {}))
          ? { items: [], lastKey: undefined }
          : store.query(read),
    };
  };

/** An eraser's writes of some kind, answered without being sent. */
function eraserWithout(isMeant: (write: Write, name: string) => boolean): NonNullable<Mutant['wrapStore']> {
  return (store, { role }) =>
    role === 'eraser'
      ? onWrite(store, async (write, name, pass) =>
          isMeant(write, name) ? { kind: 'won', item: undefined } : pass(write),
        )
      : undefined;
}

/** The same write without what it removes. */
function removingNothing(write: Write): Write {
  if (write.kind !== 'update') return write;
  const text = (write.input.UpdateExpression ?? '').replace(/ REMOVE .*$/, '');
  return { ...write, input: { ...write.input, UpdateExpression: text } };
}

/** Eraser's pages end a look. */
const onePage: NonNullable<Mutant['wrapStore']> = (store, { role }) => {
  if (role !== 'eraser') return undefined;
  const over = onWrite(store, (write, _name, pass) => pass(write));
  return { ...over, query: async (read) => ({ ...(await store.query(read)), lastKey: undefined }) };
};

/** A record that never tells where its look goes on. */
const withoutPosition: NonNullable<Mutant['wrapStore']> = rewriting('erasure:save', (write) => {
  if (write.kind !== 'update') return write;
  const { ExpressionAttributeValues: values = {} } = write.input;
  if (values[':set_position'] === undefined) return write;
  return {
    ...write,
    input: { ...write.input, ExpressionAttributeValues: { ...values, ':set_position': 'proposals' } },
  };
});

/** An eraser that reads rows of evidence as held by nobody. */
const seeingNoHolder: NonNullable<Mutant['wrapStore']> = (store, { role }) => {
  if (role !== 'eraser') return undefined;
  const over = onWrite(store, (write, _name, pass) => pass(write));
  return {
    ...over,
    query: async (read) => {
      const page = await store.query(read);
      return { ...page, items: page.items.map((row: Item) => ({ ...row, leasePass: undefined })) };
    },
  };
};

export const ERASE_REST_MUTANTS: readonly Mutant[] = [
  {
    name: 'entity of the erased left',
    replaces: 'dropEntity: who is named in the erased text alone stays known',
    caughtBy: ['nothing of the erased is left'],
    within: 20,
    direct: naming(erased({ kind: 'source', atMs: READ_MS })),
    wrapStore: blindFor((values) => values.includes('ENTITY#')),
  },
  {
    name: 'head of the erased left',
    replaces: 'settleHead takes a claim slot without citations for one without a head',
    caughtBy: ['nothing of the erased is left'],
    within: 20,
    direct: naming(erased({ kind: 'source', atMs: READ_MS })),
    wrapStore: (store, { role }) => {
      if (role !== 'eraser') return undefined;
      const over = onWrite(store, (write, _name, pass) => pass(write));
      return {
        ...over,
        get: async (read) => (String(read.input.Key?.sk).startsWith('HEAD#') ? undefined : store.get(read)),
      };
    },
  },
  {
    name: 'entity not made known again',
    replaces: 'keepKnown: who was dropped before a pass had written its first claim stays unknown',
    caughtBy: ['who is spoken of is known'],
    within: 60,
    direct: (plan) =>
      readQuickly(naming(erased({ kind: 'source', atMs: [2 * SECOND_MS], againMs: LOOKED_AGAIN_MS }))(plan)),
    slow: [{ name: 'citation:put', forMs: 1500, role: 'worker' }],
    wrapStore: eraserWithout((_write, name) => name === 'entity:update'),
  },
  {
    name: 'proposals of the erased left',
    replaces: 'dropProposals: what a dry run would have written quotes what is erased, for a day',
    caughtBy: ['erased stays erased'],
    within: 20,
    direct: erased({ kind: 'source', atMs: SPREAD_MS, hasDryRuns: true }),
    wrapStore: blindFor((values) => values.includes('PASS#')),
  },
  {
    name: 'attention of the erased left',
    replaces: 'dropAttentions: who asks what passes got nowhere with is told of what is erased',
    caughtBy: ['erased stays erased'],
    within: 20,
    direct: erased({ kind: 'source', atMs: EARLY_MS, looks: { isGivenUp: true } }),
    wrapStore: blindFor((values) => values.includes('ATTENTION#')),
  },
  {
    name: 'parts of an upload left',
    replaces: 'eraseSourceTexts: what waits to be completed stays, and its name goes',
    caughtBy: ['erased stays erased'],
    within: 20,
    direct: erased({ kind: 'source', atMs: OLD_MS, looks: { partsBeforeMs: 2 * SECOND_MS }, stormMinutes: 20 }),
    wrapStore: blindFor((values) => values.some((value) => String(value).endsWith('#upload'))),
  },
  {
    name: 'part of what was erased taken',
    replaces: 'putPart asks for no tombstone: parts stand for a day that no look comes to any more',
    caughtBy: ['erased stays erased'],
    within: 20,
    direct: erased({ kind: 'source', atMs: EARLY_MS, looks: { partsBeforeMs: 2 * SECOND_MS } }),
    wrapStore: (store, { role }) => {
      if (role !== 'ingest') return undefined;
      const over = onWrite(store, (write, _name, pass) => pass(write));
      const get: typeof over.get = async (read) => {
        const item = await store.get(read);
        return item?.erasedAtMs === undefined ? item : undefined;
      };
      return { ...over, get };
    },
  },
  {
    name: 'who reads the erased goes on',
    replaces: 'cancelHolder: the pass that holds what is erased is not told',
    caughtBy: ['who reads the erased is cancelled'],
    within: 60,
    direct: (plan) => readSlowly(erased({ kind: 'source', atMs: SPREAD_MS })(plan)),
    wrapStore: seeingNoHolder,
  },
  {
    name: 'passes of an erased scope go on',
    replaces: 'endPasses cancels nobody',
    caughtBy: ['who reads the erased is cancelled'],
    within: 20,
    direct: (plan) => readSlowly(erased({ kind: 'scope', atMs: EARLY_MS })(plan)),
    wrapStore: eraserWithout((_write, name) => name === 'pass:cancelled'),
  },
  {
    name: 'first page of an erasure taken for all',
    replaces: 'walkPages reads on: a look ends with the first rows',
    caughtBy: ['erased stays erased'],
    within: 20,
    direct: erased({ kind: 'scope', atMs: READ_MS, looks: { rowsPerPage: 2 } }),
    wrapStore: onePage,
  },
  {
    name: 'look goes on where it never was',
    replaces: 'the position of a look: the next run takes what was not reached for done',
    caughtBy: ['erased stays erased', 'nothing of the erased is left'],
    within: 60,
    direct: erased({ kind: 'source', atMs: READ_MS, looks: { rowsPerPage: 1, forCallerMs: 20, byScheduleMs: 60 } }),
    wrapStore: withoutPosition,
  },
  {
    name: 'lifted, and refused all the same',
    replaces: 'readmitSource: the tombstone of what was lifted stays',
    caughtBy: ['lifted comes in again'],
    within: 20,
    direct: erased({ kind: 'source', atMs: EARLY_MS, isSentAfterwards: true, isLifted: true }),
    wrapStore: eraserWithout((write) => write.kind === 'delete' && keyOf(write).startsWith('SOURCE#')),
  },
  {
    name: 'finished erasure left in the index',
    replaces: 'saveErasure takes what is finished out of the index',
    caughtBy: ['a record tells how far it is'],
    within: 20,
    direct: erased({ kind: 'source', atMs: EARLY_MS }),
    wrapStore: rewriting('erasure:save', removingNothing),
  },
  {
    name: 'lifted twice',
    replaces: 'liftErasure of what was lifted before',
    caughtBy: ['a record tells how far it is'],
    within: 60,
    direct: erased({
      kind: 'source',
      atMs: EARLY_MS,
      isLifted: true,
      liftMs: 60 * MINUTE_MS,
      stormMinutes: 70,
    }),
    wrapStore: rewriting('erasure:lift', without('attribute_not_exists(#liftedAtMs)')),
  },
  {
    name: 'next generation blamed for the one before',
    replaces: 'moveGeneration takes what the row tells of passes along',
    caughtBy: ['a generation begins anew'],
    within: 20,
    direct: erased({ kind: 'scope', atMs: READ_MS }),
    wrapStore: rewriting('scope:move-on', removingNothing),
  },
  {
    name: 'plans made before an erase are as good as ever',
    replaces: 'moveGeneration raises statsVersion',
    caughtBy: ['a generation begins anew'],
    within: 20,
    direct: erased({ kind: 'scope', atMs: EARLY_MS }),
    wrapStore: rewriting('scope:move-on', (write) => {
      if (write.kind !== 'update') return write;
      const text = (write.input.UpdateExpression ?? '').replace(
        /, #statsVersion = if_not_exists\(#statsVersion, :zero\) \+ :one/,
        '',
      );
      return { ...write, input: { ...write.input, UpdateExpression: text } };
    }),
  },
];
