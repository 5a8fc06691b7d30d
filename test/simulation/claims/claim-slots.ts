/**
 * Deeds on more than one claim slot: several attributes of one entity, of which one has many values; what people say by
 * their own routes; exports that come in after a source of theirs was erased.
 */
import { makeStatement, type Statement } from '../../../functions/core/person-claims.ts';
import type { Citation } from '../../../schema/citation.ts';
import { ENTITY_TYPES } from '../../../schema/entity.ts';
import { BASE_MS, citationOf, DAY_MS, type Deed, SLOT, statementOf, VALUES } from './claim-deeds.ts';
import { copyOf, delayed, otherPass, tellOf, times } from './claim-drawing.ts';
import { START_MS } from '../engine/kernel.ts';
import type { Random } from '../engine/random.ts';

const SLOTS = [{ attribute: 'home' }, { attribute: 'work' }, { attribute: 'likes', isMany: true }] as const;
/** With an end of its own: keys that begin alike stand beside each other. */
const ENTITIES = ['Ann', 'Anna', 'Ann b'];
const SAID = VALUES.filter((value) => value !== '');
/** Longer than a value stands in a key. */
const LONG_VALUE = 'a long way '.repeat(30).trim();

/** Claims of one time and one value in several slots, and some of them taken back: each slot by itself. */
export function drawSlots(random: Random): Deed[] {
  const entities = ENTITIES.filter(() => random.chance(0.7));
  const told = (entities.length > 0 ? entities : ENTITIES).flatMap((entity, e) =>
    SLOTS.flatMap((slot, k) =>
      times(random.int(1, 2), (n) => {
        const isLong = 'isMany' in slot && random.chance(0.3);
        const value = isLong ? `${LONG_VALUE} ${n}` : random.pick(SAID);
        return citationOf({ ...slot, entity, value, id: `s-${e}${k}${n}`, captured: random.int(0, 3) });
      }),
    ),
  );
  const taken = told.filter(() => random.chance(0.3)).map((citation): Deed => ({ kind: 'withdraw', citation }));
  return [...told.map(tellOf), ...taken, { kind: 'undo', passId: otherPass(random.int(0, 3)) }, { kind: 'repair' }];
}

/** One source says one thing in two places. */
export function drawSaidTwice(random: Random): Deed[] {
  const day = random.chance(0.5) ? 0 : undefined;
  const both = [0, 40].map((from) => citationOf({ value: 'east', id: 'two-1', captured: 2, day, from }));
  const other = citationOf({ value: 'north', id: 'two-2', captured: random.pick([1, 3]), day });
  const told = [...both, other].flatMap((citation, k) => [
    tellOf(citation, k),
    delayed(random, copyOf(tellOf(citation, k))),
  ]);
  return random.chance(0.3) ? [...told, { kind: 'withdraw', citation: random.pick(both), isWhole: true }] : told;
}

function spoken(mode: Statement['mode'], value: string, day: number, more: Partial<Statement> = {}): Citation {
  const ends = mode === 'retracts' ? { ends: value } : {};
  const saidAtMs = BASE_MS + day * DAY_MS + 3;
  return makeStatement({ ...SLOT, author: 'ann', value, mode, saidAtMs, ...ends, ...more }, START_MS);
}

