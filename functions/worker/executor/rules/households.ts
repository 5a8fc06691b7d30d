/** Family and pets: "my sister Ana", "I have two brothers", "we adopted a puppy named Biscuit", "his name is Rex". */
import { readAgeAdjective } from './ages.ts';
import type { Finding } from './claim-draft.ts';
import { isStated, lowerAt } from './clause-words.ts';
import type { Clause } from './clauses.ts';
import { toGain } from './findings.ts';
import type { Sentence, Token } from './language.ts';
import { ADJECTIVE_TAGS, COUNTS, readCalledName, readNames, readPet } from './pet-words.ts';
import { isHardStop, isNameWord } from './phrases.ts';
import { type KinMention, readKin, readSaidName, type Speech } from './subjects.ts';
import { HYPOTHETICALS, KIN, KIN_FORMAL, KIN_PLURALS } from './vocabulary.ts';

const OWN_VERBS = new Set("have has 've own owns got adopted rescued bought keep keeps".split(' '));
const GAIN_VERBS = new Set('got adopted rescued bought'.split(' '));
const MEMBERS_MAX = 5;
const PARENTS = /^(?:grand)?(?:mother|mom|mum|ma|father|dad|pa|parent)$/;

/** Kin and pets that a sentence names in passing. Questions and hypotheses name nobody for sure. */
export function findNamedHousehold(sentence: Sentence, speech: Speech): Finding[] {
  const { tokens } = sentence;
  if (sentence.isQuestion || tokens.some((token) => HYPOTHETICALS.has(token.lower))) return [];
  const findings: Finding[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    if (sentence.quoted[index] === true) continue;
    if (/^(?:my|our)$/.test(tokens[index]?.lower ?? '')) findings.push(...findOwned(tokens, index, speech));
    else findings.push(...findLaterName(tokens, index, speech));
  }
  return findings;
}

function findOwned(tokens: readonly Token[], index: number, speech: Speech): Finding[] {
  const kin = readKin(tokens, index, tokens.length);
  if (kin !== undefined) {
    const named = kin.name ?? readSaidName(tokens, kin.next) ?? readNameBefore(tokens, index, kin);
    if (named === undefined) return [];
    if (kin.kin === 'kids' || kin.kin === 'parents') {
      const at = tokens.findIndex((token, offset) => offset >= kin.next - 2 && token.text === named.split(' ')[0]);
      const names = at < 0 ? [named] : readNames(tokens, at, tokens.length);
      return names.map((name) => toFamily(speech, `${kin.kin === 'kids' ? 'kid' : 'parent'} ${name}`, 'my-kin'));
    }
    return [toFamily(speech, `${kin.kin} ${named}`, 'my-kin')];
  }
  const counted = readCounted(tokens, index + 1, speech);
  if (counted.length > 0) return counted;
  const pet = readPet(tokens, index + 1, tokens.length);
  if (pet === undefined) return [];
  const names =
    pet.names.length > 0 ? pet.names : [readSaidName(tokens, pet.next)].filter((name) => name !== undefined);
  return names.map((name) => toPet(speech, `${pet.kind} ${name}`, 'my-pet'));
}

/** "Our three kids", "my two brothers, Al and Bo". */
function readCounted(tokens: readonly Token[], from: number, speech: Speech): Finding[] {
  const count = tokens[from]?.lower ?? '';
  const noun = tokens[from + 1]?.lower ?? '';
  const kin = KIN_PLURALS.get(noun);
  if (!COUNTS.test(count) || kin === undefined || tokens[from + 2]?.lower === "'") return [];
  const { names } = readCalledName(tokens, from + 2, tokens.length);
  return [`${count} ${noun}`, ...names.map((name) => `${kin} ${name}`)].map((value) =>
    toFamily(speech, value, 'my-kin'),
  );
}

/** "Ana, my sister, …" */
function readNameBefore(tokens: readonly Token[], my: number, kin: KinMention): string | undefined {
  const name = tokens[my - 2];
  if (tokens[my - 1]?.text !== ',' || name === undefined || !isNameWord(name)) return undefined;
  return /^[,.!]$/.test(tokens[kin.next]?.text ?? '.') && my <= 3 ? name.text : undefined;
}

