/** Allergies, diets, what somebody does not eat or drink, and conditions of health. */
import type { Finding } from './claim-draft.ts';
import { isHeld, isStated, joinLower, lowerAt, readListed, readMembers, readObject } from './clause-words.ts';
import type { Clause } from './clauses.ts';
import { toChange, toGain, toMember, toState } from './findings.ts';
import type { Token } from './language.ts';
import { isPunctuation, joinTokens, type Phrase } from './phrases.ts';
import { CONDITION_ADJECTIVES, CONDITION_PHRASES, CONDITIONS, DIETS, FOODS } from './vocabulary-things.ts';
import { CLAUSE_BREAKS } from './vocabulary.ts';

const NO_ALLERGENS = new Set(
  'any anything anyone it that this them mornings monday mondays work nonsense drama bullshit exercise'.split(' '),
);
const FILLERS = new Set('any much really red raw fried spicy all the most anymore eating drinking either'.split(' '));
const MILD = new Set('a an mild severe chronic bad from the some terrible awful frequent occasional'.split(' '));
const STOP_VERBS = /^(?:(?:stopped|quit) (?:eating|drinking)|gave up|given up|cut out|cut back on|cut)\b/;

export function findHealth(clause: Clause): Finding[] {
  const { verb } = clause;
  const avoided = findAvoided(clause);
  if (avoided.length > 0) return avoided;
  if (!isHeld(clause)) return findDiagnosis(clause);
  const main = lowerAt(clause, verb.main);
  if (verb.isCopula) return findDescribed(clause, main);
  if (main === 'had' && verb.isPerfect) return findCondition(clause, main);
  if (
    /^(?:struggle|struggling|deal|dealing|live|living|suffering|diagnosed)$/.test(main) &&
    /^(?:with|from)$/.test(lowerAt(clause, verb.main + 1)) &&
    main !== 'diagnosed'
  )
    return readConditions(clause, verb.main + 2);
  if (main === 'get' || main === 'gets') return readConditions(clause, verb.main + 1);
  if (main === 'have' || main === 'has' || main === 'got' || main === 'suffer' || main === 'suffers')
    return findCondition(clause, main);
  if (/^(?:went|became|turned|gone|become)$/.test(main)) return findNewDiet(clause);
  if (/^(?:eat|follow|keep|eats|follows)$/.test(main)) return readDiet(clause, verb.main + 1, toState);
  return findDiagnosis(clause);
}

function findDescribed(clause: Clause, main: string): Finding[] {
  const from = clause.verb.main;
  if (main === 'allergic' && lowerAt(clause, from + 1) === 'to') return readAllergens(clause, from + 2);
  if (lowerAt(clause, from + 1) === 'intolerant') return [allergy(clause, main)];
  if (lowerAt(clause, from + 1) === '-' && lowerAt(clause, from + 2) === 'intolerant') return [allergy(clause, main)];
  const diet = readDiet(clause, from, toState);
  if (diet.length > 0) return diet;
  if (CONDITION_ADJECTIVES.has(main) && !/^(?:to|of)$/.test(lowerAt(clause, from + 1)))
    return [condition(clause, main)];
  if (/\bmonths pregnant\b/.test(joinLower(clause, from, 4))) return [condition(clause, 'pregnant')];
  return findDiagnosis(clause);
}

/** "vegan", "a vegetarian", "on a keto diet", "mostly plant-based": the closed list, and no noun after it. */
function readDiet(clause: Clause, from: number, toFinding: typeof toState): Finding[] {
  const { tokens } = clause.sentence;
  let index = from;
  while (
    /^(?:an?|on|strict|strictly|fully|lifelong|the|raw|only|mostly)$/.test(lowerAt(clause, index)) &&
    index < from + 3
  )
    index += 1;
  for (const count of [3, 1]) {
    const value = joinTokens(tokens.slice(index, index + count));
    const after = tokens[index + count];
    if (!DIETS.has(value.toLowerCase())) continue;
    if (after !== undefined && after.pos === 'NOUN' && after.lower !== 'diet' && index + count < clause.end) return [];
    return [toFinding(clause, { attribute: 'diet', value, rule: 'diet@1', confidence: 0.8 })];
  }
  return [];
}

function findNewDiet(clause: Clause): Finding[] {
  return clause.verb.isCopula ? [] : readDiet(clause, clause.verb.main + 1, toChange);
}

function findCondition(clause: Clause, main: string): Finding[] {
  const { tokens } = clause.sentence;
  let from = clause.verb.main + (/^(?:suffers?|got)$/.test(main) ? 2 : 1);
  if (main === 'got' && !clause.verb.isPerfect) return [];
  if (main === 'got') from = clause.verb.main + 1;
  const conditions = readConditions(clause, from);
  if (conditions.length > 0) return conditions;
  // "a peanut allergy", "an allergy to cats"
  const words = tokens.slice(from, Math.min(clause.end, from + 6));
  const at = words.findIndex(({ lower }) => lower === 'allergy' || lower === 'intolerance');
  if (at < 0 || words.slice(0, at).some((word) => isPunctuation(word) || CLAUSE_BREAKS.has(word.lower))) return [];
  if (words[at + 1]?.lower === 'to') return readAllergens(clause, from + at + 2);
  const before = words
    .slice(0, at)
    .filter(
      ({ lower }) =>
        !/^(?:an?|severe|mild|bad|serious|slight|terrible|the|pretty|really|very|quite|known|deadly)$/.test(lower),
    );
  return before.length === 0 || before.length > 2 ? [] : [allergy(clause, joinTokens(before))];
}

