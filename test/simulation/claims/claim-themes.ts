/**
 * What only some seeds of claims have: entities that are typed and merged, imports, corrections, sources that go back to a
 * text, more passes than a row lists, contests that are decided, claims that are forgotten. Each is drawn from a stream
 * of its own, so that all other seeds stay as they are; a mutant may ask for one alone.
 */
import type { Citation } from '../../../schema/citation.ts';
import { ENTITY_TYPES } from '../../../schema/entity.ts';
import {
  BASE_MS,
  citationOf,
  DAY_MS,
  type Deed,
  drawDeeds,
  isSaying,
  passIds,
  statementOf,
  VALUES,
} from './claim-deeds.ts';
import {
  drawErasedImports,
  drawForgottenContest,
  drawForgottenWhole,
  drawJoinedAgain,
  drawSaidTwice,
  drawSlots,
  drawSpoken,
} from './claim-slots.ts';
import { copyOf, delayed, otherPass, times, writeOf } from './claim-drawing.ts';
import { Random } from '../engine/random.ts';

/** Of the seeds that have a theme. */
const SHARE = 0.25;
/** A row lists 20; some beyond it. */
const MANY_PASSES = 23;

/** Spellings of one name, and words on what it is, by passes and by people; also on somebody nobody speaks of. */
export function drawTypes(random: Random): Deed[] {
  const names = ['Ann', 'ann', 'ANN', 'aNN'];
  const tells = times(random.int(3, 6), (k): Deed => {
    const captured = random.int(0, 4);
    const citation = citationOf({
      entity: random.pick(names),
      value: random.pick(VALUES),
      id: `t-${captured}`,
      captured,
    });
    const type = random.chance(0.7) ? { entityType: random.pick(ENTITY_TYPES) } : {};
    return { kind: 'tell', passId: otherPass(k % 4), citation, ...type };
  });
  const words = times(random.int(0, 2), (): Deed => {
    const saidAtMs = BASE_MS + random.int(0, 3) * DAY_MS;
    const name = random.chance(0.3) ? 'Nobody' : random.pick(names);
    return { kind: 'type', name, entityType: random.pick(ENTITY_TYPES), saidAtMs };
  });
  return [...tells, ...words, ...words.map(copyOf)];
}

/** Three names of one, joined in any order and in a circle too; claims of each; some taken apart again. */
export function drawMerges(random: Random): Deed[] {
  const pairs = [
    ['Anna', 'Ann'],
    ['Annie', 'Anna'],
    ['Ann', 'Annie'],
  ] as const;
  const merges = pairs.filter(() => random.chance(0.7)).map(([from, into]): Deed => ({ kind: 'merge', from, into }));
  const citations = ['Ann', 'Anna', 'Annie'].map((entity, k) => {
    return citationOf({ entity, value: random.pick(VALUES), id: `m-${k}`, captured: random.int(0, 3) });
  });
  const [first] = merges;
  const isApart = first?.kind === 'merge' && random.chance(0.5);
  const unmerges: Deed[] = isApart ? [{ ...first, kind: 'unmerge' }] : [];
  const named: Deed[] =
    merges.length > 1 && !isApart ? [{ kind: 'withdraw', citation: citations[2] as Citation, named: 'Ann' }] : [];
  const unsaid: Deed[] = random.chance(0.5) ? [{ kind: 'unmerge', from: 'Bob', into: 'Rob' }] : [];
  const copies = [...merges, ...unmerges].filter(() => random.chance(0.5)).map(copyOf);
  // A copied merge may come after what takes it apart: only where nothing does.
  const kept = isApart ? copies.filter(({ kind }) => kind === 'unmerge') : copies;
  return [...citations.map(writeOf), ...merges, ...kept, ...unmerges, ...named, ...unsaid];
}

/** Rows of an export come in while passes write the same, and others. */
export function drawImports(random: Random, deeds: readonly Deed[]): Deed[] {
  const written = deeds.flatMap((deed) => ('citation' in deed ? [deed.citation] : []));
  const fresh = citationOf({ value: random.pick(VALUES), id: 'i-2', captured: 2 });
  const meant = [...new Set([fresh, ...written.filter(() => random.chance(0.4))])];
  return meant.map((citation): Deed => ({ kind: 'import', citation, passId: passIds(8)[7] as string }));
}

/** A person's corrections through the curator, while passes write. */
export function drawCorrections(random: Random): Deed[] {
  return times(random.int(1, 3), (): Deed => {
    const mode = random.chance(0.7) ? 'protects' : 'states';
    const citation = statementOf({
      value: random.pick(VALUES),
      mode,
      saidAtMs: BASE_MS + random.int(0, 6) * DAY_MS + 2,
    });
    return { kind: 'correct', citation };
  });
}

/** Sources that went back to a text after another: what they say was captured later than what came between. */
export function drawReturns(random: Random): Deed[] {
  return ['r-0', 'r-1'].flatMap((id) => {
    const telling = { value: random.pick(VALUES), id };
    const day = random.chance(0.5) ? random.int(0, 5) : undefined;
    return times(
      random.int(2, 4),
      (k): Deed => writeOf(citationOf({ ...telling, day, captured: random.int(0, 5) }), k),
    );
  });
}

