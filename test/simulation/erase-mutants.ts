/** Mutants of what keeps the erased out: tombstones, the looks of an erasure and their order, its record, generations. */
import { planNextLook } from '../../functions/core/erasing.ts';
import { findClaimLines } from '../../functions/worker/executor/claim-lines.ts';
import type { Store } from '../../functions/io/ports.ts';
import type { Query, Write } from '../../schema/request.ts';
import type { Actor } from './actor.ts';
import type { PlannedErasure } from './erase-plan.ts';
import { START_MS } from './kernel.ts';
import { type Mutant, onWrite, rewriting, without } from './mutant.ts';
import type { Plan, PlannedSource } from './plan.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

interface Scenario {
  readonly kind: 'source' | 'scope' | 'claim';
  /** Moments, counted from the start, at which one thing after the other is erased. */
  readonly atMs: readonly number[];
  /** How long after its order each call is sent again. */
  readonly againMs?: readonly number[];
  /** How long after the order its owner sends it again. */
  readonly sentAgainMs?: readonly number[];
  /** How long after its order a person would lift it. */
  readonly liftMs?: number;
  /** … and once more when all is over. */
  readonly isSentAfterwards?: boolean;
  readonly faults?: Plan['faults'];
  readonly stormMinutes?: number;
}

function erasedOf(kind: Scenario['kind'], { id, text }: PlannedSource): PlannedErasure['what'] | undefined {
  if (kind === 'scope') return { kind };
  if (kind === 'source') return { kind, id };
  const said = findClaimLines(text, 0).find(({ value }) => value !== '');
  return said && { kind, claim: { entity: said.entity, attribute: said.attribute, value: said.value } };
}

/** A directed scenario: what it names is erased in the storm, beside no faults but its own. */
const erased =
  ({
    kind,
    atMs,
    againMs = [],
    sentAgainMs = [],
    liftMs,
    isSentAfterwards = false,
    faults = {},
    stormMinutes = 12,
  }: Scenario) =>
  (plan: Plan): Plan => {
    const sources = plan.ingests.flatMap((call) => call.sources).filter((source) => erasedOf(kind, source));
    const chosen = atMs.flatMap((ms, k) => {
      const source = sources[k % Math.max(1, sources.length)];
      const what = source && erasedOf(kind, source);
      return source && what ? [{ source, what, atMs: START_MS + ms }] : [];
    });
    const erasures = chosen.map(
      ({ source: { scope }, what, atMs }): PlannedErasure => ({
        atMs,
        scope,
        what,
        againAtMs: againMs.map((ms) => atMs + ms),
        liftAtMs: liftMs === undefined ? undefined : atMs + liftMs,
        isLifted: false,
      }),
    );
    const again = chosen.flatMap(({ source, atMs }) =>
      sentAgainMs.map((ms) => ({ atMs: atMs + ms, scope: source.scope, sources: [source] })),
    );
    const calmFromMs = START_MS + stormMinutes * MINUTE_MS;
    const afterwards = chosen.map(({ source }, k) => {
      const { scope, text } = source;
      const later = { ...source, text: `${text}\nTold once more ${k}.`, capturedAtMs: START_MS + k, completed: true };
      return { atMs: calmFromMs, scope, sources: [later] };
    });
    const alone = { sessions: [], poison: undefined, hostile: undefined, dispute: undefined, model: undefined };
    return {
      ...plan,
      ...alone,
      requests: plan.requests.filter(({ kind }) => kind === undefined),
      faults,
      calmFromMs,
      ingests: [...plan.ingests, ...again],
      erasing: { erasures, afterwards: isSentAfterwards ? afterwards : [] },
    };
  };

const EARLY_MS = [2, 3, 5, 8, 12].map((s) => s * SECOND_MS);
/** When no text is young any more: what names it goes with the first look. */
const OLD_MS = [16, 16.5, 17].map((minutes) => minutes * MINUTE_MS);
/** While the passes of the first minutes read. */
const SPREAD_MS = Array.from({ length: 24 }, (_, k) => (20 + 8 * k) * SECOND_MS);
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
    name: 'tombstone overlooked',
    replaces: 'ingest takes a tombstone for a place that is free',
    caughtBy: ['erased is refused'],
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
    within: 50,
    direct: erased({ kind: 'claim', atMs: SPREAD_MS, faults: { freeze: 0.2, pauseWrite: 0.2, outliveTimeout: 1 } }),
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
    caughtBy: ['I5 monotone'],
    within: 50,
    direct: erased({
      kind: 'scope',
      atMs: [1, 2, 60, 120, 180].map((s) => s * SECOND_MS),
      sentAgainMs: [20, 100].map((s) => s * SECOND_MS),
      faults: { pauseWrite: 0.1, outliveTimeout: 1 },
    }),
    wrapStore: rewriting(
      'scope:move-on',
      without('#generation = :generation', 'attribute_not_exists(#statsVersion) OR #statsVersion = :statsVersion'),
    ),
  },
  {
    name: 'record told by whoever comes',
    replaces: 'saveErasure without its version: of two runs the slower one tells over what the other found',
    caughtBy: ['an erasure ends', 'an erasure waits for late writers'],
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
    caughtBy: ['an erasure waits for late writers'],
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
    caughtBy: ['an erasure ends'],
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
];
