/** Mutants of what keeps the erased out: tombstones, the looks of an erasure and their order, its record, generations. */
import { planNextLook } from '../../../functions/core/erasing.ts';
import type { Store } from '../../../functions/io/ports.ts';
import type { Query, Write } from '../../../schema/request.ts';
import type { Actor } from '../engine/actor.ts';
import { ERASE_LOOK_MUTANTS } from './erase-look-mutants.ts';
import { EARLY_MS, erased, OLD_MS, readSlowly, SPREAD_MS } from './erase-scenes.ts';
import { type Mutant, onWrite, rewriting, without } from './mutant.ts';

const SECOND_MS = 1000;

const isOfCall = ({ role, scope }: Actor): boolean => role === 'eraser' && scope !== undefined;

/** The writes of one builder, answered without being sent. */
function leavingOut(name: string): NonNullable<Mutant['wrapStore']> {
  return (store) =>
    onWrite(store, async (write, found, pass) => (found === name ? { kind: 'won', item: undefined } : pass(write)));
}

/** Reads of the forgotten claims by a worker, of which `isBlind` tells whether this one finds none. */
function lookingAway(isBlind: (hasWritten: boolean) => boolean): NonNullable<Mutant['wrapStore']> {
  return (store, { role }): Store | undefined => {
    if (role !== 'worker') return undefined;
    // Between two looks of one source there is a citation; between two sources there is none.
    let hasWritten = false;
    const isLook = ({ input }: Query): boolean =>
      Object.values(input.ExpressionAttributeValues ?? {}).some((value) => value === 'ERASURE#CLAIM#');
    const watched = onWrite(store, (write, name, pass) => {
      if (name === 'citation:put') hasWritten = true;
      return pass(write);
    });
    const query: Store['query'] = async (read) => {
      if (!isLook(read)) return store.query(read);
      const isGone = isBlind(hasWritten);
      hasWritten = false;
      return isGone ? { items: [], lastKey: undefined } : store.query(read);
    };
    return { ...watched, query };
  };
}

const UNLESS_IT_STANDS = 'attribute_not_exists(#pk) OR attribute_exists(#liftedAtMs)';

/** An order that takes the record of what was lifted for one that stands. */
function onlyWhereNone(write: Write): Write {
  const open = without(UNLESS_IT_STANDS)(write);
  const names = { ...open.input.ExpressionAttributeNames, '#pk': 'pk' };
  const when = { ConditionExpression: '(attribute_not_exists(#pk))', ExpressionAttributeNames: names };
  return { ...open, input: { ...open.input, ...when, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } } as Write;
}

function withValue(write: Write, name: string, value: unknown): Write {
  const { ExpressionAttributeValues: values } = write.input;
  return { ...write, input: { ...write.input, ExpressionAttributeValues: { ...values, [name]: value } } } as Write;
}

