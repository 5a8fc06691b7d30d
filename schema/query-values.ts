/** Values that queries and bodies of several routes hold, each with a sentence of its own. */
import * as z from 'zod';

const INSTANT = 'a time is ISO 8601 with an offset, such as 2024-05-03T10:00:00Z';
const VIEW_TIME = `${INSTANT}, or a day, such as 2024-05-03, which is taken at its end in UTC`;

export const instantSchema = z.iso.datetime({ offset: true, error: INSTANT });

/**
 * When the memory is looked at. A day stands for its end in UTC: what happened on it, or was recorded on it, is part of the
 * view of that day.
 */
export const viewTimeSchema = z.union([
  z.iso.date(VIEW_TIME).transform((day) => `${day}T23:59:59.999Z`),
  z.iso.datetime({ offset: true, error: VIEW_TIME }),
]);

/** Where a page begins, as the page before said. */
export const cursorSchema = z.string().max(2_000).optional();

/** A number in a query, which comes as text. */
export function wholeNumberUpTo(most: number) {
  const error = `it must be a whole number from 1 to ${most}`;
  return z.coerce.number({ error }).int({ error }).min(1, { error }).max(most, { error });
}
