/** Readers of occupations: "a software engineer", "head of operations", "a 34-year-old nurse". */
import type { Token } from './language.ts';
import { isHardStop, isPunctuation, joinTokens, type Phrase } from './phrases.ts';
import { isCalendarWord } from './time-words.ts';
import { CLAUSE_BREAKS, ROLES } from './vocabulary.ts';

// "I'm a good cook" and "I'm a former nurse" name no present job.
const NO_ROLE_ADJECTIVES = new Set(
  `good great terrible bad lousy happy big huge decent better former retired ex aspiring future amateur hobby fellow
   wannabe born natural bit failed frustrated secret avid keen passionate enthusiastic fast slow early heavy light nervous
   careful lifelong terrible awful budding would-be proud fair average unpaid reluctant volunteer`.split(/\s+/),
);
const ROLE_SUFFIX =
  /(?:teacher|worker|maker|keeper|smith|grapher|ologist|therapist|scientist|engineer|developer|designer)$/;
// Roles that are only whole with what they are of.
const HEADS =
  /^(?:head|director|vp|president|chief|manager|professor|editor|minister|chair|secretary|captain|coordinator)$/;
const NO_OPEN_ROLES =
  /^(?:well|result|team|part|whole|usual|job|position|role|group|bit|always|such|follows|family|couple|kid|child|teenager|boy|girl|community|reward|gift|present|treat|hobby|backup|reminder|way|side|volunteer|unit|whole)$/;
const ROLE_TOKENS_MAX = 6;
const OPEN_TOKENS_MAX = 5;

export function isRole(lower: string): boolean {
  return ROLES.has(lower) || ROLE_SUFFIX.test(lower);
}

/** An occupation after its article: "a software engineer" gives "software engineer". */
export function readRole(tokens: readonly Token[], from: number, end: number): Phrase | undefined {
  if (!/^(?:a|an|the)$/.test(tokens[from]?.lower ?? '')) return readHead(tokens, from, end);
  const start = skipAge(tokens, from + 1);
  if (NO_ROLE_ADJECTIVES.has(tokens[start]?.lower ?? '')) return undefined;
  const head = readHead(tokens, start, end);
  if (head !== undefined) return head;
  const based = tokens[start + 1]?.text === '-' && tokens[start + 2]?.lower === 'based' ? start + 3 : start;
  let last = -1;
  for (let index = based; index < Math.min(end, start + ROLE_TOKENS_MAX); index += 1) {
    const token = tokens[index];
    if (token === undefined || CLAUSE_BREAKS.has(token.lower) || /^(?:ADP|PRON|DET|AUX|ADV)$/.test(token.pos)) break;
    if (isPunctuation(token) && token.text !== '-') break;
    if (isRole(token.lower)) last = index;
  }
  const after = tokens[last + 1];
  if (last < 0 || after?.lower === "'s" || (after?.pos === 'NOUN' && last + 1 < end)) return undefined;
  return { value: joinTokens(tokens.slice(based, last + 1)), next: last + 1 };
}

/**
 * An occupation where the words before it leave no doubt that it is one ("work as", "promoted to"): the closed list, or
 * up to five words of a noun phrase, with an article or without.
 */
export function readOpenRole(tokens: readonly Token[], from: number, end: number): Phrase | undefined {
  const listed = readRole(tokens, from, end);
  if (listed !== undefined) return listed;
  const start = /^(?:an?|the)$/.test(tokens[from]?.lower ?? '') ? from + 1 : from;
  let next = start;
  let listedNext = -1;
  while (next < Math.min(end, start + OPEN_TOKENS_MAX)) {
    const token = tokens[next];
    if (token === undefined || CLAUSE_BREAKS.has(token.lower) || isHardStop(tokens, next)) break;
    // A word before a listed role may be tagged as anything ("promoted to team lead").
    if (isRole(token.lower)) listedNext = next + 1;
    const isPart =
      /^(?:NOUN|PROPN|ADJ|NUM|VERB)$/.test(token.pos) || isRole(token.lower) || (token.text === '-' && next > start);
    if (!isPart || isCalendarWord(token.lower) || /^(?:last|next|this)$/.test(token.lower)) break;
    next += 1;
  }
  if (listedNext > 0) return { value: joinTokens(tokens.slice(start, listedNext)), next: listedNext };
  const last = tokens[next - 1];
  if (next === start || !/^(?:NOUN|PROPN)$/.test(last?.pos ?? '') || NO_OPEN_ROLES.test(last?.lower ?? ''))
    return undefined;
  if (tokens.slice(start, next).some(({ pos }) => pos === 'VERB')) return undefined;
  return { value: joinTokens(tokens.slice(start, next)), next };
}

/** "head of operations", "VP of sales": the words up to the end of what it is of. */
function readHead(tokens: readonly Token[], from: number, end: number): Phrase | undefined {
  let index = from;
  while (index < from + 2 && /^(?:ADJ|NOUN)$/.test(tokens[index]?.pos ?? '') && !HEADS.test(tokens[index]?.lower ?? ''))
    index += 1;
  if (!HEADS.test(tokens[index]?.lower ?? '') || tokens[index + 1]?.lower !== 'of' || index + 2 >= end)
    return undefined;
  let next = index + 2;
  while (next < Math.min(end, index + 5) && /^(?:NOUN|ADJ)$/.test(tokens[next]?.pos ?? '')) next += 1;
  return next === index + 2 ? undefined : { value: joinTokens(tokens.slice(from, next)), next };
}

/** The index after "34-year-old", which is no part of an occupation. */
function skipAge(tokens: readonly Token[], from: number): number {
  if (/^\d{1,3}-?years?-old$/.test(tokens[from]?.lower ?? '')) return from + 1;
  if (!/^\d{1,3}$/.test(tokens[from]?.lower ?? '')) return from;
  const old = tokens.findIndex((token, index) => index > from && index < from + 6 && token.lower === 'old');
  return old < 0 ? from : old + 1;
}
