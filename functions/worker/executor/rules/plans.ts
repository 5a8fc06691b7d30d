/** Plans: deeds resolved on, appointments, occasions with a date to come. Wishes, hopes and obligations are none. */
import type { EventInterval, Finding } from './claim-draft.ts';
import { findChangeTime, findPlanTime, hasPlanTime } from './clause-times.ts';
import type { Clause } from './clauses.ts';
import { readWords, WORDS_MAX } from './happenings.ts';
import type { Sentence } from './language.ts';
import { findPhraseEnd, isHardStop, joinTokens } from './phrases.ts';
import type { Speech } from './subjects.ts';
import type { VerbGroup } from './verb-groups.ts';
import { APPOINTMENTS } from './vocabulary-things.ts';
import { HYPOTHETICALS, NEGATIONS, PLAN_VERBS, REPORT_VERBS } from './vocabulary.ts';

const NO_VERB: Omit<VerbGroup, 'main'> = {
  isCopula: true,
  isProgressive: false,
  isPerfect: false,
  isPast: false,
  isNegated: false,
  isUncertain: false,
  isFuture: false,
  isRecent: false,
};
const PLANNING = new Set('planning plan plans'.split(' '));
// Present forms that tell a fixed date to come: "I start at Globex on Monday".
const SCHEDULE_VERBS = new Set(
  'start starts begin begins move moves fly flies leave leaves arrive arrives join joins travel travels return returns turn turns'.split(
    ' ',
  ),
);
const NO_PLANS = new Set(
  'thinking wondering hoping considering trying looking feeling dreading debating wishing talking asking wanting'.split(
    ' ',
  ),
);
// "I will be joining Acme" is a plan without a date, too; "I will buy milk" is none.
const STRONG_PLANS = new Set(
  'moving joining marrying retiring graduating relocating starting leaving adopting'.split(' '),
);
const THE_OCCASIONS = /^(?:wedding|surgery|move|operation|defen[cs]e|funeral|ceremony)$/;
const HAVING = new Set('have has'.split(' '));
// Things people are said to be "going to" do in a breath, which are no plans worth keeping.
const SMALL_TALK =
  /^(?:try|see|say|be honest|go with|do (?:it|that|this|so)|think|take (?:it|that|a look)|go (?:ahead|now|to (?:bed|sleep))|get (?:back|going|it|that|this)|make (?:it|that|this)|start with|leave it|back|there|right back|here|with you|kill|need|have to)\b/;
// What is being planned, when it is a thing and not a deed.
const INTENDING =
  /^(?:(?:intend|intends|intending|aim|aiming) to|(?:decided|scheduled|booked|arranged|set|due) to|(?:signed up|registered|enrolled|scheduled) (?:for|in|on|into)|booked\b(?! (?:on|in)\b)|looking forward to (?:my|our|the|a)|off to)\b/;

/** A plan of a clause. Wishes ("want to", "would like to", "thinking of") are none, and neither are refusals. */
export function findPlan(clause: Clause): Finding[] {
  const { tokens } = clause.sentence;
  const { verb } = clause;
  if (verb.isNegated || verb.isUncertain || clause.isSubordinate) return [];
  if (tokens.slice(verb.main, clause.end).some((token) => token.lower === 'if' || token.lower === 'unless')) return [];
  const main = tokens[verb.main]?.lower ?? '';
  const intended = findIntended(clause);
  if (intended.length > 0) return intended;
  const isOwning = main === 'got' && verb.isPerfect;
  if (verb.isPast || (verb.isPerfect && !isOwning)) return [];
  if (PLANNING.has(main) && !verb.isFuture) return findPlanned(clause);
  const time = findPlanTime(clause);
  const isDated = hasPlanTime(clause) && !(time?.precision === 'hour' && verb.isProgressive);
  if (isOwning || HAVING.has(main)) return isDated && !verb.isCopula ? findAppointment(clause) : [];
  const isPlanned =
    (verb.isFuture &&
      !SMALL_TALK.test(joinTokens(tokens.slice(verb.main, clause.end)).toLowerCase()) &&
      (isDated || (PLAN_VERBS.has(main) && isGoingTo(clause)))) ||
    (verb.isProgressive && isDated && (PLAN_VERBS.has(main) || (!NO_PLANS.has(main) && isAhead(clause, time)))) ||
    (verb.isCopula && main === 'due' && isDated) ||
    (!verb.isCopula && SCHEDULE_VERBS.has(main) && isDated);
  const isBare = verb.isFuture && STRONG_PLANS.has(main) && !isGoingTo(clause);
  const isBeing = verb.isCopula && tokens[verb.main - 1]?.lower === 'be';
  return isPlanned || isBare ? toPlan(clause, isBeing ? verb.main - 1 : verb.main) : [];
}

