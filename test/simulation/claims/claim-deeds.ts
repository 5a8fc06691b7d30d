/**
 * What passes and a person do to the claims of one scope in a schedule of their own: all drawn before anything runs. A
 * deed that takes something back waits until what it takes back was answered: nobody undoes what was never said.
 * `claim-acts.ts` does them, `claim-themes.ts` draws those that only some seeds have.
 */
import { makeCitation } from '../../../functions/core/claims.ts';
import { makeStatement, type Statement } from '../../../functions/core/person-claims.ts';
import type { Citation } from '../../../schema/citation.ts';
import type { EntityType } from '../../../schema/entity.ts';
import { passIdOf, revisionOf, triggerIdOf } from '../../../schema/ids.ts';
import { START_MS } from '../engine/kernel.ts';
import type { Random } from '../engine/random.ts';

export const DAY_MS = 86_400_000;
export const BASE_MS = START_MS - 400 * DAY_MS;

export type Deed = (
  | { readonly kind: 'write'; readonly passId: string; readonly citation: Citation }
  | { readonly kind: 'say'; readonly citation: Citation }
  | { readonly kind: 'undo'; readonly passId: string }
  /** `named`: by the name of an entity that its own was merged into. `isWhole`: all that its source says. */
  | { readonly kind: 'withdraw'; readonly citation: Citation; readonly named?: string; readonly isWhole?: boolean }
  | { readonly kind: 'lift'; readonly citation: Citation }
  | { readonly kind: 'repair' }
  /** A write as the worker makes it: the entity first, and both looks for what was forgotten. */
  | { readonly kind: 'tell'; readonly passId: string; readonly citation: Citation; readonly entityType?: EntityType }
  | { readonly kind: 'correct'; readonly citation: Citation }
  | { readonly kind: 'type'; readonly name: string; readonly entityType: EntityType; readonly saidAtMs: number }
  /** `isAgain`: after it was taken back. */
  | { readonly kind: 'merge'; readonly from: string; readonly into: string; readonly isAgain?: true }
  | { readonly kind: 'unmerge'; readonly from: string; readonly into: string }
  | {
      readonly kind: 'import';
      readonly citation: Citation;
      readonly passId: string;
      readonly entityType?: EntityType;
    }
  /** `isLater`: when all others are forgotten. */
  | { readonly kind: 'forget'; readonly value: string; readonly isLater?: true }
  /** By a person's routes. `isUnsaid`: nobody ever made that claim. */
  | { readonly kind: 'retract'; readonly citation: Citation; readonly isUnsaid?: true }
  | { readonly kind: 'protect'; readonly citation: Citation; readonly isUnsaid?: true }
  /** Lifts whatever protects in the claim slot of this one. */
  | { readonly kind: 'unprotect'; readonly citation: Citation }
  | { readonly kind: 'erase'; readonly id: string }
  | { readonly kind: 'decide'; readonly passId: string }
) & {
  /** The same call once more, at any time: nothing waits for it. */
  readonly isCopy?: true;
  /** Begins so much later than the others. */
  readonly delayMs?: number;
};

export const SLOT = { entity: 'Ann', attribute: 'home', cardinality: 'one' } as const;
export const VALUES = ['north', 'east', 'south', ''];
/** What a citation calls wrong that calls anything wrong. */
export const CONTRADICTED = 'north';

/** How a call names the claim slot of a citation. */
export function addressedBy({ entityName: entity, slot }: Citation) {
  return { entity, attribute: slot.attribute, cardinality: slot.key === undefined ? 'one' : 'many' } as const;
}

interface Telling {
  readonly entity?: string;
  readonly attribute?: string;
  /** Of a claim slot of its own for each value. */
  readonly isMany?: boolean;
  /** Where its words stand in the source. */
  readonly from?: number;
  readonly value: string;
  /** Name of the source; its revision follows from it. */
  readonly id: string;
  /** Days after the first. */
  readonly captured: number;
  /** The day it happened; absent: undated. */
  readonly day?: number | undefined;
  readonly contradicts?: boolean;
}

/** A citation of one sentence. */
export function citationOf(telling: Telling): Citation {
  const { entity = SLOT.entity, attribute = SLOT.attribute, isMany, from = 0 } = telling;
  const { value, id, captured, day, contradicts } = telling;
  const startMs = day === undefined ? undefined : BASE_MS + day * DAY_MS;
  const text = `it is ${value}`;
  return makeCitation({
    draft: {
      entity,
      attribute,
      cardinality: isMany ? 'many' : 'one',
      value,
      quote: { text, start: from, end: from + text.length },
      ...(startMs !== undefined && { event: { startMs, endMs: startMs + DAY_MS, precision: 'day' as const } }),
      ...(contradicts && { contradicts: CONTRADICTED }),
    },
    source: { kind: 'note', id, revision: revisionOf(id) },
    capturedAtMs: BASE_MS + captured * DAY_MS,
    executor: 'stub',
    recordedAtMs: START_MS,
  });
}

