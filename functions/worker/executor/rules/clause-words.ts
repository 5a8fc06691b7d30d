/** What the rules ask of a clause's words: a word, a stretch, an object, a list. */
import { findTimeStart } from './clause-times.ts';
import type { Clause } from './clauses.ts';
import type { Token } from './language.ts';
import { findPhraseEnd, isNameWord, isPunctuation, joinTokens, type Phrase } from './phrases.ts';
import { CLAUSE_BREAKS } from './vocabulary.ts';

const OBJECT_TOKENS_MAX = 8;
const LIST_MAX = 6;
// What is left at the end of an object when its time has been cut off.
const LOOSE_ENDS = new Set(
  `at in on for since by to from of with now too also currently lately recently again there here right though still
   already ago back until till as well anymore please btw ever always only just myself and`.split(/\s+/),
);

export function lowerAt(clause: Clause, index: number): string {
  return clause.sentence.tokens[index]?.lower ?? '';
}

/** The words of a clause from a token on, in lower case, with single spaces. */
export function joinLower(clause: Clause, from: number, count = 40): string {
  return clause.sentence.tokens
    .slice(from, Math.min(clause.end, from + count))
    .map((token) => token.lower)
    .join(' ');
}

/** Neither denied, nor uncertain, nor to come. */
export function isStated({ verb }: Clause): boolean {
  return !verb.isNegated && !verb.isUncertain && !verb.isFuture;
}

/** A state that holds now: "am", "have been … since". No "was", no "when I am". */
export function isHeld(clause: Clause): boolean {
  return isStated(clause) && !clause.verb.isPast && !clause.isSubordinate;
}

/** The words of an object: up to a break, a comma, a time, or the clause's end. An article before it is left out. */
export function readObject(clause: Clause, from: number, tokensMax = OBJECT_TOKENS_MAX): Phrase | undefined {
  const { tokens } = clause.sentence;
  const start = /^(?:an?|the|some|my|our)$/.test(lowerAt(clause, from)) ? from + 1 : from;
  const limit = Math.min(clause.end, findTimeStart(clause, from));
  let end = Math.min(findPhraseEnd(tokens, start, limit), start + tokensMax);
  while (end > start && LOOSE_ENDS.has(lowerAt(clause, end - 1))) end -= 1;
  if (end <= start) return undefined;
  return { value: joinTokens(tokens.slice(start, end)), next: end };
}

/**
 * The members of an enumeration that `accepts` knows, from a token on: "Spanish, French and a bit of Danish". Words that
 * `skips` knows may stand before a member. Ends at the first word that is neither.
 */
export function readMembers(
  clause: Clause,
  from: number,
  reader: { accepts: (tokens: readonly Token[], index: number) => Phrase | undefined; skips: ReadonlySet<string> },
): { values: string[]; next: number } {
  const { tokens } = clause.sentence;
  const values: string[] = [];
  let index = from;
  while (index < clause.end && values.length < LIST_MAX) {
    const member = reader.accepts(tokens, index);
    if (member !== undefined) {
      values.push(member.value);
      index = member.next;
      if (!/^(?:,|and|or|&|\+|\/)$/.test(lowerAt(clause, index))) break;
      continue;
    }
    const lower = lowerAt(clause, index);
    if (!reader.skips.has(lower) && !/^(?:,|and|or|&)$/.test(lower)) break;
    index += 1;
  }
  return { values, next: index };
}

/** The longest run of at most `most` tokens from `index` that stands in a list of phrases. */
export function readListed(
  tokens: readonly Token[],
  index: number,
  list: ReadonlySet<string>,
  most = 3,
): Phrase | undefined {
  for (let count = most; count > 0; count -= 1) {
    const run = tokens.slice(index, index + count);
    if (run.length === count && list.has(joinTokens(run).toLowerCase())) {
      return { value: joinTokens(run), next: index + count };
    }
  }
  return undefined;
}

/** True when a statement may end before this token: the end, a stop, a comma, or a word that opens something new. */
export function isClosed(tokens: readonly Token[], index: number): boolean {
  const token = tokens[index];
  return (
    token === undefined ||
    isPunctuation(token) ||
    CLAUSE_BREAKS.has(token.lower) ||
    /^(?:now|again|too|myself|here|by|in|at|from|with|since|for|these|right|lately|already|actually|just|tho|btw|on|last|this)$/.test(
      token.lower,
    )
  );
}

/** A model, brand or product: a name and the figures after it ("Pixel 8", "ThinkPad X1 Carbon"). */
export function readProduct(tokens: readonly Token[], from: number, end: number): Phrase | undefined {
  let next = from;
  while (next < end && next - from < 5) {
    const token = tokens[next];
    if (token === undefined) break;
    const isPart =
      isNameWord(token) || (next > from && /^\p{N}[\p{L}\p{N}]*$/u.test(token.text)) || /^i[A-Z]/.test(token.text);
    const isYear =
      next > from && /^(?:19|20)\d\d$/.test(token.text) && next + 1 < end && tokens[next - 1]?.lower === 'in';
    if (!isPart || isYear) break;
    next += 1;
  }
  return next === from ? undefined : { value: joinTokens(tokens.slice(from, next)), next };
}
