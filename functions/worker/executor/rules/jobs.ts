/** Where and as what somebody works, from when, and until when. */
import type { Finding } from './claim-draft.ts';
import { findChangeTime, findSinceTime } from './clause-times.ts';
import type { Clause } from './clauses.ts';
import { type Phrase, readEmployer, readRole } from './phrases.ts';

type Slot = 'works_at' | 'works_as';

const JOB_WORDS = new Set('job role position gig work'.split(' '));
const START_VERBS = new Set('started joined began got landed took accepted'.split(' '));
const END_VERBS = new Set('left quit lost resigned retired'.split(' '));
const LET_GO = /^(?:laid off|let go|fired|made redundant)\b/;

/** The findings of a clause about work. */
export function findJob(clause: Clause): Finding[] {
  const { verb } = clause;
  if (verb.isNegated || verb.isUncertain || verb.isFuture) return [];
  const main = lowerAt(clause, verb.main);
  if (/^work(?:s|ing)?$/.test(main)) return findState(clause);
  if (main === 'worked' && verb.isPerfect) return findState(clause);
  if (verb.isCopula && !verb.isPast && !clause.isSubordinate) {
    const role = findCopulaRole(clause);
    if (role.length > 0) return role;
  }
  const ended = findEnd(clause, main);
  if (ended.length > 0) return ended;
  if (verb.isCopula) return findHired(clause, main);
  return START_VERBS.has(main) ? findStart(clause, main) : [];
}

function findState(clause: Clause): Finding[] {
  const { verb } = clause;
  const event = findSinceTime(clause);
  const isHeldOn = verb.isPerfect && (event !== undefined || /\b(?:since|for)\b/.test(joinLower(clause, verb.main)));
  if (verb.isPast || clause.isSubordinate || (verb.isPerfect && !isHeldOn)) return [];
  return readSlots(clause, verb.main + 1).map(({ slot, value }) => {
    const finding = toFinding(clause, slot, { value, rule: 'works', confidence: 0.85 });
    return event === undefined ? finding : { ...finding, event };
  });
}

/** "I'm a nurse at St. Mary's": a role of the closed list, and the employer if one follows. */
function findCopulaRole(clause: Clause): Finding[] {
  const role = readRole(clause.sentence.tokens, clause.verb.main, clause.end);
  if (role === undefined) return [];
  const findings = [toFinding(clause, 'works_as', { value: role.value, rule: 'is-a', confidence: 0.75 })];
  const employer = /^(?:at|with)$/.test(lowerAt(clause, role.next))
    ? readEmployer(clause.sentence.tokens, role.next + 1, clause.end)
    : undefined;
  if (employer !== undefined) {
    clause.speech.employers.add(employer.value.toLowerCase());
    findings.push(toFinding(clause, 'works_at', { value: employer.value, rule: 'is-a', confidence: 0.75 }));
  }
  return findings;
}

/** "I joined Globex as a designer in March", "I started a new job at Globex yesterday". */
function findStart(clause: Clause, main: string): Finding[] {
  const { tokens } = clause.sentence;
  const from = clause.verb.main + 1;
  let slots = readSlots(clause, from);
  if (main === 'joined') {
    const employer = readEmployer(tokens, from, clause.end);
    if (employer === undefined || clause.speech.people.has(employer.value)) return [];
    if (/^(?:for|at|on)$/.test(lowerAt(clause, employer.next))) return [];
    clause.speech.employers.add(employer.value.toLowerCase());
    slots = [{ slot: 'works_at', value: employer.value }, ...slots.filter(({ slot }) => slot === 'works_as')];
  } else if (main !== 'started' && main !== 'began' && !hasJobWord(clause, from)) {
    return [];
  }
  return slots.map(({ slot, value }) => settle(clause, slot, { value, rule: 'started-job', confidence: 0.8 }));
}

