/** Dated events, deeds, and the many-valued `event` that a change becomes when it fails its guard. */
import type { EventInterval, Finding } from './claim-draft.ts';
import { findChangeTime } from './clause-times.ts';
import type { Clause } from './clauses.ts';
import type { Token } from './language.ts';
import { findPhraseEnd, isNameWord, joinTokens } from './phrases.ts';
import { IRREGULAR_PASTS, NO_EVENTS } from './vocabulary.ts';

export const WORDS_MAX = 16;
const PARTICIPLES = new Set('born hit stolen robbed broken given chosen hurt bitten elected made sworn'.split(' '));
const DEEDS = new Set(
  'ran won passed finished completed published launched broke sprained climbed defended released signed got had sold adopted ordained hiked swam cycled bought failed lost crashed submitted'.split(
    ' ',
  ),
);
const DEED_OBJECTS =
  /\b(?:marathon|half-marathon|triathlon|10k|5k|ultra|race|medal|prize|award|competition|tournament|scholarship|lottery|exam|exams|test|bar|driving test|thesis|dissertation|degree|phd|book|novel|album|paper|app|game|arm|leg|ankle|wrist|foot|rib|collarbone|nose|finger|toe|knee|mountain|summit|visa|green card|citizenship|passport|licence|license|house|contract|certification|certificate|training|course|wallet|keys|bike|car)\b/;

/** Something that happened at a time the text names, in the speaker's own words; or one of a few deeds without a time. */
export function findDatedEvent(clause: Clause): Finding[] {
  const { tokens } = clause.sentence;
  const { verb } = clause;
  const main = tokens[verb.main];
  if (main === undefined || verb.isNegated || verb.isUncertain || verb.isFuture) return [];
  if (verb.isCopula) return findPassive(clause, main);
  if (verb.isProgressive || NO_EVENTS.has(main.lower)) return [];
  const isPast =
    IRREGULAR_PASTS.has(main.lower) ||
    (main.lower.endsWith('ed') && (main.pos === 'VERB' || clause.start === verb.main));
  const event = isPast ? findChangeTime(clause) : undefined;
  if (event === undefined || event.from === 'turn') return findDeed(clause, main, event);
  const found = toEvent(clause, { event, rule: 'rules-en/dated-event@1', confidence: 0.6 });
  return found.value.includes(' ') ? [found] : [];
}

/** "I was promoted last month", "we were in Lisbon last summer". */
function findPassive(clause: Clause, main: Token): Finding[] {
  const { verb, sentence } = clause;
  if (!verb.isPast || verb.isPerfect || clause.isSubordinate) return [];
  const isPassive =
    (main.lower.endsWith('ed') && main.pos === 'VERB' && !NO_EVENTS.has(main.lower)) || PARTICIPLES.has(main.lower);
  const isStay =
    /^(?:in|at)$/.test(main.lower) &&
    (isNameWord(sentence.tokens[verb.main + 1]) || sentence.tokens[verb.main + 1]?.lower === 'hospital');
  const event = isPassive || isStay ? findChangeTime(clause) : undefined;
  if (event === undefined || event.from === 'turn') return [];
  const was = sentence.tokens.findLastIndex(({ lower }, index) => index < verb.main && /^(?:was|were)$/.test(lower));
  const value = readWords(clause, was < clause.start ? verb.main : was);
  return [{ ...toEvent(clause, { event, rule: 'rules-en/dated-event@1', confidence: 0.6 }), value }];
}

/** What happened to something of the speaker's: dated, or a death. The value begins at "my". */
export function findMishap(clause: Clause): Finding[] {
  const { verb, sentence } = clause;
  const main = sentence.tokens[verb.main];
  if (main === undefined || verb.isNegated || verb.isUncertain || verb.isFuture || clause.isSubordinate) return [];
  const isDeath = /^(?:died|passed away)\b/.test(
    joinTokens(sentence.tokens.slice(verb.main, verb.main + 2)).toLowerCase(),
  );
  if (NO_EVENTS.has(main.lower)) return [];
  const isPast = IRREGULAR_PASTS.has(main.lower) || main.lower.endsWith('ed') || PARTICIPLES.has(main.lower);
  const event = isPast || isDeath ? findChangeTime(clause) : undefined;
  if ((event === undefined || event.from === 'turn') && !isDeath) return [];
  const found = { rule: 'rules-en/mishap@1', confidence: 0.6, ...(event !== undefined && { event }) };
  return [{ ...toEvent(clause, found), value: readWords(clause, clause.start) }];
}

/** Without a date, only what people count as done: "I ran my first marathon", "I just broke my arm". */
function findDeed(clause: Clause, main: Token, event: EventInterval | undefined): Finding[] {
  const { verb, sentence } = clause;
  if (
    /^(?:died|passed away)\b/.test(joinTokens(sentence.tokens.slice(verb.main, verb.main + 2)).toLowerCase()) &&
    !clause.isFirst
  ) {
    return [toEvent(clause, { rule: 'rules-en/deed@1', confidence: 0.5 })];
  }
  if (clause.isSubordinate || verb.isPast || !DEEDS.has(main.lower)) return [];
  const object = sentence.tokens[verb.main + 1];
  const next = object?.lower ?? '';
  if (
    main.lower === 'had' &&
    /^(?:(?:a|an) )?(?:baby|twins|surgery|operation|stroke|heart attack|miscarriage)\b/.test(
      joinTokens(sentence.tokens.slice(verb.main + 1, Math.min(clause.end, verb.main + 4))).toLowerCase(),
    )
  ) {
    return [toEvent(clause, { rule: 'rules-en/deed@1', confidence: 0.5, ...(event !== undefined && { event }) })];
  }
  if (main.lower === 'had') return [];
  if (verb.main + 1 >= clause.end || !/^(?:my|our|a|an|the|first|second|third)$/.test(next)) return [];
  const words = sentence.tokens
    .slice(verb.main + 1, Math.min(clause.end, verb.main + 6))
    .map(({ lower }) => lower)
    .join(' ');
  if (!DEED_OBJECTS.test(words)) return [];
  return [toEvent(clause, { rule: 'rules-en/deed@1', confidence: 0.5, ...(event !== undefined && { event }) })];
}

/** The event that stands in for a change of a claim slot: undated, or told again. */
export function toEvent(clause: Clause, found: Pick<Finding, 'event' | 'rule' | 'confidence'>): Finding {
  return {
    entity: clause.entity,
    attribute: 'event',
    cardinality: 'many',
    value: readWords(clause, clause.verb.main),
    ...found,
  };
}

/** The words of a clause from a token on, to its first break, in the speaker's own form. */
export function readWords(clause: Clause, from: number): string {
  const { tokens } = clause.sentence;
  const end = findPhraseEnd(tokens, from, Math.min(clause.end, from + WORDS_MAX));
  return joinTokens(tokens.slice(from, Math.max(end, from + 1)));
}
