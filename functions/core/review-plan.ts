/**
 * What one acknowledgement covers: pure, from what was delivered of a source and how far it is acknowledged. Progress is
 * contiguous: a range behind a gap is kept, and counts once the gap is closed.
 */
import { countCharacters, sliceCharacters } from './characters.ts';
import { normalizeQuote } from './quotes.ts';
import {
  alreadyReviewed,
  notDelivered,
  offsetOutOfRange,
  quoteNotFound,
  type Range,
  type ToolError,
} from './tool-errors.ts';

/** How a pass stands to one source it holds, in characters of the whole text. */
export interface Standing {
  readonly source: string;
  /** The cursor it was leased at. */
  readonly cursor: number;
  readonly deliveredTo: number;
  readonly reviewedTo: number;
  /** The delivered text that is not all acknowledged, without its overlap, and where it begins. */
  readonly text: string;
  readonly textStart: number;
}

export interface Acknowledged {
  /** From this character; absent: from where it is acknowledged up to. */
  readonly from?: number;
  /** To this character, or to the end of this quote; absent: all that was delivered. */
  readonly through?: number | string;
}

export type ReviewPlan = ({ readonly kind: 'take' } & Range) | { readonly kind: 'refused'; readonly error: ToolError };

const refused = (error: ToolError): ReviewPlan => ({ kind: 'refused', error });

/** The range that an item acknowledges; an empty one takes claims alone. */
export function planReview(standing: Standing, { from: given, through }: Acknowledged): ReviewPlan {
  const { source, cursor, deliveredTo, reviewedTo } = standing;
  if (deliveredTo === cursor) return refused(notDelivered(source));
  if (reviewedTo === deliveredTo) return refused(alreadyReviewed(source, reviewedTo));
  const from = given ?? reviewedTo;
  const to = typeof through === 'string' ? endOfQuote(standing, through) : (through ?? deliveredTo);
  if (to === undefined) return refused(quoteNotFound(String(through)));
  if (isOffset(to) && to < reviewedTo) return refused(alreadyReviewed(source, reviewedTo));
  if (!isOffset(from) || !isOffset(to) || from < cursor || to > deliveredTo || from > to) {
    return refused(
      offsetOutOfRange({ from, to }, { from: cursor, to: deliveredTo }, `what was delivered of ${source}`),
    );
  }
  return { kind: 'take', from, to };
}

const isOffset = (value: number): boolean => Number.isInteger(value) && value >= 0;

/** The end of the first occurrence that ends in text not acknowledged yet; else of the first one. */
function endOfQuote({ text, textStart, reviewedTo }: Standing, given: string): number | undefined {
  const quote = normalizeQuote(given);
  // Half a character stands in a text nowhere, though it is half of one that does.
  if (quote === '' || !quote.isWellFormed()) return undefined;
  const reviewed = sliceCharacters(text, 0, reviewedTo - textStart).length;
  const ahead = text.indexOf(quote, Math.max(0, reviewed - quote.length + 1));
  const at = ahead >= 0 ? ahead : text.indexOf(quote);
  return at < 0 ? undefined : textStart + countCharacters(text.slice(0, at + quote.length));
}

/** How far is acknowledged without a gap, and the ranges that wait behind one. */
export function joinRanges(reviewedTo: number, ranges: readonly Range[]): { to: number; waiting: Range[] } {
  const sorted = [...ranges].sort((a, b) => a.from - b.from || a.to - b.to);
  let to = reviewedTo;
  for (const range of sorted) {
    if (range.from > to) break;
    to = Math.max(to, range.to);
  }
  return { to, waiting: sorted.filter((range) => range.to > to) };
}