/** A person calls wrong what passes say, stands behind some of it and lifts that; and speaks of what nobody said. */
export function drawSpoken(random: Random): Deed[] {
  const told = SAID.map((value, k) => citationOf({ value, id: `p-${k}`, captured: random.int(0, 3) }));
  const retracted = told.filter(() => random.chance(0.5));
  const stood = told.filter(() => random.chance(0.6));
  const retractions = retracted.map((one): Deed => {
    const reason = random.chance(0.5) ? { reason: 'it was never so' } : {};
    return { kind: 'retract', citation: spoken('retracts', one.value, random.int(0, 5), reason) };
  });
  const protections = stood.map((one): Deed => {
    return { kind: 'protect', citation: spoken('protects', one.value, random.int(0, 5)) };
  });
  const unsaid = random.pick(['retract', 'protect'] as const);
  const never: Deed = {
    kind: unsaid,
    citation: spoken(unsaid === 'retract' ? 'retracts' : 'protects', 'nowhere', 2),
    isUnsaid: true,
  };
  const said = [...retractions, ...protections];
  const lifts: Deed[] = random.chance(0.6) ? [{ kind: 'unprotect', citation: told[0] as Citation }] : [];
  const ends = statementOf({ value: '', mode: 'protects', saidAtMs: BASE_MS + 4 * DAY_MS });
  const ended: Deed[] = random.chance(0.3) ? [{ kind: 'correct', citation: ends }] : [];
  return [
    ...told.map(tellOf),
    ...said,
    ...said.filter(() => random.chance(0.4)).map(copyOf),
    never,
    ...ended,
    ...lifts,
    ...lifts.map(copyOf),
  ];
}

/** An export comes in, with types; a source that it cites is erased, before or meanwhile. */
export function drawErasedImports(random: Random): Deed[] {
  const gone = times(2, (k) => citationOf({ value: SAID[k] as string, id: 'gone', captured: k }));
  const other = citationOf({ entity: 'Anna', value: 'north', id: 'other', captured: 2 });
  const imports = [...gone, other].map((citation, k): Deed => {
    const type = random.chance(0.7) ? { entityType: random.pick(ENTITY_TYPES) } : {};
    return {
      ...delayed(random, { kind: 'import', citation, passId: otherPass(k), ...type }),
      delayMs: random.int(0, 400),
    };
  });
  return [...gone.map(tellOf), { kind: 'erase', id: 'gone' }, ...imports];
}

/** A merge that is taken back, and said again after that. */
export function drawJoinedAgain(random: Random): Deed[] {
  const merge = { from: 'Anna', into: 'Ann' } as const;
  const citation = citationOf({ entity: 'Anna', value: random.pick(SAID), id: 'j-0', captured: 1 });
  return [
    tellOf(citation, 0),
    { kind: 'merge', ...merge },
    { kind: 'unmerge', ...merge },
    { kind: 'merge', ...merge, isAgain: true },
    { kind: 'merge', from: 'Nobody', into: 'Ann' },
  ];
}

/** All that a row may say of a value is said of one that is forgotten meanwhile. */
export function drawForgottenWhole(random: Random): Deed[] {
  const value = 'east';
  const told = times(4, (k) =>
    citationOf({ value, id: `w-${k}`, captured: k, contradicts: k % 2 === 0, day: k > 1 ? k : undefined }),
  );
  const said = [spoken('protects', value, 3, { reason: 'I was there' }), spoken('states', value, 4)];
  return [
    ...told.map((citation, k) => delayed(random, tellOf(citation, k))),
    ...said.map((citation) => delayed(random, { kind: 'correct', citation })),
    { kind: 'forget', value, delayMs: random.int(0, 80) },
  ];
}

/** Three values are told at one time, and one of them is forgotten: the other two are contested all the same. */
export function drawForgottenContest(random: Random): Deed[] {
  const day = random.chance(0.5) ? 0 : undefined;
  const tied = SAID.map((value, k) => citationOf({ value, id: `z-${k}`, captured: 1, day }));
  return [...tied.map(tellOf), { kind: 'forget', value: random.pick(SAID), delayMs: random.int(150, 400) }];
}

/** Forgotten and lifted before, as many as there is room for. */
export const LIFTED: readonly string[] = ['hill', 'lake', 'moor'];

/** Two more are forgotten, one after the other, while one that was lifted is forgotten anew. */
export function drawRoom(random: Random): Deed[] {
  return [
    { kind: 'forget', value: 'dune', delayMs: random.int(0, 30) },
    { kind: 'forget', value: LIFTED[random.int(0, 1)] as string, delayMs: random.int(0, 60) },
    { kind: 'forget', value: 'cape', isLater: true },
  ];
}