function readConditions(clause: Clause, from: number): Finding[] {
  const phrase = CONDITION_PHRASES.exec(joinLower(clause, from, 5))?.[0];
  if (phrase !== undefined) return [condition(clause, phrase.replace(/^a /, ''))];
  return readMembers(clause, from, { accepts: readCondition, skips: MILD }).values.map((value) =>
    condition(clause, value),
  );
}

function readCondition(tokens: readonly Token[], index: number): Phrase | undefined {
  const token = tokens[index];
  if (token === undefined) return undefined;
  const joined = token.lower + (tokens[index + 1]?.lower === "'s" ? "'s" : '');
  if (tokens[index + 1]?.text === '-') return undefined;
  if (!CONDITIONS.has(joined) && !CONDITIONS.has(token.lower)) return undefined;
  return {
    value: joined === token.lower ? token.text : `${token.text}'s`,
    next: index + (joined === token.lower ? 1 : 2),
  };
}

/** "I was diagnosed with ADHD last year." */
function findDiagnosis(clause: Clause): Finding[] {
  if (
    !isStated(clause) ||
    (lowerAt(clause, clause.verb.main) !== 'diagnosed' && lowerAt(clause, clause.verb.main + 1) !== 'diagnosed')
  )
    return [];
  const at = lowerAt(clause, clause.verb.main) === 'diagnosed' ? clause.verb.main : clause.verb.main + 1;
  if (lowerAt(clause, at + 1) !== 'with') return [];
  const object = readObject(clause, at + 2, 5);
  if (object === undefined) return [];
  return [toGain(clause, { attribute: 'health', value: object.value, rule: 'diagnosed@1', confidence: 0.8 })];
}

function readAllergens(clause: Clause, from: number): Finding[] {
  const { values } = readMembers(clause, from, {
    accepts: readAllergen,
    skips: new Set('both the all most'.split(' ')),
  });
  return values.map((value) => allergy(clause, value));
}

function readAllergen(tokens: readonly Token[], index: number): Phrase | undefined {
  const token = tokens[index];
  if (token === undefined || NO_ALLERGENS.has(token.lower)) return undefined;
  let next = index;
  while (next < index + 3 && /^(?:NOUN|PROPN|ADJ)$/.test(tokens[next]?.pos ?? '')) next += 1;
  return next === index ? undefined : { value: joinTokens(tokens.slice(index, next)), next };
}

/** "I don't eat meat", "I avoid gluten", "I gave up sugar in January": the food of a closed list. */
function findAvoided(clause: Clause): Finding[] {
  const { verb } = clause;
  if (verb.isPast || verb.isFuture || clause.isSubordinate) return [];
  const main = lowerAt(clause, verb.main);
  const isUnable = clause.sentence.tokens
    .slice(clause.start, verb.main)
    .some(({ lower }) => /^(?:ca|can|cannot)$/.test(lower));
  if (
    verb.isNegated &&
    /^(?:eats?|drinks?|touch|consume|have|do|tolerate|eaten|drunk|touched)$/.test(main) &&
    (!verb.isUncertain || isUnable)
  ) {
    if (/^(?:have|tolerate)$/.test(main) && !isUnable) return [];
    const { values } = readFoods(clause, verb.main + 1);
    if (
      values.length === 0 &&
      /^drinks?$/.test(main) &&
      /^(?:$|[.,!;]|at all|anymore|and|but|alcohol)/.test(joinLower(clause, verb.main + 1, 2))
    ) {
      return [avoid(clause, 'alcohol')];
    }
    return values.map((value) => avoid(clause, value));
  }
  if (verb.isNegated || verb.isUncertain) return [];
  if (/^avoids?$/.test(main)) return readFoods(clause, verb.main + 1).values.map((value) => avoid(clause, value));
  const stopped = STOP_VERBS.exec(joinLower(clause, verb.main, 3));
  if (stopped === null) return [];
  const { values } = readFoods(clause, verb.main + stopped[0].split(' ').length);
  return values.map((value) => toGain(clause, { attribute: 'avoids', value, rule: 'gave-up@1', confidence: 0.75 }));
}

function readFoods(clause: Clause, from: number): { values: string[] } {
  return readMembers(clause, from, { accepts: readFood, skips: FILLERS });
}

function readFood(tokens: readonly Token[], index: number): Phrase | undefined {
  const found = readListed(tokens, index, FOODS, 1);
  // "Rice cakes" are not rice; "meat products" are meat enough to be left out, too.
  return found !== undefined && tokens[found.next]?.pos === 'NOUN' ? undefined : found;
}

const allergy = (clause: Clause, value: string): Finding =>
  toMember(clause, { attribute: 'allergy', value, rule: 'allergic@1', confidence: 0.85 });
const avoid = (clause: Clause, value: string): Finding =>
  toMember(clause, { attribute: 'avoids', value, rule: 'avoids@1', confidence: 0.75 });
const condition = (clause: Clause, value: string): Finding =>
  toMember(clause, { attribute: 'health', value, rule: 'health@1', confidence: 0.75 });
