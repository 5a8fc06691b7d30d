/**
 * Whom "he" and "she" mean within a turn, where that is safe: one kin of the speaker of that sex, and no other person,
 * has been named so far. The same for the one pet whose name follows ("We adopted a puppy. His name is Rex").
 */
import type { Token } from './language.ts';
import { ACQUAINTANCES, FEMALE_KIN, KIN, KIN_PLURALS, MALE_KIN, PETS } from './vocabulary.ts';

/** `null`: more than one could be meant. */
type Referent = string | null | undefined;

export interface Referents {
  he: Referent;
  she: Referent;
  /** The kin word of the only kin without a name so far, for "his name is". */
  kin: Referent;
  /** The kind of the only pet without a name so far. */
  pet: Referent;
}

// Persons without a name of their own: "he" may be any of them.
const OTHERS = new Set(
  'man woman guy girl boy lady gentleman guest client customer patient nurse doctor vet dentist owner'.split(' '),
);

export function startReferents(): Referents {
  return { he: undefined, she: undefined, kin: undefined, pet: undefined };
}

/** Notes kin met as "my sister Ana". */
export function noteKin(referents: Referents, met: { kin: string; entity: string; hasName: boolean }): void {
  const { kin, entity, hasName } = met;
  if (!FEMALE_KIN.has(kin)) referents.he = join(referents.he, entity);
  if (!MALE_KIN.has(kin)) referents.she = join(referents.she, entity);
  referents.kin = hasName ? referents.kin : join(referents.kin, kin);
}

/** Notes a token outside such a mention: another person makes "he" and "she" ambiguous; a pet can be either, too. */
export function noteToken(referents: Referents, token: Token, people: ReadonlySet<string>, speaker: string): void {
  const kind = PETS.get(token.lower);
  if (kind !== undefined) {
    referents.pet = join(referents.pet, kind);
    referents.he = referents.he === undefined ? undefined : null;
    referents.she = referents.she === undefined ? undefined : null;
    return;
  }
  const isOther =
    ACQUAINTANCES.has(token.lower) ||
    OTHERS.has(token.lower) ||
    KIN.has(token.lower) ||
    KIN_PLURALS.has(token.lower) ||
    (people.has(token.text) && token.text !== speaker && token.text !== referents.he && token.text !== referents.she);
  if (!isOther) return;
  referents.he = null;
  referents.she = null;
  referents.kin = null;
}

function join(before: Referent, met: string): Referent {
  return before === undefined || before === met ? met : null;
}
