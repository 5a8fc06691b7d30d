/**
 * Why something that came in was refused, short enough to be sent back: an answer may not grow with what was wrong, or one
 * call of 1 MiB is answered with more than the 6 MB that Lambda takes.
 */
import type * as z from 'zod';
import { LIMITS } from '../../schema/limits.ts';

export interface Reason {
  /** The field, as in `turns.3.speaker`; empty for the whole. */
  readonly path: string;
  readonly message: string;
}

export interface Reasons {
  readonly reasons: readonly Reason[];
  /** How many further ones there are; absent when these are all. */
  readonly more?: number;
}

/** The text, or its beginning and a mark that it goes on. */
export function shortenReason(text: string): string {
  const most = LIMITS.refusalCharactersMax;
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

/** The first reasons of a failed parse, each cut, and how many more there are. */
export function reasonsOf({ issues }: Pick<z.ZodError, 'issues'>): Reasons {
  const most = LIMITS.refusalReasonsMax;
  const reasons = issues.slice(0, most).map(({ path, message }) => ({
    path: shortenReason(path.join('.')),
    message: shortenReason(message),
  }));
  return { reasons, ...(issues.length > most && { more: issues.length - most }) };
}

/** The same as one sentence: `id: too long; turns.0: not an object; and 7 more`. */
export function formatReasons(error: Pick<z.ZodError, 'issues'>): string {
  const { reasons, more } = reasonsOf(error);
  const told = reasons.map(({ path, message }) => shortenReason([path, message].filter(Boolean).join(': ')));
  return [...told, ...(more === undefined ? [] : [`and ${more} more`])].join('; ');
}
