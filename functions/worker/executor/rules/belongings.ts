/** What somebody owns, drives and uses: things of closed lists, or a product by its name. */
import type { Finding } from './claim-draft.ts';
import { isHeld, isStated, joinLower, lowerAt, readListed, readObject, readProduct } from './clause-words.ts';
import type { Clause } from './clauses.ts';
import { toGain, toMember } from './findings.ts';
import { readPet } from './pet-words.ts';
import { joinTokens, type Phrase, readName } from './phrases.ts';
import { isTimeOpener } from './time-words.ts';
import { DURABLES, TOOLS, VEHICLES } from './vocabulary-things.ts';

const THING_TOKENS_MAX = 6;
const USES_MAX = 3;
const PEOPLE_DRIVEN = new Set('my me him her them us you people kids the everyone this that it'.split(' '));
// What a language model's user "uses" in passing is no lasting fact about them.
const NO_TOOLS = new Set('english ai chatgpt claude gpt it google i'.split(' '));

export function findBelongings(clause: Clause): Finding[] {
  const { verb } = clause;
  if (!isStated(clause) || clause.isSubordinate) return [];
  if (verb.isCopula) return isHeld(clause) ? findUser(clause) : [];
  const main = lowerAt(clause, verb.main);
  const isNow = isHeld(clause);
  if (/^(?:drives?|rides?)$/.test(main) && isNow) return findDriven(clause);
  if (/^(?:use|uses|using)$/.test(main) && isNow) return findUsed(clause, verb.main + 1);
  if (/^(?:work|works)$/.test(main) && isNow && lowerAt(clause, verb.main + 1) === 'with')
    return findWorkedWith(clause, verb.main + 2);
  if (/^(?:code|codes|program|programs|develop)$/.test(main) && isNow && lowerAt(clause, verb.main + 1) === 'in') {
    return findUsed(clause, verb.main + 2);
  }
  if (/^writes?$/.test(main) && isNow) {
    const at = verb.main + (/^(?:mostly|mainly|only|primarily|a)$/.test(lowerAt(clause, verb.main + 1)) ? 2 : 1);
    return readListed(clause.sentence.tokens, at, TOOLS, 1) === undefined ? [] : findUsed(clause, at);
  }
  if (main === 'switched') return findSwitched(clause);
  if (/^(?:own|owns|run|runs)$/.test(main) && isNow) return findOwned(clause, main);
  if (/^(?:have|has)$/.test(main) && isNow)
    return toOwned(clause, readMake(clause, verb.main + 1) ?? readThing(clause, verb.main + 1), 'has-thing@1');
  if (main === 'got' && verb.isPerfect)
    return toOwned(clause, readMake(clause, verb.main + 1) ?? readThing(clause, verb.main + 1), 'has-thing@1');
  return /^(?:bought|got|purchased|inherited)$/.test(main) && !verb.isPast ? findGained(clause) : [];
}

function findDriven(clause: Clause): Finding[] {
  const from = clause.verb.main + 1;
  const article = /^(?:an?|my|our|the)$/.test(lowerAt(clause, from)) ? 1 : 0;
  const thing = readThing(clause, from, VEHICLES) ?? readProduct(clause.sentence.tokens, from + article, clause.end);
  if (thing === undefined || (article === 0 && PEOPLE_DRIVEN.has(lowerAt(clause, from)))) return [];
  if (article === 0 && !/\d/.test(thing.value)) return [];
  return [toMember(clause, { attribute: 'drives', value: thing.value, rule: 'drives@1', confidence: 0.8 })];
}

/** "I work with Python": of the listed tools only, as one works with people, too. */
function findWorkedWith(clause: Clause, from: number): Finding[] {
  return readListed(clause.sentence.tokens, from, TOOLS, 1) === undefined ? [] : findUsed(clause, from);
}

function findOwned(clause: Clause, main: string): Finding[] {
  const from = clause.verb.main + 1;
  // "I run a bakery", but not "I run a marathon".
  if (/^runs?$/.test(main) && readListed(clause.sentence.tokens, from, TOOLS, 1) !== undefined)
    return findUsed(clause, from);
  if (/^runs?$/.test(main)) return toOwned(clause, readThing(clause, from), 'owns@1');
  if (/^(?:it|this|that|up|what|my)$/.test(lowerAt(clause, from))) return [];
  const object = readObject(clause, from, THING_TOKENS_MAX);
  if (readPet(clause.sentence.tokens, from + 1, clause.end) !== undefined) return [];
  return toOwned(clause, object, 'owns@1');
}

/** "I bought a house in May": owned from then on. */
function findGained(clause: Clause): Finding[] {
  const thing = readThing(clause, clause.verb.main + 1);
  if (thing === undefined) return [];
  return [toGain(clause, { attribute: 'owns', value: thing.value, rule: 'bought@1', confidence: 0.75 })];
}