/** "I was hired by Acme." */
function findHired(clause: Clause, main: string): Finding[] {
  if (main !== 'hired' || !/^(?:by|at)$/.test(lowerAt(clause, clause.verb.main + 1))) return [];
  const employer = readEmployer(clause.sentence.tokens, clause.verb.main + 2, clause.end);
  if (employer === undefined) return [];
  return [settle(clause, 'works_at', { value: employer.value, rule: 'started-job', confidence: 0.8 })];
}

function findEnd(clause: Clause, main: string): Finding[] {
  const from = clause.verb.main + 1;
  const end = () => [settle(clause, 'works_at', { value: '', rule: 'left-job', confidence: 0.8 })];
  if (clause.verb.isCopula && clause.verb.isPast) return LET_GO.test(joinLower(clause, clause.verb.main)) ? end() : [];
  if (main === 'got') return LET_GO.test(joinLower(clause, from)) ? end() : [];
  if (!END_VERBS.has(main) || clause.verb.isCopula) return [];
  if (main === 'retired') return end();
  const next = lowerAt(clause, from);
  const owned = /^(?:my|the|his|her)$/.test(next);
  if (owned && hasJobWord(clause, from)) return end();
  if (main === 'lost') return [];
  const employerAt = main === 'resigned' && next === 'from' ? from + 1 : from;
  const employer = readEmployer(clause.sentence.tokens, employerAt, clause.end);
  const isKnown = employer !== undefined && clause.speech.employers.has(employer.value.toLowerCase());
  return isKnown || (main === 'resigned' && employer !== undefined) ? end() : [];
}

/** "my job", "a new role as", "the night job": a job word within the first words of the object. */
function hasJobWord(clause: Clause, from: number): boolean {
  for (let index = from; index < Math.min(clause.end, from + 6); index += 1) {
    const lower = lowerAt(clause, index);
    if (JOB_WORDS.has(lower)) return true;
    if (/^(?:at|as|with|for|in|to|and|,)$/.test(lower)) return false;
  }
  return false;
}

/** "at Acme" and "as a nurse", in either order, within the clause. */
function readSlots(clause: Clause, from: number): { slot: Slot; value: string }[] {
  const { tokens } = clause.sentence;
  const slots: { slot: Slot; value: string }[] = [];
  let index = from;
  while (index < Math.min(clause.end, from + 14)) {
    const lower = lowerAt(clause, index);
    let phrase: Phrase | undefined;
    if (lower === 'at' || lower === 'for' || lower === 'with') {
      phrase = lower === 'with' && slots.length === 0 ? undefined : readEmployer(tokens, index + 1, clause.end);
      if (phrase !== undefined && !slots.some(({ slot }) => slot === 'works_at') && !isPerson(clause, phrase.value)) {
        slots.push({ slot: 'works_at', value: phrase.value });
        clause.speech.employers.add(phrase.value.toLowerCase());
      }
    } else if (lower === 'as') {
      phrase = readRole(tokens, index + 1, clause.end);
      if (phrase !== undefined) slots.push({ slot: 'works_as', value: phrase.value });
    }
    index = phrase?.next ?? index + 1;
  }
  return slots;
}

function isPerson(clause: Clause, value: string): boolean {
  return clause.speech.people.has(value);
}

function settle(clause: Clause, slot: Slot, found: { value: string; rule: string; confidence: number }): Finding {
  const event = findChangeTime(clause);
  const finding: Finding = { ...toFinding(clause, slot, found), change: true };
  return event === undefined ? finding : { ...finding, event };
}

function toFinding(clause: Clause, slot: Slot, found: { value: string; rule: string; confidence: number }): Finding {
  return {
    entity: clause.entity,
    attribute: slot,
    cardinality: 'one',
    value: found.value,
    rule: `rules-en/${found.rule}@1`,
    confidence: found.confidence,
  };
}

function lowerAt(clause: Clause, index: number): string {
  return clause.sentence.tokens[index]?.lower ?? '';
}

function joinLower(clause: Clause, from: number): string {
  return clause.sentence.tokens
    .slice(from, clause.end)
    .map((token) => token.lower)
    .join(' ');
}
