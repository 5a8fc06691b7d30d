/** Plans, dated events, and the many-valued `event` that a change becomes when it fails its guard. */
import type { Finding } from './claim-draft.ts';
import { findChangeTime, findPlanTime, hasPlanTime } from './clause-times.ts';
import type { Clause } from './clauses.ts';
import { findPhraseEnd, joinTokens } from './phrases.ts';
import { IRREGULAR_PASTS, NO_EVENTS, PLAN_VERBS } from './vocabulary.ts';

const WORDS_MAX = 16;
const PLANNING = new Set('planning plan plans'.split(' '));
// Present forms that tell a fixed date to come: "I start at Globex on Monday".
const SCHEDULE_VERBS = new Set(
  'start starts begin begins move moves fly flies leave leaves arrive arrives join joins'.split(' '),
);

/** A plan of a clause. Wishes ("want to", "would like to", "thinking of") are none, and neither are refusals. */
export function findPlan(clause: Clause): Finding[] {
  const { tokens } = clause.sentence;
  const { verb } = clause;
  if (verb.isNegated || verb.isUncertain || verb.isPast || verb.isPerfect || clause.isSubordinate) return [];
  if (tokens.slice(verb.main, clause.end).some((token) => token.lower === 'if' || token.lower === 'unless')) return [];
  const main = tokens[verb.main]?.lower ?? '';
  if (PLANNING.has(main)) {
    const to = tokens[verb.main + 1]?.lower;
    return to === 'to' || to === 'on' ? toPlan(clause, verb.main + 2) : [];
  }
  const isDated = hasPlanTime(clause);
  const isPlanned =
    (verb.isFuture && (isDated || (PLAN_VERBS.has(main) && isGoingTo(clause)))) ||
    (verb.isProgressive && PLAN_VERBS.has(main) && isDated) ||
    (!verb.isCopula && SCHEDULE_VERBS.has(main) && isDated);
  return isPlanned ? toPlan(clause, verb.main) : [];
}

/** "I'll try that" is said a hundred times a day; without a date only "going to" is a plan. */
function isGoingTo(clause: Clause): boolean {
  const before = clause.sentence.tokens.slice(clause.start, clause.verb.main);
  return before.some((token) => token.lower === 'going' || token.lower === 'gonna');
}

/** A plan of one word, or one that is a promise to the listener ("I'll call you tomorrow"), is none. */
function toPlan(clause: Clause, from: number): Finding[] {
  const value = readWords(clause, from);
  if (!value.includes(' ') || /\byou\b/i.test(value)) return [];
  const event = findPlanTime(clause);
  const finding: Finding = {
    entity: clause.entity,
    attribute: 'plan',
    cardinality: 'many',
    value,
    rule: 'rules-en/plan@1',
    confidence: 0.65,
  };
  return [event === undefined ? finding : { ...finding, event }];
}

/** Something that happened at a time the text names, in the speaker's own words. */
export function findDatedEvent(clause: Clause): Finding[] {
  const { tokens } = clause.sentence;
  const { verb } = clause;
  const main = tokens[verb.main];
  if (main === undefined || verb.isNegated || verb.isUncertain || verb.isFuture || verb.isCopula) return [];
  if (verb.isProgressive || NO_EVENTS.has(main.lower)) return [];
  const isPast = IRREGULAR_PASTS.has(main.lower) || (main.lower.endsWith('ed') && main.pos === 'VERB');
  const event = isPast ? findChangeTime(clause) : undefined;
  if (event === undefined || event.from === 'turn') return [];
  return [toEvent(clause, { event, rule: 'rules-en/dated-event@1', confidence: 0.6 })];
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