function findUsed(clause: Clause, from: number): Finding[] {
  const { tokens } = clause.sentence;
  const findings: Finding[] = [];
  let index = from;
  while (findings.length < USES_MAX) {
    if (/^(?:an?|my|the|both)$/.test(lowerAt(clause, index))) index += 1;
    const tool = readProduct(tokens, index, clause.end) ?? readListed(tokens, index, TOOLS, 1);
    if (tool === undefined || NO_TOOLS.has(tool.value.toLowerCase())) break;
    findings.push(toMember(clause, { attribute: 'uses', value: tool.value, rule: 'uses@1', confidence: 0.7 }));
    if (!/^(?:,|and)$/.test(lowerAt(clause, tool.next))) break;
    index = tool.next + (lowerAt(clause, tool.next + 1) === 'and' ? 2 : 1);
  }
  return findings;
}

/** "I'm a Linux user." */
function findUser(clause: Clause): Finding[] {
  const from = clause.verb.main + 1;
  if (!/^an?$/.test(lowerAt(clause, clause.verb.main))) return [];
  const tool = readProduct(clause.sentence.tokens, from, clause.end);
  return tool !== undefined && lowerAt(clause, tool.next) === 'user' ? findUsed(clause, from) : [];
}

/** "I switched from Windows to Linux last year": dated, the new one is used from then on; else it is no more than told. */
function findSwitched(clause: Clause): Finding[] {
  const { tokens } = clause.sentence;
  for (let index = clause.verb.main + 1; index < Math.min(clause.end, clause.verb.main + 8); index += 1) {
    if (tokens[index]?.lower !== 'to') continue;
    const at = /^(?:an?|the)$/.test(lowerAt(clause, index + 1)) ? index + 2 : index + 1;
    const tool = readProduct(tokens, at, clause.end) ?? readListed(tokens, at, TOOLS, 1);
    return tool === undefined
      ? []
      : [toGain(clause, { attribute: 'uses', value: tool.value, rule: 'switched-to@1', confidence: 0.7 })];
  }
  return [];
}

/** An article and up to five words that end in a thing of the list: "a second-hand canoe", "a 2015 Honda Civic". */
/** "a Volvo V60": a make of the list and its model. */
function readMake(clause: Clause, from: number): Phrase | undefined {
  const { tokens } = clause.sentence;
  if (!/^(?:an?|my|our)$/.test(lowerAt(clause, from)) || readName(tokens, from + 1, clause.end) === undefined)
    return undefined;
  const product = readProduct(tokens, from + 1, clause.end);
  return product !== undefined && DURABLES.has(product.value.split(' ')[0]?.toLowerCase() ?? '') ? product : undefined;
}

function readThing(clause: Clause, from: number, list: ReadonlySet<string> = DURABLES): Phrase | undefined {
  const { tokens } = clause.sentence;
  if (!/^(?:an?|one|two|three|my|our|own)$/.test(lowerAt(clause, from))) return undefined;
  const count = /^(?:two|three)$/.test(lowerAt(clause, from));
  const start = count ? from : from + 1;
  let last = -1;
  for (let index = from + 1; index < Math.min(clause.end, from + THING_TOKENS_MAX + 1); index += 1) {
    const token = tokens[index];
    const isGlued = token?.text === '-' || tokens[index - 1]?.text === '-';
    if (
      token === undefined ||
      (!isGlued && /^(?:ADP|PRON|VERB|AUX|DET|CCONJ|SCONJ)$/.test(token.pos) && !list.has(token.lower))
    )
      break;
    if (/^[,.;:!]$/.test(token.text)) break;
    if (list.has(token.lower) || list.has(token.lower.replace(/s$/, ''))) last = index;
  }
  if (last < 0) return undefined;
  const product = readProduct(tokens, last, clause.end);
  const next = product === undefined ? last + 1 : product.next;
  const after = tokens[next];
  // A "car accident", a "boat trip" and "a house to clean" are not owned.
  if (
    after !== undefined &&
    next < clause.end &&
    ((after.pos === 'NOUN' && !isTimeOpener(after.lower)) || after.lower === "'s" || after.lower === 'to')
  )
    return undefined;
  return { value: joinTokens(tokens.slice(start, next)), next };
}

function toOwned(clause: Clause, thing: Phrase | undefined, rule: string): Finding[] {
  if (thing === undefined || /^(?:problem|question|lot|few|bit)\b/.test(thing.value)) return [];
  if (/\b(?:in mind|idea)\b/.test(joinLower(clause, thing.next, 3))) return [];
  const owned = toMember(clause, { attribute: 'owns', value: thing.value, rule, confidence: 0.75 });
  const joint = lowerAt(clause, thing.next);
  if (joint !== 'and' && joint !== ',') return [owned];
  const from = thing.next + (lowerAt(clause, thing.next + 1) === 'and' ? 2 : 1);
  return [owned, ...toOwned(clause, readThing(clause, from), rule)];
}