/** A time wholly to come: "this week" is running. */
function isAhead({ speech }: Clause, time: EventInterval | undefined): boolean {
  return time !== undefined && speech.anchor !== undefined && time.startMs > speech.anchor.atMs;
}

/** "I'll try that" is said a hundred times a day; without a date only "going to" and "about to" are plans. */
function isGoingTo(clause: Clause): boolean {
  const before = clause.sentence.tokens.slice(clause.start, clause.verb.main);
  return before.some((token) => /^(?:going|gonna|about)$/.test(token.lower));
}

/** "planning to run", "planning on moving", "planning a trip to Japan". */
function findPlanned(clause: Clause): Finding[] {
  const { verb } = clause;
  const { tokens } = clause.sentence;
  const next = tokens[verb.main + 1]?.lower ?? '';
  if (next === 'to' || next === 'on') {
    const object = tokens[verb.main + 2]?.lower ?? '';
    return /^(?:it|that|this)$/.test(object) ? [] : toPlan(clause, verb.main + 2);
  }
  if (!/^(?:an?|my|our|the)$/.test(next)) return [];
  const isOwn = !/^(?:menu|dinner|lesson|party for you)$/.test(tokens[verb.main + 2]?.lower ?? '');
  return isOwn && tokens[verb.main + 2]?.lower !== 'to'
    ? toPlan(clause, /^an?$/.test(next) ? verb.main + 2 : verb.main + 1)
    : [];
}

/** "I've decided to move", "I signed up for a marathon in October": resolved on, and not yet done. */
function findIntended(clause: Clause): Finding[] {
  const { verb, sentence } = clause;
  const words = sentence.tokens
    .slice(verb.main, Math.min(clause.end, verb.main + 4))
    .map(({ lower }) => lower)
    .join(' ');
  const lead = INTENDING.exec(words)?.[0];
  if (
    lead === undefined ||
    verb.isFuture ||
    (lead.startsWith('decided') && findChangeTime(clause)?.from === 'text' && !hasPlanTime(clause))
  )
    return [];
  const from = verb.main + lead.split(' ').length;
  const isDeed = lead.endsWith('to');
  if (/^(?:decided|intend|aim)/.test(lead))
    return PLAN_VERBS.has(sentence.tokens[from]?.lower ?? '') || hasPlanTime(clause) ? toPlan(clause, from) : [];
  if (!hasPlanTime(clause)) return [];
  // "I booked it yesterday" looks back; "for October" looks ahead.
  const isKept = /^(?:signed|registered|enrolled|scheduled|booked|off)/.test(lead);
  return toPlan(clause, isKept ? verb.main : isDeed ? from : from - 1);
}

/** "I have a dentist appointment on Monday", "I've got an interview at Google next week". */
function findAppointment(clause: Clause): Finding[] {
  const { tokens } = clause.sentence;
  let from = clause.verb.main + (tokens[clause.verb.main + 1]?.lower === 'got' ? 2 : 1);
  if (/^(?:an?|my|our|the)$/.test(tokens[from]?.lower ?? '')) from += 1;
  const words = tokens.slice(from, Math.min(clause.end, from + 5));
  return words.some(({ lower }) => APPOINTMENTS.has(lower) || APPOINTMENTS.has(lower.replace(/s$/, '')))
    ? toPlan(clause, from)
    : [];
}

