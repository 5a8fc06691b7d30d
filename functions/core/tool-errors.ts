/**
 * What a tool says when it refuses: a code, and a sentence a model can act on. A refusal changes nothing: of an item that is
 * refused neither claims nor acknowledgement are written, of a call that is refused nothing at all.
 */
import { LIMITS } from '../../schema/limits.ts';

export const TOOL_ERROR_CODES = [
  'unknown_source',
  'scope_mismatch',
  'not_delivered',
  'source_changed',
  'quote_not_found',
  'offset_out_of_range',
  'already_reviewed',
  'too_many_items',
  'no_items',
  'invalid_time',
] as const;
export type ToolErrorCode = (typeof TOOL_ERROR_CODES)[number];

export interface ToolError {
  readonly code: ToolErrorCode;
  readonly message: string;
}

/** What a model gave, shown back to it: it may be of any length, and of another type than it should. */
const SHOWN_MAX = 120;
function shown(given: unknown): string {
  const text = typeof given === 'string' ? given : (JSON.stringify(given) ?? typeof given);
  const cut = text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
  return typeof given === 'string' ? JSON.stringify(cut) : cut;
}

export function unknownSource(source: string): ToolError {
  const message = `there is no source ${shown(source)}: name one as it was delivered or found, kind:id or kind:id@revision`;
  return { code: 'unknown_source', message };
}

/** Both are named: a source of another scope must not look as if it were merely missing. */
export function scopeMismatch(given: string, own: string): ToolError {
  const message = `this pass reads scope ${own}, not ${shown(given)}: leave the scope out, what belongs to another is not read here`;
  return { code: 'scope_mismatch', message };
}

export function notDelivered(source: string): ToolError {
  const message = `${shown(source)} was not delivered to this pass: acknowledge and cite only what search_evidence gave from the queue; a look-up is no delivery`;
  return { code: 'not_delivered', message };
}

/** `now` is the revision that is meant instead. */
export function sourceChanged(source: string, now: string): ToolError {
  const message = `${shown(source)} is not what was delivered or stands: it is ${shown(now)} now. Name that one, once it is delivered`;
  return { code: 'source_changed', message };
}

export function quoteNotFound(quote: string): ToolError {
  const message = `${shown(quote)} does not stand in what was delivered of the source: give the quote word by word, or a character offset`;
  return { code: 'quote_not_found', message };
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

export function offsetOutOfRange(given: Range, allowed: Range, what: string): ToolError {
  const message = `${given.from} to ${given.to} is not within ${what}, which is ${allowed.from} to ${allowed.to}: ask within it`;
  return { code: 'offset_out_of_range', message };
}

export function fragmentTooLong({ from, to }: Range): ToolError {
  const most = LIMITS.lookUpResultCharacters;
  const message = `${from} to ${to} is more than ${most} characters: ask for ${from} to ${from + most}, then go on from there`;
  return { code: 'offset_out_of_range', message };
}

export function alreadyReviewed(source: string, through: number): ToolError {
  const message = `${shown(source)} is acknowledged up to character ${through} already: acknowledge what follows, or go on with the next`;
  return { code: 'already_reviewed', message };
}

export function tooManyItems(given: number): ToolError {
  const message = `${given} items are more than the ${LIMITS.reviewItemsMax} that one call takes: send them in several calls`;
  return { code: 'too_many_items', message };
}

export function noItems(): ToolError {
  return { code: 'no_items', message: `the call names no source: give 1 to ${LIMITS.reviewItemsMax} items, or finish` };
}

export function invalidTime(name: string, given: string): ToolError {
  const message = `${name} is ${shown(given)}: a time is ISO 8601 with an offset, such as 2024-05-03T10:00:00Z`;
  return { code: 'invalid_time', message };
}
