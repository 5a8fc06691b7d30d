/** Age: "I'm 34", "my son is six", "I turned 40 last week", "a 34-year-old nurse". */
import type { Finding } from './claim-draft.ts';
import { isHeld, isStated, joinLower, lowerAt } from './clause-words.ts';
import type { Clause } from './clauses.ts';
import { toChange, toState } from './findings.ts';
import type { Token } from './language.ts';
import { readNumber } from './time-words.ts';

const AGE_MAX = 115;
// A bare figure below this is more often a count ("I'm 1 of 3") or a time; with "years old" every figure is an age.
const BARE_AGE_MIN = 4;
const YEARS_OLD = /^(?:years? old|years? of age|yo\b|y\/o\b|yrs? old|y \/ o)/;

export function findAge(clause: Clause): Finding[] {
  const { verb } = clause;
  // "My kids are 5 and 7" gives nobody an age.
  if (!isStated(clause) || /(?:kids|children|parents|grandparents|in-laws|family)$/.test(clause.entity)) return [];
  if (lowerAt(clause, verb.main) === 'turned' && !verb.isCopula) return findTurned(clause);
  if (!verb.isCopula || !isHeld(clause) || verb.isPerfect) return [];
  const described = readAgeAdjective(clause.sentence.tokens, skipArticle(clause, verb.main));
  if (described !== undefined) return [toState(clause, said(described.age))];
  const { age, next } = readAge(clause, verb.main);
  if (age === undefined || age > AGE_MAX) return [];
  const after = joinLower(clause, next, 4);
  const isTold = YEARS_OLD.test(after);
  const isBare =
    age >= BARE_AGE_MIN &&
    /^(?:$|[,.!;)]|and\b(?! (?:a half|counting))|but\b|now\b|this year|today|already|so\b|- ?year)/.test(after);
  return isTold || isBare ? [toState(clause, said(age))] : [];
}

/** "34-year-old" from a token on: the age, and the index after it. */
export function readAgeAdjective(tokens: readonly Token[], from: number): { age: number; next: number } | undefined {
  const words = tokens.slice(from, from + 6).map(({ lower }) => lower);
  const joined = /^(\d{1,3})-?(?:year|yr)s?-?old$/.exec(words[0] ?? '');
  if (joined !== null) return { age: Number(joined[1]), next: from + 1 };
  const age = readNumber(words[0] ?? '');
  if (age === undefined || age > AGE_MAX) return undefined;
  const rest = words.slice(1).filter((word) => word !== '-');
  if (!/^(?:year|years|yr)$/.test(rest[0] ?? '') || rest[1] !== 'old') return undefined;
  const hyphens = words.slice(1, 5).filter((word) => word === '-').length;
  return { age, next: from + 3 + hyphens };
}

function findTurned(clause: Clause): Finding[] {
  const { age, next } = readAge(clause, clause.verb.main + 1);
  const after = lowerAt(clause, next);
  if (age === undefined || age < 1 || age > AGE_MAX || /^(?:degrees?|times|pages?|of)$/.test(after)) return [];
  return [toChange(clause, { ...said(age), rule: 'turned@1' })];
}

/** "34", "six", "thirty-four". */
function readAge(clause: Clause, index: number): { age: number | undefined; next: number } {
  const isJoined = lowerAt(clause, index + 1) === '-' && readNumber(lowerAt(clause, index + 2)) !== undefined;
  if (!isJoined) return { age: readNumber(lowerAt(clause, index)), next: index + 1 };
  return { age: readNumber(`${lowerAt(clause, index)}-${lowerAt(clause, index + 2)}`), next: index + 3 };
}

function skipArticle(clause: Clause, index: number): number {
  return /^(?:an?|the)$/.test(lowerAt(clause, index)) ? index + 1 : index;
}

function said(age: number): { attribute: string; value: string; rule: string; confidence: number } {
  return { attribute: 'age', value: String(age), rule: 'age@1', confidence: 0.8 };
}
