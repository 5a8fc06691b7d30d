/** Family and pets by name: "my sister Ana", "I have two brothers", "we adopted a puppy named Biscuit". */
import type { Finding } from './claim-draft.ts';
import { findChangeTime } from './clause-times.ts';
import { type Clause, readKin, type Speech } from './clauses.ts';
import type { Sentence, Token } from './language.ts';
import { isNameWord, readName } from './phrases.ts';
import { HYPOTHETICALS, KIN, KIN_PLURALS, PETS } from './vocabulary.ts';

const COUNTS = /^(?:a|an|one|two|three|four|five|six|2|3|4|5|6)$/;
const ADJECTIVE_TAGS = new Set(['ADJ', 'NUM', 'ADV', 'NOUN', 'VERB']);
const OWN_VERBS = new Set('have has own owns got adopted rescued'.split(' '));
const GAIN_VERBS = new Set('got adopted rescued'.split(' '));

/** Kin and pets that a sentence names in passing. Questions and hypotheses name nobody for sure. */
export function findNamedHousehold(sentence: Sentence, speech: Speech): Finding[] {
  const { tokens } = sentence;
  if (sentence.isQuestion || tokens.some((token) => HYPOTHETICALS.has(token.lower))) return [];
  const findings: Finding[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    if (sentence.quoted[index] === true || !/^(?:my|our)$/.test(tokens[index]?.lower ?? '')) continue;
    const kin = readKin(tokens, index, tokens.length);
    const named = kin === undefined ? undefined : (kin.name ?? readSaidName(tokens, kin.next));
    if (kin !== undefined && named !== undefined) {
      findings.push(toFinding(speech, 'family', `${kin.kin} ${named}`, 'my-kin'));
    }
    const pet = readPet(tokens, index + 1, tokens.length);
    if (pet?.name !== undefined) findings.push(toFinding(speech, 'pets', `${pet.kind} ${pet.name}`, 'my-pet'));
  }
  return findings;
}

/** "My husband's name is Tom", "my cat is called Pixel". */
function readSaidName(tokens: readonly Token[], from: number): string | undefined {
  const words = tokens
    .slice(from, from + 3)
    .map((token) => token.lower)
    .join(' ');
  const skip = words === "'s name is" ? 3 : /^(?:is|'s) (?:called|named)\b/.test(words) ? 2 : 0;
  return skip === 0 ? undefined : readName(tokens, from + skip, tokens.length)?.value;
}

/** "I have two brothers", "we adopted a kitten called Pixel last Saturday". */
export function findHousehold(clause: Clause): Finding[] {
  const { tokens } = clause.sentence;
  const { verb, speech } = clause;
  if (!clause.isFirst || verb.isNegated || verb.isUncertain || verb.isFuture || verb.isPast || verb.isCopula) return [];
  const main = tokens[verb.main]?.lower ?? '';
  const from = verb.main + (tokens[verb.main + 1]?.lower === 'got' && main === 'have' ? 2 : 1);
  const count = tokens[from]?.lower ?? '';
  if (!OWN_VERBS.has(main) || !COUNTS.test(count)) return [];
  const gained = GAIN_VERBS.has(main) && !verb.isPerfect;
  const pet = readPet(tokens, from + 1, clause.end);
  if (pet !== undefined) {
    const value = pet.name === undefined ? countKind(count, pet.kind) : `${pet.kind} ${pet.name}`;
    const finding = toFinding(speech, 'pets', value, gained ? 'got-pet' : 'has-pet');
    const event = gained ? findChangeTime(clause) : undefined;
    return [event === undefined ? finding : { ...finding, event }];
  }
  if (GAIN_VERBS.has(main) && !verb.isPerfect) return [];
  return findCountedKin(clause, from, count);
}

function findCountedKin(clause: Clause, from: number, count: string): Finding[] {
  const { tokens } = clause.sentence;
  for (let index = from + 1; index < Math.min(clause.end, from + 4); index += 1) {
    const token = tokens[index];
    if (token === undefined) break;
    if (KIN.has(token.lower) || KIN_PLURALS.has(token.lower)) {
      const name = readCalledName(tokens, index + 1, clause.end);
      const value = name === undefined ? `${count} ${token.lower}` : `${token.lower} ${name}`;
      return [toFinding(clause.speech, 'family', value, 'has-kin')];
    }
    if (!ADJECTIVE_TAGS.has(token.pos)) break;
  }
  return [];
}

function countKind(count: string, kind: string): string {
  return /^(?:a|an|one)$/.test(count) ? kind : `${count} ${kind}s`;
}

function readPet(tokens: readonly Token[], from: number, end: number): { kind: string; name?: string } | undefined {
  for (let index = from; index < Math.min(end, from + 4); index += 1) {
    const token = tokens[index];
    if (token === undefined) return undefined;
    const kind = PETS.get(token.lower) ?? PETS.get(token.lower.replace(/s$/, ''));
    if (kind !== undefined) {
      const after = tokens[index + 1];
      // A "dog-walking business", a "cat person" and "my dog's vet" are no pets.
      if (after !== undefined && (after.text === '-' || after.lower === "'s" || after.pos === 'NOUN')) return undefined;
      const name = readCalledName(tokens, index + 1, end);
      return name === undefined ? { kind } : { kind, name };
    }
    if (!ADJECTIVE_TAGS.has(token.pos) || isNameWord(token)) return undefined;
  }
  return undefined;
}

/** A name right after a noun, or after "named" or "called", with a comma or "is" before it or not. */
function readCalledName(tokens: readonly Token[], from: number, end: number): string | undefined {
  const skips = [/^(?:,|is|'s)$/, /^(?:named|called)$/];
  let index = from;
  if (skips[0]?.test(tokens[index]?.lower ?? '') === true && skips[1]?.test(tokens[index + 1]?.lower ?? '') === true) {
    index += 1;
  }
  if (skips[1]?.test(tokens[index]?.lower ?? '') === true) index += 1;
  return readName(tokens, index, end)?.value;
}

function toFinding(speech: Speech, attribute: 'family' | 'pets', value: string, rule: string): Finding {
  return {
    entity: speech.speaker,
    attribute,
    cardinality: 'many',
    value,
    rule: `rules-en/${rule}@1`,
    confidence: 0.85,
  };
}
