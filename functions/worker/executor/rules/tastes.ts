/** Likes and dislikes: "I love hiking and board games", "I can't stand cilantro". */
import type { Finding } from './claim-draft.ts';
import { isHeld, joinLower } from './clause-words.ts';
import type { Clause } from './clauses.ts';
import { toMember } from './findings.ts';
import type { Token } from './language.ts';
import { findPhraseEnd, isHardStop, isNameWord, isPunctuation, joinTokens } from './phrases.ts';
import { CLAUSE_BREAKS, DISLIKE_VERBS, LIKE_VERBS } from './vocabulary.ts';

const ITEM_TOKENS_MAX = 6;
const ITEMS_MAX = 5;
const KEEN =
  /^(?:into|obsessed with|passionate about|crazy about|mad about|addicted to|keen on|fond of|big on|partial to|nuts about|all about|a sucker for|hooked on) /;
const LIGHT_VERBS =
  /^(?:working|going|playing|getting|spending|talking|curling|looking|taking|making|having|being|coming|trying|doing|seeing|sitting|staying|work|go|play|get|spend|talk|look)$/;
const FIXED_PAIRS = /^(?:mac and cheese|fish and chips|rock and roll|drum and bass|gin and tonic|bread and butter)$/;
// What is liked in an answer and not in the world.
const PASSING =
  /^(?:think|say|believe|know|point out|see|be|have|get|hear)\b|^(?:the |your |second |first |last |other |new )*(?:option|idea|ideas|plan|approach|version|suggestion|suggestions|sound|way|part|point|tone|draft|title|name|structure|answer)s?\b/;
const NARROWING = new Set('that which who where when if than as whose'.split(' '));
// What these open is about this moment, this listener or a whole sentence, and reads as nothing on its own.
const NO_OBJECTS = new Set(
  `it this that these those them him her you your yours his their theirs my mine our ours its us me myself what how when
   where why who whether the one being having everything nothing anything something all both each every some any such
   if there here just too about as so i we he she they`.split(/\s+/),
);

/** "I'm afraid of heights." */
export function findFears(clause: Clause): Finding[] {
  const { verb } = clause;
  if (
    !verb.isCopula ||
    !isHeld(clause) ||
    !/^(?:afraid|scared|terrified|frightened) of\b/.test(joinLower(clause, verb.main, 2))
  )
    return [];
  return readItems(clause, verb.main + 2).map((value) =>
    toMember(clause, { attribute: 'fears', value, rule: 'fears@1', confidence: 0.7 }),
  );
}

/** The things a clause says are liked or disliked; in the present only. */
export function findTastes(clause: Clause): Finding[] {
  const taste = readTaste(clause);
  if (taste === undefined) return [];
  const { tokens } = clause.sentence;
  const values =
    taste.end === undefined ? readItems(clause, taste.from) : [joinTokens(tokens.slice(taste.from, taste.end))];
  return values.map((value) => ({
    entity: clause.entity,
    attribute: taste.attribute,
    cardinality: 'many' as const,
    value,
    rule: `rules-en/${taste.attribute}@1`,
    confidence: 0.7,
  }));
}

interface Taste {
  attribute: 'likes' | 'dislikes';
  from: number;
  /** The index after the thing, where the words themselves end it ("a jazz lover"). */
  end?: number;
}

/** "I'm a big jazz fan", "I'm a Liverpool supporter". */
function readLover(clause: Clause): Taste | undefined {
  const { tokens } = clause.sentence;
  const { verb } = clause;
  if (!/^an?$/.test(tokens[verb.main]?.lower ?? '')) return undefined;
  let from = verb.main + 1;
  while (
    /^(?:big|huge|massive|real|total|lifelong|true|die|hard|-|diehard|serious|proud)$/.test(tokens[from]?.lower ?? '')
  )
    from += 1;
  for (let index = from + 1; index < Math.min(clause.end, from + 4); index += 1) {
    if (/^(?:fan|lover|enthusiast|supporter|nut|junkie|buff|addict|fanatic)$/.test(tokens[index]?.lower ?? '')) {
      return { attribute: verb.isNegated ? 'dislikes' : 'likes', from, end: index };
    }
    if (isPunctuation(tokens[index])) return undefined;
  }
  return undefined;
}

