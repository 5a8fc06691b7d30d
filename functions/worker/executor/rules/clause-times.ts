/** When a clause happened, by its own words: which of a sentence's time expressions belong to which verb. */
import { anchorDay, dayInterval } from './calendar.ts';
import type { EventInterval } from './claim-draft.ts';
import type { Clause } from './clauses.ts';
import type { Token } from './language.ts';
import { findTimeExpressions } from './time-expressions.ts';
import type { Direction } from './time-frame.ts';

const BREAKS = new Set(
  'and but or so because while when which who whom where although though if then after before'.split(' '),
);
// "until May", "by May", "before May": the expression bounds the event and does not date it.
const BOUNDS = new Set('until till by before after since for from to than'.split(' '));
// Prepositions that belong to the time after them.
const LEADS = new Set(
  'in on at since for until till by before after from back around about early late earlier'.split(' '),
);
const DURATION =
  /\b(?:since\b|for (?:(?:the (?:last|past)|about|around|almost|nearly|over) )?(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|many|several|some|a few|a couple of) (?:years?|months?|weeks?|days?|decades?|hours?|minutes?)\b)/i;
const LOOSE_TAGS = new Set([
  'ADP',
  'SCONJ',
  'ADV',
  'DET',
  'PUNCT',
  'ADJ',
  'INTJ',
  'CCONJ',
  'NOUN',
  'NUM',
  'PROPN',
  'PART',
  'X',
]);

/** The event of a change ("moved", "quit"): named in the text, or the turn's day when it is said with "just" or "now". */
export function findChangeTime(clause: Clause): EventInterval | undefined {
  const named = findNamedTime(clause, 'past');
  if (named !== undefined) return named === 'unresolved' ? undefined : named;
  const { anchor } = clause.speech;
  const last = clause.sentence.tokens[clause.end - 1]?.lower;
  const isRecent = clause.verb.isRecent || last === 'now';
  // "when I just moved": told again later, so the turn's own day says nothing.
  if (!isRecent || clause.isSubordinate || anchor === undefined) return undefined;
  return { ...dayInterval(anchorDay(anchor).dayNumber, anchor.offsetMinutes), from: 'turn' };
}

/** The time of a plan, or undefined. */
export function findPlanTime(clause: Clause): EventInterval | undefined {
  const named = findNamedTime(clause, 'future');
  return named === 'unresolved' ? undefined : named;
}

/** True when a clause names a time to come, resolvable or not. */
export function hasPlanTime(clause: Clause): boolean {
  return findNamedTime(clause, 'future') !== undefined;
}

/** The beginning of a state, by "since": a state without it is undated. */
export function findSinceTime(clause: Clause): EventInterval | undefined {
  const { text, start } = readTail(clause, new Set());
  const expressions = findTimeExpressions(text, 'past', clause.speech.anchor);
  const found = expressions.find((expression) => {
    const token = findTokenBefore(clause.sentence.tokens, start + expression.start);
    return /^since\b/i.test(text.slice(expression.start, expression.end)) || token?.lower === 'since';
  });
  const head = readHead(clause);
  if (found !== undefined || head === undefined || !/^since\b/i.test(head)) return found?.interval;
  return findTimeExpressions(head, 'past', clause.speech.anchor)[0]?.interval;
}

/**
 * The index of the token at which the first time of a clause begins, with its preposition, or of "for two years" and
 * "since"; the clause's end when there is none.
 */
export function findTimeStart(clause: Clause, from: number): number {
  const { tokens } = clause.sentence;
  const { text, start } = sliceTokens(tokens, from, clause.end);
  let at = DURATION.exec(text)?.index ?? Infinity;
  for (const direction of ['past', 'future'] as const) {
    at = Math.min(at, findTimeExpressions(text, direction, clause.speech.anchor)[0]?.start ?? Infinity);
  }
  if (at === Infinity) return clause.end;
  let index = tokens.findIndex((token) => token.start >= start + at);
  if (index < 0) return clause.end;
  while (index > from && LEADS.has(tokens[index - 1]?.lower ?? '')) index -= 1;
  return index;
}

function findNamedTime(clause: Clause, direction: Direction): EventInterval | 'unresolved' | undefined {
  const { tokens } = clause.sentence;
  const { anchor } = clause.speech;
  const tail = readTail(clause, BREAKS);
  for (const expression of findTimeExpressions(tail.text, direction, anchor)) {
    const at = tail.start + expression.start;
    const opening = /^\w+/.exec(tail.text.slice(expression.start))?.[0]?.toLowerCase() ?? '';
    const before = findTokenBefore(tokens, at)?.lower ?? '';
    if (isBound(opening, direction) || isBound(before, direction)) continue;
    if (!isBesideComma(tokens, clause.verb.main, at)) continue;
    return expression.interval ?? 'unresolved';
  }
  const head = readHead(clause);
  const first = head === undefined ? undefined : findTimeExpressions(head, direction, anchor)[0];
  if (first === undefined || head === undefined) return undefined;
  const opening = /^\w+/.exec(head.slice(first.start))?.[0]?.toLowerCase() ?? '';
  return BOUNDS.has(opening) ? undefined : (first.interval ?? 'unresolved');
}

/** "Booked for October" dates what is to come; "stayed for the summer" does not date what is over. */
function isBound(word: string, direction: Direction): boolean {
  return BOUNDS.has(word) && !(word === 'for' && direction === 'future');
}

/** The text from the main verb to the end of its clause, cut before a word of `breaks`. */
function readTail(clause: Clause, breaks: ReadonlySet<string>): { text: string; start: number } {
  const { tokens } = clause.sentence;
  let last = clause.verb.main;
  for (let index = last + 1; index < clause.end; index += 1) {
    if (breaks.has(tokens[index]?.lower ?? '')) break;
    last = index;
  }
  return sliceTokens(tokens, clause.verb.main, last + 1);
}

/** What opens a sentence before its first subject, when that is no clause of its own: "In May 2024, we moved". */
function readHead(clause: Clause): string | undefined {
  const before = clause.sentence.tokens.slice(0, clause.start);
  if (before.length === 0 || before.some((token) => !LOOSE_TAGS.has(token.pos))) return undefined;
  return sliceTokens(clause.sentence.tokens, 0, clause.start).text;
}

/** The words of tokens with one space for each gap, and their own offsets kept: every gap is as long as it was. */
function sliceTokens(tokens: readonly Token[], from: number, to: number): { text: string; start: number } {
  const start = tokens[from]?.start ?? 0;
  let text = '';
  for (const token of tokens.slice(from, to)) text += ' '.repeat(token.start - start - text.length) + token.text;
  return { text, start };
}

function findTokenBefore(tokens: readonly Token[], at: number): Token | undefined {
  return tokens.findLast((token) => token.end <= at);
}

/** An expression after a comma counts only when nothing but small words stands between ("moved to Oslo, back in May"). */
function isBesideComma(tokens: readonly Token[], main: number, at: number): boolean {
  const comma = tokens.findLastIndex((token, index) => index > main && token.end <= at && token.text === ',');
  if (comma < 0) return true;
  return tokens.slice(comma + 1).every((token) => token.end > at || token.pos === 'ADP' || token.pos === 'ADV');
}
