/** Married, engaged, separated: as a state, or as the change that brought it. Partners by name are family. */
import type { Finding } from './claim-draft.ts';
import { isClosed, isHeld, isStated, joinLower, lowerAt } from './clause-words.ts';
import type { Clause } from './clauses.ts';
import { toChange, toMember, toState } from './findings.ts';
import { readName } from './phrases.ts';

const STATES: ReadonlyMap<string, string> = new Map([
  ['married', 'married'],
  ['engaged', 'engaged'],
  ['divorced', 'divorced'],
  ['separated', 'separated'],
  ['widowed', 'widowed'],
  ['single', 'single'],
]);
const CHANGES: readonly [RegExp, string][] = [
  [/^(?:got|get) (?:married|hitched)\b/, 'married'],
  [/^got engaged\b/, 'engaged'],
  [/^got divorced\b|^divorced\b/, 'divorced'],
  [/^(?:broke up|split up)\b/, 'single'],
  [/^(?:got )?separated\b/, 'separated'],
  [/^tied the knot\b/, 'married'],
];

export function findRelationship(clause: Clause): Finding[] {
  if (!isStated(clause)) return [];
  const { verb } = clause;
  if (verb.isCopula) return isHeld(clause) ? findState(clause) : [];
  if (/^(?:dating|seeing)$/.test(lowerAt(clause, verb.main)) && verb.isProgressive && isHeld(clause))
    return findDating(clause);
  const words = joinLower(clause, verb.main, 4);
  for (const [pattern, value] of CHANGES) {
    // "We separated the eggs", "they divorced": only with nothing but a person, a time or the end behind it.
    const count = pattern.exec(words)?.[0].split(' ').length ?? 0;
    if (count > 0 && isOpenEnded(clause, verb.main + count))
      return [
        change(clause, value),
        ...(/^(?:married|engaged)$/.test(value) ? readPartner(clause, verb.main + count) : []),
      ];
  }
  return lowerAt(clause, verb.main) === 'married' ? findMarried(clause) : [];
}

function findState(clause: Clause): Finding[] {
  const { tokens } = clause.sentence;
  const { main } = clause.verb;
  const value = STATES.get(lowerAt(clause, main));
  if (main !== undefined && clause.verb.isPerfect && /^together (?:for|since)\b/.test(joinLower(clause, main, 2))) {
    const and = clause.sentence.tokens[clause.start - 1]?.lower === 'and';
    return and ? [state(clause, 'in a relationship')] : [];
  }
  if (value === undefined) {
    const words = joinLower(clause, main, 7);
    if (/^in a (?:[\w-]+ ){0,4}relationship\b/.test(words)) return [state(clause, 'in a relationship')];
    return /^(?:a widow|a widower)\b/.test(words) ? [state(clause, 'widowed')] : [];
  }
  const next = lowerAt(clause, main + 1);
  const isTo = next === 'to' || (value === 'separated' && next === 'from');
  if (lowerAt(clause, main + 1) === '-') return [];
  // "Engaged in a project", "married to my job" and "a single mother" are no states of this kind.
  if (!isTo && !isClosed(tokens, main + 1)) return [];
  if (value === 'engaged' && /^(?:in|with|by|at)$/.test(next)) return [];
  if (isTo && /^(?:the|a|this|it)$/.test(lowerAt(clause, main + 2))) return [];
  if (
    isTo &&
    lowerAt(clause, main + 2) === 'my' &&
    !/^(?:husband|wife|best|partner|high|college|childhood)$/.test(lowerAt(clause, main + 3))
  )
    return [];
  return [state(clause, value), ...(value === 'separated' ? [] : readPartner(clause, main + 1))];
}

/** "I married Sam in 2015." */
function findMarried(clause: Clause): Finding[] {
  const from = clause.verb.main + 1;
  const name = readName(clause.sentence.tokens, from, clause.end);
  if (name === undefined && !/^(?:my|the love|in|last|on)\b/.test(joinLower(clause, from, 2))) return [];
  return [change(clause, 'married'), ...readPartner(clause, from)];
}

function readPartner(clause: Clause, from: number): Finding[] {
  if (!clause.isFirst) return [];
  const at = /^(?:to|with)$/.test(lowerAt(clause, from)) ? from + 1 : from;
  const name = readName(clause.sentence.tokens, at, clause.end);
  if (name === undefined) return [];
  const value = `${lowerAt(clause, from - 1) === 'engaged' ? 'partner' : 'spouse'} ${name.value}`;
  return [{ ...toMember(clause, { attribute: 'family', value, rule: 'married-to@1', confidence: 0.75 }) }];
}

/** "I'm dating Alex", "I'm dating someone". */
function findDating(clause: Clause): Finding[] {
  const from = clause.verb.main + 1;
  const name = readName(clause.sentence.tokens, from, clause.end);
  const isSeeing = lowerAt(clause, clause.verb.main) === 'seeing';
  if (isSeeing && !/^(?:someone|somebody)$/.test(lowerAt(clause, from))) return [];
  if (name === undefined && !/^(?:someone|somebody|a|an|again)$/.test(lowerAt(clause, from))) return [];
  const partner =
    name === undefined || !clause.isFirst
      ? []
      : [toMember(clause, { attribute: 'family', value: `partner ${name.value}`, rule: 'dating@1', confidence: 0.7 })];
  return [state(clause, 'in a relationship'), ...partner];
}

function isOpenEnded(clause: Clause, index: number): boolean {
  return (
    index >= clause.end ||
    isClosed(clause.sentence.tokens, index) ||
    /^(?:to|with|in|on|last|this|two|three|a|just|yesterday|today|when|\d+)$/.test(lowerAt(clause, index))
  );
}

function state(clause: Clause, value: string): Finding {
  return toState(clause, { attribute: 'relationship', value, rule: 'relationship@1', confidence: 0.8 });
}

function change(clause: Clause, value: string): Finding {
  return toChange(clause, { attribute: 'relationship', value, rule: 'relationship-change@1', confidence: 0.8 });
}
