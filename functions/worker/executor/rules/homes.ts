/** Where somebody lives: "I live in Austin", "we moved to Denver in May 2024", "I just moved out of Austin". */
import type { Finding } from './claim-draft.ts';
import { findChangeTime, findSinceTime } from './clause-times.ts';
import type { Clause } from './clauses.ts';
import { readPlace } from './phrases.ts';

// Between "moved" and "to": anything else there is what was moved ("moved the meeting to Friday").
const MOVE_ADVERBS = new Set('back over here up down out away all together again with from'.split(' '));
const STATE_VERBS = new Set('live lives living lived based reside resides residing'.split(' '));

const RENTED = /^rent(?:ing)? (?:an?|my|our|the) (?:\w+ ){0,2}(?:flat|apartment|house|room|studio|place|cottage) in\b/;
const LONG_STAY =
  /\b(?:since|for (?:(?:about|almost|over|nearly|the (?:last|past)) )*(?:\w+ )?(?:years?|months?|decades?))\b/;

/** The findings of a clause about a home: at most one. */
export function findHome(clause: Clause): Finding[] {
  const { tokens } = clause.sentence;
  const { verb } = clause;
  const main = tokens[verb.main]?.lower ?? '';
  if (verb.isNegated || verb.isUncertain || verb.isFuture) return [];
  if (STATE_VERBS.has(main)) return findState(clause, main);
  const words = joinLower(clause);
  // "We've been in Helsinki since 2020", "I've settled in Porto"; an afternoon in a place is no home.
  if (verb.isPerfect && verb.isCopula && !verb.isPast && main === 'in' && LONG_STAY.test(words))
    return toHome(clause, verb.main + 1);
  if (main === 'settled' && verb.isPerfect && !verb.isPast && !verb.isCopula && /^settled (?:down )?in\b/.test(words)) {
    return toHome(clause, findWord(clause, verb.main, 'in', 3) + 1);
  }
  if (/^call(?:ed)?$/.test(main) && (main === 'call' || verb.isPerfect) && !verb.isPast) return findCalledHome(clause);
  // "I rent a flat in Leeds" says where somebody lives; "I own one" does not.
  if (/^rent(?:ing)?$/.test(main) && !verb.isPast && RENTED.test(words))
    return toHome(clause, findWord(clause, verb.main, 'in', 7) + 1);
  if ((main === 'moved' || main === 'relocated') && !verb.isCopula) return findMove(clause);
  return [];
}

function findState(clause: Clause, main: string): Finding[] {
  const { verb } = clause;
  const event = findSinceTime(clause);
  const isHeldOn = verb.isPerfect && (event !== undefined || /\b(?:since|for|all my life)\b/.test(joinLower(clause)));
  if (verb.isPast || clause.isSubordinate || (main === 'lived' && !isHeldOn) || (verb.isPerfect && !isHeldOn))
    return [];
  if (main === 'based' && !verb.isCopula) return [];
  const inIndex = findWord(clause, verb.main + 1, 'in', 6);
  return inIndex < 0 ? [] : toHome(clause, inIndex + 1);
}

/** "I call Bristol home." */
function findCalledHome(clause: Clause): Finding[] {
  const place = readPlace(clause.sentence.tokens, clause.verb.main + 1, clause.end);
  return place === undefined || clause.sentence.tokens[place.next]?.lower !== 'home'
    ? []
    : toHome(clause, clause.verb.main + 1);
}

function toHome(clause: Clause, from: number): Finding[] {
  const place = readPlace(clause.sentence.tokens, from, clause.end);
  if (place === undefined) return [];
  const event = findSinceTime(clause);
  const finding: Finding = {
    entity: clause.entity,
    attribute: 'lives_in',
    cardinality: 'one',
    value: place.value,
    rule: 'rules-en/lives-in@1',
    confidence: 0.9,
  };
  return [event === undefined ? finding : { ...finding, event }];
}

function findMove(clause: Clause): Finding[] {
  const { tokens } = clause.sentence;
  const from = clause.verb.main + 1;
  const out = tokens[from]?.lower;
  if ((out === 'out' || out === 'away') && /^(?:of|from)$/.test(tokens[from + 1]?.lower ?? '')) {
    if (findWord(clause, from, 'to', 8) < 0) return findMoveOut(clause, from + 2);
  }
  const to = findWord(clause, from, 'to', 8);
  if (to < 0) return [];
  const between = tokens.slice(from, to);
  const isOwnMove = between.length === 0 || MOVE_ADVERBS.has(between[0]?.lower ?? '');
  const place = readPlace(tokens, to + 1, clause.end);
  if (!isOwnMove || place === undefined || clause.speech.people.has(place.value)) return [];
  return [settleMove(clause, { value: place.value, rule: 'rules-en/moved-to@1', confidence: 0.85 })];
}

function findMoveOut(clause: Clause, from: number): Finding[] {
  if (readPlace(clause.sentence.tokens, from, clause.end) === undefined) return [];
  return [settleMove(clause, { value: '', rule: 'rules-en/moved-out@1', confidence: 0.7 })];
}

function settleMove(clause: Clause, found: Pick<Finding, 'value' | 'rule' | 'confidence'>): Finding {
  const event = findChangeTime(clause);
  const finding: Finding = { entity: clause.entity, attribute: 'lives_in', cardinality: 'one', change: true, ...found };
  return event === undefined ? finding : { ...finding, event };
}

function findWord(clause: Clause, from: number, word: string, reach: number): number {
  const { tokens } = clause.sentence;
  for (let index = from; index < Math.min(clause.end, from + reach); index += 1) {
    if (tokens[index]?.lower === word) return index;
    if (tokens[index]?.text === ',') return -1;
  }
  return -1;
}

function joinLower(clause: Clause): string {
  return clause.sentence.tokens
    .slice(clause.verb.main, clause.end)
    .map((token) => token.lower)
    .join(' ');
}