function readTaste(clause: Clause): Taste | undefined {
  const { tokens } = clause.sentence;
  const { verb } = clause;
  const main = tokens[verb.main]?.lower ?? '';
  const next = verb.main + 1;
  const isAlways = verb.isPerfect && /^(?:loved|liked|hated|enjoyed)$/.test(main);
  if (clause.isSubordinate || verb.isFuture || verb.isPast || verb.isProgressive) return undefined;
  if (verb.isPerfect && !isAlways && !verb.isCopula) return undefined;
  if (isAlways)
    return hasAlways(clause) && !verb.isNegated
      ? { attribute: main === 'hated' ? 'dislikes' : 'likes', from: next }
      : undefined;
  if (/^(?:stand|bear|tolerate|abide)$/.test(main) && verb.isNegated && isUnableTo(clause))
    return { attribute: 'dislikes', from: next };
  if (verb.isUncertain) return undefined;
  if (verb.isCopula) {
    const lead = tokens.slice(verb.main, verb.main + 5).map((token) => token.lower);
    const fan = /^(?:a |an )?(?:(?:huge|big|massive|real) )?fan of /.exec(`${lead.join(' ')} `);
    const lover = readLover(clause);
    if (lover !== undefined) return lover;
    const keen = KEEN.exec(`${lead.join(' ')} `);
    const skip = (keen ?? fan)?.[0].trim().split(' ').length ?? 0;
    if (skip === 0) return undefined;
    if (verb.isPerfect && !hasAlways(clause)) return undefined;
    return { attribute: verb.isNegated ? 'dislikes' : 'likes', from: verb.main + skip };
  }
  if (
    /^(?:have|has)$/.test(main) &&
    !verb.isNegated &&
    /^an? (?:soft spot|weakness|thing|passion) for\b/.test(joinLower(clause, next, 4))
  ) {
    const at = clause.sentence.tokens.findIndex(({ lower }, index) => index > next && lower === 'for');
    return { attribute: 'likes', from: at + 1 };
  }
  if (/^prefers?$/.test(main) && !verb.isNegated) return { attribute: 'likes', from: next };
  if (LIKE_VERBS.has(main)) return { attribute: verb.isNegated ? 'dislikes' : 'likes', from: next };
  return DISLIKE_VERBS.has(main) && !verb.isNegated ? { attribute: 'dislikes', from: next } : undefined;
}

function hasAlways(clause: Clause): boolean {
  return clause.sentence.tokens.slice(clause.start, clause.verb.main).some(({ lower }) => lower === 'always');
}

/** "can't stand" is one expression, and the only use of a modal that states a taste. */
function isUnableTo(clause: Clause): boolean {
  const { tokens } = clause.sentence;
  return tokens.slice(clause.start, clause.verb.main).some((token) => /^(?:ca|can|cannot)$/.test(token.lower));
}

/** The items of an enumeration, each on its own: one claim per thing, so that the same thing merges over sources. */
function readItems(clause: Clause, from: number): string[] {
  const { tokens } = clause.sentence;
  const items: string[] = [];
  let index = from;
  while (items.length < ITEMS_MAX) {
    const start = skipLead(tokens, index);
    const end = readWholeItemEnd(tokens, start, clause.end);
    const value = readItem(tokens.slice(start, end));
    // "games that take five hours" is not "games": what is narrowed down after its noun is left out.
    if (value === undefined || NARROWING.has(tokens[end]?.lower ?? '')) break;
    items.push(value);
    const pair = joinTokens(tokens.slice(start, end + 2)).toLowerCase();
    if (FIXED_PAIRS.test(pair)) {
      items[items.length - 1] = pair;
      break;
    }
    const joint = tokens[end];
    if (joint === undefined || end >= clause.end || !/^(?:,|and|or|&)$/.test(joint.lower)) break;
    index = end + 1;
    if (/^(?:and|or)$/.test(tokens[index]?.lower ?? '')) index += 1;
    if (!isListed(tokens, index, clause.end)) break;
  }
  return items;
}

