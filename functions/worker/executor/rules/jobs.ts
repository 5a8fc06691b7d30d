/** Where and as what somebody works, as it is now. What changes it is read in `job-changes.ts`. */
import type { Finding } from './claim-draft.ts';
import { findSinceTime } from './clause-times.ts';
import { isClosed, isHeld, joinLower, lowerAt, readListed, readObject } from './clause-words.ts';
import type { Clause } from './clauses.ts';
import { toMember, toState } from './findings.ts';
import { findJobChange } from './job-changes.ts';
import { readSlots } from './job-words.ts';
import type { Sentence } from './language.ts';
import { type Phrase, readEmployer } from './phrases.ts';
import { isRole, readOpenRole, readRole } from './role-phrases.ts';
import type { Speech } from './subjects.ts';
import { FIELDS } from './vocabulary-things.ts';
import { HYPOTHETICALS } from './vocabulary.ts';

// Without a job, or with one of one's own: said of oneself in one word or two, with nothing that goes on.
const STANDINGS: readonly [RegExp, string][] = [
  [/^retired\b/, 'retired'],
  [/^(?:unemployed|out of work|between jobs|jobless)\b/, 'unemployed'],
  [/^(?:self-employed|self - employed|freelancing)\b/, 'self-employed'],
  [/^a stay ?- ?at ?- ?home (?:mom|mum|dad|parent)\b/, 'stay-at-home parent'],
];
const RETIRED = /^an? retired (?:\w+ )?(\w+)/;
const NO_LESSONS = new Set(
  'my you him her them people us kids children class classes lessons myself at in that how a the me it this every'.split(
    ' ',
  ),
);
const LONG_STAY = /\b(?:since|for (?:(?:about|almost|over|the (?:last|past)) )*(?:\w+ )?(?:years?|months?|decades?))\b/;

/** The findings of a clause about work. */
export function findJob(clause: Clause): Finding[] {
  const { verb } = clause;
  if (verb.isNegated || verb.isUncertain || verb.isFuture) return [];
  const main = lowerAt(clause, verb.main);
  if (/^(?:work(?:s|ing)?|freelanc(?:e|es|ing)|employed)$/.test(main) || (main === 'worked' && verb.isPerfect))
    return findWork(clause);
  if (/^serves?$/.test(main) && isHeld(clause) && lowerAt(clause, verb.main + 1) === 'as')
    return stateSlots(clause, verb.main + 1);
  if (
    /^(?:make|earn)$/.test(main) &&
    isHeld(clause) &&
    /^(?:a|my) living as\b/.test(joinLower(clause, verb.main + 1, 3))
  )
    return stateSlots(clause, verb.main + 3);
  if (/^(?:lead|leads|manage|manages|head|heads|oversee|oversees)$/.test(main) && isHeld(clause) && !verb.isCopula) {
    return stateSlots(clause, verb.main + 1).filter(({ attribute }) => attribute === 'works_at');
  }
  if (/^(?:teach|teaches|teaching)$/.test(main) && isHeld(clause)) return findTeaching(clause);
  if (
    /^(?:have|has|got)$/.test(main) &&
    isHeld(clause) &&
    /^an? (?:new |great |part-time )*(?:job|position) (?:at|as|with)\b/.test(joinLower(clause, verb.main + 1, 6))
  ) {
    return main === 'got' && !verb.isPerfect ? findJobChange(clause, main) : stateSlots(clause, verb.main + 2);
  }
  if (verb.isCopula && !verb.isPast && !clause.isSubordinate) {
    const role = findDescribed(clause);
    if (role.length > 0) return role;
  }
  return findJobChange(clause, main);
}

/** "As a nurse at St. Mary's, I …" at the beginning of a sentence. */
export function findRoleOpener(sentence: Sentence, speech: Speech): Finding[] {
  const { tokens } = sentence;
  if (tokens[0]?.lower !== 'as' || sentence.isQuestion) return [];
  const role = readRole(tokens, 1, tokens.length);
  if (role === undefined || tokens.some(({ lower }) => HYPOTHETICALS.has(lower))) return [];
  const isAt = /^(?:at|with)$/.test(tokens[role.next]?.lower ?? '');
  const employer = isAt ? readEmployer(tokens, role.next + 1, tokens.length) : undefined;
  const next = employer?.next ?? role.next;
  const comma = tokens.findIndex((token, index) => index >= next && index < next + 5 && token.text === ',');
  if (comma < 0 || !/^(?:i|my|we)$/.test(tokens[comma + 1]?.lower ?? '')) return [];
  const said = { entity: speech.speaker, cardinality: 'one' as const, rule: 'rules-en/as-a@1', confidence: 0.75 };
  const findings: Finding[] = [{ ...said, attribute: 'works_as', value: role.value }];
  if (employer !== undefined) findings.push({ ...said, attribute: 'works_at', value: employer.value });
  return findings;
}