/** More passes say the same than its row lists; most are undone. */
export function drawManyPasses(random: Random): Deed[] {
  const citation = citationOf({ value: random.pick(VALUES), id: 'p-1', captured: 1 });
  const passes = passIds(MANY_PASSES);
  const undone = passes.filter(() => random.chance(0.1));
  return [
    ...passes.map((passId): Deed => ({ kind: 'write', passId, citation })),
    ...undone.map((passId): Deed => ({ kind: 'undo', passId })),
  ];
}

/**
 * Values told at one time, and later one that calls another wrong or comes between; nothing has the head rebuilt, so that
 * only the raises look.
 */
export function drawContest(random: Random): Deed[] {
  const captured = random.pick([1, 2]);
  const day = random.chance(0.5) ? 0 : undefined;
  const tied = times(random.int(2, 4), (k) =>
    citationOf({ value: VALUES[k % 3] as string, id: `c-${k}`, captured, day }),
  );
  const accusing = citationOf({ value: 'south', id: 'c-9', captured: 5, contradicts: true });
  const between = citationOf({ value: 'east', id: 'c-8', captured: 4 });
  const [now, later] = random.pick<readonly (readonly Citation[])[]>([
    [[], []],
    [[], [accusing]],
    [[accusing], []],
    [[accusing], [between]],
    [[], [between]],
  ]) as [Citation[], Citation[]];
  return [...[...tied, ...now].map(writeOf), ...later.map((citation, k) => delayed(random, writeOf(citation, k)))];
}

/** A contest that passes decide while what it stands on is taken back and said again. */
export function drawDecisions(random: Random): Deed[] {
  const contest = drawContest(random);
  const more = times(2, (k) => writeOf(citationOf({ value: VALUES[k] as string, id: `e-${k}`, captured: 3 }), k));
  const decisions = times(random.int(2, 4), (k): Deed => ({ kind: 'decide', passId: passIds(8)[k] as string }));
  const withdrawn = contest.flatMap((deed): Deed[] =>
    deed.kind === 'write' && random.chance(0.4) ? [{ kind: 'withdraw', citation: deed.citation }] : [],
  );
  return [...contest, ...[...more, ...decisions, ...withdrawn].map((deed) => delayed(random, deed))];
}

/** What is taken back twice, at different times. */
export function drawTwiceTaken(random: Random): Deed[] {
  const citation = citationOf({ value: random.pick(VALUES), id: 'd-1', captured: 1 });
  const said = statementOf({ value: random.pick(VALUES), mode: 'protects', saidAtMs: BASE_MS + DAY_MS });
  const passId = otherPass(0);
  const taken: Deed[] = [
    { kind: 'undo', passId },
    { kind: 'withdraw', citation },
    { kind: 'lift', citation: said },
  ];
  return [writeOf(citation, 0), { kind: 'say', citation: said }, ...taken, ...taken.map(copyOf)];
}

/** Writes go by the worker and statements by the curator, and a value is forgotten meanwhile. */
export function drawForgetting(random: Random, deeds: readonly Deed[]): Deed[] {
  const through = deeds.flatMap((deed): Deed[] => {
    if (deed.kind === 'write') return [{ ...deed, kind: 'tell' }];
    if (!isSaying(deed)) return [deed];
    return deed.citation.retracts ? [] : [{ ...deed, kind: 'correct' }];
  });
  const value = random.pick(VALUES.filter((one) => one !== ''));
  return [...through, { kind: 'forget', value }, { kind: 'forget', value, isCopy: true }];
}

type Theme = (random: Random, deeds: readonly Deed[]) => readonly Deed[];

/** Each with what it makes of the deeds that all seeds have. */
const THEMES: readonly Theme[] = [
  (random, deeds) => [...deeds, ...drawTypes(random)],
  (random, deeds) => [...deeds, ...drawMerges(random)],
  (random, deeds) => [...deeds, ...drawImports(random, deeds)],
  (random, deeds) => [...deeds, ...drawCorrections(random)],
  (random, deeds) => [...deeds, ...drawReturns(random)],
  (random, deeds) => [...deeds, ...drawTwiceTaken(random)],
  (random, deeds) => [...deeds, ...drawDecisions(random)],
  drawManyPasses,
  drawContest,
  drawDecisions,
  drawForgetting,
];

/** Of the seeds that have another. */
const MORE_SHARE = 0.12;
const MORE_THEMES: readonly Theme[] = [
  (random, deeds) => [...deeds, ...drawSlots(random)],
  drawSlots,
  drawSaidTwice,
  drawSpoken,
  drawErasedImports,
  drawForgottenWhole,
  drawForgottenContest,
  drawJoinedAgain,
];

/** The deeds of a seed. */
export function drawThemed(seed: number): readonly Deed[] {
  const more = new Random(seed, 'more claim themes');
  const deeds = drawDeeds(new Random(seed, 'deeds'));
  const random = new Random(seed, 'claim theme');
  if (more.chance(MORE_SHARE)) return more.pick(MORE_THEMES)(more, deeds);
  return random.chance(SHARE) ? random.pick(THEMES)(random, deeds) : deeds;
}
