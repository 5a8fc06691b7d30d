/** Likes and dislikes: "I love hiking and board games", "I can't stand cilantro". */
import type { Finding } from './claim-draft.ts';
import type { Clause } from './clauses.ts';
import type { Token } from './language.ts';
import { findPhraseEnd, isHardStop, isPunctuation, joinTokens } from './phrases.ts';
import { CLAUSE_BREAKS, DISLIKE_VERBS, LIKE_VERBS } from './vocabulary.ts';

const ITEM_TOKENS_MAX = 6;
const ITEMS_MAX = 5;
const FIXED_PAIRS = /^(?:mac and cheese|fish and chips|rock and roll|drum and bass|gin and tonic|bread and butter)$/;
const NARROWING = new Set('that which who where when if than as whose'.split(' '));
// What these open is about this moment, this listener or a whole sentence, and reads as nothing on its own.
const NO_OBJECTS = new Set(
  `it this that these those them him her you your yours his their theirs my mine our ours its us me myself what how when
   where why who whether the one being having everything nothing anything something all both each every some any such
   if there here too about as so i we he she they`.split(/\s+/),
);

/** The things a clause says are liked or disliked; in the present only. */
export function findTastes(clause: Clause): Finding[] {
  const taste = readTaste(clause);
  if (taste === undefined) return [];
  return readItems(clause, taste.from).map((value) => ({
    entity: clause.entity,
    attribute: taste.attribute,
    cardinality: 'many' as const,
    value,
    rule: `rules-en/${taste.attribute}@1`,
    confidence: 0.7,
  }));
}

function readTaste(clause: Clause): { attribute: 'likes' | 'dislikes'; from: number } | undefined {
  const { tokens } = clause.sentence;
  const { verb } = clause;
  const main = tokens[verb.main]?.lower ?? '';
  const next = verb.main + 1;
  if (clause.isSubordinate || verb.isFuture || verb.isPast || verb.isPerfect || verb.isProgressive) return undefined;
  if (main === 'stand' && verb.isNegated && isUnableTo(clause)) return { attribute: 'dislikes', from: next };
  if (verb.isUncertain) return undefined;
  if (verb.isCopula) {
    const lead = tokens.slice(verb.main, verb.main + 5).map((token) => token.lower);
    const fan = /^(?:a |an )?(?:(?:huge|big|massive|real) )?fan of /.exec(`${lead.join(' ')} `);
    const skip = lead[0] === 'into' ? 1 : fan === null ? 0 : fan[0].trim().split(' ').length;
    if (skip === 0) return undefined;
    return { attribute: verb.isNegated ? 'dislikes' : 'likes', from: verb.main + skip };
  }
  if (LIKE_VERBS.has(main)) return { attribute: verb.isNegated ? 'dislikes' : 'likes', from: next };
  return DISLIKE_VERBS.has(main) && !verb.isNegated ? { attribute: 'dislikes', from: next } : undefined;
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
    const start =
      tokens[index]?.lower === 'to' || /^(?:an?|both)$/.test(tokens[index]?.lower ?? '') ? index + 1 : index;
    const end = readItemEnd(tokens, start, clause.end);
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

function readItemEnd(tokens: readonly Token[], from: number, end: number): number {
  const phraseEnd = findPhraseEnd(tokens, from, end);
  for (let index = from; index < phraseEnd; index += 1) {
    if (
      index > from &&
      /^(?:at|in|on|for|with|these|lately|now|too|again|any|anymore|&|and|or|every|anyway|so|more)$/.test(
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
  if (first === undefined || words.length > ITEM_TOKENS_MAX || NO_OBJECTS.has(first.lower)) return undefined;
  if (words.some((word) => isPunctuation(word) && !/^['’-]$/.test(word.text))) return undefined;
  if (words.some((word) => word.pos === 'AUX' || word.pos === 'PRON')) return undefined;
  return /^(?:NOUN|PROPN|ADJ|VERB|NUM|ADV)$/.test(first.pos) ? joinTokens(words) : undefined;
}

/** After a comma or "and" only a thing goes on: a noun or a gerund, and no verb of a new clause after it. */
function isListed(tokens: readonly Token[], from: number, end: number): boolean {
  const token = tokens[from];
  if (token === undefined || from >= end || isHardStop(tokens, from) || CLAUSE_BREAKS.has(token.lower)) return false;
  if (token.pos === 'VERB' && !token.lower.endsWith('ing')) return false;
  return /^(?:NOUN|PROPN|ADJ|VERB|DET)$/.test(token.pos);
}