export function drawCitation(random: Random): Citation {
  const captured = random.int(0, 4);
  const id = `${random.pick(['a', 'b'])}-${captured}`;
  const value = random.pick(VALUES);
  const day = random.int(-2, 6);
  // By the day and not by a draw of its own: schedules stay what their seeds made of them.
  const contradicts = captured === 3;
  return citationOf({ value, id, captured, contradicts, day: random.chance(0.5) ? day : undefined });
}

export function statementOf(said: Pick<Statement, 'value' | 'mode' | 'saidAtMs'>): Citation {
  return makeStatement({ ...SLOT, author: 'ann', ...said }, START_MS);
}

function drawStatement(random: Random): Citation {
  const mode = random.pick<Statement['mode']>(['states', 'protects', 'protects', 'retracts', 'retracts']);
  const saidAtMs = BASE_MS + random.int(0, 5) * DAY_MS + 1;
  return statementOf({ value: random.pick(VALUES), mode, saidAtMs });
}

/** Ids of that many passes. */
export function passIds(count: number): string[] {
  const triggerId = triggerIdOf(START_MS, 'claims');
  return Array.from({ length: count }, (_, k) => passIdOf(triggerId, k));
}

/** Deeds of a schedule; doubled calls and repairs are among them. */
export function drawDeeds(random: Random): Deed[] {
  const passes = passIds(3);
  const citations = Array.from({ length: random.int(2, 6) }, () => drawCitation(random));
  const writes = Array.from({ length: random.int(3, 9) }, (): Deed => {
    return { kind: 'write', passId: random.pick(passes), citation: random.pick(citations) };
  });
  const said = Array.from({ length: random.int(0, 3) }, () => drawStatement(random));
  const sayings = said.map((citation): Deed => ({ kind: 'say', citation }));
  const copies = [...writes, ...sayings]
    .filter(() => random.chance(0.4))
    .map((deed): Deed => ({ ...deed, isCopy: true }));
  const written = writes.flatMap((deed) => (deed.kind === 'write' ? [deed.citation] : []));
  const withdrawn = written
    .slice(0, random.int(0, 2))
    .map((citation, k): Deed => ({ kind: 'withdraw', citation, isWhole: k === 1 }));
  const lifted = said.filter((citation) => citation.protects && random.chance(0.5));
  const undone = passes.filter(() => random.chance(0.4)).map((passId): Deed => ({ kind: 'undo', passId }));
  const repairs: Deed[] = random.chance(0.5) ? [{ kind: 'repair' }] : [];
  const lifts = lifted.map((citation): Deed => ({ kind: 'lift', citation }));
  return [...writes, ...sayings, ...copies, ...undone, ...withdrawn, ...lifts, ...repairs];
}

type Of<K extends Deed['kind']> = Extract<Deed, { kind: K }>;

/** Whether a pass says something by it. */
export const isWriting = (deed: Deed): deed is Of<'write' | 'tell'> => deed.kind === 'write' || deed.kind === 'tell';
/** Whether a person does. */
export const isSaying = (deed: Deed): deed is Of<'say' | 'correct' | 'retract' | 'protect'> =>
  deed.kind === 'say' || deed.kind === 'correct' || deed.kind === 'retract' || deed.kind === 'protect';
/** Whether it says what nobody ever did, and is refused. */
export const isUnsaid = (deed: Deed): boolean => 'isUnsaid' in deed && deed.isUnsaid === true;

/** Whether a citation is meant by who takes one back. */
export const takes = ({ citation, isWhole }: Of<'withdraw'>, other: Citation): boolean =>
  isWhole ? other.source.id === citation.source.id : other.citationId === citation.citationId;

const idOf = (deed: Deed): string | undefined => ('citation' in deed ? deed.citation.citationId : undefined);

/** Whether a deed waits for another. */
export function waitsFor(deed: Deed, other: Deed): boolean {
  if (other.isCopy) return false;
  switch (deed.kind) {
    case 'undo':
      return isWriting(other) && other.passId === deed.passId;
    case 'withdraw':
      if (other.kind === 'merge') return deed.named !== undefined;
      return isWriting(other) && takes(deed, other.citation);
    case 'lift':
      return isSaying(other) && idOf(other) === idOf(deed);
    case 'retract':
    case 'protect':
      return !isUnsaid(deed) && isWriting(other) && other.citation.claimId === deed.citation.claimId;
    case 'unprotect':
      return isSaying(other) && !isUnsaid(other);
    case 'forget':
      return deed.isLater === true && other.kind === 'forget' && !other.isLater;
    case 'merge':
      return deed.isAgain === true && other.kind === 'unmerge' && other.from === deed.from && other.into === deed.into;
    case 'unmerge':
      return other.kind === 'merge' && !other.isAgain && other.from === deed.from && other.into === deed.into;
    default:
      return false;
  }
}
