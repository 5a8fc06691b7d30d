/** Where somebody is from, and of what nationality. */
import type { Finding } from './claim-draft.ts';
import { isClosed, isHeld, isStated, joinLower, lowerAt } from './clause-words.ts';
import type { Clause } from './clauses.ts';
import { toMember } from './findings.ts';
import { readPlace } from './phrases.ts';
import { DEMONYMS } from './vocabulary-things.ts';

const ORIGIN =
  /^(?:born and raised in|born and bred in|raised in|born in|grew up in|hail from|hails from|come from|comes from|from)\b/;

export function findOrigin(clause: Clause): Finding[] {
  if (!isStated(clause)) return [];
  const { tokens } = clause.sentence;
  const { verb } = clause;
  const lead = ORIGIN.exec(joinLower(clause, verb.main, 4))?.[0];
  if (lead === undefined) return findNationality(clause);
  // "I was from" is over; "I was born in" and "I grew up in" always are.
  if (lead.endsWith('from') && (!isHeld(clause) || (lead === 'from' && !verb.isCopula))) return [];
  if (/^(?:born|raised)/.test(lead) && !verb.isCopula && clause.start !== verb.main) return [];
  const place = readPlace(tokens, verb.main + lead.split(' ').length, clause.end);
  if (
    place === undefined ||
    clause.speech.people.has(place.value) ||
    clause.speech.employers.has(place.value.toLowerCase())
  )
    return [];
  return [toMember(clause, { attribute: 'from', value: place.value, rule: 'from@1', confidence: 0.85 })];
}

function findNationality(clause: Clause): Finding[] {
  const { verb } = clause;
  if (!verb.isCopula || !isHeld(clause) || verb.isProgressive) return [];
  let index = verb.main;
  while (/^(?:half|part|a|an|and)$/.test(lowerAt(clause, index)) && index < verb.main + 2) index += 1;
  if (!DEMONYMS.has(lowerAt(clause, index))) return [];
  const value = clause.sentence.tokens[index]?.text ?? '';
  const next = lowerAt(clause, index + 1);
  if (!isClosed(clause.sentence.tokens, index + 1) && !/^(?:citizen|national|-)$/.test(next)) return [];
  if (!/^\p{Lu}/u.test(value) || next === '-') return [];
  const values = [value];
  for (let other = index + 1; other < Math.min(clause.end, index + 5); other += 1) {
    const token = clause.sentence.tokens[other];
    if (token !== undefined && DEMONYMS.has(token.lower) && /^(?:half|part|and)$/.test(lowerAt(clause, other - 1)))
      values.push(token.text);
  }
  return values.map((each) =>
    toMember(clause, { attribute: 'nationality', value: each, rule: 'nationality@1', confidence: 0.8 }),
  );
}
