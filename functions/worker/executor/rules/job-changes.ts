/** Jobs begun, changed and ended: "I joined Globex in March", "promoted to lead engineer", "I quit my job yesterday". */
import type { Finding } from './claim-draft.ts';
import { joinLower, lowerAt } from './clause-words.ts';
import type { Clause } from './clauses.ts';
import { toChange } from './findings.ts';
import { hasJobWord, type JobSlot, readSlots } from './job-words.ts';
import { isNameWord, readEmployer } from './phrases.ts';
import { readOpenRole, readRole } from './role-phrases.ts';

const START_VERBS = new Set('started joined began got landed took accepted'.split(' '));
const END_VERBS = new Set('left quit lost resigned retired'.split(' '));
const LET_GO = /^(?:laid off|let go|fired|made redundant|sacked|dismissed|axed)\b/;

export function findJobChange(clause: Clause, main: string): Finding[] {
  const ended = findEnd(clause, main);
  if (ended.length > 0) return ended;
  const promoted = findPromoted(clause, main);
  if (promoted.length > 0) return promoted;
  if (clause.verb.isCopula) return findHired(clause, main, clause.verb.main + 1);
  if (main === 'got' && lowerAt(clause, clause.verb.main + 1) === 'hired')
    return findHired(clause, 'hired', clause.verb.main + 2);
  return START_VERBS.has(main) ? findStart(clause, main) : [];
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
    // "I joined a gym" is no job; "I joined a clinic as a nurse" is one.
    const isNamed = isNameWord(tokens[lowerAt(clause, from) === 'the' ? from + 1 : from]);
    if (!isNamed && !slots.some(({ slot }) => slot === 'works_as')) return [];
    clause.speech.employers.add(employer.value.toLowerCase());
    slots = [{ slot: 'works_at', value: employer.value }, ...slots.filter(({ slot }) => slot === 'works_as')];
  } else if (!hasJobWord(clause, from) && !((main === 'started' || main === 'began') && isJobStart(clause, from))) {
    return [];
  }
  return slots.map(({ slot, value }) => change(clause, slot, value, 'started-job@1'));
}

/** "I started at Acme", "started working for Acme"; "started volunteering at" and "started a fight at" are none. */
function isJobStart(clause: Clause, from: number): boolean {
  return /^(?:at|as|with|for|work|working|teaching|out|here|over|back)$/.test(lowerAt(clause, from));
}

/** "I was hired by Acme as a nurse." */
function findHired(clause: Clause, main: string, from: number): Finding[] {
  if (main !== 'hired') return [];
  if (/^(?:by|at)$/.test(lowerAt(clause, from))) {
    const employer = readEmployer(clause.sentence.tokens, from + 1, clause.end);
    if (employer === undefined) return [];
    const role = readSlots(clause, employer.next).filter(({ slot }) => slot === 'works_as');
    return [{ slot: 'works_at' as const, value: employer.value }, ...role].map(({ slot, value }) =>
      change(clause, slot, value, 'started-job@1'),
    );
  }
  return lowerAt(clause, from) === 'as'
    ? readSlots(clause, from).map(({ slot, value }) => change(clause, slot, value, 'started-job@1'))
    : [];
}

/** "I was promoted to senior engineer in March", "I became a manager last year". */
function findPromoted(clause: Clause, main: string): Finding[] {
  const { tokens } = clause.sentence;
  const { verb } = clause;
  if (main === 'became' && !verb.isCopula) {
    const role = readRole(tokens, verb.main + 1, clause.end);
    return role === undefined ? [] : [change(clause, 'works_as', role.value, 'became@1')];
  }
  const isPassive = main === 'promoted' && verb.isCopula && (verb.isPast || verb.isPerfect);
  const isGot = main === 'got' && lowerAt(clause, verb.main + 1) === 'promoted';
  if (!isPassive && !isGot) return [];
  const at = verb.main + (isGot ? 2 : 1);
  const role = lowerAt(clause, at) === 'to' ? readOpenRole(tokens, at + 1, clause.end) : undefined;
  return role === undefined ? [] : [change(clause, 'works_as', role.value, 'promoted@1')];
}

function findEnd(clause: Clause, main: string): Finding[] {
  const { tokens } = clause.sentence;
  const from = clause.verb.main + 1;
  const end = (): Finding[] => [change(clause, 'works_at', '', 'left-job@1')];
  if (clause.verb.isCopula && (clause.verb.isPast || clause.verb.isPerfect))
    return LET_GO.test(joinLower(clause, clause.verb.main)) ? end() : [];
  if (main === 'got') return LET_GO.test(joinLower(clause, from)) ? end() : [];
  if (main === 'gave' && /^gave up my\b/.test(joinLower(clause, clause.verb.main, 3)) && hasJobWord(clause, from + 1))
    return end();
  if (!END_VERBS.has(main) || clause.verb.isCopula) return [];
  if (main === 'retired') return [...end(), change(clause, 'works_as', 'retired', 'retired@1')];
  const next = lowerAt(clause, from);
  const owned = /^(?:my|the|his|her)$/.test(next);
  if (main === 'lost') return owned && hasJobWord(clause, from) ? end() : [];
  const employerAt = /^(?:from|at|my)$/.test(next) ? from + (lowerAt(clause, from + 1) === 'my' ? 2 : 1) : from;
  const employer = readEmployer(tokens, employerAt, clause.end);
  const successor = findSuccessor(clause, employer?.next ?? from);
  if (successor.length > 0 && (owned || employer !== undefined)) return successor;
  if (owned && hasJobWord(clause, from)) return end();
  const isKnown = employer !== undefined && clause.speech.employers.has(employer.value.toLowerCase());
  return isKnown || (main === 'resigned' && employer !== undefined) ? end() : [];
}

/** "I left Acme for Globex in March": where somebody went says more than that they left. */
function findSuccessor(clause: Clause, from: number): Finding[] {
  for (let index = from; index < Math.min(clause.end, from + 5); index += 1) {
    if (lowerAt(clause, index) !== 'for') continue;
    const employer = readEmployer(clause.sentence.tokens, index + 1, clause.end);
    return employer === undefined ? [] : [change(clause, 'works_at', employer.value, 'left-for@1')];
  }
  return [];
}

function change(clause: Clause, attribute: JobSlot, value: string, rule: string): Finding {
  return toChange(clause, { attribute, value, rule, confidence: 0.8 });
}