function findWork(clause: Clause): Finding[] {
  const { verb } = clause;
  const isHeldOn =
    verb.isPerfect &&
    (verb.isProgressive ||
      findSinceTime(clause) !== undefined ||
      /\b(?:since|for)\b/.test(joinLower(clause, verb.main)));
  if (verb.isPast || clause.isSubordinate || (verb.isPerfect && !isHeldOn)) return [];
  const from = verb.main + 1;
  if (/^for myself\b/.test(joinLower(clause, from, 2))) return [standing(clause, 'self-employed')];
  // "Working out as a family" is no work.
  if (/^(?:out|through|towards?|around|up|together)$/.test(lowerAt(clause, from))) return [];
  const findings = stateSlots(clause, from);
  const { tokens } = clause.sentence;
  for (let index = from; index < Math.min(clause.end, from + 5); index += 1) {
    if (lowerAt(clause, index) !== 'in') continue;
    const field = readListed(tokens, index + 1, FIELDS);
    if (field !== undefined && tokens[field.next]?.pos !== 'NOUN') {
      findings.push(toMember(clause, { attribute: 'field', value: field.value, rule: 'works-in@1', confidence: 0.75 }));
    }
  }
  return findings;
}

function stateSlots(clause: Clause, from: number): Finding[] {
  return readSlots(clause, from).map(({ slot, value }) =>
    toState(clause, { attribute: slot, value, rule: 'works@1', confidence: 0.85 }),
  );
}

/** "I'm a nurse at St. Mary's": a role of the closed list, and the employer if one follows. */
function findDescribed(clause: Clause): Finding[] {
  const { tokens } = clause.sentence;
  const { main } = clause.verb;
  const words = joinLower(clause, main, 8);
  for (const [pattern, value] of STANDINGS) {
    const found = pattern.exec(words);
    if (found !== null && isClosed(tokens, main + found[0].split(' ').length)) return [standing(clause, value)];
  }
  if (isRole(RETIRED.exec(words)?.[1] ?? '')) return [standing(clause, 'retired')];
  if (clause.verb.isPerfect && lowerAt(clause, main) === 'at' && LONG_STAY.test(words)) {
    const employer = readEmployer(tokens, main + 1, clause.end);
    return employer === undefined
      ? []
      : [toState(clause, { attribute: 'works_at', value: employer.value, rule: 'been-at@1', confidence: 0.75 })];
  }
  // "I'm now senior analyst": without an article only what is new is a role.
  const role = readRole(tokens, main, clause.end) ?? (clause.verb.isRecent ? readBareRole(clause, main) : undefined);
  return role === undefined ? [] : describeRole(clause, role);
}

function readBareRole(clause: Clause, main: number): Phrase | undefined {
  const role = readOpenRole(clause.sentence.tokens, main, clause.end);
  return role !== undefined && isRole(role.value.toLowerCase().split(' ').at(-1) ?? '') ? role : undefined;
}

function joinAll(clause: Clause, from: number): string {
  return joinLower({ ...clause, end: clause.sentence.tokens.length }, from);
}

function describeRole(clause: Clause, role: Phrase): Finding[] {
  // "A carpenter by trade, but …": what somebody no longer is.
  if (
    /^by (?:trade|training|education)\b/.test(joinLower(clause, role.next, 2)) &&
    /\bbut\b/.test(joinAll(clause, role.next))
  )
    return [];
  const findings = [toState(clause, { attribute: 'works_as', value: role.value, rule: 'is-a@1', confidence: 0.75 })];
  const isOfFirm =
    lowerAt(clause, role.next) === 'of' && /^(?:ceo|cto|cfo|coo|founder|co-founder|owner)$/i.test(role.value);
  const isAt = isOfFirm || /^(?:at|with|for)$/.test(lowerAt(clause, role.next));
  const employer = isAt ? readEmployer(clause.sentence.tokens, role.next + 1, clause.end) : undefined;
  if (employer === undefined) return findings;
  // A student's school is no employer.
  if (/student$/i.test(role.value))
    return [
      ...findings,
      toMember(clause, { attribute: 'education', value: employer.value, rule: 'student-at@1', confidence: 0.75 }),
    ];
  clause.speech.employers.add(employer.value.toLowerCase());
  return [
    ...findings,
    toState(clause, { attribute: 'works_at', value: employer.value, rule: 'is-a@1', confidence: 0.75 }),
  ];
}

/** "I teach chemistry at the Elbe School": a teacher, of what is taught. */
function findTeaching(clause: Clause): Finding[] {
  const from = clause.verb.main + 1;
  const first = clause.sentence.tokens[from];
  const slots = stateSlots(clause, from).filter(({ attribute }) => attribute === 'works_at');
  if (first === undefined || NO_LESSONS.has(first.lower) || from >= clause.end) return slots;
  const object = readObject(clause, from, 3);
  const subject = object?.value.split(/ (?:at|to|in) /)[0] ?? '';
  if (subject === '' || !/^(?:NOUN|ADJ|PROPN|NUM)$/.test(first.pos)) return slots;
  return [
    toState(clause, { attribute: 'works_as', value: `${subject} teacher`, rule: 'teaches@1', confidence: 0.65 }),
    ...slots,
  ];
}

const standing = (clause: Clause, value: string): Finding =>
  toState(clause, { attribute: 'works_as', value, rule: 'standing@1', confidence: 0.75 });