export const ERASE_MUTANTS: readonly Mutant[] = [
  {
    name: 'tombstone left to the schedule',
    replaces: 'eraseOneSource answers before the tombstone stands',
    caughtBy: ['erased is refused'],
    within: 20,
    direct: erased({ kind: 'source', atMs: EARLY_MS, sentAgainMs: [15 * SECOND_MS, 40 * SECOND_MS] }),
    wrapStore: (store, actor, world) =>
      isOfCall(actor) ? leavingOut('source:tombstone')(store, actor, world) : undefined,
  },
  {
    name: 'tombstone left to another run',
    replaces: 'eraseOneSource writes no tombstone of its own: the run that holds the record may not have come to it',
    caughtBy: ['erased is refused'],
    within: 20,
    // Several calls at once, one of which holds the record; its owner sends the source meanwhile.
    direct: erased({
      kind: 'source',
      atMs: EARLY_MS,
      againMs: [0, 1, 2, 3, 5],
      sentAgainMs: [0.5, 2, 5, 10].map((s) => s * SECOND_MS),
    }),
    slow: [{ name: 'source:tombstone', forMs: 20 * SECOND_MS, chance: 0.5 }],
    wrapStore: (store, actor) => {
      if (!isOfCall(actor)) return undefined;
      // It is its first step too, once it has the record.
      let hasBegun = false;
      return onWrite(store, async (write, name, pass) => {
        if (name === 'source:tombstone' && !hasBegun) return { kind: 'won', item: undefined };
        hasBegun ||= name === 'erasure:save';
        return pass(write);
      });
    },
  },
  {
    name: 'tombstone overlooked',
    replaces: 'ingest takes a tombstone for a place that is free',
    caughtBy: ['an answer tells what stands', 'erased is refused'],
    within: 20,
    direct: erased({ kind: 'source', atMs: EARLY_MS, sentAgainMs: [15 * SECOND_MS, 40 * SECOND_MS] }),
    wrapStore: (store, { role }) => {
      if (role !== 'ingest') return undefined;
      const blind = onWrite(store, (write, name, pass) => {
        if (name !== 'source:put') return pass(write);
        return pass(
          without(
            'attribute_not_exists(#newestKey) OR #newestKey < :newestKey',
            'attribute_not_exists(#newestKey)',
            '#newestKey = :seenKey',
          )(write),
        );
      });
      const get: Store['get'] = async (read) => {
        const item = await store.get(read);
        return item?.erasedAtMs === undefined ? item : undefined;
      };
      return { ...blind, get };
    },
  },
  {
    name: 'over with the first quiet look',
    replaces: 'planNextLook ends with the first look that finds nothing, however soon',
    caughtBy: ['erased stays erased'],
    within: 20,
    direct: erased({
      kind: 'source',
      atMs: EARLY_MS,
      againMs: [2, 20, 40].map((s) => s * SECOND_MS),
      faults: { freeze: 0.05, pauseWrite: 0.03, outliveTimeout: 1 },
    }),
    decide: {
      planNextLook: (look, nowMs) => (look.found > 0 ? planNextLook(look, nowMs) : { kind: 'finished' }),
    },
  },
  {
    name: 'forgotten claim written, and not looked for again',
    replaces: 'takeOutForgotten: a writer looks once, before it writes',
    caughtBy: ['forgotten is taken out'],
    within: 20,
    direct: (plan) => readSlowly(erased({ kind: 'claim', atMs: SPREAD_MS, faults: { outliveTimeout: 1 } })(plan)),
    slow: [{ name: 'citation:put', role: 'worker', forMs: 8 * SECOND_MS, chance: 0.6 }],
    wrapStore: lookingAway((hasWritten) => hasWritten),
  },
  {
    name: 'forgotten claim written before it is looked for',
    replaces: 'the look of a writer before it writes: the words are written, and taken out again',
    caughtBy: ['erased stays erased'],
    within: 20,
    direct: erased({ kind: 'claim', atMs: EARLY_MS, isSentAfterwards: true }),
    wrapStore: lookingAway((hasWritten) => !hasWritten),
  },
  {
    name: 'scope erased where it stands',
    replaces: 'moveGeneration, answered without being sent',
    caughtBy: ['erased stays erased'],
    within: 20,
    direct: erased({ kind: 'scope', atMs: EARLY_MS, isSentAfterwards: true }),
    wrapStore: leavingOut('scope:move-on'),
  },
  {
    name: 'generation moved by whoever comes',
    replaces: 'moveGeneration without the generation it was read in, nor the version of the row, which masks it',
    caughtBy: ['a generation begins anew', 'who waits is known', 'I5 monotone'],
    within: 20,
    // Several calls at once, and the next order before the slowest of them is there.
    direct: erased({
      kind: 'scope',
      atMs: [1, 2, 30, 60, 90, 120, 150, 180].map((s) => s * SECOND_MS),
      againMs: [0, 1, 2, 3],
      sentAgainMs: [20, 100].map((s) => s * SECOND_MS),
      faults: { outliveTimeout: 1 },
    }),
    slow: [{ name: 'scope:move-on', forMs: 50 * SECOND_MS, chance: 0.5 }],
    wrapStore: rewriting(
      'scope:move-on',
      without('#generation = :generation', 'attribute_not_exists(#statsVersion) OR #statsVersion = :statsVersion'),
    ),
  },
  {
    name: 'record told by whoever comes',
    replaces: 'saveErasure without its version: of two runs the slower one tells over what the other found',
    caughtBy: ['a record tells how far it is', 'an erasure ends', 'an erasure waits for late writers'],
    within: 20,
    direct: erased({
      kind: 'source',
      atMs: EARLY_MS,
      againMs: [10, 500, 30_000],
      faults: { freeze: 0.05, pauseWrite: 0.05, outliveTimeout: 1 },
    }),
    wrapStore: rewriting('erasure:save', without('#version = :seen')),
  },
  {
    name: 'dead run took nothing',
    replaces: 'a run does not say that it is under way: what it removed before it died is not counted as found',
    caughtBy: ['a record tells how far it is', 'an erasure waits for late writers'],
    within: 100,
    direct: erased({
      kind: 'scope',
      atMs: OLD_MS,
      faults: { crashAfterWrite: 0.15 },
      stormMinutes: 26,
    }),
    wrapStore: rewriting('erasure:save', (write) => withValue(write, ':set_isUnderWay', false)),
  },
  {
    name: 'lifted while it runs',
    replaces: 'liftErasure of what is not finished: its looks end, and what they had not come to stays',
    caughtBy: ['a record tells how far it is', 'an erasure ends'],
    within: 20,
    direct: erased({
      kind: 'source',
      atMs: EARLY_MS,
      liftMs: 1_000,
      faults: { freeze: 0.05, pauseWrite: 0.03, crashAfterWrite: 0.05, outliveTimeout: 1 },
    }),
    wrapStore: rewriting('erasure:lift', without('attribute_exists(#finishedAtMs)')),
  },
  {
    name: 'text not listed',
    replaces: 'ingest writes a text that nothing names before its evidence does',
    caughtBy: ['erased stays erased'],
    within: 20,
    direct: erased({
      kind: 'source',
      atMs: [600, 900, 1200, 2000, 4000],
      faults: { crashBeforeWrite: 0.05, crashAfterWrite: 0.05 },
    }),
    wrapStore: leavingOut('text-list:put'),
  },
  {
    name: 'name removed before its text',
    replaces: 'eraseNamed: the rows that name a text go first',
    caughtBy: ['erased stays erased'],
    within: 20,
    direct: erased({
      kind: 'source',
      atMs: OLD_MS,
      faults: { crashBeforeWrite: 0.1, crashAfterWrite: 0.15 },
      stormMinutes: 20,
    }),
    wrapStore: (store, { role }) => {
      if (role !== 'eraser') return undefined;
      const late: Write[] = [];
      return onWrite(store, async (write, name, pass) => {
        if (name === 'text:erase') {
          late.push(write);
          return { kind: 'won', item: undefined };
        }
        const outcome = await pass(write);
        if (name !== 'source:tombstone') for (const text of late.splice(0)) await pass(text);
        return outcome;
      });
    },
  },
  {
    name: 'order after a lift not opened',
    replaces: 'openErasure: what was lifted is not ordered anew, and the call answers the record that was lifted',
    caughtBy: ['answered as erased is gone'],
    within: 40,
    direct: erased({ kind: 'source', atMs: EARLY_MS, isSentAfterwards: true, erasedAgain: 'at rest' }),
    wrapStore: rewriting('erasure:open', onlyWhereNone),
  },
  ...ERASE_LOOK_MUTANTS,
];