/** "The plan is to open a shop in May": said of the speaker's own doing. */
export function findStatedPlan(sentence: Sentence, speech: Speech): Finding[] {
  const { tokens } = sentence;
  if (
    sentence.isQuestion ||
    tokens.some(({ lower }) => HYPOTHETICALS.has(lower) || NEGATIONS.has(lower) || REPORT_VERBS.has(lower))
  )
    return [];
  const at = tokens.findIndex(
    ({ lower }, index) => lower === 'plan' && /^(?:my|our|the)$/.test(tokens[index - 1]?.lower ?? '') && index <= 2,
  );
  if (at < 0 || !/^(?:is|'s)$/.test(tokens[at + 1]?.lower ?? '') || tokens[at + 2]?.lower !== 'to') return [];
  return toPlan(toWholeClause(sentence, speech, at - 1, at + 2), at + 3);
}

function toWholeClause(sentence: Sentence, speech: Speech, start: number, main: number): Clause {
  const verb = { ...NO_VERB, main };
  return {
    sentence,
    speech,
    entity: speech.speaker,
    isFirst: true,
    start,
    verb,
    end: sentence.tokens.length,
    isSubordinate: false,
    isThing: true,
  };
}

/** "Our wedding is on June 5", "my flight leaves on Friday": what is the speaker's and has a date to come. */
export function findOccasions(sentence: Sentence, speech: Speech): Finding[] {
  const { tokens } = sentence;
  if (
    sentence.isQuestion ||
    tokens.some(
      ({ lower }) => HYPOTHETICALS.has(lower) || NEGATIONS.has(lower) || REPORT_VERBS.has(lower) || lower === "n't",
    )
  )
    return [];
  const my = tokens.findIndex(
    ({ lower }, index) =>
      /^(?:my|our|the)$/.test(lower) &&
      sentence.quoted[index] !== true &&
      (lower !== 'the' || THE_OCCASIONS.test(tokens[index + 1]?.lower ?? '')),
  );
  if (my < 0) return [];
  const verb = tokens.findIndex(
    ({ lower }, index) => index > my && index <= my + 5 && /^(?:is|'s|leaves|starts|begins|ends|expires)$/.test(lower),
  );
  const nouns = tokens.slice(my + 1, Math.max(my + 1, Math.min(verb, my + 4)));
  if (!nouns.some(({ lower }) => APPOINTMENTS.has(lower)) || nouns.some(({ lower }) => lower === 'anniversary'))
    return [];
  if (tokens.slice(my, verb).some((token, index) => isHardStop(tokens, my + index) || token.text === ',')) return [];
  const clause = toWholeClause(sentence, speech, my, verb);
  const event = findPlanTime(clause);
  if (
    event === undefined ||
    !/^(?:on|in|at|next|this|tomorrow|scheduled|set|planned|from|due|\d+|january|february|march|april|may|june|july|august|september|october|november|december)$/.test(
      tokens[verb + 1]?.lower ?? '',
    )
  )
    return [];
  const end = findPhraseEnd(tokens, verb, Math.min(tokens.length, verb + WORDS_MAX));
  const is = /^(?:is|'s)$/.test(tokens[verb]?.lower ?? '');
  const value = `${joinTokens(tokens.slice(my + 1, verb))} ${joinTokens(tokens.slice(is ? verb + 1 : verb, end))}`;
  return [
    {
      entity: speech.speaker,
      attribute: 'plan',
      cardinality: 'many',
      value,
      event,
      rule: 'rules-en/occasion@1',
      confidence: 0.7,
    },
  ];
}

/** A plan of one word, or one that is a promise to the listener ("I'll call you tomorrow"), is none. */
function toPlan(clause: Clause, from: number): Finding[] {
  const value = readWords(clause, from);
  if (!value.includes(' ') || /\b(?:you|it|that|this for)\b/i.test(value.split(' ').slice(0, 3).join(' '))) return [];
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