/** "Her name is Ana", "he's called Rex", when the turn has told of one kin or one pet without a name. */
function findLaterName(tokens: readonly Token[], index: number, speech: Speech): Finding[] {
  const words = tokens
    .slice(index, index + 3)
    .map((token) => token.lower)
    .join(' ');
  const skip = /^(?:her|his|its) name (?:is|'s)$/.test(words)
    ? 3
    : /^(?:she|he|it) (?:is|'s) (?:called|named)$/.test(words)
      ? 3
      : 0;
  const name = skip === 0 ? undefined : readNames(tokens, index + skip, tokens.length)[0];
  if (name === undefined) return [];
  const { kin, pet } = speech.referents;
  if (typeof pet === 'string' && typeof kin !== 'string') return [toPet(speech, `${pet} ${name}`, 'later-name')];
  if (typeof kin === 'string' && pet === undefined) return [toFamily(speech, `${kin} ${name}`, 'later-name')];
  return [];
}

/** "I have two brothers and a sister", "we adopted a kitten called Pixel last Saturday", "I'm a mother of three". */
export function findHousehold(clause: Clause): Finding[] {
  const { verb } = clause;
  if (!clause.isFirst || !isStated(clause) || verb.isPast || clause.isSubordinate) return [];
  if (verb.isCopula) return [...findParent(clause), ...findOwner(clause)];
  const main = lowerAt(clause, verb.main);
  if (!OWN_VERBS.has(main)) return [];
  const isPossession = main === 'got' && verb.isPerfect;
  const isGain = GAIN_VERBS.has(main) && !verb.isPerfect;
  const findings: Finding[] = [];
  let from = verb.main + (lowerAt(clause, verb.main + 1) === 'got' && /^(?:have|has)$/.test(main) ? 2 : 1);
  for (let count = 0; count < MEMBERS_MAX; count += 1) {
    const member = readMember(clause, from, isGain && !isPossession);
    if (member === undefined) break;
    findings.push(...member.findings);
    const joint = clause.sentence.tokens[member.next];
    if (joint === undefined || !/^(?:,|and|plus|&)$/.test(joint.lower)) break;
    from = member.next + (lowerAt(clause, member.next + 1) === 'and' ? 2 : 1);
  }
  return findings;
}

function readMember(clause: Clause, from: number, isGain: boolean): { findings: Finding[]; next: number } | undefined {
  const { tokens } = clause.sentence;
  const count = lowerAt(clause, from);
  if (!COUNTS.test(count) && count !== 'our') return undefined;
  const end = tokens.length;
  const pet = readPet(tokens, from + 1, end);
  if (pet !== undefined) {
    const values =
      pet.names.length === 0 ? [countKind(count, pet.kind)] : pet.names.map((name) => `${pet.kind} ${name}`);
    const rule = isGain ? 'got-pet@1' : 'has-pet@1';
    return {
      findings: values.map((value) =>
        isGain
          ? toGain(clause, { attribute: 'pets', value, rule, confidence: 0.85 })
          : toPet(clause.speech, value, 'has-pet'),
      ),
      next: pet.next,
    };
  }
  return isGain ? undefined : readCountedKin(clause, from, count);
}

function readCountedKin(
  clause: Clause,
  from: number,
  count: string,
): { findings: Finding[]; next: number } | undefined {
  const { tokens } = clause.sentence;
  const aged = readAgeAdjective(tokens, from + 1);
  const start = aged?.next ?? from + 1;
  for (let index = start; index < start + 4; index += 1) {
    const token = tokens[index];
    if (token === undefined || isHardStop(tokens, index)) return undefined;
    if (KIN.has(token.lower) || KIN_PLURALS.has(token.lower)) {
      if (tokens[index + 1]?.lower === "'s" || tokens[index + 1]?.lower === "'") return undefined;
      const word = KIN_PLURALS.get(token.lower) ?? token.lower;
      const formal = KIN_FORMAL.get(word) ?? word;
      const called = readCalledName(tokens, index + 1, tokens.length);
      const single = /^(?:an?|one)$/.test(count);
      const values =
        called.names.length === 0
          ? [single ? formal : `${count} ${token.lower}`]
          : called.names.map((name) => `${formal} ${name}`);
      const findings = values.map((value) => toFamily(clause.speech, value, 'has-kin'));
      if (!single && called.names.length > 1)
        findings.unshift(toFamily(clause.speech, `${count} ${token.lower}`, 'has-kin'));
      if (aged !== undefined && single)
        findings.push(toAge(clause.speech, called.names[0] ?? `${clause.speech.speaker}'s ${formal}`, aged.age));
      return { findings, next: called.next };
    }
    if (!ADJECTIVE_TAGS.has(token.pos)) return undefined;
  }
  return undefined;
}

/** "I'm a mother of three." */
function findParent(clause: Clause): Finding[] {
  const { main } = clause.verb;
  const at = [main, main + 1, main + 2, main + 3].find((index) => PARENTS.test(lowerAt(clause, index)));
  if (at === undefined || !/^(?:an?|the)$/.test(lowerAt(clause, main)) || lowerAt(clause, at + 1) !== 'of') return [];
  const count = lowerAt(clause, at + 2);
  if (!COUNTS.test(count) || /^an?$/.test(count)) return [];
  const grand = lowerAt(clause, at).startsWith('grand') ? 'grand' : '';
  const one = count === 'one' || count === '1';
  return [toFamily(clause.speech, `${count} ${grand}${one ? 'child' : 'children'}`, 'parent-of')];
}

/** "I'm the proud owner of a parrot named Figaro." */
function findOwner(clause: Clause): Finding[] {
  const owner = [1, 2, 3].map((step) => clause.verb.main + step).find((index) => lowerAt(clause, index) === 'owner');
  if (owner === undefined || lowerAt(clause, owner + 1) !== 'of') return [];
  return readMember(clause, owner + 2, false)?.findings ?? [];
}

function countKind(count: string, kind: string): string {
  return /^(?:a|an|one)$/.test(count) ? kind : `${count} ${kind.endsWith('fish') ? kind : `${kind}s`}`;
}

function toAge(speech: Speech, entity: string, age: number): Finding {
  return { ...toMany(speech, 'age', String(age), 'age'), cardinality: 'one', entity, confidence: 0.8 };
}

const toFamily = (speech: Speech, value: string, rule: string): Finding => toMany(speech, 'family', value, rule);
const toPet = (speech: Speech, value: string, rule: string): Finding => toMany(speech, 'pets', value, rule);

function toMany(speech: Speech, attribute: string, value: string, rule: string): Finding {
  return {
    entity: speech.speaker,
    attribute,
    cardinality: 'many',
    value,
    rule: `rules-en/${rule}@1`,
    confidence: 0.85,
  };
}