/** "to hike", "a good book", "playing …": what may stand before a thing. "The" stays with a name and goes with nature. */
function skipLead(tokens: readonly Token[], index: number): number {
  const lower = tokens[index]?.lower ?? '';
  return lower === 'to' || /^(?:an?|both)$/.test(lower) ? index + 1 : index;
}

/** "going" and "spending time" say nothing alone, so what follows their preposition is taken along. */
function readWholeItemEnd(tokens: readonly Token[], from: number, end: number): number {
  const short = readItemEnd(tokens, from, end);
  const joint = tokens[short]?.lower ?? '';
  if (
    !LIGHT_VERBS.test(tokens[from]?.lower ?? '') ||
    !/^(?:at|in|on|for|with|to|over|by|from)$/.test(joint) ||
    short >= end
  )
    return short;
  return Math.min(findPhraseEnd(tokens, short, end), from + ITEM_TOKENS_MAX);
}

function readItemEnd(tokens: readonly Token[], from: number, end: number): number {
  const phraseEnd = findPhraseEnd(tokens, from, end);
  for (let index = from; index < phraseEnd; index += 1) {
    if (
      index > from &&
      tokens[index - 1]?.text !== '-' &&
      tokens[index - 1]?.text !== '-' &&
      /^(?:at|in|on|for|with|these|lately|now|too|again|any|anymore|&|and|or|every|anyway|so|more|to|over|because|very|much|especially|most|best|myself|since|from|by|after|before|when|all|like|together|lately)$/.test(
        tokens[index]?.lower ?? '',
      )
    ) {
      return index;
    }
  }
  return phraseEnd;
}

function readItem(words: readonly Token[]): string | undefined {
  const first = words[0];
  if (first === undefined || words.length > ITEM_TOKENS_MAX) return undefined;
  if (NO_OBJECTS.has(first.lower) && first.lower !== 'the') return undefined;
  if (words.some((word) => isPunctuation(word) && !/^['’-]$/.test(word.text))) return undefined;
  if (words.some((word) => word.pos === 'AUX' || word.pos === 'PRON')) return undefined;
  if (PASSING.test(joinTokens(words).toLowerCase())) return undefined;
  // "creating a safe, …" was cut before its noun.
  if (words.length > 1 && words.at(-1)?.pos === 'ADJ' && words.some(({ pos }) => pos === 'DET')) return undefined;
  if (words.length === 1 && LIGHT_VERBS.test(first.lower)) return undefined;
  if (first.lower === 'the') return isKnownThe(words[1]) ? joinTokens(words) : undefined;
  return /^(?:NOUN|PROPN|ADJ|VERB|NUM|ADV)$/.test(first.pos) ? joinTokens(words) : undefined;
}

/** "The Beatles", "the sea": a name, or a part of the world that there is one of. */
function isKnownThe(word: Token | undefined): boolean {
  if (word === undefined) return false;
  if (isNameWord(word)) return true;
  return /^(?:sea|ocean|mountains|beach|outdoors|rain|snow|cold|heat|city|countryside|forest|desert|woods|smell|sound|taste|summer|winter|autumn|spring|gym|cinema|theatre|theater|opera|library|dentist|dark)$/.test(
    word.lower,
  );
}

/** After a comma or "and" only a thing goes on: a noun or a gerund, and no verb of a new clause after it. */
function isListed(tokens: readonly Token[], from: number, end: number): boolean {
  const token = tokens[from];
  if (token === undefined || from >= end || isHardStop(tokens, from) || CLAUSE_BREAKS.has(token.lower)) return false;
  if (token.pos === 'VERB' && !token.lower.endsWith('ing')) return false;
  return /^(?:NOUN|PROPN|ADJ|VERB|DET)$/.test(token.pos);
}
